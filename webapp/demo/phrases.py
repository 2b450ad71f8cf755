"""The phrase books `en.txt` and `zh.txt`: sentences with choices in them, by topic.

A section (`== bread`) has the topic's tags, emoji, bios and names of pages to link to, then one
sentence a line. Marks before `> ` say its mood and when it fits: `morning good> …`. Lines below a
sentence answer it: `< ` begins a reply, `<< ` the author's answer to that, and `<<< ` the other's
answer then. In a sentence

    {a|b}      is one of the two; {1=he|she} … {1=his|her} is the same one both times
    {3..9}     is a number
    {friend}   is somebody whom the author follows, {link} an address,
               {today} a day of the week, \\n a new line
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random

PHRASES_DIR = Path(__file__).parent
MARKS_PATTERN = re.compile(r"([a-z ]+)> ")
LISTS_PATTERN = re.compile(r"(tags|emoji|bio|links): ")
LABEL_PATTERN = re.compile(r"\d=")
ANSWER_PATTERN = re.compile(r"(<+) ")
RANGE_PATTERN = re.compile(r"(\d+)\.\.(\d+)\Z")
MOODS = frozenset({"good", "bad"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with choices. `mood` is "good", "bad" or ""; `times` are marks of `rhythm`.

    Each of `talks` is a reply and the answers that follow it, of the author and the other in turn.
    """

    text: str
    mood: str
    times: frozenset[str]
    talks: list[list[str]] = field(default_factory=list)


@dataclass(slots=True)
class PhraseSection:
    """A section of a book."""

    name: str
    tags: list[str] = field(default_factory=list)
    emoji: list[str] = field(default_factory=list)
    bio: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)


@cache
def phrase_book(language: str) -> dict[str, PhraseSection]:
    """Return the sections of a language's book ("en", "zh") by name."""
    topics: dict[str, PhraseSection] = {}
    for name, lines in sections(f"{language}.txt"):
        topic = topics[name] = PhraseSection(name)
        for line in lines:
            if list_match := LISTS_PATTERN.match(line):
                rest = line[list_match.end() :]
                parts = _split_options(rest) if list_match[1] == "bio" else rest.split()
                getattr(topic, list_match[1]).extend(part.strip() for part in parts)
            elif answer := ANSWER_PATTERN.match(line):
                _add_answer(topic.sentences[-1], len(answer[1]), line[answer.end() :])
            else:
                topic.sentences.append(_parse_sentence(line))
    return topics


def sections(name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the name and lines of each section of a file in this folder."""
    for part in (PHRASES_DIR / name).read_text(encoding="utf-8").split("== ")[1:]:
        head, *lines = part.splitlines()
        yield head, [line for line in lines if line]


def expand(
    text: str, rng: Random, slots: Mapping[str, str], chosen: dict[str, int] | None = None
) -> str:
    """Return one of the texts that a sentence can become."""
    chosen = {} if chosen is None else chosen
    expanded, position = "", 0
    while (start := text.find("{", position)) >= 0:
        end = _closing_brace(text, start)
        expanded += text[position:start] + _expand_choice(text[start + 1 : end], rng, slots, chosen)
        position = end + 1
    return (expanded + text[position:]).replace("\\n", "\n")


def _expand_choice(
    inner: str, rng: Random, slots: Mapping[str, str], chosen: dict[str, int]
) -> str:
    if inner in slots:
        return slots[inner]
    if numbers := RANGE_PATTERN.match(inner):
        return str(rng.randint(int(numbers[1]), int(numbers[2])))
    label = LABEL_PATTERN.match(inner)
    options = _split_options(inner[label.end() :] if label else inner)
    index = rng.randrange(len(options))
    if label:
        index = chosen.setdefault(label[0], index)
    return expand(options[index], rng, slots, chosen)


def _parse_sentence(line: str) -> Sentence:
    marks_match = MARKS_PATTERN.match(line)
    marks = frozenset(marks_match[1].split()) if marks_match else frozenset()
    return Sentence(
        line[marks_match.end() :] if marks_match else line, "".join(marks & MOODS), marks - MOODS
    )


def _add_answer(sentence: Sentence, depth: int, text: str) -> None:
    """Begin a talk about a sentence, or continue the last one. Raises ValueError out of turn."""
    if depth == 1:
        sentence.talks.append([])
    if not sentence.talks or len(sentence.talks[-1]) != depth - 1:
        raise ValueError(f"an answer to nothing: {text}")
    sentence.talks[-1].append(text)


def _split_options(text: str) -> list[str]:
    """Split a choice at each `|` that is not in an inner choice."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "{") - (character == "}")
        if character == "|" and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def _closing_brace(text: str, start: int) -> int:
    depth = 0
    for position in range(start, len(text)):
        depth += (text[position] == "{") - (text[position] == "}")
        if not depth:
            return position
    raise ValueError(f"a choice has no end: {text}")
