"""Seeded samples: of many like cases, and of the lanes that take long."""

from __future__ import annotations

import os
import random
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pytest

SEED = "CLASSROOM_TEST_SEED"


def some_of(
    cases: Sequence[Any], count: int, ids: Sequence[str] | None = None, only_long: Collection[str] = ()
) -> list[Any]:
    """Return all cases as parameters of a test, of which those that the seed does not choose are marked ``long``.

    Parameters
    ----------
    cases
        The values; a tuple is one for each of several parameters.
    count
        How many are chosen.
    ids
        Their names, by which the seed chooses too, so that another order chooses the same; by default their texts.
    only_long
        Names that the seed never chooses.
    """
    names = list(map(str, cases)) if ids is None else list(ids)
    every = sorted(set(names) - set(only_long))
    chosen = random.Random(f"{os.environ.get(SEED)} {every}").sample(every, min(count, len(every)))
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            id=name,
            marks=() if name in chosen else pytest.mark.long,
        )
        for name, case in zip(names, cases, strict=True)
    ]


def everyday(weights: Mapping[str, int], share: float) -> set[str]:
    """Return which of some units a run of every day takes: such as the seed draws, until they have their share.

    The same seed draws the same; over some runs each has its turn.

    Parameters
    ----------
    weights
        The units, each with its number of tests.
    share
        The part of all tests that is taken, from 0 to 1; at least one unit is.
    """
    order = sorted(weights)
    random.Random(f"{os.environ.get(SEED)} {order}").shuffle(order)
    wanted, taken = share * sum(weights.values()), set()
    for unit in order:
        if taken and sum(weights[each] for each in taken) + weights[unit] / 2 > wanted:
            continue  # nearer to the share without it
        taken.add(unit)
    return taken
