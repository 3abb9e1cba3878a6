"""Takes pictures from real pages: ``python tools/readme_pictures.py`` writes those of READMEs and one of lesson 16.

``stream.gif``
    A batch lands, the table and the chart of a running stream change, and a click stops it.
``verdict.png``
    The verdict on an answer that is right on the data that is here, and wrong on data that the learner has not seen.
``pipeline.png``
    The graph of an update, with rows and expectations.
``16-structured-streaming-tab.png``
    The statistics of a stream in Spark's own web interface.
"""

from __future__ import annotations

import io
import re
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from browser_harness import Notebook, running_browser, running_lab
from streaming_classroom.files import directories

if TYPE_CHECKING:
    from playwright.sync_api import Browser, FloatRect, Locator

IMAGES = directories.PROJECT / "docs" / "images"
LEFT, TOP, WIDTH, HEIGHT = 40, 92, 900, 560  # of the picture in the page, in pixels
COLORS = 96

SETUP = """%load_ext streaming_classroom
from streaming_classroom import start_lesson
DA = start_lesson("readme", dataset="device-readings/readings", into_table="bronze")
DA.data_factory.load()"""
LAND = "DA.data_factory.load()  # the next day of readings"
COUNT = """high = spark.readStream.table("bronze").where("heartrate > 75 AND device_id < 7")
display(high.groupBy("device_id").count().orderBy("device_id"), streamName="high_heart_rates")"""
ANSWER = """DA.exercise("01.3")

faulty = (spark.readStream
    .table("bronze")
    .where("heartrate <= 0")  # asked for: the negative ones
    .writeStream
    .option("checkpointLocation", f"{DA.paths.checkpoints}/faulty_readings")
    .trigger(availableNow=True)
    .toTable("faulty_readings"))"""
CHECK = 'DA.check("01.3")'
PIPELINE = """%load_ext streaming_classroom
import dlt
from declarative_pipelines import run_pipeline

spark.range(1000).selectExpr("id", "if(id % 40 = 0, NULL, id) AS amount", "id % 7 AS shop").write.saveAsTable("landed")

@dlt.table
def orders():
    return spark.readStream.table("landed")

@dlt.table
@dlt.expect_or_drop("has an amount", "amount IS NOT NULL")
def valid_orders():
    return dlt.read_stream("orders")

@dlt.table
def revenue():
    return dlt.read("valid_orders").groupBy("shop").sum("amount").withColumnRenamed("sum(amount)", "amount")"""
SPARKS_OWN = directories.PROJECT / "notebooks" / "images" / "16-structured-streaming-tab.png"
TAB = """%load_ext streaming_classroom
from streaming_classroom import start_lesson
DA = start_lesson("16", dataset="bakery/heartbeats")
spark.conf.set("spark.sql.shuffle.partitions", 2)
DA.data_factory.load(continuous=True, interval=1, batches=30)
healthy = (spark.readStream.format("cloudFiles").option("cloudFiles.format", "json")
    .option("cloudFiles.maxFilesPerTrigger", 6)
    .schema("oven STRING, at TIMESTAMP, status STRING, temperature DOUBLE").load(DA.paths.landing)
    .writeStream.queryName("healthy").option("checkpointLocation", f"{DA.paths.checkpoints}/healthy")
    .trigger(processingTime="2 seconds").toTable("healthy"))
DA.block_until_stream_is_ready(healthy, min_batches=12)
print(spark.sparkContext.uiWebUrl, healthy.runId)"""
POINTER = """
([x, y]) => {
  document.getElementById("pointer")?.remove();
  const place = `position:fixed;left:${x}px;top:${y}px;z-index:9999;pointer-events:none`;
  const arrow = "<path d='M1 1v17l4-4 3 7 3-1-3-7h6z' fill='#111' stroke='#fff'/>";
  document.body.insertAdjacentHTML(
    "beforeend", `<svg id="pointer" style="${place}" width="20" height="26">${arrow}</svg>`);
}
"""


def main() -> None:
    """Write the pictures."""
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, running_browser() as browser:
        root = Path(folder)
        with running_lab(root) as lab:
            take_stream(browser, lab, root)
            take_verdict(browser, lab, root)
            take_structured_streaming_tab(browser, lab, root)
            take_pipeline(browser, lab, root)


def take_pipeline(browser: Browser, lab: str, root: Path) -> None:
    """Run a pipeline of three datasets, and take its graph."""
    notebook = _open(browser, lab, root / "pipeline.ipynb", [PIPELINE, "run_pipeline()"])
    notebook.run(1)
    graph = notebook.cells.nth(1).locator(".jp-OutputArea-output").first
    graph.screenshot(path=IMAGES / "pipeline.png")


def take_structured_streaming_tab(browser: Browser, lab: str, root: Path) -> None:
    """Take the statistics of a running stream from Spark's web interface."""
    notebook = Notebook(browser, lab, root / "tab.ipynb", root, [TAB], WIDTH + 80, HEIGHT + 160)
    notebook.run(0)
    [(address, run)] = re.findall(r"(http://\S+) ([0-9a-f-]{36})", notebook.cells.first.inner_text())
    page = browser.new_page(viewport={"width": 1300, "height": 1400})
    page.goto(f"{address}/StreamingQuery/statistics/?id={run}")
    page.get_by_text("Operation Duration").wait_for()
    page.wait_for_timeout(1000)  # its charts are drawn after its text
    page.locator("#operation-duration-timeline, .timeline").last.wait_for()
    page.screenshot(path=SPARKS_OWN, clip={"x": 0, "y": 76, "width": 1064, "height": 1185})


def take_verdict(browser: Browser, lab: str, root: Path) -> None:
    """Answer an exercise of lesson 01 with a limit that is wrong by one, and take the verdict."""
    cells = [SETUP.replace("readme", "01"), ANSWER, CHECK]
    notebook = _open(browser, lab, root / "verdict.ipynb", cells)
    notebook.run(1)
    notebook.run(2)
    verdict = notebook.cells.nth(2).bounding_box()
    notebook.page.screenshot(path=IMAGES / "verdict.png", clip=_area(verdict["y"] + verdict["height"] - TOP))


def _open(browser: Browser, lab: str, path: Path, cells: list[str]) -> Notebook:
    """Open a notebook without the list of files, run its first cell and hide it."""
    notebook = Notebook(browser, lab, path, path.parent, cells, WIDTH + 80, HEIGHT + 160)
    notebook.page.keyboard.press("Control+b")
    notebook.run(0)
    notebook.cells.first.evaluate("cell => cell.style.display = 'none'")
    return notebook


def _area(height: float = HEIGHT) -> FloatRect:
    return {"x": LEFT, "y": TOP, "width": WIDTH, "height": height}


class Film:
    """Frames of a page, each with the time that it is shown."""

    def __init__(self, notebook: Notebook) -> None:
        self._notebook, self._frames, self._seconds = notebook, [], []

    def show(self, seconds: float) -> None:
        """Take what the page shows now, for so many seconds."""
        picture = Image.open(io.BytesIO(self._notebook.page.screenshot(clip=_area()))).convert("RGB")
        if self._frames and picture.tobytes() == self._frames[-1].tobytes():
            self._seconds[-1] += seconds
            return
        self._frames.append(picture)
        self._seconds.append(seconds)

    def show_change(self, frames: int, seconds: float) -> None:
        """Take frames while something on the page moves."""
        for _frame in range(frames):
            self.show(seconds)
            time.sleep(seconds)

    def click(self, part: Locator) -> None:
        """Move the pointer to a part of the page and click it."""
        box = part.bounding_box()
        self._notebook.page.evaluate(POINTER, [box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])
        self.show(0.6)
        part.click()

    def save(self, path: Path) -> None:
        """Write the frames as an animated GIF with one palette."""
        palette = self._frames[-1].quantize(COLORS)
        frames = [frame.quantize(COLORS, palette=palette, dither=Image.Dither.NONE) for frame in self._frames]
        times = [round(1000 * seconds) for seconds in self._seconds]
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=times, loop=0, optimize=True)
        print(f"{path.name}: {len(frames)} frames, {sum(times) / 1000:.1f} s, {path.stat().st_size:,} bytes")


def take_stream(browser: Browser, lab: str, root: Path) -> None:
    """Record a stream while data lands and until it is stopped."""
    notebook = _open(browser, lab, root / "stream.ipynb", [SETUP, LAND, COUNT])
    notebook.run(2)
    view = notebook.view(2)
    film = Film(notebook)
    _land(notebook, film, "2,", 0.3)
    film.click(view.get_by_role("tab", name="Chart"))
    film.show(0.6)
    _land(notebook, film, "3,", 0.15)
    _land(notebook, film, "4,", 0.15)
    film.click(view.get_by_role("button", name="Stop"))
    view.get_by_text("stopped").first.wait_for()
    film.show(1.6)
    film.save(IMAGES / "stream.gif")


def _land(notebook: Notebook, film: Film, rows: str, seconds: float) -> None:
    """Land a day, and show it until the view has so many thousand rows."""
    notebook.view(2).get_by_text(re.compile("rows so far")).wait_for()
    film.show(0.4)
    notebook.start(1)
    film.show(0.2)
    notebook.wait_for_end(1)
    film.show(0.4)
    notebook.view(2).get_by_text(re.compile(f"{rows}\\d+ rows so far")).wait_for()
    film.show_change(4, seconds)


if __name__ == "__main__":
    main()
