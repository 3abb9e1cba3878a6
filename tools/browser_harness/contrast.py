"""Texts that are hard to read: the contrast of each against what is behind it, computed in the page."""

from __future__ import annotations

from io import BytesIO
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Locator

ENOUGH = 4.5  # of the Web Content Accessibility Guidelines, for text of the usual size
# Each text that is to be seen, with the contrast of its colour against what is behind it, opacities included.
CONTRASTS = """
(root) => {
  const context = Object.assign(document.createElement("canvas"), {width: 1, height: 1})
    .getContext("2d", {willReadFrequently: true});
  const rgba = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
    return [r, g, b, a / 255];
  };
  const over = ([r, g, b, a], below, alpha = 1) => [r, g, b].map((v, i) => v * a * alpha + below[i] * (1 - a * alpha));
  const light = (rgb) => {
    const [r, g, b] = rgb.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  const path = (node) => (node ? [...path(node.parentElement), node] : []);
  const found = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const node = text.parentElement;
    const shown = node.closest("select") || node;  // an option of a closed menu has no place
    if (!text.textContent.trim() || !shown.getClientRects().length || node.closest("title, style, script")) continue;
    if (shown.getBoundingClientRect().width <= 1) continue;
    let back = [255, 255, 255], alpha = 1;
    for (const one of path(node)) {
      const style = getComputedStyle(one);
      alpha *= Number(style.opacity);
      back = over(rgba(style.backgroundColor), back);
    }
    const style = getComputedStyle(node);
    const colour = rgba(node.closest("svg") ? style.fill : style.color);
    found.push([text.textContent.trim().slice(0, 40), contrast(over(colour, back, alpha), back)]);
  }
  return found;
}
"""


def faint_texts(part: Locator) -> list[tuple[str, float]]:
    """Return the texts of a part of the page whose contrast is not enough, with their contrast.

    Raises
    ------
    ValueError
        There is no text to be seen.
    """
    found = part.evaluate(CONTRASTS)
    if not found:
        raise ValueError("there is no text to be seen")
    return [(text, round(contrast, 2)) for text, contrast in found if contrast < ENOUGH]


def median_lightness(picture: Locator) -> float:
    """Return the median of a picture's pixels as the page shows them: 0 is black, 255 is white."""
    from PIL import Image

    return median(Image.open(BytesIO(picture.screenshot())).convert("L").tobytes())
