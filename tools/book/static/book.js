// What the pages do beyond the theme: parts that scroll can be scrolled by the keyboard, the theme's arrows have names,
// outputs follow the theme, and a search in files on the disk has excerpts.

// For its excerpts the search fetches each page, which a browser does not do with files: a script has their texts.
function searchFiles() {
  if (window.location.protocol !== "file:" || !document.getElementById("search-results")) return;
  const root = new URL(document.documentElement.dataset.content_root, window.location).pathname;
  const texts = new Promise((resolve) => {
    const script = document.createElement("script");
    script.src = `${root}_static/page_texts.js`;
    script.addEventListener("load", () => resolve(window.pageTexts));
    document.head.append(script);
  });
  window.fetch = async (address) => {
    const page = decodeURI(new URL(address, window.location).pathname).slice(decodeURI(root).length, -".html".length);
    const sections = (await texts)[page];
    return { text: async () => sections };
  };
  Search.htmlToText = (sections, anchor) => sections[anchor?.slice(1)] ?? Object.values(sections).join(" ");
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
document.addEventListener("DOMContentLoaded", searchFiles);
document.addEventListener("DOMContentLoaded", nameArrows);
document.addEventListener("DOMContentLoaded", letKeysScroll);
window.addEventListener("resize", letKeysScroll);
document.addEventListener("toggle", letKeysScroll, true);
