// The static frame as the page writes it: what a notebook keeps of a view is what was seen last, also where no kernel is
// left to write it, and after a reload, when JupyterLab leaves a kernel's changes to an output unread. It is the same
// text that tables.py and static_frame.py write.

const FRAME_CHARACTERS = 200; // of a cell
const WHILE_IT_LIVES = "running when this was saved";
const ESCAPES = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" };
const escaped = (text) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]);

function shownOf(text) {
  if (text.length <= FRAME_CHARACTERS) return text;
  const characters = [...text];
  return characters.length > FRAME_CHARACTERS ? characters.slice(0, FRAME_CHARACTERS).join("") + "…" : text;
}

const titleOf = (header) =>
  `${header.name} · ${isAlive(header.state) ? WHILE_IT_LIVES : header.state} · ${header.batch >= 0 ? `batch ${header.batch}` : "no batch"}`;

function frameCell(value, align) {
  if (value === null) return `<td style="text-align:${align}"><i style="opacity:.7">NULL</i></td>`;
  const shown = shownOf(value);
  const title = shown === value ? "" : ` title="${escaped(value)}"`;
  return `<td style="text-align:${align}"${title}>${escaped(shown)}</td>`;
}

function frameTable({ columns = [], rows = [], caption = "0 rows" }, title) {
  const aligns = columns.map((column) => (column.numeric ? "right" : "left"));
  const head = columns.map(({ name, type }, i) =>
    `<th style="text-align:${aligns[i]}"${type ? ` title="${escaped(type.slice(0, FRAME_CHARACTERS))}"` : ""}>${escaped(name)}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((value, i) => frameCell(value, aligns[i])).join("")}</tr>`).join("");
  return `<div style="max-height:30em;overflow:auto;width:fit-content;max-width:100%">`
    + `<table style="margin:0"><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
    + `<div style="opacity:.7;font-size:90%;padding-top:.3em">${escaped(title)} · ${caption}</div>`;
}

function frameError(error) {
  if (!error) return "";
  const [first, ...others] = error.split("\n");
  const rest = others.join("\n");
  const more = rest.trim() ? `<details><summary>all of the message</summary><pre>${escaped(rest)}</pre></details>` : "";
  const style = "border-left:4px solid #D55E00;padding:4px 10px;margin-bottom:8px;overflow-wrap:anywhere";
  return `<div role="alert" style="${style}"><strong>${escaped(first)}</strong>${more}</div>`;
}

function frameText({ columns = [], rows = [], caption = "0 rows" }, title, error) {
  const cells = [columns.map(({ name }) => name), ...rows].map((row) => row.map((value) => (value === null ? "NULL" : shownOf(value))));
  const widths = columns.map((_, i) => cells.reduce((most, row) => Math.max(most, row[i].length), 0));
  const lines = cells.map((row) => row.map((value, i) => value.padStart(widths[i])).join("  "));
  return `${[...lines, `(${title}: ${caption})`].join("\n")}\n${error}`.trimEnd();
}

// A frame with what is seen now, in the place of an older one; the tab that the older one opens and its script stay.
function renewedFrame(older, name, header, table) {
  const [title, error, end] = [titleOf(header), header.error || "", "</div><script>"];
  const [, tab] = older.match(/data-sc-open="(\w+)"/) || ["", "Table"];
  const html = `<div data-sc-view="${name}">${frameError(error)}<div class="sc-static" data-sc-open="${tab}">${frameTable(table, title)}`;
  return { "text/html": html + older.slice(Math.max(0, older.indexOf(end))), "text/plain": frameText(table, title, error) };
}

// Where a notebook has the frame of a view: its cell's outputs, and which of them it is.
function frameIn(notebook, name) {
  for (const cell of notebook?.cells || []) {
    for (let i = 0; i < (cell.outputs?.length || 0); i++) {
      const output = cell.outputs.get(i).toJSON();
      const html = output.data?.["text/html"];
      if (html && [html].flat().join("").startsWith(`<div data-sc-view="${name}">`)) return { outputs: cell.outputs, i, output, html: [html].flat().join("") };
    }
  }
  return null;
}

// Keep the frame of a view in JupyterLab's notebook up to date: when it is saved, and when it is told to. What the frame
// is now is told by renewed(older, name), from the HTML of an older one and the view's name.
function keepFrame(model, renewed) {
  const context = model.widget_manager?.context;
  const keep = () => {
    const name = model.get("name");
    const found = frameIn(context?.model, name);
    if (!found) return;
    const data = renewed(found.html, name);
    if (data["text/html"] !== found.html) found.outputs.set(found.i, { ...found.output, data });
  };
  const onSave = (_context, state) => { if (state === "started") keep(); };
  context?.saveState?.connect(onSave);
  return { keep, forget: () => context?.saveState?.disconnect(onSave) };
}
