"""Choose the promotion of a page: mostly the one that earns most, now and then another.

All prices are made comparable as points for 1,000 views. A rate of clicks or actions is learned in
three steps: for all promotions of the kind, for one promotion, and for one of its words. Each step
starts from the one before, until it has views of its own. `*` stands for a page on which no word
matches.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import accumulate, chain, islice, takewhile
from math import ceil
from typing import NamedTuple

KINDS = ("views", "clicks", "actions")  # what a promotion pays for
FIRST_RATE = 0.01  # of clicks and actions, before anything is known
KIND_VIEWS = RATE_VIEWS = 500  # views of its own after which a rate counts for half
WORD_VIEWS = 100  # the same for the rate of a word
BEST = 100  # promotions among which a page may try another
TRIED = 0.25  # the share of pages that do
WORDS_MAX = 50  # of a page
ALL, NO_WORD = "", "*"  # in the counts of a promotion
NONE = (0, 0)


@dataclass(frozen=True, slots=True)
class Ad:
    """A promotion that may be shown now.

    `kind`: of KINDS. `price`: points for 1,000 views, a click or an action. `counts`: the views,
    and the clicks or actions that are paid for, of each word, NO_WORD and ALL.
    """

    id: int  # of the post
    uid: int
    login: str
    language: str  # of readers, "" for all
    kind: str
    price: int
    version: int  # of the post
    counts: Mapping[str, tuple[int, int]]


class Scored(NamedTuple):
    """An ad on a page. `value`: points for 1,000 views; `word`: the one that it was found by."""

    value: float
    order: int  # between equal values: the lower id first
    ad: Ad
    word: str = NO_WORD


@dataclass(frozen=True, slots=True)
class Choice:
    """A promotion that a page shows. `charge`: thousandths of points for the event that costs."""

    ad: Ad
    word: str
    charge: int


class Ranking:
    """The ads of the site, in order. It never changes."""

    def __init__(self, ads: Iterable[Ad] = ()) -> None:
        self.ads = {ad.id: ad for ad in ads}
        self._means = _means(self.ads.values())
        self._by_word: dict[str, set[int]] = defaultdict(set)
        for ad in self.ads.values():
            for word in ad.counts.keys() - {ALL, NO_WORD}:
                self._by_word[word].add(ad.id)
        self._lists: dict[tuple[str, str], list[Scored]] = {}

    def choose(
        self,
        language: str,
        words: Sequence[str],
        is_excluded: Callable[[Ad], bool],
        chance: float,
    ) -> Choice | None:
        """Return the promotion of a page with these words, None if there is none.

        An ad counts by the best of its words on the page. `chance`: from 0 to 1; below TRIED it
        draws among the BEST in proportion to their values. The price is a second price: what the
        next one would earn, at least 1 for 1,000 views.
        """
        best = self._best(language, words, is_excluded)
        if not best:
            return None
        index = 0
        if chance < TRIED:
            sums = list(accumulate(one.value for one in best[:BEST]))
            index = bisect_right(sums, chance / TRIED * sums[-1], hi=len(sums) - 1)
        chosen = best[index]
        next_value = best[index + 1].value if index + 1 < len(best) else 0.0
        return Choice(chosen.ad, chosen.word, _charge(chosen, next_value))

    def score(self, ad: Ad, word: str = NO_WORD) -> Scored:
        """Return an ad with its value on a page where this word of it matches."""
        value = float(ad.price)
        if ad.kind != "views":
            rate = _blend(ad.counts.get(ALL, NONE), self._means[ad.kind], RATE_VIEWS)
            value *= 1000 * _blend(ad.counts.get(word, NONE), rate, WORD_VIEWS)
        return Scored(value, -ad.id, ad, word)

    def _best(
        self, language: str, words: Sequence[str], is_excluded: Callable[[Ad], bool]
    ) -> list[Scored]:
        """Return the best ads of a page, each once, and the next one, in order."""
        plain = self._list(language, NO_WORD)
        known = {word for word in words[:WORDS_MAX] if word in self._by_word}
        if not known:
            return _first(plain, is_excluded)
        found: dict[int, Scored] = {}
        for word in known:
            for one in _first(self._list(language, word), is_excluded):
                if one.ad.id not in found or one > found[one.ad.id]:
                    found[one.ad.id] = one
        best = nlargest(BEST + 1, found.values())
        least = best[-1].value if len(best) > BEST else 0.0
        good = takewhile(lambda one: one.value >= least, plain)
        others = (one for one in good if known.isdisjoint(one.ad.counts))
        return nlargest(BEST + 1, chain(best, _first(others, is_excluded)))

    def _list(self, language: str, word: str) -> list[Scored]:
        """Return the ads with a word, or all for NO_WORD, for readers of a language, in order."""
        if (language, word) not in self._lists:
            ids = self.ads if word == NO_WORD else self._by_word[word]
            ads = (self.ads[id_] for id_ in ids)
            scored = (self.score(ad, word) for ad in ads if ad.language in ("", language))
            self._lists[language, word] = sorted(scored, reverse=True)
        return self._lists[language, word]


def _first(scored: Iterable[Scored], is_excluded: Callable[[Ad], bool]) -> list[Scored]:
    """Return the first ads that may be shown, as many as decide on a page."""
    return list(islice((one for one in scored if not is_excluded(one.ad)), BEST + 1))


def _means(ads: Collection[Ad]) -> dict[str, float]:
    """Return the mean rate of each kind."""
    means = {}
    for kind in KINDS:
        counts = [ad.counts.get(ALL, NONE) for ad in ads if ad.kind == kind]
        both = sum(views for views, _ in counts), sum(acts for _, acts in counts)
        means[kind] = _blend(both, FIRST_RATE, KIND_VIEWS)
    return means


def _blend(counts: tuple[int, int], before: float, weight: int) -> float:
    """Return a rate that moves from the one `before` to its own as it gets views."""
    views, acts = counts
    return (acts + before * weight) / (views + weight)


def _charge(chosen: Scored, next_value: float) -> int:
    """Return the second price in thousandths of points, never above the own one."""
    value = max(1.0, next_value)
    price = chosen.ad.price
    if chosen.ad.kind == "views":
        return min(price, ceil(value))
    rate = chosen.value / (1000 * price)
    return min(1000 * price, ceil(value / rate))
