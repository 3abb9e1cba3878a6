"""IPython settings that make kernels of the course load ``streaming_classroom.notebook.kernel_start``.

IPython reads them in the environment's own folder.  No installer puts files there for an editable project, and they are
written only into an environment that the course made.
"""

from __future__ import annotations

import sys
from pathlib import Path

CONTENTS = (
    "# The course's kernels know from their start what a lesson's cells need.\n"
    'get_config().InteractiveShellApp.extensions.append("streaming_classroom.notebook.kernel_start")\n'
)
MARKER = "course-requirements.sha256"  # in an environment that `course.py` has filled


def place() -> Path:
    """Return the path at which IPython reads the settings in this environment."""
    return Path(sys.prefix, "etc", "ipython", "ipython_kernel_config.py")


def write() -> None:
    """Write the settings, if this is the course's environment and they differ."""
    if not Path(sys.prefix, MARKER).is_file():
        return
    if not place().is_file() or place().read_text(encoding="utf-8") != CONTENTS:
        place().parent.mkdir(parents=True, exist_ok=True)
        place().write_text(CONTENTS, encoding="utf-8")
