"""A graph as HTML: a summary line, boxes and arrows as SVG, and errors below.

Without scripts and without ids, so that it may stand in a saved notebook, and beside others.
"""

from __future__ import annotations

import base64
from html import escape

from declarative_pipelines.view.boxes import COLOURED, COLOURS, draw_box, size_of, style
from declarative_pipelines.view.graph import Graph, Phase, description, seconds_text, timeless
from declarative_pipelines.view.layers import Layout, Route, layout
from streaming_base.svg_text import escape_xml

_FONT = "system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif"
_HEAD = 7.0  # length of an arrow's head
_SMALLEST = 0.8  # of its size, to which a graph shrinks to be seen whole; a larger one is scrolled, for texts are small


def as_html(graph: Graph) -> str:
    """Return the graph as HTML in the page's theme."""
    return f"{style()}{_framed(graph, as_svg(graph), with_seconds=True)}"


def as_image(graph: Graph) -> str:
    """Return the graph as an image for saved notebooks, whose viewers may remove SVG from HTML.

    It has no seconds: the same counts always give the same string.
    """
    # Its own ground and its own rules: the page's do not reach into an image.
    svg = as_svg(graph, with_seconds=False, inner=f'{style()}<rect class="p" width="100%" height="100%"/>')
    encoded = base64.b64encode(svg.encode()).decode()
    image = (
        f'<img alt="{escape(description(timeless(graph)))}" {_fitting(_places(graph)) if graph.nodes else ""} '
        f'src="data:image/svg+xml;base64,{encoded}">'
    )
    return _framed(graph, image, with_seconds=False)


def as_svg(graph: Graph, with_seconds: bool = True, inner: str = "") -> str:
    """Return boxes and arrows; an empty string without nodes."""
    if not graph.nodes:
        return ""
    places = _places(graph)
    width, height = f"{places.width:g}", f"{places.height:g}"
    label = description(graph if with_seconds else timeless(graph))
    named = f'role="img" aria-label="{escape_xml(label)}"'
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="sg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" {_fitting(places)} font-family="{_FONT}" font-size="12" fill="none" {named}>',
            inner.replace('class="p"', f'fill="{COLOURS["box"][0]}"'),
            *(_arrow(route) for route in places.routes),
            *(draw_box(node, places.boxes[node.name], with_seconds) for node in graph.nodes),
            "</svg>",
        ]
    )


def _places(graph: Graph) -> Layout:
    return layout({node.name: size_of(node) for node in graph.nodes}, graph.edges)


def _fitting(places: Layout) -> str:
    """Return the attribute that shrinks a graph slightly wider than its page."""
    return f'style="max-width:100%;min-width:{round(places.width * _SMALLEST)}px"'


def _framed(graph: Graph, picture: str, with_seconds: bool) -> str:
    ink = "color:var(--jp-ui-font-color1,var(--vscode-foreground,#1f2328))"
    box = f'<div style="overflow-x:auto">{picture}</div>' if picture else ""
    errors = "".join(
        f'<p style="margin:.4em 0 0;padding-left:.6em;border-left:4px solid {COLOURS["break"][0]};'
        f'overflow-wrap:anywhere">{escape(error)}</p>'
        for error in graph.errors
    )
    return f'<div class="sg" style="{ink}">{_headline(graph, with_seconds)}{box}{errors}</div>'


def _headline(graph: Graph, with_seconds: bool) -> str:
    mark = {Phase.COMPLETED: "✓ ", Phase.FAILED: "✗ "}.get(graph.phase, "")
    colour = f' class="{graph.phase.value}"' if graph.phase in COLOURED else ""
    seconds = "".join(f" · {said}" for said in seconds_text(graph.seconds, graph.phase)) if with_seconds else ""
    state = f"<span{colour}>{mark}{escape(graph.state)}</span>"
    return f'<p style="margin:0 0 .3em"><strong>{escape(graph.title)}</strong> · {state}{seconds}</p>'


def _arrow(route: Route) -> str:
    points = list(route.points)
    tip_x, tip_y = points.pop()
    points.append((tip_x - _HEAD + 1, tip_y))
    path = f"M{points[0][0]:g} {points[0][1]:g}"
    for number in range(1, len(points)):
        (x, y), (to_x, to_y) = points[number - 1], points[number]
        if number % 2 == 0 or y == to_y:
            path += f"L{to_x:g} {to_y:g}"
        else:
            half = (x + to_x) / 2
            path += f"C{half:g} {y:g} {half:g} {to_y:g} {to_x:g} {to_y:g}"
    head = f"M{tip_x:g} {tip_y:g}l-{_HEAD:g}-4v8z"
    return f'<path class="e" d="{path}"/><path class="a" d="{head}"/>'
