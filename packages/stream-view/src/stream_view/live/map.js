// A map of rows that have a place: a circle for each, whose area is its last measure, over a coarse outline of the land.

const MOST_LABELS = 6;
const [NORTH, SOUTH] = [80, -58]; // degrees: nobody writes from further
const MAP_SHAPE = (NORTH - SOUTH) / 360;

// Longitude and latitude in whole degrees, drawn by hand for this map: enough to know where one is, no more.
const LAND = [
  // America, north and south, and Greenland
  [-168, 66, -156, 71, -128, 70, -115, 68, -95, 72, -82, 68, -94, 60, -92, 57, -82, 55, -79, 52, -77, 62, -70, 60, -64, 58, -56, 52, -66, 50, -60, 46, -70, 43, -76, 36, -81, 31, -80, 25, -84, 30, -90, 29, -97, 26, -97, 21, -91, 18, -87, 21, -88, 16, -83, 15, -83, 10, -79, 9, -83, 8, -94, 16, -105, 20, -112, 29, -115, 31, -110, 23, -117, 33, -124, 40, -124, 48, -135, 58, -152, 60, -165, 54, -158, 58, -166, 62],
  [-77, 8, -72, 12, -62, 10, -52, 5, -50, 0, -35, -6, -39, -15, -48, -26, -57, -36, -62, -39, -65, -45, -69, -53, -75, -50, -73, -40, -71, -30, -70, -18, -77, -12, -81, -5, -80, 1],
  [-55, 60, -43, 60, -22, 70, -18, 77, -32, 83, -60, 82, -72, 78, -54, 70],
  // Africa and Madagascar
  [-6, 36, 10, 37, 11, 33, 20, 31, 32, 31, 35, 27, 39, 16, 43, 12, 51, 12, 47, 4, 40, -4, 40, -15, 35, -20, 33, -28, 26, -34, 18, -34, 12, -17, 13, -8, 9, 0, 9, 4, -8, 4, -17, 14, -16, 21, -10, 30],
  [44, -25, 47, -25, 50, -15, 44, -17],
  // Europe and Asia
  [-9, 37, -9, 43, -2, 43, -1, 46, -5, 48, 2, 51, 8, 54, 8, 57, 11, 56, 10, 54, 19, 54, 24, 58, 23, 60, 30, 60, 21, 61, 25, 65, 22, 66, 17, 61, 19, 60, 16, 56, 12, 56, 10, 59, 5, 59, 5, 62, 14, 68, 26, 71, 41, 67, 33, 66, 44, 66, 55, 68, 68, 68, 73, 72, 80, 73, 104, 78, 113, 74, 140, 73, 160, 70, 180, 69, 178, 63, 163, 60, 163, 56, 156, 51, 156, 57, 163, 62, 152, 59, 142, 59, 135, 54, 141, 52, 140, 46, 132, 43, 128, 39, 129, 35, 126, 35, 125, 39, 121, 39, 118, 38, 122, 37, 119, 35, 122, 30, 119, 25, 110, 21, 106, 19, 109, 12, 105, 9, 101, 13, 103, 2, 98, 9, 97, 17, 91, 22, 87, 21, 80, 15, 78, 8, 73, 17, 72, 21, 67, 25, 57, 26, 50, 30, 48, 30, 52, 24, 56, 24, 60, 22, 52, 16, 44, 13, 35, 28, 34, 31, 36, 36, 28, 36, 26, 39, 33, 42, 41, 41, 38, 45, 33, 46, 28, 43, 26, 40, 23, 38, 22, 37, 19, 42, 13, 45, 18, 40, 16, 38, 12, 42, 9, 44, 3, 43, 0, 40, -2, 37],
  // islands
  [-5, 50, 1, 51, 0, 53, -2, 56, -4, 58, -6, 57, -3, 54, -5, 52], [-10, 52, -6, 52, -6, 55, -9, 54], [-24, 65, -18, 63, -14, 65, -18, 66],
  [130, 31, 136, 34, 141, 36, 142, 40, 145, 43, 142, 45, 140, 41, 137, 37, 131, 34], [120, 18, 122, 14, 126, 7, 122, 8],
  [95, 5, 104, -3, 114, -8, 105, -7], [109, 1, 117, 7, 118, 1, 115, -4, 110, -3], [131, -1, 141, -3, 150, -10, 141, -9, 133, -4],
  [114, -22, 122, -18, 130, -12, 136, -12, 136, -15, 140, -17, 142, -11, 146, -19, 153, -26, 150, -37, 144, -38, 138, -35, 131, -31, 124, -34, 115, -34],
  [173, -35, 178, -38, 174, -42, 168, -47, 167, -45, 173, -40],
];

// Which columns say where a row is, how much it is, and what it is called; null where none says where.
function placesIn(columns) {
  const find = (pattern) => columns.findIndex((column) => column.numeric && pattern.test(column.name));
  const [lat, lon] = [find(/^lat(itude)?$/i), find(/^(lon|lng|longitude)$/i)];
  if (lat < 0 || lon < 0) return null;
  const others = columns.map((column, i) => ({ ...column, i })).filter(({ i }) => i !== lat && i !== lon);
  return {
    lat, lon,
    size: others.findLast((column) => column.numeric && !isName(column) && !isMoment(column))?.i ?? -1,
    name: others.find((column) => !column.numeric && !isTime(column))?.i ?? -1,
  };
}

const isOn = (value, most) => value !== null && Number.isFinite(Number(value)) && Math.abs(value) <= most;

// The rows that have a place and a size above nothing, the largest first: smaller circles lie on larger ones.
function placedRows({ columns, rows }) {
  const where = placesIn(columns);
  return rows.filter((row) => isOn(row[where.lat], 90) && isOn(row[where.lon], 180))
    .map((row) => ({
      lat: Number(row[where.lat]), lon: Number(row[where.lon]),
      size: where.size < 0 ? 1 : Number(row[where.size] ?? 0), name: where.name < 0 ? "" : row[where.name] ?? "NULL",
    }))
    .filter(({ size }) => size > 0)
    .sort((a, b) => b.size - a.size);
}

function worldMap({ title, points, width, scale = 1 }) {
  const top = 26 * scale;
  const height = top + width * MAP_SHAPE;
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${title}: map of ${points.length} places` });
  const x = (lon) => +((width * (lon + 180)) / 360).toFixed(1);
  const y = (lat) => +(top + (width * (NORTH - Math.min(NORTH, Math.max(SOUTH, lat)))) / 360).toFixed(1);
  svg.append(shape("text", { x: 4, y: 15 * scale, class: "sc-title" }, cut(title, Math.floor(width / (8.5 * scale)))));
  const outline = LAND.map((one) => one.map((value, i) => (i % 2 ? y(value) : `${i ? "L" : "M"}${x(value)} `)).join("") + "Z").join("");
  svg.append(shape("path", { d: outline, class: "sc-land" }));
  const largest = Math.max(...points.map(({ size }) => size), 0);
  for (const { lat, lon, size, name } of points) {
    const circle = shape("circle", {
      cx: x(lon), cy: y(lat), r: Math.max(2, 22 * Math.sqrt(size / largest)) * scale, fill: COLOURS[0], "fill-opacity": 0.55, stroke: COLOURS[0],
    });
    circle.append(shape("title", {}, `${name ? `${name}: ` : ""}${exact(size)}`));
    svg.append(circle);
  }
  for (const { lat, lon, name } of points.slice(0, MOST_LABELS)) {
    svg.append(shape("text", { x: x(lon), y: y(lat) + 4 * scale, class: "sc-axis sc-town", "text-anchor": "middle" }, cut(String(name), 16)));
  }
  return svg;
}

function makeMap() {
  const node = element("div", { class: "sc-map" });

  function update(data) {
    const where = placesIn(data.columns);
    if (!where) return node.replaceChildren("No row says where it is.");
    const points = placedRows(data);
    const measure = where.size < 0 ? "places" : data.columns[where.size].name;
    const without = data.rows.length - points.length;
    const width = Math.max(320, node.clientWidth || 640);
    node.replaceChildren(
      worldMap({ title: `${measure} on the map`, points, width, scale: scaleOf(node) }),
      element("div", { class: "sc-caption" }, without ? `${without} of ${data.rows.length} rows have no place or are zero.` : ""),
    );
  }

  return { node, update };
}
