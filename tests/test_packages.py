"""The packages' structure: imports go one way, folders hold one idea each, and each package declares what it needs."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

MOST_MODULES = 15  # in one folder
PACKAGES = Path(__file__).parents[1] / "packages"
# What each package may import of the others.
BELOW = {
    "spark_hooks": set(),
    "stream_view": {"spark_hooks"},
    "notebook_dialect": {"spark_hooks", "stream_view"},
    "pyspark_cloudfiles": {"spark_hooks"},
    # The last where it is there.
    "declarative_pipelines": {"spark_hooks", "stream_view", "notebook_dialect", "pyspark_cloudfiles"},
    # And by its name, lesson_exercises.
    "streaming_classroom": {
        "spark_hooks",
        "stream_view",
        "notebook_dialect",
        "pyspark_cloudfiles",
        "declarative_pipelines",
    },
    "lesson_exercises": {"streaming_classroom", "stream_view", "declarative_pipelines"},
}
ALONE = ("spark_hooks", "stream_view", "notebook_dialect", "pyspark_cloudfiles", "declarative_pipelines")
# Ours bear a name that says whose they are: the short ones are free for anybody to take on a package index.
PREFIX = "streaming-classroom-"
# Distributions whose modules have another name.
DISTRIBUTIONS = {"IPython": "ipython", "delta": "delta-spark"}
DISTRIBUTIONS |= {package: PREFIX + package.replace("_", "-") for package in ALONE}


@dataclass(frozen=True)
class Import:
    """A module that another one imports, where, and whether this happens in a function, or for a type checker only."""

    name: str
    line: int
    late: bool
    typing: bool


def directory(package: str, packages: Path = PACKAGES) -> Path:
    """Return the directory of a package's project; the exercises, which are no project, have theirs."""
    return packages.parent / "exercises" if package == "lesson_exercises" else packages / package.replace("_", "-")


def modules(package: str, packages: Path = PACKAGES) -> dict[str, Path]:
    """Return a package's modules by their dotted names."""
    found = {}
    root = directory(package, packages)
    root = root / "src" / package if (root / "src").exists() else root
    for path in sorted(root.rglob("*.py")):
        parts = (package, *path.relative_to(root).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(name: str, path: Path) -> Iterator[Import]:
    """Yield what a module imports, by full names; of ``from a import b`` it is ``a.b``."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    guards = [node for node in ast.walk(tree) if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)]
    typing = {id(inner) for guard in guards for inner in ast.walk(guard)}
    at_the_top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        late = id(node) not in at_the_top and id(node) not in typing
        if isinstance(node, ast.Import):
            yield from (Import(alias.name, node.lineno, late, id(node) in typing) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(name, path, node)
            yield from (Import(f"{base}.{a.name}", node.lineno, late, id(node) in typing) for a in node.names)


def _base(name: str, path: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    parents = package[: len(package) - node.level + 1]
    return ".".join([*parents, *([node.module] if node.module else [])])


def upward_imports(packages: Path, below: dict[str, set[str]]) -> list[str]:
    """Return the imports of a package's modules from packages that are not below it, those for types included."""
    return [
        f"{name}:{found.line} imports {found.name}"
        for package in below
        for name, path in modules(package, packages).items()
        for found in imports(name, path)
        if (top := found.name.partition(".")[0]) in below and top != package and top not in below[package]
    ]


def circles(packages: Path, names: list[str], folders: bool = False) -> list[str]:
    """Return the modules, or the folders, of a circle of imports; nothing if there is none.

    Imports in functions and those for a type checker count as well.
    """
    every = {name: path for package in names for name, path in modules(package, packages).items()}
    graph: dict[str, set[str]] = {}
    for name, path in every.items():
        at = _folder(name, every) if folders else name
        known = {_module_of(found.name, every) for found in imports(name, path)} - {None}
        graph.setdefault(at, set()).update({_folder(one, every) for one in known} if folders else known)
    try:
        TopologicalSorter({at: wanted - {at, ""} for at, wanted in graph.items() if at}).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def _folder(name: str, every: dict[str, Path]) -> str:
    """Return the folder of a package that a module is in; an empty text for a module beside the folders."""
    parts = name.split(".")
    is_inside = len(parts) > 2 or (len(parts) == 2 and every[name].name == "__init__.py")
    return ".".join(parts[:2]) if is_inside else ""


def _module_of(name: str, every: dict[str, Path]) -> str | None:
    while name and name not in every:
        name = name.rpartition(".")[0]
    return name or None


def unexplained_late_imports(packages: Path, package: str) -> list[str]:
    """Return the imports of our own modules in functions that neither a comment nor a docstring gives a reason for."""
    unexplained = []
    for name, path in modules(package, packages).items():
        text = path.read_text(encoding="utf-8")
        for found in imports(name, path):
            ours = found.name.partition(".")[0] in BELOW
            if ours and found.late and not _is_explained(text, found.line):
                unexplained.append(f"{name}:{found.line}")
    return unexplained


def _is_explained(text: str, line: int) -> bool:
    """Whether a comment on the line or the two before it says something, or a docstring around it speaks of imports."""
    tree = ast.parse(text)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    around = [tree, *(node for node in functions if node.lineno <= line <= (node.end_lineno or 0))]
    comments = [part for part in text.splitlines()[max(line - 3, 0) : line] if "#" in part]
    return bool(comments) or any("import" in (ast.get_docstring(node) or "").lower() for node in around)


def test_imports_go_downwards() -> None:
    assert upward_imports(PACKAGES, BELOW) == []


@pytest.mark.parametrize("package", BELOW)
def test_no_modules_import_each_other_in_a_circle(package: str) -> None:
    assert circles(PACKAGES, [package]) == []


@pytest.mark.parametrize("package", BELOW)
def test_no_folders_import_each_other_in_a_circle(package: str) -> None:
    assert circles(PACKAGES, [package], folders=True) == []


@pytest.mark.parametrize("package", ALONE)
def test_a_folder_has_few_enough_modules_to_be_seen_at_a_glance(package: str) -> None:
    sizes = Counter(path.parent for path in modules(package).values() if path.name != "__init__.py")
    assert {folder.name: size for folder, size in sizes.items() if size > MOST_MODULES} == {}


@pytest.mark.parametrize("package", BELOW)
def test_no_two_classes_of_a_package_have_one_name(package: str) -> None:
    """Classes within a function or a class, such as py4j's ``Java``, are seen by nobody else."""
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in modules(package).values()]
    names = [node.name for tree in trees for node in tree.body if isinstance(node, ast.ClassDef)]
    assert [name for name, count in Counter(names).items() if count > 1] == []


@pytest.mark.parametrize("package", BELOW)
def test_an_import_in_a_function_says_why_it_is_there(package: str) -> None:
    assert unexplained_late_imports(PACKAGES, package) == []


@pytest.mark.parametrize("package", BELOW)
def test_no_two_modules_of_a_package_have_one_name(package: str) -> None:
    """But for the folders of formats, which have the same parts on purpose: columns, inference, row_reader ..."""
    paths = [path for path in modules(package).values() if path.parents[1].name != "formats"]
    names = [path.name for path in paths if path.name != "__init__.py"]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("package", BELOW)
def test_a_package_has_a_readme_with_an_example_that_is_python(package: str) -> None:
    readme = (directory(package) / "README.md").read_text(encoding="utf-8")
    examples = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert examples
    for example in examples:
        ast.parse(re.sub(r"^%", "#", example, flags=re.MULTILINE))


@pytest.mark.parametrize("package", ALONE)
def test_a_package_declares_what_it_imports_and_nothing_else(package: str) -> None:
    project = tomllib.loads((directory(package) / "pyproject.toml").read_text(encoding="utf-8"))
    required = project["project"]["dependencies"]
    optional = [name for group in project["project"].get("optional-dependencies", {}).values() for name in group]
    declared = {re.split(r"[^\w-]", requirement)[0].lower() for requirement in [*required, *optional]}
    used = {
        DISTRIBUTIONS.get(top, top.replace("_", "-"))
        for name, path in modules(package).items()
        for found in imports(name, path)
        if (top := found.name.partition(".")[0]) not in sys.stdlib_module_names and top != package
    }
    assert declared == used


@pytest.mark.parametrize("package", [one for one in BELOW if one != "lesson_exercises"])
def test_a_package_has_a_name_of_ours_a_license_types_and_a_changelog(package: str) -> None:
    folder = directory(package)
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))
    name = project["project"]["name"]
    assert name == (PREFIX + folder.name if package in ALONE else folder.name)
    assert project["project"]["license-files"] == ["LICENSE"]
    assert (folder / "LICENSE").read_bytes() == (PACKAGES.parent / "LICENSE").read_bytes()
    assert (folder / "src" / package / "py.typed").is_file()
    assert "py.typed" in project["tool"]["setuptools"]["package-data"][package]
    version = project["project"]["version"]
    assert (folder / "CHANGELOG.md").read_text(encoding="utf-8").startswith(f"# Changelog\n\n## {version}, ")


@pytest.mark.parametrize("package", ALONE)
def test_a_package_asks_of_ours_for_versions_that_keep_what_it_uses(package: str) -> None:
    project = tomllib.loads((directory(package) / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = [name for group in project.get("optional-dependencies", {}).values() for name in group]
    ours = [text for text in [*project["dependencies"], *optional] if text.startswith(PREFIX)]
    assert [text for text in ours if not re.search(r">=\d+\.\d+,<\d+\.\d+$", text)] == []
    assert len(ours) >= len(BELOW[package])


@pytest.mark.parametrize("package", ALONE)
def test_a_readme_says_what_is_public_and_how_long_it_stays(package: str) -> None:
    readme = " ".join((directory(package) / "README.md").read_text(encoding="utf-8").split())
    assert "is public, and stays for at least one more minor version" in readme


def test_the_checks_see_what_is_wrong(tmp_path: Path) -> None:
    """Each check fails on packages that are wrong on purpose."""
    for package, text in {
        "stream_view/__init__": "",
        "stream_view/low": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import notebook_dialect.high\n",
        "notebook_dialect/__init__": "",
        "notebook_dialect/high": "def f():\n\n    from . import other\n",
        "notebook_dialect/other": "from notebook_dialect.high import f\n",
    }.items():
        name, _, module = package.partition("/")
        path = tmp_path / name.replace("_", "-") / "src" / name / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    below = {"stream_view": set(), "notebook_dialect": {"stream_view"}}
    assert upward_imports(tmp_path, below) == ["stream_view.low:3 imports notebook_dialect.high"]
    assert set(circles(tmp_path, ["notebook_dialect"])) == {"notebook_dialect.high", "notebook_dialect.other"}
    assert circles(tmp_path, ["notebook_dialect"], folders=True) == []
    for module, other in (("one/a", "two.b"), ("two/b", "one.c"), ("one/c", "one.a")):
        path = tmp_path / "stream-view" / "src" / "stream_view" / f"{module}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"import stream_view.{other}\n")
    assert set(circles(tmp_path, ["stream_view"], folders=True)) == {"stream_view.one", "stream_view.two"}
    assert unexplained_late_imports(tmp_path, "notebook_dialect") == ["notebook_dialect.high:3"]
