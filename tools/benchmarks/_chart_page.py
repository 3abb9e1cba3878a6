"""What the page of the benchmark of charts notes: when a chart stands on the screen, and what an update disturbs."""

from __future__ import annotations

# A chart stands on the screen when the frame in which it was drawn is done. A canvas says nothing of what is drawn on
# it, so its methods are watched. Of our own view the tab with the chart is opened as soon as there is one.
WATCH = """
window.drawn = [];
window.tab = "Dashboard";
let asked = false;
const note = () => {
  if (asked) return;
  asked = true;
  requestAnimationFrame(() => setTimeout(() => {
    asked = false;
    window.drawn.push((performance.timeOrigin + performance.now()) / 1000);
  }));
};
for (const name of ["fill", "stroke", "fillRect", "fillText"]) {
  const draw = CanvasRenderingContext2D.prototype[name];
  CanvasRenderingContext2D.prototype[name] = function (...given) {
    if (this.canvas.isConnected && this.canvas.closest(".vega-embed")) note();
    return draw.apply(this, given);
  };
}
const MARKS = "path, rect, circle";
new MutationObserver((records) => {
  for (const tabs of document.querySelectorAll(".sc-view .sc-tabs:not([data-seen])")) {
    tabs.dataset.seen = "yes";
    [...tabs.children].find((tab) => tab.textContent === window.tab)?.click();
  }
  const isMark = (node) => node.nodeType === 1 && (node.matches(MARKS) || node.querySelector(MARKS));
  const charts = ".sc-dashboard, .sc-canvas, .vega-embed";
  const isChart = ({target}) => target.closest?.(charts) && !target.closest("details");
  if (records.some((record) => isChart(record) && [...record.addedNodes].some(isMark))) note();
}).observe(document.body, {subtree: true, childList: true});
"""
# For so many milliseconds looks at each frame: whether the chart is there, where the page is, what has the focus.
DISTURBED = """
async ({cell, focus, milliseconds}) => {
  const area = document.querySelectorAll(".jp-Notebook .jp-Cell.jp-CodeCell")[cell];
  const charts = ".sc-dashboard svg :is(path, rect), .sc-canvas svg path, .vega-embed canvas, .vega-embed svg path";
  const scroller = area.closest(".jp-WindowedPanel-outer");
  const focused = area.querySelector(focus);
  area.scrollIntoView({block: "center"});
  focused?.focus({preventScroll: true});
  await new Promise(requestAnimationFrame);
  const top = scroller.scrollTop;
  const seen = {frames: 0, blank: 0, scrolled: 0};
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    await new Promise(requestAnimationFrame);
    seen.frames += 1;
    seen.blank += area.querySelector(charts) ? 0 : 1;
    seen.scrolled = Math.max(seen.scrolled, Math.abs(scroller.scrollTop - top));
  }
  return {
    blank: 100 * seen.blank / seen.frames,
    scrolled: seen.scrolled,
    focus: focused === null ? -1 : Number(document.activeElement === focused),
  };
}
"""
# What somebody sees of an output: a chart, a picture of one, a table, or text only.
SHOWN = """
() => {
  const shows = (selector) => [...document.querySelectorAll(selector)].some((node) => node.getClientRects().length);
  const charts = ".vega-embed canvas, .vega-embed svg path, .sc-canvas svg :is(path, rect, circle)";
  if (shows(charts)) return "chart";
  if (shows("img[src^='data:image/png']")) return "picture";
  return shows("tbody tr") ? "table" : "text";
}
"""
