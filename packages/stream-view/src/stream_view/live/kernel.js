// The kernel behind a widget as the page knows it: whether it has ended, and what stands on the page without it.

const KERNEL_EVERY = 500; // milliseconds between two looks at the kernel's connection
const ENDED = ["restarting", "autorestarting", "terminating", "dead"];

// JupyterLab's connection to the kernel; null where it was shut down, undefined in a front end that does not tell.
const connectionOf = (model) => model.widget_manager?.kernel;

// Of a kernel that is being shut down the document knows seconds before the connection does.
const statusOf = (model) => model.widget_manager?.context?.sessionContext?.kernelDisplayStatus ?? connectionOf(model)?.status;

// Call once when the kernel has ended: it was shut down, it was killed, or another one has taken its place.
function whenKernelEnds(model, ended) {
  const first = connectionOf(model)?.id;
  const events = ["comm:close", "comm_live_update"]; // of a widget that is closed, and of a kernel that restarts
  const hasEnded = () => {
    const connection = connectionOf(model);
    const isAnother = Boolean(connection && first) && connection.id !== first;
    return connection === null || isAnother || ENDED.includes(statusOf(model));
  };
  // JupyterLab has signals for this, but they belong to a document, which a widget need not be in.
  const looking = setInterval(() => { if (hasEnded()) end(); }, KERNEL_EVERY);
  const forget = () => {
    clearInterval(looking);
    events.forEach((event) => model.off(event, end));
  };
  function end() {
    forget();
    ended();
  }
  events.forEach((event) => model.on(event, end));
  return forget;
}

// What stands for readers without a kernel is not shown beside the widget itself.
function hideFrame(name) {
  const frame = `[data-sc-view="${name}"]`;
  const hiding = document.createElement("style");
  hiding.textContent = `.jp-OutputArea-child:has(${frame}), ${frame} { display: none }`;
  document.head.append(hiding);
  return () => hiding.remove();
}
