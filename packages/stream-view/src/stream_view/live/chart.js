// The chart of a table's rows. What is drawn first is guessed from the columns, until the reader chooses.

const MOST_SERIES = 12;
const isMoment = (column) => column.numeric && /(^|_)(time|timestamp|ts|epoch|year|month|day|hour)$/i.test(column.name); // a sum of them says nothing

// x is a time if there is one, else a name; y is the last measure; a second name with few values makes the groups.
function firstChoice(columns, rows) {
  const all = columns.map((column, i) => ({ ...column, i }));
  const lastNumber = columns.findLastIndex((column) => column.numeric);
  let keys = keyColumns(columns, rows);
  if (!keys.length) {
    const isKey = ({ i, ...column }) => i !== lastNumber && isInteger(column, rows, i) && rows.length <= MOST_KEYS && distinct(rows, i) === rows.length;
    keys = all.filter(isKey).map(({ i }) => i);
  }
  const isLabel = (column) => isName(column) || keys.includes(column.i);
  const times = all.filter(isTime);
  const names = all.filter((column) => !isTime(column) && isLabel(column));
  const measures = all.filter((column) => column.numeric && !isLabel(column) && !isMoment(column));
  const y = measures.length ? measures[measures.length - 1].i : -1;
  const groupOf = (candidates) => candidates.find(({ i }) => distinct(rows, i) > 1 && distinct(rows, i) <= MOST_SERIES)?.i ?? -1;
  if (times.length) return { type: y < 0 ? "bar" : "line", x: times[0].i, y, group: groupOf(names) };
  if (names.length) {
    const repeats = distinct(rows, names[0].i) < rows.length;
    return { type: "bar", x: names[0].i, y, group: repeats ? groupOf(names.slice(1)) : -1 };
  }
  const moment = all.find((column) => isMoment(column) && !isLabel(column));
  if (moment && y >= 0) return { type: "scatter", x: moment.i, y, group: -1 };
  if (measures.length > 1) return { type: "scatter", x: measures[0].i, y, group: -1 };
  return { type: "bar", x: 0, y: -1, group: -1 };
}

function summed(points) {
  const sums = new Map();
  for (const [x, y] of points) sums.set(x, (sums.get(x) || 0) + y);
  return [...sums];
}

const alphabetical = (a, b) => String(a).localeCompare(String(b), "en", { numeric: true });

// The names on the x axis, in the order that is chosen: a result whose rows have an order of their own may keep it.
function ordered(names, series, column, order) {
  const sorted = order === "table" ? names : names.sort(column.numeric ? (a, b) => a - b : alphabetical);
  if (order !== "value") return sorted;
  const totals = new Map(summed(series.flatMap(({ points }) => points)));
  return sorted.sort((a, b) => totals.get(b) - totals.get(a));
}

// What is chosen of a table: series of points, what x is, and the order of the names if x is one.
function seriesOf({ columns, rows }, choice) {
  const column = columns[choice.x];
  const xs = isTime(column) ? "time" : column.numeric && choice.type !== "bar" ? "number" : "text";
  const groups = new Map();
  const names = new Set();
  for (const row of rows) {
    const value = choice.y < 0 ? 1 : row[choice.y];
    const x = row[choice.x] === null ? null : xs === "time" ? asTime(row[choice.x]) : xs === "number" ? Number(row[choice.x]) : row[choice.x];
    if (x === null || value === null || !Number.isFinite(Number(value)) || (xs !== "text" && !Number.isFinite(x))) continue;
    const name = choice.group < 0 ? (choice.y < 0 ? "rows" : columns[choice.y].name) : row[choice.group] ?? "NULL";
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push([x, Number(value)]);
    names.add(x);
  }
  let series = [...groups].map(([name, points]) => ({ name, points }));
  series.sort((a, b) => alphabetical(a.name, b.name));
  if (choice.y < 0 || choice.type === "bar") series = series.map(({ name, points }) => ({ name, points: summed(points) }));
  const shown = xs === "text" ? ordered([...names], series, column, choice.order) : null;
  const places = new Map(shown?.map((name, i) => [name, i]));
  const place = (x) => (shown ? places.get(x) : x);
  if (choice.type === "line") series.forEach(({ points }) => points.sort((a, b) => place(a[0]) - place(b[0])));
  return { xs, series, names: shown };
}

// The choices stay the same elements, so that an open menu and the focus outlive updates.
function makeChoices(changed) {
  const isWord = (key) => key === "type" || key === "order"; // the others are numbers of columns
  const boxes = Object.fromEntries(Object.entries({ type: "Chart", x: "x", y: "y", group: "group", order: "order" }).map(([key, label]) =>
    [key, element("select", { "aria-label": label, onchange: ({ target }) => changed(key, isWord(key) ? target.value : Number(target.value)) })]));
  const node = element("div", { class: "sc-controls" }, ...Object.values(boxes).map((box) =>
    element("label", {}, box.getAttribute("aria-label") + " ", box)));

  function offer(columns) {
    const every = columns.map((column, i) => [i, column.name]);
    const offers = {
      type: [["bar", "bars"], ["line", "line"], ["scatter", "points"]],
      x: every,
      y: [...every.filter(([i]) => columns[i].numeric), [-1, "number of rows"]],
      group: [[-1, "none"], ...every],
      order: [["name", "by name"], ["value", "largest first"], ["table", "as in the table"]],
    };
    for (const [key, options] of Object.entries(offers)) {
      boxes[key].replaceChildren(...options.map(([value, text]) => element("option", { value }, cut(text, 40))));
    }
  }

  function show(choice, hasNames) {
    boxes.order.parentNode.hidden = !hasNames; // times and numbers have but one
    for (const [key, box] of Object.entries(boxes)) if (box.value !== String(choice[key])) box.value = choice[key];
  }

  return { node, offer, show };
}

function makeChart() {
  const choices = makeChoices((key, value) => {
    choice[key] = value;
    isGuess = false;
    draw();
  });
  const canvas = element("div", { class: "sc-canvas" });
  const node = element("div", {}, choices.node, canvas);
  let data = { columns: [], rows: [] };
  let choice = null;
  let isGuess = true;

  function draw() {
    const { columns } = data;
    const { xs, series, names } = seriesOf(data, choice);
    choices.show(choice, names !== null);
    const shown = series.slice(0, MOST_SERIES);
    const few = series.length > MOST_SERIES ? ` (first ${MOST_SERIES} of ${series.length} groups)` : "";
    const [x, y] = [columns[choice.x].name, choice.y < 0 ? "number of rows" : columns[choice.y].name];
    const width = Math.max(320, canvas.clientWidth || 640);
    canvas.replaceChildren(plot({
      title: `${y} by ${x}${few}`, kind: choice.type, series: shown, xs, names, width, height: 280, xName: x,
      scale: scaleOf(node), isFromZero: choice.type === "bar",
    }), legend(shown));
  }

  function update(next) {
    const isOther = JSON.stringify(next.columns) !== JSON.stringify(data.columns);
    data = next;
    if (isOther) {
      isGuess = true;
      choices.offer(data.columns);
    }
    choices.node.hidden = !data.columns.length;
    if (!data.columns.length) return canvas.replaceChildren("There is no column to draw.");
    // The first rows may be too few to tell keys from measures; but nothing changes under an open menu.
    if (isOther || (isGuess && !choices.node.contains(document.activeElement))) choice = { order: "name", ...firstChoice(data.columns, data.rows) };
    draw();
  }

  return { node, update };
}
