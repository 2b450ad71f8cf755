"""Compare two versions of a text: by words; in Chinese, Japanese and Korean by characters."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import groupby, takewhile
from typing import Any, Final

import regex

from webapp.core.text.folding import CJK, WORD
from webapp.core.text.parser import Entity, segments

from .editing import Version

Piece = tuple[str, Entity | None]  # a part of a text, as `segments` gives them
Opcode = tuple[str, int, int, int, int]  # of difflib
Token = tuple[str, str]  # the unit of comparison: a text, and the kind of its entity
PIECES: Final[Any] = regex.compile(rf"(?V1){WORD}+|[{CJK}]|\s+|\X")
PAIRS_MAX: Final = 8_000  # equal words of the changed parts: more take too long to compare
Text = tuple[str, tuple[Entity, ...]]


@dataclass(frozen=True, slots=True)
class Change:
    """Neighbouring pieces of a text. `kind`: "same", "added" or "removed"."""

    kind: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class ComparedVersion:
    """A version with its changes to the text and the warning of the one before."""

    version: Version
    text: tuple[Change, ...]
    cw: tuple[Change, ...]  # of both warnings, empty if there are none
    is_described: bool = False  # its pictures were described anew
    lost_place: bool = False


def compare_versions(versions: Sequence[Version]) -> list[ComparedVersion]:
    """Compare each version with the one before it. The first has only kept pieces.

    `versions`: the current one first, and so are the results.
    """
    before = (*versions[1:], versions[-1])
    return [
        ComparedVersion(
            version,
            compare((old.text, old.entities), (version.text, version.entities)),
            compare((old.cw, ()), (version.cw, ())),
            is_described=old.described is not None and old.described != version.described,
            lost_place=old.has_place and not version.has_place,
        )
        for version, old in zip(versions, before, strict=True)
    ]


@lru_cache(256)
def compare(old_text: Text, new_text: Text) -> tuple[Change, ...]:
    """Return the kept, removed and added pieces, in the order of the texts.

    Between their common beginning and end, texts that repeat few words very often count as wholly
    replaced.
    """
    old, new = _pieces(*old_text), _pieces(*new_text)
    kinds: list[tuple[str, Piece]] = []
    for code, old_start, old_end, new_start, new_end in _opcodes(old, new):
        if code == "equal":
            kinds += [("same", piece) for piece in new[new_start:new_end]]
            continue
        kinds += [("removed", piece) for piece in old[old_start:old_end]]
        kinds += [("added", piece) for piece in new[new_start:new_end]]
    return tuple(
        Change(kind, tuple(piece for _, piece in group))
        for kind, group in groupby(kinds, key=lambda pair: pair[0])
    )


def _opcodes(old: Sequence[Piece], new: Sequence[Piece]) -> list[Opcode]:
    old_tokens, new_tokens = _tokens(old), _tokens(new)
    start = _count_equal(old_tokens, new_tokens)
    end = _count_equal(old_tokens[start:][::-1], new_tokens[start:][::-1])
    old_end, new_end = len(old) - end, len(new) - end
    opcodes = [
        ("equal", 0, start, 0, start),
        *_changed_opcodes(old_tokens[start:old_end], new_tokens[start:new_end], start),
        ("equal", old_end, len(old), new_end, len(new)),
    ]
    filled = [code for code in opcodes if code[0] != "equal" or code[1] < code[2]]
    return list(_without_gaps(filled, new))


def _count_equal(old: Iterable[Token], new: Iterable[Token]) -> int:
    """Return how many tokens two sequences begin with alike."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(old, new, strict=False)))


def _changed_opcodes(old: Sequence[Token], new: Sequence[Token], start: int) -> list[Opcode]:
    """Compare the parts that differ. Both begin at `start` of their texts."""
    counts = Counter(new)
    if sum(counts[token] for token in old if not _is_space(token)) > PAIRS_MAX:
        return [("replace", start, start + len(old), start, start + len(new))]
    matcher = SequenceMatcher(_is_space, old, new, autojunk=False)
    return [
        (code, start + old_start, start + old_end, start + new_start, start + new_end)
        for code, old_start, old_end, new_start, new_end in matcher.get_opcodes()
    ]


def _without_gaps(opcodes: Sequence[Opcode], new: Sequence[Piece]) -> Iterator[Opcode]:
    """Yield opcodes in which a space between two changed words belongs to the change."""
    is_changed = [
        code != "equal" or _is_gap(new[start:end], index, len(opcodes))
        for index, (code, _, _, start, end) in enumerate(opcodes)
    ]
    for changed, group in groupby(zip(is_changed, opcodes, strict=True), key=lambda pair: pair[0]):
        codes = [code for _, code in group]
        (first, old_start, _, new_start, _), (_, _, old_end, _, new_end) = codes[0], codes[-1]
        yield ("replace" if changed else first), old_start, old_end, new_start, new_end


def _is_space(token: Token) -> bool:
    return not token[0].strip()


def _is_gap(pieces: Iterable[Piece], index: int, count: int) -> bool:
    return 0 < index < count - 1 and not any(text.strip() for text, _ in pieces)


def _pieces(text: str, entities: tuple[Entity, ...]) -> list[Piece]:
    """Cut a text into entities, words, CJK characters, signs and spaces."""
    return [
        (piece, entity)
        for run, entity in segments(text, entities)
        for piece in ([run] if entity else PIECES.findall(run))
    ]


def _tokens(pieces: Iterable[Piece]) -> list[Token]:
    return [(text, entity.kind if entity else "") for text, entity in pieces]
