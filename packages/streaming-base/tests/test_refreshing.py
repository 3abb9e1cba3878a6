from __future__ import annotations

import threading
import time

import pytest

from streaming_base import refreshing


class View:
    """A view that ends after so many ticks, or breaks."""

    def __init__(self, ticks: int, breaks: bool = False) -> None:
        self.left = ticks
        self.breaks = breaks
        self.ended = threading.Event()
        self.given_up = ""

    def tick(self) -> bool:
        self.left -= 1
        if self.left > 0:
            return True
        self.ended.set()
        if self.breaks:
            raise RuntimeError("the session is gone")
        return False

    def give_up(self, error: Exception) -> None:
        self.given_up = str(error)


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refreshing, "REFRESH_INTERVAL", 0.01)


def followers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "live views"]


def wait_until_gone() -> None:
    deadline = time.monotonic() + 120
    while followers():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_one_thread_follows_all_views_and_ends_with_the_last() -> None:
    views = [View(20), View(30), View(40)]
    for view in views:
        refreshing.refresh(view)
    assert len(followers()) == 1
    assert all(view.ended.wait(120) for view in views)
    wait_until_gone()


def test_a_broken_view_does_not_take_the_others_with_it() -> None:
    broken, sound = View(2, breaks=True), View(30)
    refreshing.refresh(broken)
    refreshing.refresh(sound)
    assert broken.ended.wait(120) and sound.ended.wait(120)
    wait_until_gone()
    assert (broken.given_up, sound.given_up) == ("the session is gone", "")
