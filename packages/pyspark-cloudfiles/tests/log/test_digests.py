"""The set of digests: right whether they are few or many, and small."""

from __future__ import annotations

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyspark_cloudfiles import file_log
from pyspark_cloudfiles.file_log import DIGEST_BYTES, Digests

# Few values, so that many begin alike or end alike.
HALVES = st.sampled_from([bytes(8), b"\xff" * 8, bytes(7) + b"\1", b"\1" + bytes(7), b"abcdefgh"])
DIGEST = st.builds(bytes.__add__, HALVES, HALVES)


def numbered(count: int) -> list[bytes]:
    return [blake2b(str(number).encode(), digest_size=DIGEST_BYTES).digest() for number in range(count)]


@given(st.lists(st.sets(DIGEST, max_size=6), max_size=8), st.lists(DIGEST, max_size=20), st.integers(0, 10))
def test_it_answers_as_a_set_does(groups: list[set[bytes]], asked: list[bytes], few: int) -> None:
    model: set[bytes] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_log, "FEW", few)
        ours = Digests()
        for number, group in enumerate(groups):
            new = sorted(group - model)
            if number % 3 == 2:
                ours.add_packed([b"".join(new[:2]), b"".join(new[2:])], len(new))
            else:
                ours.add(new)
            model |= group
            assert ours.missing(asked) == [place for place, digest in enumerate(asked) if digest not in model]
            assert len(ours) == len(model)


def test_many_are_found_and_others_are_not() -> None:
    known = numbered(200_000)
    ours = Digests()
    for begin in range(0, len(known), 30_000):
        ours.add(known[begin : begin + 30_000])
    others = [bytes(reversed(digest)) for digest in known[:1000]]
    assert ours.missing(known) == []
    assert ours.missing(others) == list(range(1000))
    assert len(ours) == 200_000
