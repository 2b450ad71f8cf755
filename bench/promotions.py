"""Measure promoted posts: a choice among 10,000, and what one adds to a home.

The homes are those of one member, asked of the app in this process, and sent again as they were:
the dearest case for a promotion, as a page that is made anew takes more. Beside a choice stands the
plain way, which scores every promotion.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from io import BytesIO
from random import Random

from flask import Flask
from werkzeug.test import EnvironBuilder

from webapp import create_app
from webapp.core.text.parser import parse
from webapp.rewards.promotions.index import Index, index_of
from webapp.rewards.promotions.ranking import ALL, NO_WORD, Ad, Ranking
from webapp.statuses.store import post

from .http import prepare
from .site import add_members, site
from .table import Figure, compare

ADS, WORDS = 10_000, 2_000
NAMES = [f"word{number}" for number in range(WORDS)]
WEIGHTS = [1 / (number + 1) for number in range(WORDS)]
CHOICES, HOMES = 200, 100
ROUNDS = 15
PROMOTER = 20  # a member id whom the reader of the homes does not follow
CHOICE_MAX_MS, HOME_LEAST = 2.0, 0.95


def measure() -> list[Figure]:
    """Measure choices, the making of a ranking, and homes with and without a promoted post."""
    rng = Random("promotions")
    ads = [_make_ad(number, rng) for number in range(ADS)]
    began = time.process_time()
    ranking = Ranking(ads)
    ranking.choose("en", [], _none, 0.1)
    made = (time.process_time() - began) * 1000
    words = [
        [f"word{int(rng.paretovariate(0.3)) % WORDS}" for _ in range(5)] for _ in range(CHOICES)
    ]

    def choose() -> float:
        return _rate(words, lambda one: ranking.choose("en", one, _none, 0.1))

    def plainly() -> float:
        return _rate(words[:5], lambda one: _best_of_all(ranking, one))

    by_words = compare("promotions: choices by words", "/s", choose, plainly, 5)
    return [
        by_words,
        Figure(
            f"promotions: a choice by words among {ADS}",
            1000 / by_words.value,
            "ms",
            target=CHOICE_MAX_MS,
            at_most=True,
        ),
        Figure(
            f"promotions: a choice without words among {ADS}",
            1000 / _rate([[]] * CHOICES, lambda one: ranking.choose("en", one, _none, 0.1)),
            "ms",
        ),
        Figure(f"promotions: a ranking of {ADS}, made anew", made, "ms"),
        _homes(),
    ]


def _homes() -> Figure:
    """Compare homes with a promoted post to homes without."""
    with site() as here:
        cookie = prepare(here)
        add_members(here.db, [PROMOTER])
        promoted = post(here, PROMOTER, parse("A promoted post", 280), "form-promoted")
        app = create_app(
            {"REDIS_URL": here.config.store_url, "SECRET_KEY": "bench", "LOG_LEVEL": "WARNING"}
        )
        index = index_of(app.extensions["linnet.db"])
        ads = [Ad(promoted, PROMOTER, "m", "", "clicks", 5, 0, {ALL: (0, 0)})]
        form_cookie = _get(app, cookie)[1]

        def homes(ranking: Ranking) -> float:
            _keep(index, ranking)
            began = time.process_time()
            for _ in range(HOMES):
                body, _ = _get(app, f"{cookie}; {form_cookie}")
            assert (b"data-showing" in body) == bool(ranking.ads)
            return HOMES / (time.process_time() - began)

        figure = compare(
            "homes with a promoted post, beside homes without",
            "/s",
            lambda: homes(Ranking(ads)),
            lambda: homes(Ranking()),
            ROUNDS,
            HOME_LEAST,
        )
        app.extensions["linnet.db"].close()
        return figure


def _keep(index: Index, ranking: Ranking) -> None:
    """Let the process choose from a ranking for an hour."""
    index.ranking = ranking
    index._next_read = time.monotonic() + 3_600


def _get(app: Flask, cookie: str) -> tuple[bytes, str]:
    """Return the home, and the cookie that the page sets, "" for none."""
    headers = {"Cookie": cookie, "Accept-Language": "en"}
    environ = EnvironBuilder("/home", headers=headers, input_stream=BytesIO()).get_environ()
    cookies: list[str] = []

    def start(status: str, headers: list[tuple[str, str]], *_: object) -> None:
        assert status.startswith("200"), status
        cookies.extend(value for name, value in headers if name == "Set-Cookie")

    body = b"".join(app.wsgi_app(environ, start))  # type: ignore[arg-type]
    form = (one.split(";")[0] for one in cookies if one.startswith("linnet_form="))
    return body, next(form, "")


def _make_ad(number: int, rng: Random) -> Ad:
    views = rng.randrange(3_000)
    words = set(_draw_words(10, rng))
    counts = {word: (views // 10, rng.randrange(20)) for word in (*words, NO_WORD)}
    counts[ALL] = (views, rng.randrange(60))
    kind = rng.choice(("views", "clicks", "actions"))
    return Ad(number, number, f"m{number}", "", kind, rng.randrange(1, 50), 0, counts)


def _draw_words(count: int, rng: Random) -> list[str]:
    """Return words as texts use them: the second half as often as the first."""
    return rng.choices(NAMES, WEIGHTS, k=count)


def _best_of_all(ranking: Ranking, words: list[str]) -> Ad:
    """Score every ad, as the plain way does."""
    scored = (
        max(ranking.score(ad, word) for word in (*words, NO_WORD) if word in ad.counts)
        for ad in ranking.ads.values()
    )
    return max(scored).ad


def _none(_: Ad) -> bool:
    return False


def _rate(inputs: list[list[str]], act: Callable[[list[str]], object]) -> float:
    began = time.process_time()
    for one in inputs:
        act(one)
    return len(inputs) / (time.process_time() - began)
