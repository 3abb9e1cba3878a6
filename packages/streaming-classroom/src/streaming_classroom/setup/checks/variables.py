"""Checks of the environment's variables, which other programs have set: what a lesson would trip over is named."""

from __future__ import annotations

import importlib.machinery
import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit
from zipfile import BadZipFile, ZipFile

from streaming_classroom import environment
from streaming_classroom.setup import jars, java, locales
from streaming_classroom.setup.finding import NOT_SET, Check, Finding

CONNECT = 3.0  # seconds for a proxy or a server to answer
_ASK = 30.0  # for another Python to say what it has
_PYTHONS = ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON")
_PROXIES = ("https_proxy", "HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY")
_OPTIONS = ("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "SPARK_SUBMIT_OPTS")
# Modules that a lesson imports, of which a stranger's of the same name would be another.
_OURS: tuple[str, ...] = (
    "pyspark",
    "py4j",
    "delta",
    "pandas",
    "pyarrow",
    "numpy",
    "IPython",
    "ipykernel",
    "jupyterlab",
    "rich",
)
_OURS += ("nbformat", "papermill", "streaming_classroom", "notebook_dialect", "stream_view", "pyspark_cloudfiles")
# Of Python's own, what no lesson imports; a project's folder `test` is common.
_NEVER_IMPORTED = {"test", "this", "antigravity", "idlelib", "lib2to3", "tkinter", "turtle", "turtledemo"}
_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30}
_SMALLEST_HEAP = 2**30


def checks() -> dict[str, Check]:
    """Return the checks by name."""
    return {
        "SPARK_HOME": _spark_home,
        "SPARK_CONF_DIR": _spark_conf_dir,
        "SPARK_LOCAL_IP": _spark_local_ip,
        "SPARK_REMOTE": _spark_remote,
        "PYSPARK_PYTHON": _pyspark_python,
        "PYSPARK_SUBMIT_ARGS": _pyspark_submit_args,
        "PYTHONPATH": _pythonpath,
        "Java's options": _java_options,
        "Databricks": _databricks,
        "proxy": _proxy,
        "locale": _locale,
    }


def _spark_home() -> Finding:
    value = os.environ.get("SPARK_HOME")
    if not value:
        return Finding(True, NOT_SET)
    same = (Path(value) / "jars").is_dir() and Path(value).resolve() == jars.spark_jars().parent.resolve()
    return Finding(same, value, "Nothing: lessons use the Spark of the course. Unset it to avoid surprises.", False)


def _spark_conf_dir() -> Finding:
    value = os.environ.get("SPARK_CONF_DIR")
    if not value:
        return Finding(True, NOT_SET)
    file = Path(value, "spark-defaults.conf")
    if not file.is_file():
        return Finding(False, f"{value} has no spark-defaults.conf", "Nothing. Unset SPARK_CONF_DIR.", matters=False)
    names = [re.split(r"[\s=:]", line, maxsplit=1)[0] for line in _lines(file)]
    if not names:
        return Finding(True, f"{file} sets nothing")
    found = f"{file} wins over the course's settings: {', '.join(names)}"
    return Finding(
        False, found, "Unset SPARK_CONF_DIR, unless you mean that: lessons show other results.", matters=False
    )


def _lines(file: Path) -> list[str]:
    text = file.read_text(encoding="utf-8", errors="replace")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]


def _spark_local_ip() -> Finding:
    value = os.environ.get("SPARK_LOCAL_IP")
    if not value:
        return Finding(True, NOT_SET)
    try:
        with socket.socket() as probe:
            probe.bind((value, 0))
    except OSError:
        return Finding(False, f"{value} is no address of this machine", "Unset SPARK_LOCAL_IP: Spark cannot start.")
    return Finding(True, value)


def _spark_remote() -> Finding:
    value = environment.remote_url()
    if value is None:
        return Finding(True, NOT_SET)
    address = urlsplit(value.replace("sc://", "//", 1))
    host, port = address.hostname or "localhost", address.port or 15002
    if _answers(host, port):
        return Finding(True, f"{host}:{port} answers")
    fix = "Start that Spark Connect server, or unset SPARK_REMOTE to use the Spark of the course."
    return Finding(False, f"nobody answers at {host}:{port}", fix)


def _answers(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=CONNECT).close()
    except OSError:
        return False
    return True


def _pyspark_python() -> Finding:
    chosen = {name: os.environ[name] for name in _PYTHONS if os.environ.get(name)}
    if not chosen or not environment.is_one_machine():  # on a cluster it is the workers', and checked there
        return Finding(True, NOT_SET if not chosen else "the workers'")
    for name, value in chosen.items():
        if reason := _unfit(value):
            fix = f"Unset {name}: the course then uses its own Python."
            return Finding(False, f"{name}={value}: {reason}", fix)
    return Finding(True, ", ".join(f"{name}={value}" for name, value in chosen.items()))


def _unfit(python: str) -> str | None:
    """Return why a Python cannot run Spark's workers beside this one; None if it can."""
    program = shutil.which(shlex.split(python)[0])
    if program is None:
        return "there is no such program"
    code = "import sys, pyspark; print(*sys.version_info[:2], pyspark.__version__)"
    try:
        done = subprocess.run([program, "-c", code], capture_output=True, text=True, timeout=_ASK)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"it does not run ({type(error).__name__})"
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["it fails"])[-1]
    major, minor, spark = done.stdout.split()
    ours = _version_of_pyspark()
    if (int(major), int(minor)) != sys.version_info[:2] or spark != ours:
        return f"it is Python {major}.{minor} with PySpark {spark}"
    return None


def _version_of_pyspark() -> str:
    from importlib.metadata import version

    return version("pyspark")


def _pyspark_submit_args() -> Finding:
    value = os.environ.get("PYSPARK_SUBMIT_ARGS")
    if not value:
        return Finding(True, NOT_SET)
    if value.split()[-1:] != ["pyspark-shell"]:
        found = f"{value!r} does not end in pyspark-shell, without which Spark does not start"
        return Finding(False, found, "Unset PYSPARK_SUBMIT_ARGS.")
    return Finding(False, value, "Nothing, if lessons start. Unset it to have the course's settings.", matters=False)


def _pythonpath() -> Finding:
    value = os.environ.get("PYTHONPATH")
    if not value:
        return Finding(True, NOT_SET)
    shadows = [
        f"{module} of {entry}"
        for entry in filter(None, value.split(os.pathsep))
        for module in sorted({*_modules_in(Path(entry))} & {*_OURS, *sys.stdlib_module_names} - _NEVER_IMPORTED)
        if not _is_the_courses(Path(entry), module)
    ]
    if not shadows:
        return Finding(True, "hides none of the course's modules")
    return Finding(False, f"hides the course's modules by {', '.join(shadows)}", "Unset PYTHONPATH.")


def _modules_in(entry: Path) -> Iterator[str]:
    """Yield the names of the modules in a folder or a zip of the search path."""
    try:
        if entry.is_dir():
            for path in entry.iterdir():
                if path.suffix == ".py" or (path / "__init__.py").is_file():
                    yield path.stem
        elif entry.is_file():
            with ZipFile(entry) as packed:
                yield from {name.partition("/")[0].removesuffix(".py") for name in packed.namelist()}
    except (OSError, BadZipFile):
        return


def _is_the_courses(entry: Path, module: str) -> bool:
    """Whether a module of the search path is the one that would be found without it."""
    without = [path for path in sys.path if path and Path(path).resolve() != entry.resolve()]
    usual = importlib.machinery.PathFinder.find_spec(module, without)
    if usual is None or not usual.origin:
        return False
    return Path(usual.origin).resolve() in (
        (entry / f"{module}.py").resolve(),
        (entry / module / "__init__.py").resolve(),
    )


def _java_options() -> Finding:
    given = {name: os.environ[name] for name in _OPTIONS if os.environ.get(name)}
    if not given:
        return Finding(True, NOT_SET)
    told = ", ".join(f"{name}={value}" for name, value in given.items())
    heap = given.get("_JAVA_OPTIONS", "")  # which alone wins over what Spark is told
    if (size := _heap_of(heap)) is not None and size < _SMALLEST_HEAP:
        return Finding(False, f"{told}: too little memory for Spark", "Unset _JAVA_OPTIONS.")
    if any("-agentlib:jdwp" in value for value in given.values()):
        return Finding(False, f"{told}: of two JVMs, one would not get the debugger's port", "Unset it.")
    return Finding(False, told, "Nothing, if lessons start. Unset it to have what was tested.", matters=False)


def _heap_of(options: str) -> int | None:
    found = re.findall(r"-xmx(\d+)([kmg]?)", options.lower())
    return int(found[-1][0]) * _UNITS[found[-1][1]] if found else None


def _databricks() -> Finding:
    if not environment.is_databricks():
        return Finding(True, NOT_SET)
    if Path("/databricks").exists():
        return Finding(True, f"runtime {os.environ['DATABRICKS_RUNTIME_VERSION']}")
    fix = "Unset DATABRICKS_RUNTIME_VERSION: lessons would look for the platform's own Spark."
    return Finding(False, "DATABRICKS_RUNTIME_VERSION is set, and this is no Databricks machine", fix)


def _proxy() -> Finding:
    given = {name: os.environ[name] for name in _PROXIES if os.environ.get(name)}
    dead = {name: value for name, value in given.items() if not _proxy_answers(value)}
    if not dead:
        return Finding(True, ", ".join(given.values()) or NOT_SET)
    found = f"nobody answers at {', '.join(f'{name}={value}' for name, value in dead.items())}"
    needed = bool(jars.missing_or_damaged()) or java.find().java is None
    fix = f"Correct or unset {' and '.join(dead)}" + (": set-up cannot fetch what it needs." if needed else ".")
    return Finding(False, found, fix if needed else f"Nothing now: all is fetched. {fix}", matters=needed)


def _proxy_answers(value: str) -> bool:
    try:
        address = urlsplit(value if "://" in value else f"http://{value}")
        port = address.port or {"https": 443, "socks5": 1080, "socks5h": 1080}.get(address.scheme, 80)
    except ValueError:
        return False
    return bool(address.hostname) and _answers(address.hostname, port)


def _locale() -> Finding:
    missing: Mapping[str, str] = locales.for_java()
    if not missing:
        return Finding(True, "knows all letters")
    told = " ".join(f"{name}={value}" for name, value in missing.items())
    return Finding(True, f"knows ASCII only; Spark's JVM is started with {told}")
