"""The locks of jars and of Java: newest patch releases, checksums, and what the weekly audit refuses.

`.venv/bin/python tools/lock.py --binaries` upgrades both locks; `.venv/bin/python tools/binary_locks.py` audits them.
Jars are upgraded within their minor release: Delta and Spark by the versions that requirements.txt pins, all others
to the newest patch of the Maven repository.  Java is the newest Temurin 17 of Adoptium's public interface.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from streaming_classroom.setup import jars, java

PROJECT = Path(__file__).resolve().parents[1]
KNOWN_BAD = PROJECT / "tools" / "known_bad_jars.txt"
ADOPTIUM = "https://api.adoptium.net/v3/assets/latest/17/hotspot?image_type=jre&vendor=eclipse"
TIMEOUT = 60  # seconds without a byte
QUARTERS = 2  # that a locked Java may be older than the newest
# Organisations whose version requirements.txt pins, by the package of PyPI.
_PINNED = {"io.delta": "delta-spark", "org.apache.spark": "pyspark"}
_FIRST_QUARTER = (2021, 10)  # of Java 17.0.1; a patch release follows every three months
_SYSTEMS = {
    ("linux", "x64"): "linux-x64",
    ("linux", "aarch64"): "linux-aarch64",
    ("mac", "x64"): "mac-x64",
    ("mac", "aarch64"): "mac-aarch64",
    ("windows", "x64"): "windows-x64",
}


@dataclass(frozen=True)
class BadRange:
    """Releases of a module with a known vulnerability: all that are older than its fix."""

    module: str
    fixed: tuple[int, ...]
    vulnerability: str

    def has(self, jar: jars.Jar) -> bool:
        """Whether a jar is a release of the range."""
        release = numbers(jar.revision)
        return f"{jar.organisation}:{jar.module}" == self.module and release < self.fixed


def numbers(revision: str) -> tuple[int, ...]:
    """Return the numbers of a revision, such as (2, 21, 8)."""
    return tuple(int(part) for part in re.findall(r"\d+", revision))


def upgrade_jars(of: jars.JarSet) -> list[str]:
    """Rewrite a lock of jars; return a line for each jar that changed."""
    text, changed = of.lock_file.read_text(encoding="utf-8"), []
    for jar in jars.locked(of):
        revision = _newest(jar)
        if revision == jar.revision:
            continue
        newer = jars.Jar(jar.organisation, jar.module, revision, "")
        line = f"{jar.organisation}:{jar.module}:{revision} {hashlib.sha256(_read(jars.jar_url(newer))).hexdigest()}"
        text = text.replace(f"{jar.organisation}:{jar.module}:{jar.revision} {jar.sha256}", line)
        changed.append(f"{jar.module}: {jar.revision} -> {revision}")
    of.lock_file.write_text(text, encoding="utf-8")
    return changed


def _newest(jar: jars.Jar) -> str:
    """Return the pinned revision of a jar, else the newest release of its minor release."""
    if jar.organisation in _PINNED:
        requirements = (PROJECT / "requirements.txt").read_text(encoding="utf-8")
        return re.search(rf"^{_PINNED[jar.organisation]}(?:\[.*\])?==(\S+)", requirements, re.MULTILINE)[1]
    folder = jars.jar_url(jar).rsplit("/", 2)[0]
    metadata = ElementTree.fromstring(_read(f"{folder}/maven-metadata.xml"))
    revisions = {element.text for element in metadata.iter("version") if re.fullmatch(r"[\d.]+", element.text or "")}
    # Below 1.0 a third number is a minor release, and Delta says which.
    patches = [one for one in revisions if numbers(one)[0] and numbers(one)[:2] == numbers(jar.revision)[:2]]
    return max([*patches, jar.revision], key=numbers)


def upgrade_java() -> str:
    """Rewrite the lock of Java with the newest release; return its version."""
    assets = json.loads(_read(ADOPTIUM))
    rows = {
        _SYSTEMS[system]: (asset["binary"]["package"]["link"], asset["binary"]["package"]["checksum"])
        for asset in assets
        if (system := (asset["binary"]["os"], asset["binary"]["architecture"])) in _SYSTEMS
    }
    version = re.search(r"[\d.]+", assets[0]["release_name"])[0]
    head = java.ARCHIVES.read_text(encoding="utf-8").partition("\n\n")[0]
    lines = "".join(f"{name} {' '.join(rows[name])}\n" for name in _SYSTEMS.values())
    java.ARCHIVES.write_text(f"{re.sub(r'Java 17[.0-9]*[0-9]', f'Java {version}', head)}\n\n{lines}", encoding="utf-8")
    return version


def _read(url: str) -> bytes:
    with urllib.request.urlopen(url, timeout=TIMEOUT) as answer:
        return answer.read()


def problems(today: datetime.date) -> Iterator[str]:
    """Yield the problems of the locks: a jar with a known vulnerability, a Java that is too old."""
    ranges = list(known_bad())
    for of in (jars.SPARK, jars.KAFKA_BROKER):
        for jar in jars.locked(of):
            for bad in (bad for bad in ranges if bad.has(jar)):
                fixed = ".".join(map(str, bad.fixed))
                yield f"{of.lock_file.name}: {jar.module} {jar.revision} has {bad.vulnerability}; fixed in {fixed}"
    update = int(re.search(r"jdk-17\.0\.(\d+)", java.ARCHIVES.read_text(encoding="utf-8"))[1])
    year, month = _FIRST_QUARTER
    newest = ((today.year - year) * 12 + today.month - month) // 3 + 1
    if newest - update > QUARTERS:
        yield f"{java.ARCHIVES.name}: 17.0.{update} is {newest - update} quarters older than the newest Java 17"


def known_bad() -> Iterator[BadRange]:
    """Yield the ranges of the list: ``organisation:module before revision vulnerability ...``."""
    for line in KNOWN_BAD.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            module, _before, fixed, *vulnerabilities = line.split()
            yield BadRange(module, numbers(fixed), ", ".join(vulnerabilities))


def main() -> int:
    """Print the problems; return how many there are."""
    found = list(problems(datetime.datetime.now(datetime.UTC).date()))
    print("\n".join(found) or "No known vulnerability in the jars, and Java is current.")
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
