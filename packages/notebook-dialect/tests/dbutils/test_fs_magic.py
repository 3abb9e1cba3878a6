from __future__ import annotations

import pytest

from notebook_dialect.dbutils.execution_errors import FsUsageError
from notebook_dialect.dbutils.fs import FileSystemUtils
from notebook_dialect.kernel.magics import parse_fs_command, run_fs_command
from streaming_classroom.files.directories import classroom_files


@pytest.mark.parametrize(
    ("line", "name", "arguments"),
    [
        ("ls /mnt", "ls", {"dir": "/mnt"}),
        ('ls "/mnt/my files"', "ls", {"dir": "/mnt/my files"}),
        ("ls '/mnt/it is'/a", "ls", {"dir": "/mnt/it is/a"}),
        ("head /a", "head", {"file": "/a"}),
        ("head --maxBytes=10 /a", "head", {"file": "/a", "maxBytes": 10}),
        ("head /a 10", "head", {"file": "/a", "maxBytes": 10}),
        ("rm /a", "rm", {"dir": "/a"}),
        ("rm -r /a", "rm", {"dir": "/a", "recurse": True}),
        ("rm /a -r", "rm", {"dir": "/a", "recurse": True}),
        ("rm /a true", "rm", {"dir": "/a", "recurse": True}),
        ("rm --recurse=true /a", "rm", {"dir": "/a", "recurse": True}),
        ("rm --recurse=false /a", "rm", {"dir": "/a", "recurse": False}),
        ("rm --recurse /a", "rm", {"dir": "/a", "recurse": True}),
        ("cp -r /a /b", "cp", {"from_": "/a", "to": "/b", "recurse": True}),
        ("mv -r /a /b", "mv", {"from_": "/a", "to": "/b", "recurse": True}),
        ('put /p "two words"', "put", {"file": "/p", "contents": "two words"}),
        ('put --overwrite /p "x"', "put", {"file": "/p", "contents": "x", "overwrite": True}),
        ('put /p "--- a\n# b"', "put", {"file": "/p", "contents": "--- a\n# b"}),
        ('put /p ""', "put", {"file": "/p", "contents": ""}),
        ("mounts", "mounts", {}),
        ("help cp", "help", {"method": "cp"}),
        ("", "help", {}),
    ],
)
def test_a_line_is_a_call(line: str, name: str, arguments: dict[str, object]) -> None:
    command = parse_fs_command(line)
    assert (command.name, command.arguments) == (name, arguments)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("sl /mnt", "no %fs command 'sl'. Did you mean ls?"),
        ("mkdir /mnt", "Did you mean mkdirs?"),
        ("_refuse x", "There are: ls, head"),
        ("ls", "%fs ls needs dir. Write: %fs ls dir"),
        ("cp /a", "%fs cp needs to. Write: %fs cp from to [--recurse=false]"),
        ("ls /a /b", "has no use for '/b'"),
        ("ls /my files", "has no use for 'files'"),
        ("ls -r /a", "has no option -r"),
        ("rm --force /a", "has no option --force"),
        ("rm --recurse=maybe /a", "takes true or false for recurse, not 'maybe'"),
        ("head /a ten", "takes a number for maxBytes, not 'ten'"),
        ("head /a -1", "takes a number"),
        ('ls "/a', "No closing quotation"),
    ],
)
def test_what_cannot_be_understood_is_said_with_what_to_write(line: str, says: str) -> None:
    with pytest.raises(FsUsageError) as caught:
        run_fs_command(FileSystemUtils(classroom_files()), line)
    assert says in str(caught.value)
