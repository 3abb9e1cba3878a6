"""The magics beside ``%sql`` and ``%run``, in a real kernel (rows 2, 14 and 20)."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "cell", ["%md # Title\n* a", "%md\n# Title\n* a", "%md-sandbox\n# Title\n* a", "\n%md\n# Title\n* a"]
)
def test_markdown_is_rendered(notebook, cell: str) -> None:
    [output] = notebook.ok(cell).outputs
    assert output["data"]["text/markdown"].strip() == "# Title\n* a"


def test_html_is_rendered(notebook) -> None:
    [output] = notebook.ok("displayHTML('<b>bold</b>')").outputs
    assert output["data"]["text/html"] == "<b>bold</b>"


def test_a_python_cell_is_python(notebook) -> None:
    notebook.ok("%python\nfrom_python = [1,\n 2]")
    assert notebook.value("from_python") == [1, 2]
    assert "line 3" in notebook.run("%python\nfine = 1\nspark.table('none')").error


def test_a_script_of_the_shell_shows_what_it_prints(notebook) -> None:
    result = notebook.ok("%sh\necho one\nfor n in 2 3; do echo $n; done\necho to stderr >&2")
    assert result.text == "one\n2\n3\nto stderr\n"
    assert notebook.ok("%sh echo in one line").text == "in one line\n"


def test_a_failing_script_fails_the_cell_only_where_it_says_so(notebook) -> None:
    assert notebook.ok("%sh\nfalse\necho on").text == "on\n"
    result = notebook.run("%sh -e\necho first\nfalse\necho never")
    assert result.ename == "CalledProcessError" and "first" in result.text and "never" not in result.text


def test_the_shell_knows_the_mounts(notebook) -> None:
    notebook.ok("dbutils.fs.put('/mnt/sh 1/a.txt', 'hello', True)")
    assert notebook.ok("%sh\ncat '/dbfs/mnt/sh 1/a.txt'; echo; ls /dbfs/mnt/sh*; echo a/dbfs/b /dbfsx").text == (
        "hello\na.txt\na/dbfs/b /dbfsx\n"
    )
    assert notebook.ok('%sh\ncd "/dbfs/mnt/sh 1"; pwd').text == "/dbfs/mnt/sh 1\n"


@pytest.mark.slow
def test_an_endless_script_can_be_interrupted(notebook) -> None:
    with pytest.raises(TimeoutError):
        notebook.run("%sh\necho begin; sleep 1000", timeout=3)
    notebook.updates(2)
    assert notebook.value("1 + 1") == 2


def test_fs_does_what_the_command_says(notebook) -> None:
    notebook.ok("dbutils.fs.rm('/mnt/fs2', True)")
    notebook.ok("%fs mkdirs /mnt/fs2/sub")
    notebook.ok('%fs put /mnt/fs2/a.txt "some words"')
    notebook.ok("%fs cp /mnt/fs2/a.txt /mnt/fs2/sub/b.txt")
    notebook.ok("%fs mv /mnt/fs2/a.txt /mnt/fs2/c.txt")
    assert notebook.value("sorted(f.name for f in dbutils.fs.ls('/mnt/fs2'))") == ["c.txt", "sub/"]
    notebook.ok("%fs rm -r /mnt/fs2")
    assert "java.io.FileNotFoundException" in notebook.run("%fs ls /mnt/fs2").error


@pytest.mark.parametrize(("cell", "language"), [("%scala\nval x = 1", "Scala"), ("%r\nx <- 1", "R")])
def test_another_language_is_refused_with_a_sentence(notebook, cell: str, language: str) -> None:
    result = notebook.run(cell)
    assert result.ename == "NotAvailable" and f"This cell is {language}" in result.error


def test_pip_is_ipythons(notebook) -> None:
    assert "pip " in notebook.ok("%pip --version").text


def test_a_cell_that_says_so_is_skipped(notebook) -> None:
    notebook.ok("kept = 1\n")
    assert notebook.ok("%skip\nkept = 2\n1 / 0").outputs == []
    assert notebook.value("kept") == 1


def test_magics_of_the_platforms_kernel_do_no_harm(notebook) -> None:
    assert "Restart Kernel" in notebook.ok("%restart_python").text
    notebook.ok("%set_cell_max_output_size_in_mb 10\nsized = 1")
    assert notebook.ok('%environment\n{"client": "1"}').outputs == [] and notebook.value("sized") == 1
