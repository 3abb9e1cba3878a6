"""Prepare a release of one package: `.venv/bin/python tools/release.py stream-view` builds and checks, and that is all.

It looks at the checkout (nothing uncommitted, no such tag yet), the version and the changelog, builds the source
archive and from it the wheel, and checks what is in them. With ``--tag`` it then makes the tag. It uploads nothing, and
pushes nothing: that is for a person, with the commands that it prints.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes
from pathlib import Path

from packaging.metadata import InvalidMetadata, Metadata
from packaging.version import InvalidVersion, Version

PROJECT = Path(__file__).resolve().parents[1]
_HEADING = re.compile(r"\A# Changelog\n\n## (\S+), (\S+)\n")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_NEVER = re.compile(r"(^|/)(tests|build|dist|__pycache__|\.[^/]+)/")  # in a wheel


@dataclass(frozen=True)
class Release:
    """A package at a version, in a checkout."""

    package: str
    version: str
    name: str
    project: Path

    @property
    def folder(self) -> Path:
        """Where the package is."""
        return self.project / "packages" / self.package

    @property
    def tag(self) -> str:
        """The name of the release in git."""
        return f"{self.package}-v{self.version}"


def read(package: str, project: Path = PROJECT) -> Release:
    """Return the release that a package's pyproject.toml describes."""
    settings = tomllib.loads((project / "packages" / package / "pyproject.toml").read_text(encoding="utf-8"))
    return Release(package, settings["project"]["version"], settings["project"]["name"], project)


def checkout_problems(release: Release) -> Iterator[str]:
    """Yield what is wrong with the checkout, the version and the changelog."""
    if changed := _git(release, "status", "--porcelain"):
        yield f"commit or put away what is changed:\n{changed}"
    if _git(release, "tag", "--list", release.tag):
        yield f"raise the version: there is a tag {release.tag} already"
    try:
        Version(release.version)
    except InvalidVersion:
        yield f"correct the version: {release.version!r} is none"
    heading = _HEADING.match((release.folder / "CHANGELOG.md").read_text(encoding="utf-8"))
    if heading is None or heading[1] != release.version:
        yield f"begin the changelog with '## {release.version}, ' and the date"
    elif not _DATE.fullmatch(heading[2]):
        yield f"date the changelog: '## {release.version}, {heading[2]}' is not dated YYYY-MM-DD"


def build(release: Release, target: Path) -> list[Path]:
    """Build the source archive, and from it the wheel; return both."""
    command = [sys.executable, "-m", "uv", "build", "--no-build-isolation", "--python", sys.executable]
    subprocess.run([*command, "--quiet", "--out-dir", target, release.folder], check=True)
    return [*target.glob("*.tar.gz"), *target.glob("*.whl")]


def distribution_problems(release: Release, built: list[Path]) -> Iterator[str]:
    """Yield what is wrong with what was built."""
    if [path.suffix for path in built] != [".gz", ".whl"]:
        yield f"one source archive and one wheel were expected: {', '.join(path.name for path in built)}"
        return
    source, wheel = built
    with tarfile.open(source) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for wanted in ("pyproject.toml", "README.md", "LICENSE", "PKG-INFO"):
        if wanted not in names:
            yield f"{source.name} lacks {wanted}"
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
        yield from (f"{wheel.name}: {problem}" for problem in _metadata_problems(release, archive.read(metadata)))
    module = release.package.replace("-", "_")
    for wanted in (f"{module}/__init__.py", f"{module}/py.typed", metadata.replace("METADATA", "licenses/LICENSE")):
        if wanted not in names:
            yield f"{wheel.name} lacks {wanted}"
    yield from (f"{wheel.name} has {name}, which nobody needs" for name in sorted(names) if _NEVER.search(name))


def _metadata_problems(release: Release, content: bytes) -> Iterator[str]:
    """Yield what a package index would refuse, and what is not this release."""
    try:
        metadata = Metadata.from_email(content)
    except ExceptionGroup as group:
        for error in group.exceptions:
            yield str(error) if isinstance(error, InvalidMetadata) else repr(error)
        return
    if (metadata.name, str(metadata.version)) != (release.name, release.version):
        yield f"it is {metadata.name} {metadata.version}"
    if (
        not str(message_from_bytes(content).get_payload()).strip()
        or metadata.description_content_type != "text/markdown"
    ):
        yield "it has no README in Markdown"
    for wanted in ("summary", "requires_python", "license_expression"):
        if not getattr(metadata, wanted):
            yield f"it has no {wanted.replace('_', '-')}"


def main(arguments: list[str] | None = None, project: Path = PROJECT) -> int:
    """Check and build a release, and with ``--tag`` tag it; return 1 where something is to be done first."""
    parser = argparse.ArgumentParser(prog="release.py", description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument(
        "package", choices=sorted(path.parent.name for path in project.glob("packages/*/pyproject.toml"))
    )
    parser.add_argument("--tag", action="store_true", help="make the tag, where nothing is wrong")
    parser.add_argument("--out", type=Path, help="keep what is built in this folder")
    options = parser.parse_args(arguments)
    release = read(options.package, project)
    problems = list(checkout_problems(release))
    with tempfile.TemporaryDirectory() as scratch:
        built = build(release, (options.out or Path(scratch)).absolute())
        problems += distribution_problems(release, built)
        print(f"{release.name} {release.version}: built {' and '.join(path.name for path in built)}")
    for problem in problems:
        print(f"* {problem}")
    if problems:
        return 1
    if options.tag:
        _git(release, "tag", "--annotate", release.tag, "--message", f"{release.name} {release.version}")
        print(f"Tagged {release.tag}. To publish: git push origin {release.tag}, then upload what is built.")
    else:
        print(f"Nothing is wrong. With --tag, this makes the tag {release.tag}.")
    return 0


def _git(release: Release, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=release.project, check=True, capture_output=True, text=True)
    return done.stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
