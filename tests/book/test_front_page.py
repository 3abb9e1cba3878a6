"""The first page is the README, laid out."""

from __future__ import annotations

from pathlib import Path

import pytest

from book.front_page import NotTheReadme, first_page, readme_parts

README = """# A course

One sentence, over
two lines. And another.

![A screen](images/screen.png)

## Start

You need Python.

```
python course.py lab
```

## Three paths

* **Learn.** Start with
  lesson 00.
* **Teach.** [Teaching](docs/teaching.md) helps.
* **Use the packages** without the course:

| package | what |
| --- | --- |
| [one](packages/one/README.md) | does this |
| [two](packages/two/README.md) | does that |

## License

Free.
"""


def test_the_head_has_one_sentence_one_command_one_picture_and_three_paths() -> None:
    head = first_page(readme_parts(README)).partition("## Start")[0]
    assert head.startswith("# A course\n")
    assert "One sentence, over\ntwo lines.\n" in head and "And another" not in head
    assert head.count("python course.py lab") == 1
    assert head.count("![A screen](images/screen.png)") == 1
    assert head.count("{container} path\n") == 3
    assert "**Learn** Start with lesson 00." in head
    assert "without the course: [one](packages/one/README.md), [two](packages/two/README.md)." in head


def test_all_other_sections_follow_as_they_are() -> None:
    page = first_page(readme_parts(README))
    assert page.endswith("## License\n\nFree.\n")
    assert "## Three paths" not in page


@pytest.mark.parametrize(
    ("part", "name"),
    [
        ("![A screen](images/screen.png)", "a picture"),
        ("```\npython course.py lab\n```", "a command"),
        ("* **Teach.** [Teaching](docs/teaching.md) helps.\n", "2 paths"),
        ("|", "a table of packages"),
    ],
)
def test_a_readme_without_a_part_is_refused_by_name(part: str, name: str) -> None:
    with pytest.raises(NotTheReadme, match=name):
        readme_parts(README.replace(part, ""))


def test_the_readme_of_the_course_has_all_parts() -> None:
    readme = readme_parts((Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8"))
    assert readme.command == "python course.py lab"
