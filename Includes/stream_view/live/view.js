// A table, a chart, a dashboard and the raw report of a stream, in plain DOM and SVG: no library, no network.
// The same code serves the live widget (at the end of this file) and the static frame, which has no kernel.

const streamView = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  // Okabe and Ito's colours, which colour-blind readers can tell apart.
  const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D1F", "#7F7F7F"];
  const MOST_SERIES = 12;
  const CELLS_AT_ONCE = 4000; // drawn before the reader scrolls
  const LONG_TEXT = 200;
  const MARKED_FOR = 1500; // milliseconds

  function element(tag, attributes = {}, ...children) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined) node.setAttribute(name, value);
    }
    node.append(...children);
    return node;
  }

  function shape(tag, attributes = {}, text) {
    const node = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return node;
  }

  const short = (number) =>
    !Number.isFinite(number) ? "" :
    Math.abs(number) >= 1e9 ? trim(number / 1e9) + "G" :
    Math.abs(number) >= 1e6 ? trim(number / 1e6) + "M" :
    Math.abs(number) >= 1e4 ? trim(number / 1e3) + "k" : trim(number);
  const trim = (number) => String(+number.toPrecision(3));
  const whole = (number) => Math.round(number).toLocaleString("en-US");

  // ---------------------------------------------------------------- table

  function compare(a, b, numeric) {
    if (a === null || b === null) return (a === null) - (b === null) || 0;
    if (numeric) {
      const [x, y] = [Number(a), Number(b)];
      if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
      return Number.isNaN(x) - Number.isNaN(y);
    }
    return a < b ? -1 : a > b ? 1 : 0;
  }

  function sortedRows(rows, column, direction, numeric) {
    if (column === null) return rows;
    const present = rows.filter((row) => row[column] !== null);
    present.sort((a, b) => direction * compare(a[column], b[column], numeric));
    return [...present, ...rows.filter((row) => row[column] === null)]; // NULL stays last
  }

  function makeTable() {
    const head = element("thead");
    const body = element("tbody");
    const grid = element("table", {}, head, body);
    const scroller = element("div", { class: "sc-scroll", tabindex: "0", role: "region", "aria-label": "Rows" }, grid);
    const caption = element("div", { class: "sc-caption", role: "status" });
    const node = element("div", {}, scroller, caption);
    let data = { columns: [], rows: [], caption: "" };
    let order = { column: null, direction: 1 };
    let shown = [];
    let drawn = 0;
    let known = null;

    function drawHead() {
      const row = element("tr");
      data.columns.forEach((column, index) => {
        const isSorted = order.column === index;
        const arrow = isSorted ? (order.direction > 0 ? " ▲" : " ▼") : "";
        const sort = () => {
          order = !isSorted ? { column: index, direction: 1 } :
            order.direction > 0 ? { column: index, direction: -1 } : { column: null, direction: 1 };
          draw();
          head.querySelectorAll("button")[index]?.focus();
        };
        const button = element("button", { type: "button", title: `${column.type || "column"}; click to sort`, onclick: sort }, column.name + arrow);
        row.append(element("th", {
          class: column.numeric ? "sc-number" : "", scope: "col",
          "aria-sort": isSorted ? (order.direction > 0 ? "ascending" : "descending") : "none",
        }, button));
      });
      head.replaceChildren(row);
    }

    function cell(value, column) {
      const td = element("td", { class: column.numeric ? "sc-number" : "" });
      if (value === null) td.append(element("i", { class: "sc-null" }, "NULL"));
      else if (value.length > LONG_TEXT) {
        const cut = value.slice(0, LONG_TEXT) + "…";
        const more = element("button", { type: "button", class: "sc-more", "aria-expanded": "false" }, "more");
        const text = element("span", {}, cut);
        more.addEventListener("click", () => {
          const open = more.getAttribute("aria-expanded") === "true";
          text.textContent = open ? cut : value;
          more.textContent = open ? "more" : "less";
          more.setAttribute("aria-expanded", String(!open));
        });
        td.append(text, " ", more);
      } else td.textContent = value;
      return td;
    }

    function drawMore() {
      const upTo = Math.min(shown.length, drawn + Math.max(10, Math.floor(CELLS_AT_ONCE / Math.max(1, data.columns.length))));
      for (; drawn < upTo; drawn++) {
        const { row, fresh } = shown[drawn];
        body.append(element("tr", fresh ? { class: "sc-fresh" } : {}, ...row.map((value, i) => cell(value, data.columns[i]))));
      }
    }

    function draw(fresh = new Set()) {
      const numeric = data.columns[order.column]?.numeric;
      shown = sortedRows(data.rows, order.column, order.direction, numeric).map((row) => ({ row, fresh: fresh.has(row) }));
      const top = scroller.scrollTop;
      drawHead();
      body.replaceChildren();
      drawn = 0;
      drawMore();
      while (top > 0 && drawn < shown.length && scroller.scrollHeight < top + scroller.clientHeight) drawMore();
      scroller.scrollTop = top;
      caption.textContent = data.caption;
    }

    scroller.addEventListener("scroll", () => {
      if (scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 200) drawMore();
    });

    function update(next) {
      if (next.columns.length !== data.columns.length || next.columns.some((c, i) => c.name !== data.columns[i].name)) {
        order = { column: null, direction: 1 };
        known = null;
      }
      data = next;
      const keys = data.rows.map((row) => JSON.stringify(row));
      const fresh = new Set(known ? data.rows.filter((_row, i) => !known.has(keys[i])) : []);
      known = new Set(keys);
      draw(fresh);
      if (fresh.size) setTimeout(() => body.querySelectorAll(".sc-fresh").forEach((row) => row.classList.remove("sc-fresh")), MARKED_FOR);
    }

    return { node, update };
  }

  // ---------------------------------------------------------------- drawing

  function ticks(low, high, wanted) {
    if (!(high > low)) return [low];
    const rough = (high - low) / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
    const found = [];
    for (let value = Math.ceil(low / step) * step; value <= high + step * 1e-9; value += step) found.push(+value.toPrecision(12));
    return found;
  }

  function timeLabel(milliseconds, span) {
    const text = new Date(milliseconds).toISOString();
    return span > 3 * 864e5 ? text.slice(0, 10) : span > 864e5 ? text.slice(5, 16).replace("T", " ") : text.slice(11, 19);
  }

  // series: [{name, points: [[x, y], …]}]; kind: line, scatter, bar or stack; xs: number, time, or text.
  function plot({ title, kind, series, xs = "number", width, height = 190, xName = "" }) {
    const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
    const all = series.flatMap((s) => s.points);
    svg.setAttribute("aria-label", `${title}: ${kind} chart of ${series.map((s) => s.name).join(", ")}, ${all.length} values`);
    const left = 46, right = 12, top = 26, bottom = xName ? 34 : 22;
    svg.append(shape("text", { x: 4, y: 15, class: "sc-title" }, title));
    if (!all.length) {
      svg.append(shape("text", { x: width / 2, y: height / 2, class: "sc-axis", "text-anchor": "middle" }, "nothing to draw yet"));
      return svg;
    }
    const isBar = kind === "bar" || kind === "stack";
    const names = xs === "text" || isBar ? [...new Set(all.map((p) => p[0]))] : null;
    if (names && xs !== "text") names.sort((a, b) => a - b);
    const totals = new Map();
    if (kind === "stack") for (const [x, y] of all) totals.set(x, (totals.get(x) || 0) + y);
    const ys = kind === "stack" ? [...totals.values()] : all.map((p) => p[1]);
    let low = Math.min(...ys), high = Math.max(...ys);
    if (isBar || low > 0) low = Math.min(0, low);
    if (high <= low) high = low + 1;
    const y = (value) => top + (height - top - bottom) * (1 - (value - low) / (high - low));
    const values = names ? null : all.map((p) => p[0]);
    let first = names ? 0 : Math.min(...values), last = names ? names.length : Math.max(...values);
    if (last <= first) last = first + 1;
    const slot = (width - left - right) / (names ? names.length : 1);
    const place = names ? new Map(names.map((name, i) => [name, left + (i + 0.5) * slot])) : null;
    const x = (value) => names ? place.get(value) : left + (width - left - right) * ((value - first) / (last - first));

    for (const tick of ticks(low, high, 4)) {
      svg.append(shape("line", { x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: "sc-grid" }));
      svg.append(shape("text", { x: left - 6, y: y(tick) + 4, class: "sc-axis", "text-anchor": "end" }, short(tick)));
    }
    const room = Math.max(1, Math.floor((width - left - right) / 90));
    if (names) {
      const every = Math.ceil(names.length / Math.max(1, room));
      names.forEach((name, i) => {
        if (i % every) return;
        const text = xs === "time" ? timeLabel(name, names[names.length - 1] - names[0]) : String(name);
        svg.append(shape("text", { x: x(name), y: height - bottom + 15, class: "sc-axis", "text-anchor": "middle" }, text.length > 14 ? text.slice(0, 13) + "…" : text));
      });
    } else {
      for (const tick of ticks(first, last, room)) {
        const text = xs === "time" ? timeLabel(tick, last - first) : short(tick);
        svg.append(shape("text", { x: Math.min(Math.max(x(tick), left + 10), width - right - 22), y: height - bottom + 15, class: "sc-axis", "text-anchor": "middle" }, text));
      }
    }
    if (xName) svg.append(shape("text", { x: (left + width - right) / 2, y: height - 4, class: "sc-axis", "text-anchor": "middle" }, xName));

    const base = new Map();
    series.forEach((one, index) => {
      const colour = COLOURS[index % COLOURS.length];
      const label = (px, py) => `${one.name}: ${whole(py) === "0" || Math.abs(py) < 100 ? trim(py) : whole(py)} at ${xs === "time" ? new Date(px).toISOString().slice(0, 19).replace("T", " ") : px}`;
      if (kind === "line" && one.points.length > 1) {
        const path = one.points.map(([px, py], i) => `${i ? "L" : "M"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");
        svg.append(shape("path", { d: path, fill: "none", stroke: colour, "stroke-width": 2, "stroke-dasharray": ["", "6 3", "2 3"][Math.floor(index / COLOURS.length) % 3] }));
      }
      for (const [px, py] of one.points) {
        let mark;
        if (isBar) {
          const wide = Math.max(1, kind === "stack" ? slot * 0.8 : (slot * 0.8) / series.length);
          const from = kind === "stack" ? base.get(px) || 0 : 0;
          if (kind === "stack") base.set(px, from + py);
          const shift = kind === "stack" ? -wide / 2 : -slot * 0.4 + index * wide;
          const [y1, y2] = [y(Math.max(from, from + py)), y(Math.min(from, from + py))];
          mark = shape("rect", { x: (x(px) + shift).toFixed(1), y: y1.toFixed(1), width: wide.toFixed(1), height: Math.max(0.5, y2 - y1).toFixed(1), fill: colour });
        } else {
          mark = shape("circle", { cx: x(px).toFixed(1), cy: y(py).toFixed(1), r: kind === "scatter" ? 3.5 : 2.5, fill: colour });
        }
        mark.append(shape("title", {}, label(px, py)));
        svg.append(mark);
      }
    });
    return svg;
  }

  function legend(series) {
    if (series.length < 2) return "";
    return element("div", { class: "sc-legend" }, ...series.map((one, index) =>
      element("span", {}, element("span", { class: "sc-swatch", style: `background:${COLOURS[index % COLOURS.length]}` }), one.name)));
  }

  // ---------------------------------------------------------------- chart of the table

  const isTime = (column) => /^(timestamp|date)/.test(column.type || "");
  const asTime = (text) => Date.parse(text.replace(" ", "T") + (text.length > 10 ? "Z" : "T00:00:00Z"));

  // A number that names something (an id, a batch) is what one groups by; other numbers are what one measures.
  const isName = (column) => !column.numeric || (/^(tinyint|smallint|int|bigint|)$/.test(column.type || "") && /(^|_)(id|key|code|mrn|number|batch|partition)$/i.test(column.name));

  // x is a time if there is one, else a name; y is the last measure; a second name with few values makes the groups.
  function firstChoice(columns, rows) {
    const all = columns.map((column, i) => ({ ...column, i }));
    const distinct = (i) => new Set(rows.map((row) => row[i])).size;
    const times = all.filter(isTime);
    const names = all.filter((column) => !isTime(column) && isName(column));
    const measures = all.filter((column) => column.numeric && !isName(column));
    const y = measures.length ? measures[measures.length - 1].i : -1;
    const groupOf = (candidates) => candidates.find((c) => distinct(c.i) > 1 && distinct(c.i) <= MOST_SERIES)?.i ?? -1;
    if (times.length) return { type: y < 0 ? "bar" : "line", x: times[0].i, y, group: groupOf(names) };
    if (names.length) {
      const repeats = distinct(names[0].i) < rows.length;
      return { type: "bar", x: names[0].i, y, group: repeats ? groupOf(names.slice(1)) : -1 };
    }
    if (measures.length > 1) return { type: "scatter", x: measures[0].i, y, group: -1 };
    return { type: "bar", x: 0, y: -1, group: -1 };
  }

  function makeChart() {
    const canvas = element("div", { class: "sc-canvas" });
    const controls = element("div", { class: "sc-controls" });
    const node = element("div", {}, controls, canvas);
    let data = { columns: [], rows: [] };
    let choice = null;

    function select(label, key, options) {
      const box = element("select", { "aria-label": label, onchange: (event) => {
        choice[key] = key === "type" ? event.target.value : Number(event.target.value);
        draw();
      } }, ...options.map(([value, text]) => element("option", value === choice[key] ? { value, selected: "" } : { value }, text)));
      return element("label", {}, label + " ", box);
    }

    function drawControls() {
      const every = data.columns.map((column, i) => [i, column.name]);
      const numeric = every.filter(([i]) => data.columns[i].numeric);
      controls.replaceChildren(
        select("Chart", "type", [["bar", "bars"], ["line", "line"], ["scatter", "points"]]),
        select("x", "x", every),
        select("y", "y", [...numeric, [-1, "number of rows"]]),
        select("group", "group", [[-1, "none"], ...every]));
    }

    function seriesOf() {
      const column = data.columns[choice.x];
      const xs = isTime(column) ? "time" : column.numeric ? "number" : "text";
      const groups = new Map();
      for (const row of data.rows) {
        const raw = row[choice.x];
        const value = choice.y < 0 ? 1 : row[choice.y];
        if (raw === null || value === null || Number.isNaN(Number(value))) continue;
        const px = xs === "time" ? asTime(raw) : xs === "number" ? Number(raw) : raw;
        if (xs !== "text" && Number.isNaN(px)) continue;
        const name = choice.group < 0 ? (choice.y < 0 ? "rows" : data.columns[choice.y].name) : row[choice.group] ?? "NULL";
        if (!groups.has(name)) groups.set(name, []);
        groups.get(name).push([px, Number(value)]);
      }
      let series = [...groups].map(([name, points]) => ({ name, points }));
      series.sort((a, b) => String(a.name).localeCompare(String(b.name), "en", { numeric: true }));
      if (choice.y < 0 || choice.type === "bar") series = series.map((one) => ({ name: one.name, points: summed(one.points) }));
      if (choice.type === "line") series.forEach((one) => one.points.sort((a, b) => (a[0] < b[0] ? -1 : 1)));
      return { xs, series };
    }

    const summed = (points) => {
      const sums = new Map();
      for (const [px, py] of points) sums.set(px, (sums.get(px) || 0) + py);
      return [...sums];
    };

    function draw() {
      drawControls();
      const { xs, series } = seriesOf();
      const cut = series.length > MOST_SERIES;
      const shown = series.slice(0, MOST_SERIES);
      const title = `${choice.y < 0 ? "number of rows" : data.columns[choice.y].name} by ${data.columns[choice.x].name}` + (cut ? ` (first ${MOST_SERIES} of ${series.length} groups)` : "");
      canvas.replaceChildren(plot({ title, kind: choice.type, series: shown, xs, width: Math.max(320, canvas.clientWidth || 640), height: 280, xName: data.columns[choice.x].name }), legend(shown));
    }

    function update(next) {
      const names = (columns) => JSON.stringify(columns.map((column) => column.name));
      if (choice === null || names(next.columns) !== names(data.columns)) choice = next.columns.length ? firstChoice(next.columns, next.rows) : null;
      data = next;
      if (choice) draw();
      else canvas.replaceChildren("There is no column to draw.");
    }

    return { node, update };
  }

  // ---------------------------------------------------------------- dashboard of the stream

  const PHASES = ["addBatch", "getBatch", "latestOffset", "queryPlanning", "walCommit", "commitOffsets"];

  function makeDashboard() {
    const node = element("div", { class: "sc-dashboard" });

    function update(reports) {
      const batches = reports.batch || [];
      const points = (name, scale = 1) => batches.map((b, i) => [b, reports[name]?.[i] == null ? null : reports[name][i] * scale]).filter(([, v]) => v !== null);
      const any = (name) => (reports[name] || []).some((value) => value);
      const wide = (node.clientWidth || 900) > 700;
      const width = Math.floor(((node.clientWidth || 900) - (wide ? 16 : 0)) / (wide ? 2 : 1));
      const panels = [
        ["rows a second", "line", [{ name: "input", points: points("inputRate") }, { name: "processed", points: points("processedRate") }]],
        ["seconds a batch, by phase", "stack", PHASES.filter((phase) => any(phase)).map((phase) => ({ name: phase, points: points(phase, 0.001) }))],
        ["rows a batch", "bar", [{ name: "rows", points: points("rows") }]],
      ];
      if (any("stateRows")) panels.push(["rows in state", "line", [{ name: "rows", points: points("stateRows") }]]);
      if (any("stateBytes")) panels.push(["state memory, MB", "line", [{ name: "MB", points: points("stateBytes", 1e-6) }]]);
      if (any("watermark")) {
        panels.push(["watermark behind the newest event, minutes", "line", [{ name: "minutes", points: points("watermarkLag", 1 / 60) }]]);
        panels.push(["rows dropped as late", "bar", [{ name: "rows", points: points("dropped") }]]);
      }
      if (any("backlog")) panels.push(["waiting in the source", "line", [{ name: "backlog", points: points("backlog") }]]);
      node.replaceChildren(...panels.map(([title, kind, series]) =>
        element("div", { class: "sc-panel" }, plot({ title, kind, series, width, xName: "batch" }), legend(series))));
      const watermark = (reports.watermarkText || "") && `Watermark: ${reports.watermarkText}`;
      if (watermark) node.append(element("div", { class: "sc-caption" }, watermark));
    }

    return { node, update };
  }

  // ---------------------------------------------------------------- the view

  const LIGHTS = { starting: "◌", running: "●", waiting: "○", stopped: "■", failed: "▲" };
  const ALIVE = ["starting", "running", "waiting"];
  const PATIENCE = 15000; // milliseconds until a button says that nobody answers
  const isAlive = (state) => ALIVE.includes(state);

  function makeHeader(stop) {
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
    const line = element("div", { class: "sc-header", role: "group", "aria-label": "Stream" }, light, name, state, numbers, ...(stop ? [button] : []));
    const alert = element("div", { class: "sc-error", role: "alert", hidden: "" });
    const row = element("div", {}, line, alert);

    function complain(text) {
      const [sentence, ...rest] = text.split("\n");
      alert.hidden = !sentence;
      alert.replaceChildren(element("strong", {}, sentence), ...(rest.join("").trim() ? [element("details", {},
        element("summary", {}, "all of the message"), element("pre", {}, rest.join("\n")))] : []));
    }

    function update(header) {
      light.textContent = LIGHTS[header.state] || "?";
      light.className = `sc-light sc-${header.state}`;
      name.textContent = header.name;
      state.textContent = header.state;
      const parts = header.detail ? [header.detail] : []; // what a stream without a batch is busy with
      if (header.batch >= 0) parts.push(`batch ${header.batch}`, `${whole(header.rows)} rows`);
      if (header.rate > 0) parts.push(`${short(header.rate)} rows/s`);
      numbers.textContent = parts.join(" · ");
      button.hidden = !isAlive(header.state);
      if (button.hidden) offer(); // no answer is waited for any more
      complain(header.error || "");
      button.setAttribute("aria-label", `Stop the stream ${header.name}`);
    }

    return { row, update };
  }

  function makeTabs(panels) {
    const names = Object.keys(panels);
    const list = element("div", { class: "sc-tabs", role: "tablist" });
    const node = element("div", {}, list, ...Object.values(panels).map((panel) => panel.node));
    let current = names[0];
    const buttons = names.map((name) => element("button", { type: "button", role: "tab", onclick: () => choose(name) }, name));
    list.append(...buttons);
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      event.preventDefault();
      event.stopPropagation();
      choose(names[(names.indexOf(current) + step + names.length) % names.length]);
      buttons[names.indexOf(current)].focus();
    });

    function choose(name) {
      current = name;
      names.forEach((other, i) => {
        buttons[i].setAttribute("aria-selected", String(other === name));
        buttons[i].tabIndex = other === name ? 0 : -1;
        panels[other].node.hidden = other !== name;
      });
      panels[name].draw();
    }

    for (const panel of Object.values(panels)) panel.node.setAttribute("role", "tabpanel");
    return { node, choose, isOpen: (name) => current === name, first: names[0] };
  }

  // Only what is open is drawn; the rest is drawn when it is opened.
  function createView(root, { stream, stop }) {
    const parts = { Table: makeTable(), Chart: makeChart() };
    if (stream) {
      const pre = element("pre", { class: "sc-raw", tabindex: "0" });
      parts.Dashboard = makeDashboard();
      parts.Raw = { node: element("div", {}, pre), update: (text) => { pre.textContent = text || "No batch yet."; } };
    }
    const data = { Table: null, Chart: null, Dashboard: {}, Raw: "" };
    const panels = Object.fromEntries(Object.entries(parts).map(([name, part]) =>
      [name, { node: part.node, draw: () => { if (data[name] !== null) part.update(data[name]); } }]));
    const tabs = makeTabs(panels);
    const set = (name, value) => {
      data[name] = value;
      if (tabs.isOpen(name)) panels[name].draw();
    };
    root.classList.add("sc-view");
    const header = stream ? makeHeader(stop) : null;
    root.replaceChildren(...(header ? [header.row] : []), tabs.node);
    tabs.choose(tabs.first);
    let width = 0;
    const whenWider = new ResizeObserver(() => {
      if (Math.abs(root.clientWidth - width) < 8) return;
      width = root.clientWidth;
      ["Chart", "Dashboard"].forEach((name) => panels[name] && tabs.isOpen(name) && panels[name].draw());
    });
    whenWider.observe(root);
    return {
      header: (value) => header?.update(value),
      table: (value) => {
        if (!value.columns) return; // no batch yet
        set("Table", value);
        set("Chart", value);
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
    createView(root, { stream: false }).table({ columns, rows, caption });
  }

  return { createView, enhance, isAlive };
})();

// ------------------------------------------------------------------ the widget
export default {
  render({ model, el }) {
    const view = streamView.createView(el, { stream: true, stop: () => model.send({ do: "stop" }) });
    // What stands for readers without a kernel is not shown beside the view itself.
    const frame = `[data-sc-view="${model.get("name")}"]`;
    const hiding = document.createElement("style");
    hiding.textContent = `.jp-OutputArea-child:has(${frame}), ${frame} { display: none }`;
    document.head.append(hiding);
    const parts = ["header", "table", "reports", "raw"];
    for (const part of parts) {
      model.on(`change:${part}`, () => view[part](model.get(part)));
      view[part](model.get(part));
    }
    // The kernel has gone, or another has taken its place: what it has said last is not so any more.
    const lost = () => {
      const last = model.get("header");
      if (streamView.isAlive(last.state)) view.header({ ...last, state: "disconnected", error: "The kernel of this view is gone, and its stream with it: run this cell again." });
    };
    const losses = ["comm:close", "comm_live_update"];
    losses.forEach((loss) => model.on(loss, lost));
    return () => {
      losses.forEach((loss) => model.off(loss, lost));
      hiding.remove();
      view.destroy();
    };
  },
};
