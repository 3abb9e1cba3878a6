"""Some cases of many in every run of the tests, others in the next, all of them in the long form."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from typing import Any

import pytest

SEED = "CLASSROOM_TEST_SEED"


def some_of(cases: Sequence[Any], count: int, ids: Sequence[str] | None = None) -> list[Any]:
    """Return all cases as parameters of a test, of which those that the seed does not choose are marked ``long``.

    Parameters
    ----------
    cases
        The values; a tuple is one for each of several parameters.
    count
        How many are chosen.
    ids
        Their names, by which the seed chooses too, so that another order chooses the same; by default their texts.
    """
    names = list(map(str, cases)) if ids is None else list(ids)
    chosen = random.Random(f"{os.environ.get(SEED)} {sorted(names)}").sample(sorted(names), min(count, len(names)))
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            id=name,
            marks=() if name in chosen else pytest.mark.long,
        )
        for name, case in zip(names, cases, strict=True)
    ]
