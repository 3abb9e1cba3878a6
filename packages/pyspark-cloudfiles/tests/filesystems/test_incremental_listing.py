"""Which listings of a store may begin behind the last name."""

from __future__ import annotations

from pyspark_cloudfiles.filesystems.listing import SHORT_LISTINGS_LIMIT, IncrementalListing


def test_the_first_listing_is_of_everything():
    for choice in ("auto", "true", "false"):
        assert IncrementalListing(choice).offset("r") is None


def test_automatically_only_where_all_that_was_new_came_last():
    names = IncrementalListing("auto")
    names.record("r", None, "r/2", "r/1")
    assert names.offset("r") is None
    names.record("r", None, "r/4", "r/3")
    assert names.offset("r") == "r/4"
    assert names.offset("other") is None


def test_one_name_in_between_and_everything_is_listed_again():
    names = IncrementalListing("auto")
    names.record("r", None, "r/2", "r/1")
    names.record("r", None, "r/4", "r/1b")
    assert names.offset("r") is None


def test_on_demand_always_and_never():
    wanted, refused = IncrementalListing("true"), IncrementalListing("false")
    for names in (wanted, refused):
        names.record("r", None, "r/2", "r/1")
        names.record("r", None, "r/4", "r/1b")
    assert wanted.offset("r") == "r/4"
    assert refused.offset("r") is None


def test_after_seven_short_listings_comes_one_of_everything():
    names = IncrementalListing("true")
    names.record("r", None, "r/2", "r/1")
    for _ in range(SHORT_LISTINGS_LIMIT):
        assert names.offset("r") == "r/2"
        names.record("r", "r/2", "r/2", None)
    assert names.offset("r") is None
    names.record("r", None, "r/2", None)
    assert names.offset("r") == "r/2"


def test_an_empty_directory_has_no_last_name():
    names = IncrementalListing("true")
    names.record("r", None, "", None)
    assert names.offset("r") is None
