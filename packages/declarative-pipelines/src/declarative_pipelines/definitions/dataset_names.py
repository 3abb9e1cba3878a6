"""Names of datasets, which are compared without regard to case, as Spark compares the names of tables.

Spark's pipelines engine compares them exactly.  So a name in a query's text is replaced by the dataset's name as its
definition has it, where the two differ by case only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from declarative_pipelines.sql.token_reader import Token


_BEFORE_A_RELATION = ("FROM", "JOIN", "STREAM", "TABLE")
# After the first of these a comma in a query separates no relations.
_AFTER_RELATIONS = ("WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "WINDOW", "UNION", "EXCEPT", "INTERSECT", "SELECT")


@dataclass(frozen=True)
class DatasetNames:
    """The names of a pipeline's datasets: of tables catalog, database and name; of views and sinks the name."""

    names: Sequence[tuple[str, ...]]
    _known: dict[tuple[str, ...], tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._known.update({_lower(parts): parts for parts in self.names})

    def in_text(self, text: str, complete: Callable[[str], list[str]]) -> str:
        """Return a query in which each dataset has its defined name; ``complete`` gives a table's three parts."""
        lower = text.lower()
        if all(lower.count(part.lower()) == text.count(part) for parts in self.names for part in parts):
            return text  # without the tokenizer's import
        from declarative_pipelines.sql.token_reader import SourceText

        tokens, pieces, done = SourceText(text, "").tokens(), [], 0
        for first, last in _relations(tokens):
            written = tuple(token.value for token in tokens[first : last + 1 : 2])
            found = self._found(written, complete)
            if found is not None and found != written:
                name = ".".join(f"`{part.replace('`', '``')}`" for part in found)
                pieces += [text[done : tokens[first].start], name]
                done = tokens[last].end
        return "".join([*pieces, text[done:]])

    def _found(self, written: tuple[str, ...], complete: Callable[[str], list[str]]) -> tuple[str, ...] | None:
        view = self._known.get(_lower(written))
        if view is not None or len(written) > 3:
            return view
        table = self._known.get(_lower(complete(".".join(written))))
        return None if table is None else table[-len(written) :]


def _lower(parts: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.lower() for part in parts)


def _relations(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the first and the last token of each name that a query may read from."""
    lists, done = [False], -1  # whether a comma separates relations, for each open parenthesis
    for number, token in enumerate(tokens):
        if token.says("("):
            lists.append(lists[-1])
        elif token.says(")") and len(lists) > 1:
            lists.pop()
        elif token.says("FROM"):
            lists[-1] = True
        elif any(map(token.says, _AFTER_RELATIONS)):
            lists[-1] = False
        if number > done and token.may_be_name and _may_begin_relation(tokens, number, lists[-1]):
            done = _last_of_name(tokens, number)
            if not (done + 1 < len(tokens) and tokens[done + 1].says("(")):  # a function's call
                yield number, done


def _may_begin_relation(tokens: list[Token], number: int, in_list: bool) -> bool:
    before = number - 1
    while before >= 0 and tokens[before].says("("):
        before -= 1
    if before < 0:
        return False
    return any(map(tokens[before].says, _BEFORE_A_RELATION)) or (in_list and tokens[before].says(","))


def _last_of_name(tokens: list[Token], number: int) -> int:
    while number + 2 < len(tokens) and tokens[number + 1].says(".") and tokens[number + 2].may_be_name:
        number += 2
    return number
