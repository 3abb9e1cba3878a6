// What stands above the tabs of a stream: how it is, how far it has come, and the buttons that stop and pin it.

const LIGHTS = { starting: "◌", running: "●", waiting: "○", failed: "▲", "lost contact": "?" };
const OFF = "■"; // of a stream that was stopped, or has ended with its kernel or with Spark
const ALIVE = ["starting", "running", "waiting"];
const PATIENCE = 15000; // milliseconds until a button says that nobody answers
const SILENCE = 20000; // after which nobody is there any more: a kernel that lives is heard every five seconds
const isAlive = (state) => ALIVE.includes(state);

function makeHeader(root, stop) {
  const light = element("span", { class: "sc-light", "aria-hidden": "true" });
  const name = element("strong");
  const state = element("span", { class: "sc-state" });
  const numbers = element("span", { class: "sc-numbers" });
  let unanswered;
  const button = element("button", { type: "button", class: "sc-stop", onclick: () => {
    button.disabled = true;
    button.textContent = "Stopping …";
    unanswered = setTimeout(() => {
      offer();
      complain("The kernel does not answer: it is busy with another cell, or gone. Interrupt that cell, or run this one again.");
    }, PATIENCE);
    stop();
  } }, "Stop");

  function offer() {
    clearTimeout(unanswered);
    button.disabled = false;
    button.textContent = "Stop";
  }

  // What one reads about a stream may be longer than the page: pinned, the view stays in the corner of the window.
  const place = element("div", { class: "sc-place" }, "This cell's view is pinned to the corner of the window. Unpin it there, and it comes back.");
  const pin = element("button", { type: "button", class: "sc-pin", "aria-pressed": "false", title: "Keep this view in the corner of the window; drag it by its first line", onclick: () => {
    root.parentElement.style.minHeight = `${root.offsetHeight}px`; // its place stays as large as it was
    const pinned = root.classList.toggle("sc-pinned");
    if (pinned) {
      root.before(place);
    } else {
      place.remove();
      root.parentElement.style.minHeight = "";
      moveTo(null);
    }
    pin.setAttribute("aria-pressed", String(pinned));
    pin.textContent = pinned ? "Unpin" : "Pin";
    nameButtons();
  } }, "Pin");
  const line = element("div", { class: "sc-header", role: "group", "aria-label": "Stream" }, light, name, state, numbers, pin, button);

  // Put the pinned view at a place of the window, or, without one, back to where the style has it.  A place in the style
  // counts from the part of the page that holds the view, which need not be the window.
  function moveTo(corner) {
    Object.assign(root.style, corner ? { left: "0", top: "0", right: "auto", bottom: "auto" } : { left: "", top: "", right: "", bottom: "" });
    if (!corner) return;
    const origin = root.getBoundingClientRect();
    const within = (value, most) => Math.max(0, Math.min(value, most));
    root.style.left = `${within(corner.left, window.innerWidth - root.offsetWidth) - origin.left}px`;
    root.style.top = `${within(corner.top, window.innerHeight - root.offsetHeight) - origin.top}px`;
  }

  // It may cover what one reads next, so it can be dragged away by its first line.
  line.addEventListener("pointerdown", (down) => {
    if (!root.classList.contains("sc-pinned") || down.target.closest("button")) return;
    const { left, top } = root.getBoundingClientRect();
    const drag = (move) => moveTo({ left: left + move.clientX - down.clientX, top: top + move.clientY - down.clientY });
    line.setPointerCapture(down.pointerId);
    line.addEventListener("pointermove", drag);
    line.addEventListener("lostpointercapture", () => line.removeEventListener("pointermove", drag), { once: true });
    down.preventDefault();
  });
  const alert = element("div", { class: "sc-error", role: "alert", hidden: "" });
  const row = element("div", {}, line, alert);

  // Of several views on a page, a screen reader reads which stream a button is of.
  function nameButtons() {
    pin.setAttribute("aria-label", `${pin.textContent} the stream ${name.textContent}`);
    button.setAttribute("aria-label", `Stop the stream ${name.textContent}`);
  }

  function complain(text) {
    const [sentence, ...rest] = text.split("\n");
    alert.hidden = !sentence;
    alert.replaceChildren(element("strong", {}, sentence), ...(rest.join("").trim() ? [element("details", {},
      element("summary", {}, "all of the message"), element("pre", {}, rest.join("\n")))] : []));
  }

  function update(header) {
    light.textContent = LIGHTS[header.state] || OFF;
    light.className = `sc-light sc-${header.state.split(" ")[0]}`;
    name.textContent = header.name;
    state.textContent = header.state;
    const parts = header.detail ? [header.detail] : []; // what a stream without a batch is busy with
    if (header.batch >= 0) parts.push(`batch ${header.batch}`);
    if (header.batch >= 0 && header.rows !== null) parts.push(`${whole(header.rows)} rows so far`);
    if (header.rate > 0) parts.push(`${exact(+header.rate.toPrecision(3))} rows/s`);
    if (header.ahead >= 0) parts.push(`reading batch ${header.ahead} …`); // header and rows are of one batch, an earlier one
    numbers.textContent = parts.join(" · ");
    button.hidden = !isAlive(header.state);
    if (button.hidden) offer(); // no answer is waited for any more
    complain(header.error || "");
    nameButtons();
  }

  return { row, update };
}
