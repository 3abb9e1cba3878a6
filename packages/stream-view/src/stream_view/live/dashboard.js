// What the stream is doing, batch by batch: small charts of the reports' numbers.

const PHASES = ["addBatch", "getBatch", "latestOffset", "queryPlanning", "walCommit", "commitOffsets"];
const PANEL = 360; // pixels that a panel is wide at least, at scale 1
const GAP = 16;

function panelsOf(reports) {
  const batches = reports.batch || [];
  const any = (field) => (reports[field] || []).some((value) => value);
  const line = (name, field = name, scale = 1) => {
    const points = batches.map((batch, i) => [batch, reports[field]?.[i]]).filter(([, value]) => value != null);
    return { name, points: points.map(([batch, value]) => [batch, value * scale]) };
  };
  const panels = [
    ["rows per second, over 5 s", "line", line("processed", "rate"), line("capacity: rows per second of processing time", "capacity")],
    ["seconds per batch, by phase", "stack", ...PHASES.filter(any).map((phase) => line(phase, phase, 0.001))],
    ["rows per batch", "bar", line("rows")],
  ];
  if (any("stateRows")) panels.push(["rows in state", "line", line("rows", "stateRows")]);
  if (any("stateBytes")) panels.push(["state memory, MB", "line", line("MB", "stateBytes", 1e-6)]);
  if (any("watermark")) {
    panels.push(["watermark behind the newest event, minutes", "line", line("minutes", "watermarkLag", 1 / 60)]);
    panels.push(["late rows dropped per batch", "bar", line("rows", "dropped")]);
  }
  if (any("backlog")) panels.push(["waiting in the source, files or messages", "line", line("backlog")]);
  return panels;
}

function makeDashboard() {
  const node = element("div", { class: "sc-dashboard" });

  function update(reports) {
    const scale = scaleOf(node);
    const room = node.clientWidth || 900;
    const across = Math.max(1, Math.floor((room + GAP) / (PANEL * scale + GAP)));
    const width = Math.floor((room - GAP * (across - 1)) / across);
    node.style.gridTemplateColumns = `repeat(${across}, minmax(0, 1fr))`;
    node.replaceChildren(...panelsOf(reports).map(([title, kind, ...series]) =>
      element("div", {}, plot({ title, kind, series, width, xName: "batch", scale }), legend(series))));
    if (reports.watermarkText) node.append(element("div", { class: "sc-caption" }, `Watermark: ${reports.watermarkText}`));
  }

  return { node, update };
}
