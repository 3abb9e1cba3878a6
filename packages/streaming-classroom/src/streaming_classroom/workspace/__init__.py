"""The learner's workspace: copies of the lessons outside git, which the learner owns.

A copy that the learner has not worked on follows the course.  One that was worked on stays exactly as it is: a newer
version of the course is put beside it, once.  *Worked on* means that a cell's text, the order of cells, or metadata
that means something (tags, say) is another than the course ever gave, **or that a cell has been run**: outputs answer
the learner's own predictions, so a lesson with outputs or execution counts is left alone as an edited one is, and one
whose outputs were cleared follows the course again.  What JupyterLab writes by itself (kernel, language, ids of cells,
folded outputs, ``trusted``) is nobody's work.  Where there is doubt, a file is the learner's.

A lesson that the learner has deleted comes back fresh.  One that has gone from the course goes here as well, unless it
was worked on; pictures and includes stay, for lessons that were kept may use them.

Nothing of the learner's is overwritten or removed, whatever is killed when: see ``safe_files``.
"""

from streaming_classroom.workspace.synchronization import start_over, update
from streaming_classroom.workspace.workspace_report import WorkspaceReport, line, started_over

__all__ = ["WorkspaceReport", "line", "start_over", "started_over", "update"]
