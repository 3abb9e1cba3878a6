"""Lines that are passed over in inference must not have mattered."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyspark_cloudfiles.formats.base import InferRequest
from pyspark_cloudfiles.formats.json_reader import Covered, infer_schema

VALUES = st.recursive(
    st.sampled_from([None, True, 1, 2**63, -(2**63), 10**25, 1.5, "", "x", "2020-01-01"]),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abC"), inner, max_size=2),
    max_leaves=4,
)
RECORDS = st.dictionaries(st.sampled_from(["a", "b", "A", ""]), VALUES, max_size=3).map(json.dumps)
ODD = st.sampled_from(
    ["{'a':1}", '{"a":', '[{"a":1},{"b":"x"}]', '{"a":NaN}', '{"a":1}{"b":2}', '{"a":1,"a":"x"}', "5"]
)
OPTIONS = st.sampled_from([{}, {"prefersdecimal": "true"}, {"primitivesasstring": "true"}, {"infertimestamp": "true"}])


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.lists(RECORDS | ODD, max_size=12), OPTIONS, st.booleans())
def test_the_schema_is_the_one_of_all_lines(lines: list[str], options: dict[str, str], case_sensitive: bool):
    request = InferRequest(infer_types=True, options=options, case_sensitive=case_sensitive)
    texts = [line.encode() for line in lines]
    fast = infer_schema(texts, request)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Covered, "takes", lambda self, line: False)
        assert fast == infer_schema(texts, request)


def test_lines_like_those_before_are_passed_over():
    seen: dict = {}
    covered = Covered(lambda: seen)
    assert not covered.takes(b"{}")  # nothing is known before the first
    assert covered.takes(b"{}")
    assert not covered.takes(b'{"a": 1}')
