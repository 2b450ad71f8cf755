"""Measure statuses matched a second with 10,000 subscriptions of five terms each.

Words are drawn as they are in a language: few are frequent, most are rare (Zipf); one in ten is
Chinese. A status has twelve of them, a hashtag, and now and then a URL. Terms are drawn in the same
way, but the most frequent words are not tracked; one in ten has two words. What is timed has all
that a status costs: taking its text apart, finding whom it matches, collecting them.

The reference is the matcher of the tests, which reads like the rules: it takes a status apart once
and then queries each subscription. Both find the same.
"""

from itertools import count, islice
from random import Random
from time import perf_counter

from bench.table import Figure, compare
from tests.support.streaming.reference_matcher import ParsedStatus, Query
from webapp.core.text.parser import extract
from webapp.streaming.api_v1.parameters import parse
from webapp.streaming.matching.matcher import Matcher
from webapp.streaming.matching.terms import Subject

SUBSCRIPTIONS, TERMS = 10_000, 5
VOCABULARY = 50_000
UNTRACKED = 100  # of its most frequent words
STATUSES = 500  # of one round; of the reference, which is slow, a part
REFERENCE_STATUSES = 5
ROUNDS = 5


class Words:
    """Draw words by Zipf's law with a fixed seed."""

    def __init__(self) -> None:
        self.draw = Random(1)
        self._words = [self._new(rank) for rank in range(VOCABULARY)]
        self._weights = [1 / rank for rank in range(1, VOCABULARY + 1)]

    def some(self, number: int, first: int = 0) -> list[str]:
        """Return `count` words, none of them among the `first` most frequent."""
        return self.draw.choices(self._words[first:], self._weights[first:], k=number)

    def _new(self, rank: int) -> str:
        if rank % 10 == 9:
            return "".join(chr(self.draw.randrange(0x4E00, 0x5E00)) for _ in range(2 + rank % 2))
        letters = self.draw.choices("etaoinshrdlucmfwygpbvk", k=3 + rank.bit_length() // 2)
        return "".join(letters)


def measure() -> list[Figure]:
    """Measure matched statuses a second."""
    words = Words()
    queries = _queries(words)
    subjects = [_status(words, number) for number in range(1, STATUSES + 1)]
    matcher: Matcher[int] = Matcher()
    for number, query in enumerate(queries):
        matcher.add(number, parse({"track": [query.track]}, filtering=True).predicate())
    for subject in subjects[:REFERENCE_STATUSES]:
        assert matcher.match(subject) == set(
            _matching(queries, subject)
        )  # what finds something else measures nothing
    name = f"matching {SUBSCRIPTIONS:,} subscriptions of {TERMS} terms"
    return [
        compare(
            name,
            "/s",
            lambda: _ours(matcher, subjects),
            lambda: _reference(queries, subjects),
            ROUNDS,
            20,
        )
    ]


def _ours(matcher: Matcher[int], subjects: list[Subject]) -> float:
    began = perf_counter()
    for subject in subjects:
        # A new subject each time: making it takes its text apart.
        matcher.match(Subject(subject.id, subject.author, subject.text, subject.entities))
    return len(subjects) / (perf_counter() - began)


def _reference(queries: list[Query], subjects: list[Subject]) -> float:
    began = perf_counter()
    for subject in subjects[:REFERENCE_STATUSES]:
        _matching(queries, subject)
    return REFERENCE_STATUSES / (perf_counter() - began)


def _matching(queries: list[Query], subject: Subject) -> list[int]:
    status = ParsedStatus(subject)
    return [number for number, query in enumerate(queries) if status.matches(query)]


def _queries(words: Words) -> list[Query]:
    drawn = iter(words.some(2 * SUBSCRIPTIONS * TERMS, UNTRACKED))
    phrases = (
        f"{next(drawn)} {next(drawn)}" if words.draw.random() < 0.1 else next(drawn)
        for _ in count()
    )
    return [Query(",".join(islice(phrases, TERMS))) for _ in range(SUBSCRIPTIONS)]


def _status(words: Words, number: int) -> Subject:
    url = f" https://www.example.com/{number}" if number % 5 == 0 else ""
    text = f"{' '.join(words.some(12))}. #{words.some(1)[0]}{url}"
    return Subject(number, 1, text, extract(text))
