// Plays the recordings of displayed streams, timelines and graphs: what the kernel said to the page while the lesson ran,
// from a script beside the page, so that it needs no kernel, no server and no network.  Without a script, the page shows
// the saved output.

(() => {
  const LONGEST_WAIT = 2000; // milliseconds between two frames; nobody wants to watch a minute of waiting
  const loaded = {}; // promises of scripts, and recordings, by address

  function load(address) {
    loaded[address] ??= new Promise((resolve, reject) => {
      const script = document.createElement("script");
      window.streamRecordings = (recordings) => { loaded[address].recordings = recordings; };
      script.src = address;
      script.onload = () => resolve(loaded[address].recordings);
      script.onerror = () => reject(new Error(`${address} cannot be read`));
      document.head.append(script);
    });
    return loaded[address];
  }

  function loadStyle(address) {
    if (document.querySelector(`link[href="${address}"]`)) return;
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: address }));
  }

  // The columns of the dashboard as they were when a batch was shown.
  function reportsUpTo(reports, batch) {
    const count = (reports.batch || []).filter((known) => known <= batch).length;
    return Object.fromEntries(Object.entries(reports).map(([name, column]) => [name, Array.isArray(column) ? column.slice(0, count) : column]));
  }

  // What shows a frame: the live view itself, or another output's HTML.
  function makeStage(node, { kind, opened, reports }) {
    if (kind === "html") return (parts) => { node.innerHTML = parts.html; };
    const view = window.streamView.createView(node, { stream: true, stop: () => {}, open: opened });
    return (parts) => {
      if (parts.header) view.header(parts.header);
      if (parts.table) view.table(parts.table);
      view.reports(reportsUpTo(reports, parts.header?.batch ?? -1));
      view.raw(parts.raw || "");
    };
  }

  // The frames at which a reader stops: where another batch is shown, or, of other outputs, all of them.
  function stopsOf({ kind, frames }) {
    let batch;
    return [...frames.keys()].filter((i) => {
      if (kind === "html" || i === 0 || i === frames.length - 1) return true;
      const isNew = frames[i].header !== undefined && frames[i].header.batch !== batch;
      batch = frames[i].header?.batch ?? batch;
      return isNew;
    });
  }

  function makePlayer(root, bar, recording) {
    const { frames } = recording;
    const stage = document.createElement("div");
    const saved = root.querySelector(".saved");
    bar.after(stage);
    saved.hidden = true;
    const show = makeStage(stage, recording);
    const stops = stopsOf(recording);
    const [play, back, next, slider, where] = ["play", "back", "next", "slider", "where"].map((name) => bar.querySelector(`.${name}`));
    let [at, timer] = [0, null];

    function draw() {
      show(Object.assign({}, ...frames.slice(0, at + 1)));
      slider.value = at;
      const batch = frames.slice(0, at + 1).findLast((frame) => frame.header)?.header.batch;
      const place = recording.kind === "html" ? `${at + 1} of ${frames.length}` : batch >= 0 ? `batch ${batch}` : "no batch yet";
      where.textContent = `${place}, ${(frames[at].at / 1000).toFixed(1)} s`;
      slider.setAttribute("aria-valuetext", where.textContent);
      back.disabled = at === 0;
      next.disabled = at === frames.length - 1;
    }

    function pause() {
      clearTimeout(timer);
      timer = null;
      play.textContent = "▶ Play";
    }

    function follow() {
      if (at === frames.length - 1) return pause();
      timer = setTimeout(() => { at += 1; draw(); follow(); }, Math.min(frames[at + 1].at - frames[at].at, LONGEST_WAIT));
    }

    function start() {
      if (at === frames.length - 1) at = 0;
      play.textContent = "❚❚ Pause";
      draw();
      follow();
    }

    function go(frame) {
      pause();
      at = frame;
      draw();
    }

    slider.max = frames.length - 1;
    slider.oninput = () => go(Number(slider.value));
    back.onclick = () => go(stops.findLast((stop) => stop < at) ?? 0);
    next.onclick = () => go(stops.find((stop) => stop > at) ?? frames.length - 1);
    play.onclick = () => (timer ? pause() : start());
    bar.querySelectorAll("[hidden]").forEach((part) => { part.hidden = false; });
    start();
  }

  function offer(root) {
    const bar = document.createElement("div");
    bar.className = "player";
    bar.setAttribute("role", "group");
    bar.setAttribute("aria-label", "Recording");
    bar.innerHTML = '<button type="button" class="play">▶ Play</button>'
      + '<button type="button" class="back" aria-label="Previous batch" hidden>◀</button>'
      + '<button type="button" class="next" aria-label="Next batch" hidden>▶</button>'
      + '<input type="range" class="slider" min="0" value="0" aria-label="Frame" hidden>'
      + '<span class="where" hidden></span>'
      + '<span class="note">Recorded when this page was made</span>';
    root.prepend(bar);
    bar.querySelector(".play").onclick = async () => {
      const folder = root.dataset.script.replace(/[^/]+$/, "");
      loadStyle(`${folder}view.css`);
      try {
        await load(`${folder}view.js`);
        const recordings = await load(root.dataset.script);
        makePlayer(root, bar, recordings[root.dataset.cell][root.dataset.number]);
      } catch (error) {
        bar.querySelector(".note").textContent = error.message;
      }
    };
  }

  document.addEventListener("DOMContentLoaded", () => document.querySelectorAll(".recording").forEach(offer));
})();
