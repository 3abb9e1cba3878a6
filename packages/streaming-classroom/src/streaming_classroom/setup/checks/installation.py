"""Checks of what set-up has installed: packages, Java, jars, datasets, archive, kernel; set-up can make each anew."""

from __future__ import annotations

import csv
import os
import shutil
import subprocess
import sys
import tempfile
from functools import partial
from importlib import metadata
from pathlib import Path

from streaming_classroom import environment
from streaming_classroom.errors import SetupError
from streaming_classroom.files import directories, ownership
from streaming_classroom.setup import archive, guard, jars, java, kernel_settings, steps
from streaming_classroom.setup.finding import Check, Finding, Report

# `course.py` installs what is named in there anew.
DAMAGED = "course-damaged"
KERNEL = "python3"
_NAMED = 4  # packages in one line of the table


def checks() -> dict[str, Check]:
    """Return the checks by name, in the order in which set-up meets them."""
    return {
        "write access": _write_access,
        "packages": _packages,
        "Java": _java,
        "jars": _jars,
        "Kafka's broker": _broker,
        "datasets": _datasets,
        "archive": _archive,
        "kernel": _kernel,
        "Jupyter's folders": _jupyters_folders,
        "Jupyter on the PATH": _other_jupyter,
    }


def _write_access() -> Finding:
    claims = {
        directories.cache(): ownership.claim_cache,
        directories.home(): lambda: ownership.claim(directories.home()),
    }
    for folder, claim in claims.items():
        try:
            claim()
            with tempfile.TemporaryFile(dir=folder):
                pass
        except SetupError as error:
            return Finding(False, error.problem, error.fix)
        except OSError as error:
            fix = f"Make {folder} writable, or set CLASSROOM_CACHE and CLASSROOM_HOME to folders that are."
            return Finding(False, f"{folder}: {error.strerror}", fix)
    return Finding(True, "cache and home can be written")


def _packages() -> Finding:
    if not Path(sys.prefix, kernel_settings.MARKER).is_file():
        return Finding(True, "an environment that the course did not make")
    bad = damaged_packages(directories.PROJECT / "requirements.lock")
    if not bad:
        return Finding(True, "as the lock lists them")
    named = ", ".join(f"{name} {what}" for name, what in list(bad.items())[:_NAMED])
    more = f" and {len(bad) - _NAMED} more" if len(bad) > _NAMED else ""
    fix = "Run `python course.py doctor --fix`, which installs them anew."
    return Finding(False, named + more, fix, repair=partial(_install_anew, list(bad)))


def damaged_packages(lock: Path) -> dict[str, str]:
    """Return what is wrong with which packages of a lock: missing, of another version, without some of their files."""
    from packaging.requirements import Requirement

    bad = {}
    for line in lock.read_text(encoding="utf-8").splitlines():
        if line.startswith(("#", " ")) or not line.strip():
            continue
        wanted = Requirement(line.rstrip(" \\"))
        if (wanted.marker is None or wanted.marker.evaluate()) and (what := _wrong_with(wanted.name, str(wanted))):
            bad[wanted.name] = what
    return bad


def _wrong_with(name: str, wanted: str) -> str | None:
    try:
        found = metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return "is missing"
    if f"=={found.version}" not in wanted:
        return f"is {found.version}"
    # Not `files`, which leaves out what is missing from Python 3.12 on.
    listed = [row[0] for row in csv.reader((found.read_text("RECORD") or "").splitlines()) if row]
    files = (Path(str(found.locate_file(name))) for name in listed if not name.endswith(".pyc"))
    return None if all(file.exists() for file in files) else "lacks files"


def _install_anew(names: list[str], report: Report) -> None:
    """Let `course.py`, which made the environment, install packages anew as their lock lists them."""
    report(f"installs anew: {', '.join(names)}")
    Path(sys.prefix, DAMAGED).write_text("\n".join(names), encoding="utf-8")
    command = [sys.executable, str(directories.PROJECT / "course.py"), "setup"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]
        raise SetupError(f"The packages could not be installed: {last}", "Run `python course.py setup`.")


def _java() -> Finding:
    search = java.find()
    if search.java is None:
        return Finding(False, " ".join(search.passed_over) or "none", java.install_advice(), repair=_fetch_java)
    if (reason := java.why_it_fails(search.java)) is not None:
        fix = "Unset or correct JAVA_HOME, or remove that Java from the PATH; then set-up looks for another."
        return Finding(False, f"{search.java.home} does not run: {reason}", fix)
    remarks = f" ({' '.join(search.passed_over)})" if search.passed_over else ""
    return Finding(True, f"{search.java.version} in {search.java.home}{remarks}")


def _fetch_java(report: Report) -> None:
    report("fetches a Java into the cache")
    with guard.only_one(report):
        java.find_or_fetch()


def _jars() -> Finding:
    bad = jars.missing_or_damaged()
    found = f"{len(jars.locked()) - len(bad)} of {len(jars.locked())} sound"
    fix = "Run `python course.py setup` with a network; it repairs the rest."
    return Finding(not bad, found, fix, repair=_fetch_jars)


def _fetch_jars(report: Report) -> None:
    with guard.only_one(report):
        bad = jars.missing_or_damaged()
        report(f"fetches what is missing or damaged: {', '.join(jar.file_name for jar in bad)}")
        jars.fetch(bad)


def _broker() -> Finding:
    missing = jars.missing_or_damaged(jars.KAFKA_BROKER)
    fix = "Run `python course.py setup --all` with a network, or the first lesson with Kafka fetches it."
    return Finding(not missing, "not fetched yet" if missing else "fetched", fix, matters=False)


def _datasets() -> Finding:
    made = steps.datasets_made()
    return Finding(made, "made" if made else "missing", "Run `python course.py setup`.", repair=_make_datasets)


def _make_datasets(report: Report) -> None:
    report("makes the datasets that are missing")
    with guard.only_one(report):
        steps.make_datasets()


def _archive() -> Finding:
    if not environment.fast_start():
        return Finding(True, "not used in this kind of session")
    if archive.is_made():
        return Finding(True, "made")
    if archive.has_failed():
        fix = f"See {archive.log()}, then run `python course.py setup`, which tries again."
        found = "could not be made: starts take twice as long"
        return Finding(False, found, fix, matters=False, repair=_make_archive)
    found = "missing: starts take twice as long"
    return Finding(False, found, "Run `python course.py setup`.", matters=False, repair=_make_archive)


def _make_archive(report: Report) -> None:
    report("makes the class-data archive (half a minute)")
    with guard.only_one(report):
        archive.forget_failure()
        steps.make_archive(report)


def _kernel() -> Finding:
    """Look at what JupyterLab would start for a lesson; `course.py run` starts its own interpreter in any case."""
    from jupyter_client.kernelspec import KernelSpecManager, NoSuchKernel

    anew = "Run `python course.py doctor --fix`, which writes it anew."
    folder = Path(KernelSpecManager().find_kernel_specs().get(KERNEL, ""))
    ours = folder.is_relative_to(sys.prefix)
    elsewhere = f"Unset JUPYTER_PATH, or run `jupyter kernelspec remove {KERNEL}` if you do not need that one."
    try:
        program = KernelSpecManager().get_kernel_spec(KERNEL).argv[0]
    except NoSuchKernel:
        return Finding(False, f"no kernel {KERNEL}", anew, repair=_write_kernel)
    except (OSError, ValueError, LookupError) as error:
        found = f"{folder / 'kernel.json'} cannot be read: {error}"
        return Finding(False, found, anew if ours else elsewhere, repair=_write_kernel if ours else None)
    if _is_this_python(program):
        return Finding(True, f"{KERNEL} is this environment's")
    found = f"{folder} starts {program}, which is not the course's Python"
    return Finding(False, found, anew if ours else elsewhere, repair=_write_kernel if ours else None)


def _is_this_python(program: str) -> bool:
    """Whether a kernel's program is this interpreter; Jupyter takes a bare ``python`` for it."""
    version = ".".join(map(str, sys.version_info[:2]))
    if program in ("python", f"python{sys.version_info[0]}", f"python{version}"):
        return True
    found = shutil.which(program)
    return found is not None and Path(found).parent.resolve() == Path(sys.executable).parent.resolve()


def _write_kernel(report: Report) -> None:
    from ipykernel.kernelspec import install

    report(f"writes the kernel {KERNEL} of {sys.prefix} anew")
    install(prefix=sys.prefix)


def _jupyters_folders() -> Finding:
    """Jupyter keeps connection files, and IPython its history, in the user's home."""
    from jupyter_core.paths import jupyter_runtime_dir

    ipython = Path(os.environ.get("IPYTHONDIR") or Path.home() / ".ipython")
    for folder, variable in ((Path(jupyter_runtime_dir()), "JUPYTER_RUNTIME_DIR"), (ipython, "IPYTHONDIR")):
        there = next(path for path in (folder, *folder.parents) if path.exists())
        try:
            with tempfile.TemporaryFile(dir=there):
                pass
        except OSError as error:
            fix = f"Make it writable, or set {variable} to a folder that is."
            return Finding(False, f"{there}: {error.strerror}", fix)
    return Finding(True, "can be written")


def _other_jupyter() -> Finding:
    found = shutil.which("jupyter-lab")
    if found is None or Path(found).parent.resolve() == Path(sys.executable).parent.resolve():
        return Finding(True, "none but the course's")
    return Finding(
        False, found, "Nothing: `course.py lab` starts its own. `jupyter lab` would start that one.", matters=False
    )
