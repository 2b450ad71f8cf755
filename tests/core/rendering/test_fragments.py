"""Cached fragments: shared, without data of one viewer, up to date, bounded."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from itertools import product

import pytest
from flask.testing import FlaskClient
from jinja2 import ChoiceLoader, DictLoader, UndefinedError
from markupsafe import Markup

from tests.conftest import make_app
from tests.support.page_parts import articles, fragment_cache
from tests.support.pages import join, post_status
from tests.support.world import Web
from webapp.accounts.member import Member, parse_member
from webapp.config import Config
from webapp.core.rendering.bounded_cache import BoundedCache
from webapp.core.rendering.shells import fill_in, placeholder
from webapp.core.store import first_id_at
from webapp.statuses import Status, rendering as statuses_rendering
from webapp.statuses.compose.remembered_audience import Audience
from webapp.statuses.status import parse_status
from webapp.statuses.values.time_styles import day_boundaries

BUTTONS = re.compile(r'<div class="actions[^>]*>.*?</div>', re.DOTALL)
TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')


def test_a_status_is_the_same_for_all_its_author_included(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_status(ann, "hello @ben https://example.org #tag")
    ben.post("/@ann/follow")
    bens_articles = [articles(ben, path)[status_id] for path in ("/public", "/@ann", "/home")]
    visitors_articles = [articles(web.client, path)[status_id] for path in ("/public", "/@ann")]
    assert len(set(bens_articles)) == len(set(visitors_articles)) == 1
    bens, visitors = bens_articles[0], visitors_articles[0]
    assert BUTTONS.sub("", bens) == BUTTONS.sub("", visitors) != visitors != bens
    assert not re.search("<form|csrf|delete", bens_articles[0] + visitors_articles[0])
    for path in ("/home", "/public", "/@ann"):
        assert articles(ann, path)[status_id] == bens_articles[0]


def test_who_may_not_quote_a_status_gets_no_button_for_it(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_status(ann, "hello")
    ann.post(f"/statuses/{status_id}/quote-policy", data={"quote_policy": "nobody"})
    for first, second in ((ann, ben), (ben, ann)):  # whoever fills the cache
        for viewer in (first, second):
            has_button = "action-quote" in articles(viewer, "/public")[status_id]
            assert has_button == (viewer is ann)


def test_no_member_gets_the_csrf_token_of_another(settings: Config) -> None:
    app = make_app(settings, WTF_CSRF_ENABLED=False)
    ann, ben = (join(app, login) for login in ("ann", "ben"))
    for member in (ann, ben):
        post_status(member, "hello")
    app.config["WTF_CSRF_ENABLED"] = True
    token_sets = []
    for member in (ann, ben):
        pages = [
            member.get(path).text
            for path in ("/home", "/public", "/@ann", "/@ben", "/statuses/new")
            for _ in "12"
        ]
        forms = sum(len(re.findall('<form [^>]*method="post"', page)) for page in pages)
        tokens = [token for page in pages for token in TOKEN.findall(page)]
        assert len(tokens) == forms - 2 * len(pages)  # the forms of preferences have no tokens
        token_sets.append({token.split(".")[0] for token in tokens})
    assert len(token_sets[0]) == len(token_sets[1]) == 1 and token_sets[0] != token_sets[1]
    cache, joined = fragment_cache(app).cache, fragment_cache(app).joined_cache
    fragments = [
        *(cache._young | cache._old).values(),
        *(encoded.decode() for encoded in (joined._young | joined._old).values()),
    ]
    assert len(cache) and len(joined)
    assert not [
        fragment for fragment in fragments if "csrf_token" in fragment or 'name="key"' in fragment
    ]
    app.extensions["linnet.db"].close()


@pytest.mark.parametrize(
    "secret",
    [
        "request.path",
        "session.sid",
        "g.viewer",
        "viewer.uid",
        "csrf_token()",
        "return_path()",
        "theme",
        "config.DEBUG",
        "fragment('x','y')",
        "render_statuses([])",
        "new_form_key()",
        "get_flashed_messages()",
        "current_app",
    ],
)
def test_a_fragment_cannot_use_data_of_one_viewer(web: Web, secret: str) -> None:
    source = "{% macro piece() %}{{ " + secret + " }}{% endmacro %}"
    web.app.jinja_env.loader = ChoiceLoader(
        [DictLoader({"leak.html": source}), web.app.jinja_env.loader or DictLoader({})]
    )
    with web.app.test_request_context("/"), pytest.raises(UndefinedError):
        fragment_cache(web.app)("leak.html", "piece")


def test_changed_profiles_places_and_languages_show_immediately(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_status(ann, "hello")
    before = articles(ben, "/public")[status_id]
    assert ">Ann<" in before and "<svg" in before
    ann.post("/settings/profile", data={"name": "Ann of the reeds"})
    after = articles(ben, "/public")[status_id]
    assert ">Ann of the reeds<" in after and ">Ann<" not in after
    ann.post("/settings/profile", data={"name": "Ann"})
    assert articles(ben, "/public")[status_id] == before
    form = {"text": "here", "lat": "31.2304", "long": "121.4737", "place": "The old mill"}
    ann.post("/statuses", data=form)
    status_with_place = max(articles(ben, "/public"))
    assert "The old mill" in articles(ben, "/public")[status_with_place]
    chinese = articles(ben, "/public", **{"Accept-Language": "zh"})[status_with_place]
    assert "Place:" not in chinese and "The old mill" in chinese
    ann.post("/statuses/places/remove")
    assert "The old mill" not in articles(ben, "/public")[status_with_place]
    ann.post(f"/statuses/{status_with_place}/delete")
    assert status_with_place not in articles(ben, "/public")


def test_changed_names_and_unread_chats_show_immediately_in_the_header(web: Web) -> None:
    ann = web.member("ann")
    assert '<b class="byline-name" dir="auto">Ann</b>' in ann.get("/public").text
    ann.post("/settings/profile", data={"name": "Ann of the reeds"})
    assert '<b class="byline-name" dir="auto">Ann of the reeds</b>' in ann.get("/public").text
    ben = web.member("ben")
    for follower, login in ((ann, "ben"), (ben, "ann")):
        follower.post(f"/@{login}/follow")
    assert re.search(r'data-badge="chats" hidden><span>0<', ann.get("/public").text)
    form = {"name": "Hedge", "people": "@ann", "kind": "private"}
    chat = ben.post("/chats/new", data=form).location
    assert ben.post(f"{chat}/messages", data={"text": "hello"}).status_code < 400
    assert re.search(r'data-badge="chats"><span>1<', ann.get("/public").text)
    assert re.search(r'data-badge="chats" hidden><span>0<', ben.get("/public").text)


def test_a_chosen_theme_and_language_show_immediately(ann: FlaskClient) -> None:
    assert '<html lang="en">' in ann.get("/home").text
    ann.post("/preferences", data={"theme": "dark"})
    dark = ann.get("/home").text
    assert '<html lang="en" data-theme="dark">' in dark
    assert '<meta name="color-scheme" content="dark">' in dark
    assert re.search(r'value="dark" aria-pressed="true"', dark)
    ann.post("/preferences", data={"language": "zh"})
    assert '<html lang="zh-Hans" data-theme="dark">' in ann.get("/home").text
    assert "Log out" not in ann.get("/home").text


def test_the_time_of_a_status_is_longer_for_older_ones(
    web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = [datetime(2026, *day, 8, 5, tzinfo=UTC) for day in ((11, 21), (6, 2), (1, 31))]
    today, this_year, older = (first_id_at(int(moment.timestamp() * 1000)) for moment in moments)
    monkeypatch.setattr(statuses_rendering, "day_boundaries", lambda day: (this_year, today))
    ann = Member(1, "ann", "Ann", moments[2])
    for language, times in (
        ("en", ["08:05 UTC", "Jun 2", "Jan 31, 2026"]),
        ("zh", ["08:05 UTC", "6月2日", "2026年1月31日"]),
    ):
        with web.app.test_request_context("/", headers={"Accept-Language": language}):
            page = statuses_rendering.render_statuses(
                Status(status_id, ann, "x", ()) for status_id in (today, this_year, older)
            )
        assert re.findall(r"<time [^>]*>([^<]+)<", page) == times


def test_days_and_years_begin_at_midnight_utc() -> None:
    this_year, today = day_boundaries(date(2026, 11, 21))
    for moment, first in (
        (datetime(2026, 1, 1, tzinfo=UTC), this_year),
        (datetime(2026, 11, 21, tzinfo=UTC), today),
    ):
        ms = int(moment.timestamp() * 1000)
        assert first == first_id_at(ms)
        assert first_id_at(ms - 1_000) < first


@pytest.mark.parametrize("name", ["Ann", "<b>&\"'", "%(name)s", "{{ id }}", "\u202e999 \\1"])
@pytest.mark.parametrize("is_link", [True, False])
def test_a_filled_fragment_equals_one_made_of_the_values(
    web: Web, name: str, is_link: bool
) -> None:
    author = Member(1, "ann", name, datetime(2026, 1, 31, tzinfo=UTC))
    status, composer = "statuses/status.html", "statuses/composer_form.html"
    times = {"iso_time": "2026-11-21T08:05", "full_date": "November 21", "time": "08:05 UTC"}
    names, counts = {"id": 7, "login": "ann", "name": name}, (1, 2, 30_000, 0, True, False, True)
    with web.app.test_request_context("/"):
        fragment = fragment_cache(web.app)
        picture = fragment("components/avatar.html", "avatar", author)
        for template, macro, first, values, rest in (
            (status, "status_head", (author, is_link), {"id": 7, **times}, ()),
            (status, "join_buttons", (), names, (1, 2, 3)),
            *(
                (status, "action_buttons", (), names, (*looks, is_link, *counts))
                for looks in product([True, False], [True, False])
            ),
            (composer, "blank_composer", (Audience(), is_link), {"uid": 1, "picture": picture}, ()),
        ):
            macro_of = partial(fragment, template, macro, *first)
            filled = fill_in(macro_of(*map(placeholder, values), *rest), values)
            assert filled == str(macro_of(*values.values(), *rest))


def test_a_fragment_is_rendered_once_except_in_debug_mode(ann: FlaskClient, web: Web) -> None:
    post_status(ann, "hello")
    ann.get("/home")
    size = len(fragment_cache(web.app).cache)
    ann.get("/home")
    assert len(fragment_cache(web.app).cache) == size > 5
    source = DictLoader(
        {"piece.html": "{% macro piece(text) %}{{ text.get('text') }}{% endmacro %}"}
    )

    class Value(dict[str, str]):
        __hash__ = object.__hash__

    value = Value(text="one")
    with web.app.test_request_context("/"):
        fragment_cache(web.app)._environment.loader = source
        assert fragment_cache(web.app)("piece.html", "piece", value) == Markup("one")
        value["text"] = "two"
        assert fragment_cache(web.app)("piece.html", "piece", value) == Markup("one")
        web.app.debug = True
        assert fragment_cache(web.app)("piece.html", "piece", value) == Markup("two")


def test_the_fragment_cache_is_bounded_in_bytes(settings: Config) -> None:
    app = make_app(replace(settings, pieces_max=80_000))
    ann = join(app, "ann")
    ids = [post_status(ann, f"hello {number}") for number in range(40)]
    for viewer in (ann, join(app, "ben")):
        assert sorted(articles(viewer, "/public"))[-30:] == ids[-30:]
    for cache in (fragment_cache(app).cache, fragment_cache(app).joined_cache):
        cached = (cache._young | cache._old).values()
        assert 0 < sum(2 * len(fragment) + 1_000 for fragment in cached) <= 40_000
    app.extensions["linnet.db"].close()


def test_a_bounded_cache_evicts_entries_that_are_not_read() -> None:
    cache = BoundedCache[str](1_000, len)
    assert cache.get("a") is None
    cache.put("often", "x" * 100)
    for number in range(100):
        cache.put(number, "y" * 100)
        assert cache.get("often") == "x" * 100
        assert len(cache) <= 10
    assert cache.get(0) is None and cache.get(99) == "y" * 100
    cache.put("huge", "z" * 5_000)  # alone until the next put
    assert len(cache) <= 6


def test_equal_replies_are_parsed_once() -> None:
    member_fields = ["ann", "Ann", "1700000000000", *[None] * 13]
    ann = parse_member(7, list(member_fields))
    assert ann and ann is parse_member(7, list(member_fields))
    assert ann != parse_member(71, list(member_fields))
    texts = ("anna", "Anna", "1700000000001", "7/abc", "1", "8", "n", "1", "9", "p", "1")
    for index, value in (*enumerate(texts), (12, "1"), (14, "admin")):
        changed = [*member_fields[:index], value, *member_fields[index + 1 :]]
        assert parse_member(7, changed) != ann
    fields = ["author", "7", "text", "hello", "entities", "[]", "lang", "en"]
    status = parse_status(64, ann, list(fields))
    assert status and status is parse_status(64, ann, list(fields))
    assert parse_status(64, replace(ann, name="Anna"), fields) != status
    for index, value in ((3, "hi"), (5, '[["hashtag","x",0,2]]'), (7, "de")):
        assert parse_status(64, ann, [*fields[:index], value, *fields[index + 1 :]]) != status
    assert parse_status(64, ann, [*fields, "lat", "1.0", "long", "2.0"]) != status
    answer = ["reply_to_id", "1", "reply_to_uid", "2", "reply_to_login", "ben"]
    assert parse_status(64, ann, [*fields, *answer]) != status
    assert parse_status(64, None, fields) is None
    assert parse_status(64, ann, []) is None
    assert parse_status(64, ann, ["likes", "5"]) is None, "it was deleted"
    counts = ["likes", "5", "replies", "6", "boosts", "7", "quotes", "8", "tally", "1 0 1"]
    liked = parse_status(64, ann, [*fields, *counts])
    assert liked == status and (liked.likes, liked.replies, liked.boosts) == (5, 6, 7)
    assert (liked.quotes, liked.tally) == (8, (1, 0, 1))
    assert (status.likes, status.replies, status.tally) == (0, 0, ()), "the cached one is unchanged"
