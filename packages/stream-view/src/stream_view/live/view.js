// The view: tabs, and what is open of them. The same code serves the live widget (at the end of this file) and
// the static frame, which has no kernel.

const streamView = (() => {
  function makeTabs(panels) {
    const names = Object.keys(panels);
    const list = element("div", { class: "sc-tabs", role: "tablist" });
    const node = element("div", {}, list, ...Object.values(panels).map((panel) => panel.node));
    let current = names[0];
    const buttons = names.map((name) => element("button", { type: "button", role: "tab", onclick: () => choose(name) }, name));
    list.append(...buttons);
    list.addEventListener(OWN_KEY, (event) => {
      const there = names.filter((_, i) => !buttons[i].hidden);
      const at = there.indexOf(current);
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: -1 }[event.detail];
      if (next === undefined) return;
      event.preventDefault();
      choose(there.at(next % there.length));
      buttons[names.indexOf(current)].focus();
    });

    // A tab keeps the height that it had, so that what stands below it stays where it is while rows come and go.
    function hold() {
      const { height } = node.getBoundingClientRect();
      if (height) node.style.minHeight = `${height}px`; // it has none while the page is hidden
    }

    function choose(name) {
      letGo(); // the one who opens another tab expects that the page moves, and no empty room where a higher one was
      current = name;
      names.forEach((other, i) => {
        buttons[i].setAttribute("aria-selected", String(other === name));
        buttons[i].tabIndex = other === name ? 0 : -1;
        panels[other].node.hidden = other !== name;
      });
      panels[name].draw();
    }

    // A tab that has nothing to show for these columns is not there.
    function offer(name, isThere) {
      buttons[names.indexOf(name)].hidden = !isThere;
      if (!isThere && current === name) choose(names[0]);
    }

    function letGo() {
      node.style.minHeight = "";
    }

    for (const panel of Object.values(panels)) panel.node.setAttribute("role", "tabpanel");
    const name = (text) => list.setAttribute("aria-label", text);
    return { node, name, choose, offer, hold, letGo, isOpen: (name) => current === name, first: names[0] };
  }

  // Only what is open is drawn; the rest is drawn when it is opened.
  function createView(root, { stream, stop, open }) {
    const parts = { Table: makeTable(), Chart: makeChart() };
    if (stream) {
      const pre = element("pre", { class: "sc-raw", tabindex: "0" });
      parts.Map = makeMap();
      parts.Dashboard = makeDashboard();
      parts.Raw = { node: element("div", {}, pre), update: (text) => { pre.textContent = text || "No batch yet."; } };
    }
    const data = { Table: null, Chart: null, Map: null, Dashboard: {}, Raw: "" };
    const panels = Object.fromEntries(Object.entries(parts).map(([name, part]) =>
      [name, { node: part.node, draw: () => { if (data[name] !== null) part.update(data[name]); } }]));
    const tabs = makeTabs(panels);
    const set = (name, value) => {
      data[name] = value;
      if (!tabs.isOpen(name)) return;
      tabs.hold();
      panels[name].draw();
    };
    root.classList.add("sc-view");
    const header = stream ? makeHeader(root, stop) : null;
    root.replaceChildren(...(header ? [header.row] : []), tabs.node);
    if (parts.Map) tabs.offer("Map", false);
    tabs.choose(open in parts ? open : tabs.first);
    let [width, scale] = [0, 1];
    const whenWider = new ResizeObserver(() => {
      if (Math.abs(root.clientWidth - width) < 8 && scaleOf(root) === scale) return;
      [width, scale] = [root.clientWidth, scaleOf(root)];
      tabs.letGo();
      ["Chart", "Map", "Dashboard"].forEach((name) => panels[name] && tabs.isOpen(name) && panels[name].draw());
    });
    whenWider.observe(root);
    return {
      header: (value) => {
        header?.update(value);
        tabs.name(`Views of ${value.name}`);
        parts.Table.name(`Rows of ${value.name}`);
        if (header && !isAlive(value.state)) parts.Table.calm();
      },
      table: (value) => {
        if (!value.columns) return; // no batch yet
        if (parts.Map) tabs.offer("Map", placesIn(value.columns) !== null);
        ["Table", "Chart", "Map"].forEach((part) => parts[part] && set(part, value));
      },
      reports: (value) => set("Dashboard", value),
      raw: (value) => set("Raw", value),
      destroy: () => whenWider.disconnect(),
    };
  }

  // The static frame: a plain table that is there without any script, made sortable and drawable where scripts run.
  function enhance(root) {
    if (!root || root.dataset.scReady) return;
    root.dataset.scReady = "yes";
    const plain = root.querySelector("table");
    const columns = [...plain.querySelectorAll("thead th")].map((th) => ({ name: th.textContent, type: th.title, numeric: th.style.textAlign === "right" }));
    const value = (td) => (td.querySelector("i") ? null : td.title || td.textContent);
    const rows = [...plain.querySelectorAll("tbody tr")].map((tr) => [...tr.children].map(value));
    const caption = root.lastElementChild?.textContent || "";
    createView(root, { stream: false, open: root.dataset.scOpen }).table({ columns, rows, caption });
  }

  return { createView, enhance };
})();

// ------------------------------------------------------------------ the widget
export default {
  render({ model, el }) {
    const view = streamView.createView(el, { stream: true, stop: () => model.send({ do: "stop" }), open: model.get("open") });
    const showFrame = hideFrame(model.get("name"));
    // What the page says of a kernel that cannot speak for itself; null while it does.
    let [lastHeard, ownHeader, hasEnded] = [Date.now(), null, false];
    const header = () => ownHeader || model.get("header");
    const frame = keepFrame(model, (older, name) => renewedFrame(older, name, header(), model.get("table")));
    const parts = ["header", "table", "reports", "raw"];
    for (const part of parts) {
      model.on(`change:${part}`, () => { if (heard()) view[part](model.get(part)); });
      view[part](model.get(part));
    }
    model.on("change:header", () => { if (!isAlive(header().state)) frame.keep(); });
    const heard = () => {
      if (hasEnded) return false; // what a kernel says while it ends is about its own end
      lastHeard = Date.now();
      if (ownHeader) view.header(model.get("header"));
      ownHeader = null;
      return true;
    };
    model.on("change:beat", heard);
    const say = (state, error) => {
      if (!isAlive(model.get("header").state)) return; // it has said itself how the stream ended
      ownHeader = { ...model.get("header"), state, error, rate: 0, ahead: -1, detail: "" };
      view.header(ownHeader);
    };
    const forgetKernel = whenKernelEnds(model, () => {
      clearInterval(listening);
      hasEnded = true;
      say("ended with its kernel", "The kernel has ended, and the stream with it: run the set-up cells, then this one.");
      frame.keep();
    });
    const listening = setInterval(() => {
      if (ownHeader || Date.now() - lastHeard <= SILENCE) return;
      say("lost contact", `Nothing was heard of this stream for ${SILENCE / 1000} seconds: the kernel is very busy, or gone. What stands here is the last that was heard.`);
    }, 2000);
    return () => {
      clearInterval(listening);
      forgetKernel();
      frame.forget();
      showFrame();
      view.destroy();
    };
  },
};
