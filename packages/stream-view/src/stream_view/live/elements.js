// A table, a chart, a dashboard and the raw report of a stream, in plain DOM and SVG: no library, no network.
// The files are one script, in the order that widgets.py says. This one makes elements, and texts of numbers.

const SVG = "http://www.w3.org/2000/svg";

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

// How much larger than usual the page wants the view, as on a projector.
const scaleOf = (node) => parseFloat(getComputedStyle(node).getPropertyValue("--sc-scale")) || 1;

const cut = (text, most) => (text.length > most ? text.slice(0, most - 1) + "…" : text);

// ---------------------------------------------------------------- numbers

// A format takes far longer to make than to use, and a dashboard writes thousands of numbers.
const formats = new Map();
function written(number, minimumFractionDigits, maximumFractionDigits, useGrouping = true) {
  const key = `${minimumFractionDigits} ${maximumFractionDigits} ${useGrouping}`;
  if (!formats.has(key)) formats.set(key, new Intl.NumberFormat("en-US", { minimumFractionDigits, maximumFractionDigits, useGrouping }));
  return formats.get(key).format(number);
}

const UNITS = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]];
const trim = (number) => String(+number.toPrecision(3));
const whole = (number) => written(Math.round(number), 0, 0);
const unitFor = (number) => (Math.abs(number) >= 1e4 && UNITS.find(([size]) => Math.abs(number) >= size)) || [1, ""];

function short(number) {
  if (!Number.isFinite(number)) return "";
  const [size, unit] = unitFor(number);
  return written(+(number / size).toPrecision(3), 0, 6) + unit;
}

// The number itself; an exponent only where nobody would read so many digits.
function exact(number, useGrouping = true) {
  const size = Math.abs(number);
  if ((size > 0 && size < 1e-6) || size >= 1e17) return trim(number);
  return written(number, 0, size < 1 ? 6 : 3, useGrouping);
}

// Of ticks a step apart: as many digits as tell them apart, in one unit where that leaves few.
function tickTexts(ticks) {
  const most = Math.max(...ticks.map(Math.abs));
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : most;
  if (!(step >= 1e-6 && most < 1e17)) return ticks.map(trim);
  const [size, unit] = step >= unitFor(most)[0] / 1000 ? unitFor(most) : [1, ""];
  const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
  return ticks.map((tick) => (tick === 0 ? "0" : written(tick / size, digits, digits) + unit));
}

// ---------------------------------------------------------------- types and times

const MOST_KEYS = 50; // values of a column of integers that is taken for a name
const DAY = 864e5;

const isTime = (column) => /^(timestamp|date|struct<start:timestamp(_\w+)?,end:timestamp)/.test(column.type || "");
const isInteger = (column, rows, i) =>
  column.type ? /^(tinyint|smallint|int|bigint)$/.test(column.type) :
  column.numeric && rows.every((row) => row[i] === null || /^-?\d+$/.test(row[i]));

// A window, "{start, end}", stands at its start.
function asTime(text) {
  const [, day, time] = /^\{?(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?))?/.exec(text) || [];
  return day ? Date.parse(`${day}T${time || "00:00:00"}Z`) : NaN;
}

const timeText = (time) => new Date(time).toISOString().replace("T", " ").replace(/(\.000)?Z$/, "");
const dayOf = (time) => new Date(time).toISOString().slice(0, 10);

// Of times on an axis: only the parts that differ, but the date wherever there are two.
function timeTexts(times, isOneDay) {
  const texts = times.map((time) => new Date(time).toISOString());
  if (!isOneDay && times.every((time) => time % DAY === 0)) return texts.map((text) => text.slice(0, 10));
  const end = times.some((time) => time % 1e3) ? 23 : times.some((time) => time % 6e4) ? 19 : 16;
  return texts.map((text) => (isOneDay ? "" : text.slice(5, 10) + " ") + text.slice(11, end));
}

// A number that names something (an id, a batch) is what one groups by; other numbers are what one measures.
const isName = (column) => !column.numeric || (/^(tinyint|smallint|int|bigint|)$/.test(column.type || "") && /(^|_)(id|key|code|mrn|number|batch|partition)$/i.test(column.name));

const distinct = (rows, i) => new Set(rows.map((row) => row[i])).size;

// The leading columns that together tell the rows apart, as the keys of an aggregation do; none where there are none.
function keyColumns(columns, rows) {
  const lastNumber = columns.findLastIndex((column) => column.numeric);
  const found = [];
  let keys = rows.map(() => "");
  for (const [i, column] of columns.entries()) {
    const canBeKey = isName(column) || (i !== lastNumber && isInteger(column, rows, i) && distinct(rows, i) <= MOST_KEYS);
    if (!canBeKey) return [];
    found.push(i);
    keys = rows.map((row, at) => `${keys[at]} ${JSON.stringify(row[i])}`);
    if (new Set(keys).size === rows.length) return found;
  }
  return [];
}
