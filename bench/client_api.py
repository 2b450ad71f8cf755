"""Measure what Home costs an app of the client API, beside what the page costs a browser.

Both are asked for in this process, by a member whose home has more than a page. Rates are by
processor time, this process's and that of the store's main thread together. Before each request
somebody whom the member follows posts, so that the page is rendered and not one that is kept. The
post is not counted. A page of the API has 20 statuses, the home page 30.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

from flask.testing import FlaskClient

from webapp import create_app
from webapp.accounts.tokens import store as tokens
from webapp.core.events.inline import drain
from webapp.core.text.parser import parse
from webapp.registry import REGISTRY
from webapp.statuses.store import post

from .http import AUTHORS, TEXT, VIEWER, prepare
from .site import Site, processor_seconds, site
from .table import Figure, compare

REQUESTS = 25  # of one round
ROUNDS = 7
TRIPS_MAX = 3  # one for the token and the home, one for its posts, one for their accounts
COST_LEAST = 1.0  # of the page's rate
Ask = Callable[[], object]


def measure() -> list[Figure]:
    """Measure homes of the client API, and their trips."""
    with site() as here:
        cookie = prepare(here)
        app = create_app(
            {
                "REDIS_URL": here.config.store_url,
                "SECRET_KEY": "bench",
                "LOG_LEVEL": "WARNING",
                "LIMIT_API": "1000000/1",
            }
        )
        browser = app.test_client()
        browser.set_cookie(*cookie.split("=", 1))
        bearer = {"Authorization": f"Bearer {tokens.create(here, VIEWER, 'bench')}"}
        client, numbers = app.test_client(), count()

        def page() -> None:
            assert browser.get("/home").status_code == 200

        def timeline() -> None:
            assert _home(client, bearer).status_code == 200

        def rate(ask: Ask, with_post: bool) -> float:
            spent = 0.0
            for _ in range(REQUESTS):
                if with_post:
                    _post(here, next(numbers))
                before = processor_seconds(here.db)
                ask()
                spent += processor_seconds(here.db) - before
            return REQUESTS / spent

        figures = [
            compare(
                name,
                "a second",
                lambda with_post=with_post: rate(timeline, with_post),
                lambda with_post=with_post: rate(page, with_post),
                ROUNDS,
                target,
            )
            for name, with_post, target in (
                ("homes of apps, with a new post", True, COST_LEAST),
                ("homes of apps, unchanged", False, None),
            )
        ]
        db = app.extensions["linnet.db"]
        before = db.trips
        timeline()
        trips = int(db.trips - before)
        db.close()
        return [
            *figures,
            Figure("trips for a home of an app", trips, "", None, None, TRIPS_MAX, True),
        ]


def _home(client: FlaskClient, bearer: dict[str, str]) -> object:
    return client.get("/api/v1/timelines/home", headers=bearer)


def _post(here: Site, number: int) -> None:
    post(here, AUTHORS[number % len(AUTHORS)], parse(f"{TEXT} {number}"), f"bench-{number}")
    drain(here, REGISTRY)
