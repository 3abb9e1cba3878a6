// A cell that is run before its kernel is there waits for the kernel, as an extension of JupyterLab 4.
//
// A page shows its cells before its session has a kernel. JupyterLab then asks which kernel to start, or with
// `autoStartDefaultKernel` forgets the cell; both on the first Shift+Enter of a beginner with a slow machine. The file
// is a container of webpack's module federation, written by hand: it needs no build.

(() => {
  const NAME = "streaming-classroom-kernel";
  const KERNEL_TIMEOUT = 60_000; // milliseconds; then JupyterLab does what it does without this file
  let shared = {};

  async function load(module) {
    const [version] = Object.keys(shared[module]);
    return (await shared[module][version].get())();
  }

  function kernelOf(context) {
    const deadline = new Promise((resolve) => setTimeout(resolve, KERNEL_TIMEOUT));
    return Promise.race([context.ready, deadline]);
  }

  async function makePlugin() {
    const { INotebookCellExecutor, runCell } = await load("@jupyterlab/notebook");
    return {
      id: `${NAME}:plugin`,
      description: "A cell that is run before its kernel is there waits for the kernel.",
      autoStart: true,
      provides: INotebookCellExecutor,
      activate: () => Object.freeze({
        runCell: async (options) => {
          if (options.sessionContext && !options.sessionContext.isReady) await kernelOf(options.sessionContext);
          return runCell(options);
        },
      }),
    };
  }

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB[NAME] = {
    init: (scope) => { shared = scope; },
    get: async () => {
      const plugin = await makePlugin();
      return () => ({ __esModule: true, default: plugin });
    },
  };
})();
