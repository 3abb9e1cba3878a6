"""The manifest of a workspace: digests of the texts that the course has put there.

``known`` are the texts that the course may have put there, written *before* it does, so that a copy of one is not taken
for the learner's; ``given`` are, for each file, those that the learner has been given, written *after*, so that none is
left out.
A file that is lost or cannot be read means that nothing is known: then everything is the learner's.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path

from streaming_classroom.workspace import safe_files

NAME = ".course.json"


@dataclass
class Manifest:
    """The texts that are the course's, and those of each file that were given."""

    known: set[str] = field(default_factory=set)
    given: dict[str, set[str]] = field(default_factory=dict)

    def has_given(self, name: str, digest: str) -> bool:
        """Whether the learner has been given a text already."""
        return digest in self.given.get(name, ())

    def note_given(self, name: str, digest: str) -> None:
        """The learner has a text now."""
        self.given.setdefault(name, set()).add(digest)


def read(folder: Path) -> Manifest:
    """Return a workspace's manifest; an empty one where there is none that can be read."""
    try:
        entries = json.loads((folder / NAME).read_text(encoding="utf-8"))
        return Manifest(set(entries["known"]), {name: set(texts) for name, texts in entries["given"].items()})
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return Manifest()


def write(folder: Path, manifest: Manifest) -> None:
    """Write a manifest, if it is another one than is there."""
    if manifest != read(folder):
        entries = {
            "known": sorted(manifest.known),
            "given": {name: sorted(texts) for name, texts in sorted(manifest.given.items())},
        }
        text = json.dumps(entries, indent=1) + "\n"
        safe_files.write_over(folder / NAME, text.encode("utf-8"))
