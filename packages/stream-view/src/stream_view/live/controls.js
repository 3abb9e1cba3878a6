// The instructor's panel: buttons that send what was pressed, and a state that the kernel sets.  Names and errors are
// only ever written as text.

const LIGHTS = { running: "●", waiting: "○" };
const SIGN_OF_LIFE = 10000; // milliseconds; the kernel follows the streams while a page says that it is there
const CONFIRM_WITHIN = 5000; // milliseconds from the first click on "Start over" to the second
const ANSWER_WITHIN = 3000; // milliseconds after which the page says that it still waits
const KERNEL_ENDED = "The kernel has ended, and the streams with it: run the set-up cells, then this one.";

function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

// A button that is out of use keeps the keyboard's focus, which a disabled one would lose at each press.
const button = (text, press, name = "") => element("button", {
  type: "button", class: name, onclick: (event) => { if (event.currentTarget.getAttribute("aria-disabled") !== "true") press(); },
}, text);

const enable = (node, isEnabled) => node.setAttribute("aria-disabled", String(!isEnabled));

// Text is set only where it differs, so that screen readers say what is new and nothing twice.
function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function makeData(send) {
  const next = button("Land the next batch", () => send({ do: "land" }), "sc-main");
  const rate = element("input", { type: "number", min: "0.2", max: "10", step: "0.2", "aria-label": "Seconds between two batches" });
  const seconds = () => Math.min(10, Math.max(0.2, Number(rate.value) || 1));
  rate.addEventListener("change", () => {
    rate.value = seconds();
    send({ do: "interval", interval: seconds() }, true);
  });
  let landing = false;
  const go = button("Land continuously", () => send(landing ? { do: "pause" } : { do: "continue", interval: seconds() }), "sc-go");
  const bar = element("progress", { "aria-label": "Batches that have landed", value: "0", max: "1" });
  const count = element("span", { class: "sc-numbers" });
  const report = element("div", { class: "sc-caption" });
  const row = element("div", { class: "sc-row" }, next, element("span", { class: "sc-pair" }, go, element("label", {}, "every ", rate, " s")));
  const node = element("div", {}, row, element("div", { class: "sc-row" }, bar, count), report);

  function update(state, busy) {
    node.hidden = !state.data;
    if (!state.data) return;
    const { landed, total } = state.data;
    landing = state.landing;
    write(go, landing ? "Pause" : "Land continuously");
    enable(next, !busy && !landing && landed < total);
    enable(go, !busy && (landing || landed < total));
    if (document.activeElement !== rate && Number(rate.value) !== state.interval) rate.value = state.interval;
    bar.max = total;
    bar.value = landed;
    write(count, `${landed} of ${total} batches have landed`);
    write(report, state.data.report);
  }

  return { node, update };
}

function makeStreams(send) {
  const list = element("ul", { class: "sc-streams", "aria-label": "Active streams", tabindex: "-1" });
  const none = element("div", { class: "sc-caption" }, "No stream is active.");
  const node = element("div", {}, element("div", { class: "sc-small" }, "Streams"), list, none);
  const rows = new Map(); // by run, so that a button keeps the focus while its stream moves

  function makeRow(stream) {
    const light = element("span", { "aria-hidden": "true" });
    const name = element("strong", stream.named ? {} : { class: "sc-id" }, stream.label);
    const state = element("span", { class: "sc-state" });
    const batch = element("span", { class: "sc-numbers" });
    const stop = button("Stop", () => send({ do: "stop", stream: stream.id }), "sc-stop");
    stop.setAttribute("aria-label", `Stop the stream ${stream.label}`);
    const item = element("li", {}, light, name, state, batch, stop);
    return { item, update(now, busy) {
      write(light, LIGHTS[now.state] || "○");
      light.className = `sc-light sc-${now.state}`;
      write(state, now.state);
      write(batch, now.batch < 0 ? "no batch yet" : `batch ${now.batch}`);
      enable(stop, !busy);
    } };
  }

  function update({ streams = [] }, busy) {
    for (const [id, row] of rows) {
      if (streams.some((stream) => stream.id === id)) continue;
      if (row.item.contains(document.activeElement)) list.focus();
      row.item.remove();
      rows.delete(id);
    }
    streams.forEach((stream, i) => {
      if (!rows.has(stream.id)) rows.set(stream.id, makeRow(stream));
      const { item } = rows.get(stream.id);
      if (list.children[i] !== item) list.insertBefore(item, list.children[i] || null);
      rows.get(stream.id).update(stream, busy);
    });
    none.hidden = streams.length > 0;
  }

  return { node, update };
}

function makeStartOver(send) {
  let timer = null;
  const node = button("Start over", () => {
    if (timer === null) {
      node.textContent = "Click again: stop all streams, remove all that was made";
      node.classList.add("sc-sure");
      timer = setTimeout(calm, CONFIRM_WITHIN);
    } else {
      calm();
      send({ do: "start over" });
    }
  }, "sc-over");
  function calm() {
    clearTimeout(timer);
    timer = null;
    node.textContent = "Start over";
    node.classList.remove("sc-sure");
  }
  node.addEventListener("blur", calm);
  node.addEventListener(OWN_KEY, (event) => {
    if (event.detail !== "Escape" || timer === null) return;
    event.preventDefault();
    calm();
  });
  return { node, update: (_state, busy) => { enable(node, !busy); } };
}

function createPanel(root, send) {
  let state = {};
  let pending = false; // pressed, and the kernel has not answered
  let isGone = false;
  let late = null;

  function press(message, quiet = false) {
    try {
      send(message);
    } catch { // the notebook has closed the connection
      end();
      return;
    }
    if (quiet) return;
    pending = true;
    clearTimeout(late);
    late = setTimeout(() => {
      pending = false;
      write(working, "The kernel has not answered yet: it is busy with a cell, or it is gone.");
      draw(false);
    }, ANSWER_WITHIN);
    draw();
  }

  const lesson = element("strong");
  const working = element("span", { class: "sc-working", role: "status" });
  const startOver = makeStartOver(press);
  const header = element("div", { class: "sc-header", role: "group", "aria-label": "Lesson" }, lesson, working, startOver.node);
  const data = makeData(press);
  const streams = makeStreams(press);
  const error = element("div", { class: "sc-error", role: "alert" });
  const code = element("code");
  const inCode = element("div", { class: "sc-code" }, element("span", { class: "sc-small" }, "In code: "), code);
  root.classList.add("sc-view", "sc-desk");
  root.replaceChildren(header, error, data.node, streams.node, inCode);

  function draw(withWorking = true) {
    const busy = isGone || pending || Boolean(state.working || state.problem);
    write(lesson, state.lesson ? `Lesson ${state.lesson}` : "");
    if (withWorking) write(working, isGone ? KERNEL_ENDED : state.working ? `${state.working} …` : pending ? "working …" : state.landing ? "Landing continuously" : "");
    for (const part of [startOver, data, streams]) part.update(state, busy);
    const wrong = isGone ? "" : state.problem || state.error || ""; // what fails while a kernel ends is its end
    error.hidden = !wrong;
    write(error, wrong);
    inCode.hidden = !state.code;
    write(code, state.code || "");
  }

  function end() {
    isGone = true;
    clearTimeout(late);
    state = { ...state, streams: [], landing: false, working: "" }; // all of which have ended with the kernel
    draw();
  }

  return {
    update(value) {
      if (isGone) return;
      if (value.presses !== state.presses) {
        pending = false;
        clearTimeout(late);
      }
      state = value;
      draw();
    },
    press,
    end,
    destroy: () => clearTimeout(late),
  };
}

export default {
  render({ model, el }) {
    const panel = createPanel(el, (message) => model.send(message));
    const showFallback = hideFrame(model.get("name"));
    const update = () => panel.update(model.get("state"));
    const live = () => panel.press({ do: "here" }, true);
    const alive = setInterval(live, SIGN_OF_LIFE);
    const forgetKernel = whenKernelEnds(model, () => {
      clearInterval(alive);
      panel.end();
    });
    model.on("change:state", update);
    update();
    live();
    return () => {
      clearInterval(alive);
      forgetKernel();
      model.off("change:state", update);
      showFallback();
      panel.destroy();
    };
  },
};
