// A chart as SVG: bars, stacked bars, lines or points over numbers, times or names.

// Okabe and Ito's colours, which colour-blind readers can tell apart.
const COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8C6D1F", "#7F7F7F"];

// Where there are more series than colours, the second of a colour is hollow, and its line dashed.
const lookOf = (index) => ({ colour: COLOURS[index % COLOURS.length], isHollow: index >= COLOURS.length });
const LONGEST_NAME = 14; // characters of a name on an axis
const CHARACTER = 6.8; // pixels of an axis, at scale 1
const LINE = 15; // pixels from one line of an axis' text to the next
const TIME_STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500,
  ...[1, 2, 5, 10, 15, 30].map((s) => s * 1e3), ...[1, 2, 5, 10, 15, 30].map((s) => s * 6e4), ...[1, 2, 3, 6, 12].map((s) => s * 36e5)];

function roundStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((m) => m * power).find((step) => step >= rough) || 10 * power;
}

const timeStep = (rough) => TIME_STEPS.find((step) => step >= rough) || DAY * roundStep(Math.max(1, rough / DAY));

// The multiples of a step from the last that is not above `low` to the first that is not below `high`.
function covering(low, high, step) {
  const first = Math.floor(low / step), last = Math.ceil(high / step);
  return Array.from({ length: last - first + 1 }, (_, i) => +((first + i) * step).toPrecision(15));
}

const areWhole = (values) => values.every(Number.isInteger);

function yTicks(ys, isFromZero) {
  let low = Math.min(...ys), high = Math.max(...ys);
  if (isFromZero || low === high || high - low > Math.abs(high) / 5) {
    low = Math.min(0, low);
    high = Math.max(0, high);
  }
  if (high <= low) high = low + 1;
  return covering(low, high, Math.max(roundStep((high - low) / 4), areWhole(ys) ? 1 : 0));
}

function yValues(kind, points) {
  if (kind !== "stack") return points.map((p) => p[1]);
  const totals = new Map();
  for (const [x, y] of points) totals.set(x, (totals.get(x) || 0) + y);
  return [...totals.values()];
}

// Where names, or the numbers and times of bars, stand on the x axis, and the texts below it.
function namedAxis(names, xs, left, room, scale, isTilted) {
  const slot = room / names.length;
  const isOneDay = xs === "time" && dayOf(names[0]) === dayOf(names[names.length - 1]);
  const texts = xs === "time" ? timeTexts(names, isOneDay) : names.map((name) => cut(xs === "number" ? exact(name, false) : String(name), LONGEST_NAME));
  const longest = Math.max(...texts.map((text) => text.length)) * CHARACTER * scale + 12 * scale;
  const every = isTilted ? 1 : Math.max(1, roundStep(longest / slot));
  const isLabelled = (name, i) => (xs === "number" && areWhole(names) ? name : i) % every === 0;
  const place = new Map(names.map((name, i) => [name, left + (i + 0.5) * slot]));
  const labels = names.map((name, i) => [place.get(name), texts[i]]).filter((_, i) => isLabelled(names[i], i));
  return { x: (value) => place.get(value), slot, labels, day: isOneDay ? dayOf(names[0]) : "" };
}

// How far down, and to the left, names reach that have no room side by side and are tilted; 0 where they need not be.
function tiltOf(names, room, scale) {
  const slot = room / names.length;
  const longest = Math.max(...names.map((name) => cut(String(name), LONGEST_NAME).length)) * CHARACTER * scale;
  return longest + 12 * scale > slot && slot >= LINE * scale ? longest * Math.SQRT1_2 : 0;
}

function measuredAxis(values, xs, left, room, scale) {
  const low = Math.min(...values);
  const high = Math.max(...values, low + (low === Math.max(...values) ? 1 : 0));
  const x = (value) => left + room * ((value - low) / (high - low));
  const rough = (high - low) / Math.max(1, Math.floor(room / (95 * scale)));
  const isTimes = xs === "time";
  const step = isTimes ? timeStep(rough) : Math.max(roundStep(rough), areWhole(values) ? 1 : 0);
  const ticks = covering(low, high, step).filter((tick) => tick >= low && tick <= high);
  const isOneDay = isTimes && dayOf(low) === dayOf(high);
  const texts = !ticks.length ? [] : isTimes ? timeTexts(ticks, isOneDay) : tickTexts(ticks);
  return { x, slot: room, labels: ticks.map((tick, i) => [x(tick), texts[i]]), day: isOneDay ? dayOf(low) : "" };
}

// series: [{name, points: [[x, y], …]}]; kind: line, scatter, bar or stack; xs: number, time, or text.
// names: the order of texts on the x axis. isFromZero: whether lines and points start at 0 as well, as bars do.
function plot({ title, kind, series, xs = "number", names = null, width, height = 190, xName = "", scale = 1, isFromZero = true }) {
  height *= scale;
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img" });
  const all = series.flatMap((s) => s.points);
  svg.setAttribute("aria-label", `${title}: ${kind} chart of ${series.map((s) => s.name).join(", ")}, ${all.length} values`);
  const write = (x, y, text, anchor = "middle", name = "sc-axis") => svg.appendChild(shape("text", { x, y, class: name, "text-anchor": anchor }, text));
  write(4, 15 * scale, cut(title, Math.floor(width / (8.5 * scale))), "start", "sc-title");
  if (!all.length) {
    write(width / 2, height / 2, "nothing to draw yet");
    return svg;
  }
  const isBar = kind === "bar" || kind === "stack";
  const ticks = yTicks(yValues(kind, all), isFromZero || isBar);
  const texts = tickTexts(ticks);
  const beside = Math.max(30, 12 + Math.max(...texts.map((text) => text.length)) * CHARACTER) * scale;
  const right = 12 * scale, top = 30 * scale;
  const tilt = xs === "text" && names ? tiltOf(names, width - beside - right, scale) : 0;
  const left = Math.max(beside, tilt), bottom = (xName ? 34 : 22) * scale + tilt, room = width - left - right;
  height += tilt;
  svg.setAttribute("height", height);
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  const low = ticks[0], high = ticks[ticks.length - 1];
  const y = (value) => top + (height - top - bottom) * (1 - (value - low) / (high - low));
  if (xs === "text" || isBar) names ||= [...new Set(all.map((p) => p[0]))].sort((a, b) => a - b);
  const axis = names ? namedAxis(names, xs, left, room, scale, tilt > 0) : measuredAxis(all.map((p) => p[0]), xs, left, room, scale);

  ticks.forEach((tick, i) => {
    svg.append(shape("line", { x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: "sc-grid" }));
    write(left - 6 * scale, y(tick) + 4 * scale, texts[i], "end", "sc-axis sc-tick");
  });
  const line = height - bottom + LINE * scale;
  for (const [x, text] of axis.labels) {
    const half = (text.length * CHARACTER * scale) / 2;
    if (tilt) write(x, line, text, "end").setAttribute("transform", `rotate(-45 ${x} ${line})`);
    else write(Math.min(Math.max(x, half), width - half), line, text);
  }
  const below = [xName, axis.day].filter(Boolean).join(", ");
  if (xName) write(left + room / 2, height - 4 * scale, cut(below, Math.floor(room / (CHARACTER * scale))));
  svg.append(...marks({ kind, series, xs, axis, y, scale }));
  return svg;
}

function marks({ kind, series, xs, axis, y, scale }) {
  const found = [];
  const base = new Map(); // of stacked bars: where the next one starts
  const xText = (x) => (xs === "time" ? timeText(x) : xs === "number" ? exact(x, false) : x);
  series.forEach((one, index) => {
    const { colour, isHollow } = lookOf(index);
    const paint = isHollow ? { fill: "none", stroke: colour, "stroke-width": 1.5 * scale } : { fill: colour };
    if (kind === "line" && one.points.length > 1) {
      const d = one.points.map(([px, py], i) => `${i ? "L" : "M"}${axis.x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");
      found.push(shape("path", { d, fill: "none", stroke: colour, "stroke-width": 2 * scale, "stroke-dasharray": isHollow ? "6 3" : "" }));
    }
    for (const [px, py] of one.points) {
      const mark = kind === "line" || kind === "scatter" ?
        shape("circle", { cx: axis.x(px).toFixed(1), cy: y(py).toFixed(1), r: (kind === "scatter" ? 3.5 : 2.5) * scale, ...paint }) :
        shape("rect", { ...bar(kind, px, py), ...paint });
      mark.append(shape("title", {}, `${one.name}: ${exact(py)} at ${xText(px)}`));
      found.push(mark);
    }

    function bar(kind, px, py) {
      const isStack = kind === "stack";
      const wide = Math.max(1, (axis.slot * 0.8) / (isStack ? 1 : series.length));
      const from = isStack ? base.get(px) || 0 : 0;
      if (isStack) base.set(px, from + py);
      const shift = isStack ? -wide / 2 : -axis.slot * 0.4 + index * wide;
      const [above, below] = [y(Math.max(from, from + py)), y(Math.min(from, from + py))];
      return { x: (axis.x(px) + shift).toFixed(1), y: above.toFixed(1), width: wide.toFixed(1), height: Math.max(0.5, below - above).toFixed(1) };
    }
  });
  return found;
}

function legend(series) {
  if (series.length < 2) return "";
  const swatch = ({ colour, isHollow }) => element("span", { class: "sc-swatch", style: `border:2px solid ${colour};background:${isHollow ? "none" : colour}` });
  return element("div", { class: "sc-legend" }, ...series.map((one, index) =>
    element("span", { title: one.name }, swatch(lookOf(index)), cut(one.name, 60))));
}
