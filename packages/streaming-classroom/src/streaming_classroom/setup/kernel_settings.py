"""IPython settings that make kernels of the course load ``streaming_classroom.notebook.kernel_start``.

IPython reads it in the environment's own folder.  An installer would put it there, but none does for a project that is
installed as it lies, to be edited; and somebody else's environment is not ours to write into.
"""

from __future__ import annotations

import sys
from pathlib import Path

CONTENTS = (
    "# The course's kernels know from their start what a lesson's cells need.\n"
    'get_config().InteractiveShellApp.extensions.append("streaming_classroom.notebook.kernel_start")\n'
)
MARKER = "course-requirements.sha256"  # what `course.py` leaves in an environment that it has filled


def place() -> Path:
    """Return where IPython looks in this environment."""
    return Path(sys.prefix, "etc", "ipython", "ipython_kernel_config.py")


def write() -> None:
    """Write it, if this environment is the course's and does not have it in its present form."""
    if not Path(sys.prefix, MARKER).is_file():
        return
    if not place().is_file() or place().read_text(encoding="utf-8") != CONTENTS:
        place().parent.mkdir(parents=True, exist_ok=True)
        place().write_text(CONTENTS, encoding="utf-8")
