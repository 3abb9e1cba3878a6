"""Errors of change flows: rows without a key or a sequence, and flows whose definition has changed."""

from __future__ import annotations

from dataclasses import dataclass

from streaming_base.errors import ExplainedError


@dataclass(eq=False)
class BadChanges(ExplainedError, ValueError):
    """Rows that no flow can apply: take them out before it, with an expectation that drops them."""

    flow: str
    batch: object
    problem: str

    def __str__(self) -> str:
        return (
            f"Flow {self.flow}, {self.batch}: {self.problem} Nothing of it was applied. "
            "Drop such rows before the flow, with an expectation (ON VIOLATION DROP ROW, expect_or_drop), or fix the "
            "source."
        )


@dataclass(eq=False)
class BadChangeFlow(ExplainedError, ValueError):
    """A change flow with a definition that cannot be executed."""

    flow: str
    problem: str

    def __str__(self) -> str:
        return f"Flow {self.flow}: {self.problem}"


@dataclass(eq=False)
class ChangedFlow(ExplainedError, ValueError):
    """A table was made by a flow with another definition: refresh it fully, or take the change back."""

    flow: str
    target: str
    differences: tuple[tuple[str, str, str], ...]

    def __str__(self) -> str:
        changed = ", ".join(f"{what} from {before} to {now}" for what, before, now in self.differences)
        return (
            f"Flow {self.flow} has changed since {self.target} was made: {changed}. "
            f"Run a full refresh of {self.target}, or take the change back."
        )
