"""What a learner predicts before a cell, and how it compares with the outcome; never graded."""

from __future__ import annotations

from numbers import Real
from typing import Any

from streaming_classroom.exercises.verdict import MARKS, Guidance, box, marked_up


class Predictions:
    """The predictions of one kernel, by name, and which of them were right."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}
        self._is_right: dict[str, bool] = {}

    def predict(self, name: str, value: Any) -> Guidance:
        """Return a sentence that confirms a prediction; an unchanged ``...`` is none."""
        if value is ...:
            return _shown(
                f"○ {name}: no prediction yet. Replace `...` with yours and run this cell, or run the next one."
            )
        self._made[name] = value
        return _shown(f"● {name}: you predict `{value!r}`. Run the next cell to see what happens.")

    def outcome(self, name: str, value: Any) -> Guidance:
        """Return what happened, and how far the prediction was from it."""
        if name not in self._made:
            return _shown(f"{name}: `{value!r}`")
        made = self._made[name]
        self._is_right[name] = made == value
        if self._is_right[name]:
            return _shown(f"{MARKS['right']} {name}: `{value!r}`, as you predicted")
        distance = f", off by {abs(made - value):g}" if _is_number(made) and _is_number(value) else ""
        return _shown(f"{MARKS['wrong']} {name}: `{value!r}`; you predicted `{made!r}`{distance}")

    def is_right(self, name: str) -> bool:
        """Whether a prediction with an outcome was right."""
        return self._is_right.get(name, False)

    def summary(self) -> str:
        """Return how many predictions were right; an empty string if none has an outcome yet."""
        right, total = sum(self._is_right.values()), len(self._is_right)
        return f"{right} of {total} prediction{'s' * (total != 1)} right." if total else ""


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _shown(text: str) -> Guidance:
    return Guidance(text.replace("`", ""), box(marked_up(text)))
