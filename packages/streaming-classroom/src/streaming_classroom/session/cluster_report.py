"""The program behind the doctor's checks of a cluster: starts a lesson's session, and prints what happened to it."""

from __future__ import annotations

import json

from streaming_base.errors import ExplainedError
from streaming_classroom.errors import SetupError
from streaming_classroom.session import cluster
from streaming_classroom.session.spark_session import get_spark


def report() -> dict[str, str]:
    """Return a sentence on the session's cluster, or the name of its error, the problem and the fix."""
    try:
        return {"summary": cluster.summary(get_spark())}
    except SetupError as error:
        return {"error": type(error).__name__, "problem": error.problem, "fix": error.fix}
    except ExplainedError as error:
        return {"error": type(error).__name__, "problem": str(error).splitlines()[0], "fix": "See the log it names."}


if __name__ == "__main__":
    print(json.dumps(report()))
