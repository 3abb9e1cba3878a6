// What the pages do beyond the theme: parts that scroll can be scrolled by the keyboard, the theme's arrows have names,
// outputs follow the theme, and a search in files on the disk lists pages without their first lines, which a browser would
// have to fetch.

if (window.location.protocol === "file:") {
  DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;
}

function letKeysScroll() {
  for (const part of document.querySelectorAll(".bd-article *")) {
    const { overflowX, overflowY } = getComputedStyle(part);
    const scrolls = (overflowX === "auto" && part.scrollWidth > part.clientWidth)
      || (overflowY === "auto" && part.scrollHeight > part.clientHeight);
    if (scrolls && !part.hasAttribute("tabindex")) part.tabIndex = 0;
  }
}

// The theme's arrows that unfold a chapter have no name.
function nameArrows() {
  for (const arrow of document.querySelectorAll("summary:has(> .toctree-toggle)")) {
    const chapter = arrow.closest("li").querySelector("a");
    arrow.setAttribute("aria-label", `Pages of ${chapter.textContent.trim()}`);
  }
}

// The lessons' outputs know a dark page by JupyterLab's sign.
function followTheme() {
  document.body.dataset.jpThemeLight = String(document.documentElement.dataset.theme !== "dark");
}

document.addEventListener("DOMContentLoaded", () => {
  followTheme();
  new MutationObserver(followTheme).observe(document.documentElement, { attributeFilter: ["data-theme"] });
});
document.addEventListener("DOMContentLoaded", nameArrows);
document.addEventListener("DOMContentLoaded", letKeysScroll);
window.addEventListener("resize", letKeysScroll);
document.addEventListener("toggle", letKeysScroll, true);
