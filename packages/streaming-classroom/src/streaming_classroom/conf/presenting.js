// Begins or ends presenting. JupyterLab's side bar is closed, and opened again, by JupyterLab's own key.
const page = document.documentElement;
const isOpen = () => document.querySelector("#jp-left-stack:not(.lm-mod-hidden)") !== null;
function pressKeyOfSideBar() {
  const isMac = navigator.platform.startsWith("Mac");
  const key = { key: "b", code: "KeyB", keyCode: 66, ctrlKey: !isMac, metaKey: isMac, bubbles: true, cancelable: true };
  document.body.dispatchEvent(new KeyboardEvent("keydown", key));
}
if (isPresenting) {
  page.classList.add("sc-presenting");
  if (isOpen()) {
    page.dataset.scSideBar = "closed";
    pressKeyOfSideBar();
  }
} else {
  page.classList.remove("sc-presenting");
  if (page.dataset.scSideBar === "closed" && !isOpen()) pressKeyOfSideBar();
  delete page.dataset.scSideBar;
}
