"""VARIANT in bytes: the same that PySpark's own builder makes."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import VariantVal
from pyspark.sql.variant_utils import VariantBuilder

from pyspark_cloudfiles.formats import variant_encoding
from pyspark_cloudfiles.formats.variant_encoding import Encoder, Variant, VariantTooLargeError

INTEGERS = [0, 127, 128, -128, -129, 2**15, -(2**31), 2**31, 2**63 - 1, 2**63, -(2**63) - 1, 10**37, 10**38, -(10**40)]
NUMBERS = ["1.5", "0.001", "-2.25", "123456789.1", "1234567890123456789.5", "0." + "1" * 39, "1e3", "-1E-7", "1.0e400"]
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=80),
    st.sampled_from(INTEGERS),
    st.integers(-(2**70), 2**70),
)
names = st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0xD7FF), max_size=5)
records = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(names, inner, max_size=5), max_leaves=30
)


def encoded(text: str) -> Variant:
    return Encoder().variant(msgspec.json.Decoder(float_hook=variant_encoding.encode_number).decode(text))


@given(records)
def test_any_record_is_encoded_as_pyspark_does(record: Any):
    text = json.dumps(record, ensure_ascii=False)
    assert encoded(text) == VariantBuilder().build(text)


@pytest.mark.parametrize("source", NUMBERS)
def test_a_number_is_exact_where_a_decimal_holds_it(source: str):
    assert encoded(f"[{source}]") == VariantBuilder().build(f"[{source}]")


@pytest.mark.slow
@pytest.mark.parametrize("count", [255, 256, 300, 70_000])
def test_large_objects_and_arrays(count: int):
    text = json.dumps({"a": list(range(count)), **{f"k{number}": "x" * 10 for number in range(count)}})
    assert encoded(text) == VariantBuilder().build(text)


def test_names_are_in_the_order_of_java():
    found = encoded('{"\U0001f600": 1, "\uffee": 2}')
    # The name that Java sorts first is a pair of surrogates.
    assert found.value[2:4] == bytes((0, 1))


def test_an_encoder_does_not_mix_up_records():
    encoder = Encoder()
    first, second = (encoder.variant(record) for record in ({"a": {"b": 1}}, {"b": {"a": 1}}))
    assert VariantVal(*first).toPython() == {"a": {"b": 1}}
    assert VariantVal(*second).toPython() == {"b": {"a": 1}}


def test_what_is_too_large_is_told():
    with pytest.raises(VariantTooLargeError):
        encoded(json.dumps("x" * (variant_encoding.VARIANT_LIMIT + 1)))
    with pytest.raises(VariantTooLargeError):
        encoded(json.dumps(["x" * 1000] * 20_000))
