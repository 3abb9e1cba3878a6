"""The texts of what did not fit."""

from __future__ import annotations

from pyspark_cloudfiles.values.rescue import Leaf, has_misfit, rescued_text, unknown_names, unknown_text

LEFT = {
    "a": Leaf("1.50"),
    "s": {"x": Leaf('"t"', unknown=True, fits=True), "l": [None, {"y": Leaf("null", unknown=True, fits=True)}]},
}


def test_the_rescued_column_keeps_values_as_they_were_and_names_the_file() -> None:
    assert rescued_text(LEFT, 'file:/"d"/1.json') == (
        '{"a":1.50,"s":{"x":"t","l":[null,{"y":null}]},"_file_path":"file:/\\"d\\"/1.json"}'
    )


def test_only_unknown_fields_are_told_of() -> None:
    assert unknown_text(LEFT) == '{"s":{"x":"t","l":[null,{"y":null}]}}'
    assert list(unknown_names(LEFT)) == ["s.x", "s.l.element.y"]


def test_a_field_that_is_only_unknown_does_not_spoil_its_record() -> None:
    assert has_misfit(LEFT)
    assert not has_misfit({"s": LEFT["s"]})
