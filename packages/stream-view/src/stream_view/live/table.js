// The table: sorted by a click on a head, drawn as far as one looks, and calm under the eye that reads it: what is new
// comes in above without moving what one has scrolled to, and what was opened stays open.

const CELLS_AT_ONCE = 4000; // drawn before the reader scrolls
const LONG_TEXT = 120;
const LONG_LINES = 2;
const MARKED_FOR = 3000; // milliseconds

function compare(a, b, numeric) {
  if (numeric) {
    const [x, y] = [Number(a), Number(b)];
    if (!Number.isNaN(x) && !Number.isNaN(y)) return x - y;
    return Number.isNaN(x) - Number.isNaN(y);
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function sortedEntries(entries, column, direction, numeric) {
  if (column === null) return entries;
  const present = entries.filter(({ row }) => row[column] !== null);
  present.sort((a, b) => direction * compare(a.row[column], b.row[column], numeric));
  return [...present, ...entries.filter(({ row }) => row[column] === null)]; // NULL stays last
}

// Each row's name: its key where it has one. Doubles are counted from the oldest, so that one that comes takes no name.
function entriesOf({ columns, rows }) {
  const keys = keyColumns(columns, rows);
  const seen = new Map();
  const entries = rows.slice();
  for (let i = rows.length - 1; i >= 0; i--) {
    const text = JSON.stringify(rows[i]);
    const count = seen.get(text) || 0;
    seen.set(text, count + 1);
    const id = count ? `${text} ${count}` : text;
    entries[i] = { row: rows[i], id, key: keys.length ? JSON.stringify(keys.map((key) => rows[i][key])) : id };
  }
  return entries;
}

function shortened(text) {
  const lines = text.split("\n", LONG_LINES + 1);
  return cut(lines.length > LONG_LINES ? lines.slice(0, LONG_LINES).join("\n") + "…" : text, LONG_TEXT + 1);
}

function makeHead(sort) {
  const node = element("thead");
  let buttons = [];

  function build(columns) {
    buttons = columns.map((column, i) =>
      element("button", { type: "button", title: `${column.type || "column"}; click to sort`, onclick: () => sort(i) }));
    node.replaceChildren(element("tr", {}, ...columns.map((column, i) =>
      element("th", { class: column.numeric ? "sc-number" : "", scope: "col" }, buttons[i]))));
  }

  function show(columns, order) {
    columns.forEach((column, i) => {
      const direction = order.column === i ? order.direction : 0;
      buttons[i].textContent = column.name + (direction > 0 ? " ▲" : direction < 0 ? " ▼" : "");
      buttons[i].parentNode.setAttribute("aria-sort", direction > 0 ? "ascending" : direction < 0 ? "descending" : "none");
    });
  }

  return { node, build, show };
}

// Rows that are new or have changed are marked for some seconds, through any number of updates.
function makeMarks(body) {
  const marks = new Map(); // by the row's name: until when, and what to say
  let known = null;
  let timer = null;

  function note(entries) {
    const now = performance.now();
    const keys = known?.keys;
    for (const { id, key } of entries) {
      if (known && !known.ids.has(id)) marks.set(id, { until: now + MARKED_FOR, word: keys.has(key) ? "changed" : "new" });
    }
    known = { ids: new Set(entries.map(({ id }) => id)), keys: new Set(entries.map(({ key }) => key)) };
  }

  function put(tr) {
    const mark = marks.get(tr.scEntry.id);
    if (!mark || tr.classList.contains("sc-fresh")) return;
    tr.classList.add("sc-fresh");
    tr.firstElementChild?.prepend(element("span", { class: "sc-hidden sc-said" }, `${mark.word} `));
  }

  function fade() {
    const now = performance.now();
    for (const [id, { until }] of marks) if (until <= now || !known.ids.has(id)) marks.delete(id);
    for (const tr of body.querySelectorAll(".sc-fresh")) {
      if (marks.has(tr.scEntry.id)) continue;
      tr.classList.remove("sc-fresh");
      tr.querySelector(".sc-said")?.remove();
    }
    clearTimeout(timer);
    const next = Math.min(...[...marks.values()].map(({ until }) => until));
    if (marks.size) timer = setTimeout(fade, next - now + 1);
  }

  function clear() {
    marks.clear();
    fade();
  }

  return { note, put, fade, clear, forget: () => { known = null; marks.clear(); } };
}

function makeTable() {
  const head = makeHead((i) => {
    order = order.column !== i ? { column: i, direction: 1 } :
      order.direction > 0 ? { column: i, direction: -1 } : { column: null, direction: 1 };
    draw();
  });
  const body = element("tbody");
  const grid = element("table", {}, head.node, body);
  const scroller = element("div", { class: "sc-scroll", tabindex: "0", role: "region", "aria-label": "Rows" }, grid);
  const caption = element("div", { class: "sc-caption", role: "status" });
  const node = element("div", {}, scroller, caption);
  const marks = makeMarks(body);
  const opened = new Set(); // cells whose long text is shown, by their row's key and their column
  let data = { columns: [], rows: [], caption: "" };
  let order = { column: null, direction: 1 };
  let entries = [];
  let shown = [];
  let held = null;

  function longCell(td, value, tr, i) {
    const place = () => `${i} ${tr.scEntry.key}`;
    const text = element("span");
    const more = element("button", { type: "button", class: "sc-more", onclick: () => {
      if (!opened.delete(place())) opened.add(place());
      show();
    } });
    function show() {
      const isOpen = opened.has(place());
      text.textContent = isOpen ? value : shortened(value);
      more.textContent = isOpen ? "less" : "more";
      more.setAttribute("aria-expanded", String(isOpen));
    }
    show();
    td.classList.add("sc-long");
    td.append(text, " ", more);
  }

  function makeRow(entry) {
    const tr = element("tr");
    tr.scEntry = entry;
    entry.row.forEach((value, i) => {
      const column = data.columns[i];
      const td = element("td", { class: column.numeric ? "sc-number" : isTime(column) ? "sc-time" : "" });
      if (value === null) td.append(element("i", { class: "sc-null" }, "NULL"));
      else if (shortened(value) !== value) longCell(td, value, tr, i);
      else td.textContent = value;
      tr.append(td);
    });
    marks.put(tr);
    return tr;
  }

  const atOnce = () => Math.max(10, Math.floor(CELLS_AT_ONCE / Math.max(1, data.columns.length)));

  function drawMore() {
    const drawn = body.children.length;
    body.append(...shown.slice(drawn, drawn + atOnce()).map(makeRow));
  }

  // The first row that is to be seen, once the reader has left the top; the same one until the reader scrolls, as the
  // browser rounds each place that it is told to scroll to.
  function anchor() {
    if (scroller.scrollTop < 1) return null;
    if (held && held.scrollTop === scroller.scrollTop) return held;
    const top = head.node.getBoundingClientRect().bottom;
    const first = [...body.children].find((tr) => tr.getBoundingClientRect().bottom > top + 1);
    return first ? { key: first.scEntry.key, top: topOf(first) } : null;
  }

  const topOf = (tr) => tr.getBoundingClientRect().top - scroller.getBoundingClientRect().top;

  // Rows that stay are left where they are in the page, so that they keep the focus and what is selected in them.
  function drawRows(count) {
    const old = new Map([...body.children].map((tr) => [tr.scEntry.id, tr]));
    const rows = shown.slice(0, count).map((entry) => {
      const tr = old.get(entry.id);
      if (!tr) return makeRow(entry);
      old.delete(entry.id);
      return Object.assign(tr, { scEntry: entry });
    });
    for (const tr of old.values()) tr.remove();
    let next = body.firstElementChild;
    for (const tr of rows) {
      if (tr === next) next = next.nextElementSibling;
      else body.insertBefore(tr, next);
    }
  }

  function draw() {
    held = anchor();
    const { scrollTop, scrollLeft } = scroller;
    const focused = body.contains(document.activeElement) ? placeOf(document.activeElement) : null;
    shown = sortedEntries(entries, order.column, order.direction, data.columns[order.column]?.numeric);
    head.show(data.columns, order);
    const index = held ? shown.findIndex(({ key }) => key === held.key) : -1;
    drawRows(Math.max(index, 0) + atOnce());
    while (scrollTop > 0 && body.children.length < shown.length && scroller.scrollHeight < scrollTop + scroller.clientHeight) drawMore();
    scroller.scrollTop = scrollTop;
    if (index >= 0) scroller.scrollTop += topOf(body.children[index]) - held.top;
    held = index < 0 ? null : { ...held, scrollTop: scroller.scrollTop };
    scroller.scrollLeft = scrollLeft;
    if (focused && !body.contains(document.activeElement)) buttonAt(focused)?.focus({ preventScroll: true });
    caption.textContent = data.caption;
    marks.fade();
  }

  const placeOf = (more) => ({ key: more.closest("tr").scEntry.key, column: more.closest("td").cellIndex });
  const buttonAt = ({ key, column }) =>
    [...body.children].find((tr) => tr.scEntry.key === key)?.children[column]?.querySelector(".sc-more");

  scroller.addEventListener("scroll", () => {
    if (scroller.scrollTop + scroller.clientHeight > scroller.scrollHeight - 200) drawMore();
  });

  function update(next) {
    const describe = (columns) => JSON.stringify(columns);
    if (describe(next.columns) !== describe(data.columns)) {
      order = { column: null, direction: 1 };
      marks.forget();
      opened.clear();
      body.replaceChildren();
      head.build(next.columns);
    }
    data = next;
    entries = entriesOf(data);
    marks.note(entries);
    draw();
  }

  const name = (text) => scroller.setAttribute("aria-label", text);
  return { node, update, name, calm: marks.clear }; // calm: nothing is new any more
}
