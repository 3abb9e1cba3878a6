"""Builds the small project without anything that would have to be fetched: a wheel is a zip file.

Each build leaves a line in the project's `builds`.  While there is a file
`stall`, it says `stalled` and takes its time.
"""

import pathlib
import time
import zipfile

PROJECT = pathlib.Path("../..")
WHEEL = "streaming_classroom-0-py3-none-any.whl"
METADATA = "Metadata-Version: 2.1\nName: streaming-classroom\nVersion: 0\n"
TAGS = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def build_editable(directory, _settings=None, _metadata=None):
    """Write the wheel whose only content is the path of the sources; return its name."""
    if (PROJECT / "stall").exists():
        (PROJECT / "stalled").touch()
        time.sleep(60)
    with (PROJECT / "builds").open("a") as builds:
        builds.write("built\n")
    files = {
        "streaming_classroom.pth": str(pathlib.Path("src").absolute()) + "\n",
        "streaming_classroom-0.dist-info/METADATA": METADATA,
        "streaming_classroom-0.dist-info/WHEEL": TAGS,
    }
    names = [*files, "streaming_classroom-0.dist-info/RECORD"]
    with zipfile.ZipFile(pathlib.Path(directory, WHEEL), "w") as wheel:
        for name, content in files.items():
            wheel.writestr(name, content)
        wheel.writestr(names[-1], "".join(f"{name},,\n" for name in names))
    return WHEEL


build_wheel = build_editable
