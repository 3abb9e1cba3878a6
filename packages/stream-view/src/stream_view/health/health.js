// The page of a session's streams. Python writes its HTML; of that only what has changed is exchanged here, so that a
// selection and the place that one has scrolled to stay.

const SILENT = 20000; // milliseconds after which nobody is there any more: a kernel that lives is heard every five seconds
const GONE = "The kernel has ended, and the streams with it: run the set-up cells, then this one.";
const SILENT_TEXT = "Nothing was heard of the streams for 20 seconds: the kernel is very busy, or gone. These are the last figures that were heard.";
const PIECES = "[data-sh='summary'], [data-sh='problems'], [data-sh='note'], tbody td, tbody th";

function exchange(page, html) {
  const fresh = element("div");
  fresh.innerHTML = html;
  const [old, young] = [page, fresh].map((root) => [...root.querySelectorAll(PIECES)]);
  const isSame = old.length === young.length && old.length > 0;
  if (!isSame) page.replaceChildren(...fresh.childNodes);
  else old.forEach((piece, i) => { if (piece.outerHTML !== young[i].outerHTML) piece.replaceWith(young[i]); });
}

export default {
  render({ model, el }) {
    el.classList.add("sc-view");
    const alert = element("div", { class: "sc-error", role: "alert", hidden: "" });
    const page = element("div", { role: "group", "aria-label": "Health of the streams", tabindex: "0" });
    el.replaceChildren(alert, page);
    const showFrame = hideFrame(model.get("name"));
    let [lastHeard, hasEnded, said] = [Date.now(), false, ""];
    const say = (text) => {
      said = text;
      alert.hidden = !text;
      alert.textContent = text;
    };
    const draw = () => exchange(page, model.get("html"));
    const frame = keepFrame(model, (older, name) => {
      const note = `<div role="alert"><strong>${escaped(said)}</strong></div>`;
      const html = `<div data-sc-view="${name}">${said ? note : ""}${model.get("html")}`;
      const end = older.lastIndexOf("</div><style>");
      return { "text/html": html + older.slice(Math.max(0, end)), "text/plain": model.get("text") };
    });
    const heard = () => {
      if (hasEnded) return;
      lastHeard = Date.now();
      say("");
    };
    model.on("change:html", () => { heard(); draw(); });
    model.on("change:beat", heard);
    const forgetKernel = whenKernelEnds(model, () => {
      clearInterval(listening);
      hasEnded = true;
      if (!model.get("over")) say(GONE);
      frame.keep();
    });
    const listening = setInterval(() => {
      if (!said && !model.get("over") && Date.now() - lastHeard > SILENT) say(SILENT_TEXT);
    }, 2000);
    draw();
    return () => {
      clearInterval(listening);
      forgetKernel();
      frame.forget();
      showFrame();
    };
  },
};
