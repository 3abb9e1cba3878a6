// Keys that are pressed in a view are the view's, not the notebook's, which takes letters and arrows for commands.

const OWN_KEY = "sc-key"; // what a view hears of a key; it prevents the default of one that it has a use for

// With Ctrl, Alt or Cmd they are the page's still: Ctrl+S saves. What a browser does by itself at a key, such as Tab, or
// an arrow in a list of choices, it does all the same.
function keepKeys(event) {
  const view = event.target.closest?.(".sc-view");
  if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
  event.stopImmediatePropagation();
  const isFree = event.target.dispatchEvent(new CustomEvent(OWN_KEY, { detail: event.key, bubbles: true, cancelable: true }));
  if (!isFree) event.preventDefault();
  else if (event.key === "Escape") leave(view, event.target);
}

// Escape leaves to the cell, whose keys are the notebook's.
function leave(view, focused) {
  const cell = view.closest(".jp-Cell");
  focused.blur();
  if (!cell) return;
  if (!cell.hasAttribute("tabindex")) cell.tabIndex = -1;
  cell.focus({ preventScroll: true });
}

// Once for all views of a page, at the window: JupyterLab asks at the document for its commands before any view hears of
// a key.
if (!window.streamViewHasKeys) {
  window.streamViewHasKeys = true;
  window.addEventListener("keydown", keepKeys, true);
}
