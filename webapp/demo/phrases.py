"""The phrase books `en.txt` and `zh.txt`: what members write about, as sentences with choices in them.

A book has a section for each topic (`== bread`), with its tags, emoji, bios and names of pages to link to, then one
sentence a line. Marks before `> ` say its mood and when it fits: `morning good> …`. In a sentence

    {a|b}      is one of the two, {1=he|she} … {1=his|her} the same one both times
    {3..9}     is a number
    {friend}   is somebody whom the author follows, {link} an address,
               {today} a day of the week, \\n a new line
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

FOLDER = Path(__file__).parent
MARKS = re.compile(r"([a-z ]+)> ")
LISTS = re.compile(r"(tags|emoji|bio|links): ")
LABEL = re.compile(r"\d=")
RANGE = re.compile(r"(\d+)\.\.(\d+)\Z")
MOODS = frozenset({"good", "bad"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A line of a book: its text, with choices, its mood ("good", "bad" or "") and the times at which it fits."""

    text: str
    mood: str
    times: frozenset[str]


@dataclass(slots=True)
class Topic:
    """A section of a book."""

    name: str
    tags: list[str] = field(default_factory=list)
    emoji: list[str] = field(default_factory=list)
    bio: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)


@cache
def book(language: str) -> dict[str, Topic]:
    """The sections of a language's book ("en", "zh") by name."""
    topics: dict[str, Topic] = {}
    for name, lines in sections(f"{language}.txt"):
        topic = topics[name] = Topic(name)
        for line in lines:
            if found := LISTS.match(line):
                rest = line[found.end() :]
                parts = _split(rest) if found[1] == "bio" else rest.split()
                getattr(topic, found[1]).extend(part.strip() for part in parts)
            else:
                topic.sentences.append(_sentence(line))
    return topics


def sections(name: str) -> Iterator[tuple[str, list[str]]]:
    """The sections of a file of this folder: their names and lines."""
    for part in (FOLDER / name).read_text(encoding="utf-8").split("== ")[1:]:
        head, *lines = part.splitlines()
        yield head, [line for line in lines if line]


def spell(text: str, rng: Random, slots: Mapping[str, str], chosen: dict[str, int] | None = None) -> str:
    """One of the texts that a sentence stands for."""
    chosen = {} if chosen is None else chosen
    said, at = "", 0
    while (start := text.find("{", at)) >= 0:
        end = _closing(text, start)
        said += text[at:start] + _choose(text[start + 1 : end], rng, slots, chosen)
        at = end + 1
    return (said + text[at:]).replace("\\n", "\n")


def _choose(inner: str, rng: Random, slots: Mapping[str, str], chosen: dict[str, int]) -> str:
    if inner in slots:
        return slots[inner]
    if numbers := RANGE.match(inner):
        return str(rng.randint(int(numbers[1]), int(numbers[2])))
    label = LABEL.match(inner)
    options = _split(inner[label.end() :] if label else inner)
    index = rng.randrange(len(options))
    if label:
        index = chosen.setdefault(label[0], index)
    return spell(options[index], rng, slots, chosen)


def _sentence(line: str) -> Sentence:
    found = MARKS.match(line)
    marks = frozenset(found[1].split()) if found else frozenset()
    return Sentence(line[found.end() :] if found else line, "".join(marks & MOODS), marks - MOODS)


def _split(text: str) -> list[str]:
    """The options of a choice: parts between the `|` that stand in no inner choice."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "{") - (character == "}")
        if character == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _closing(text: str, start: int) -> int:
    depth = 0
    for at in range(start, len(text)):
        depth += (text[at] == "{") - (text[at] == "}")
        if not depth:
            return at
    raise ValueError(f"a choice has no end: {text}")
