"""Fragments: the same for everybody, with nothing of one reader, never out of date, bounded."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from flask import Flask
from flask.testing import FlaskClient
from jinja2 import ChoiceLoader, DictLoader, UndefinedError
from markupsafe import Markup

from tests.conftest import make_app
from tests.system.test_pages import join, write
from webapp.accounts.member import Member, parse_member
from webapp.config import Config
from webapp.core.rendering.bounded_cache import BoundedCache
from webapp.core.rendering.fragments import FragmentCache
from webapp.core.store.ids import first_id_at
from webapp.statuses import rendering as statuses_rendering
from webapp.statuses.status import FIELDS, Status, parse_status

Join = Callable[[str], FlaskClient]
ARTICLE = re.compile(r'<article .*?id="status-(\d+)".*?</article>', re.DOTALL)
ACTS = re.compile(r' *<div class="acts">.*?</div>\n', re.DOTALL)
TOKEN = re.compile(r'name="csrf_token" value="([^"]+)"')


def articles(client: FlaskClient, path: str, **headers: str) -> dict[int, str]:
    """The statuses of a page as they are written in it, by id."""
    return {
        int(found[1]): found[0]
        for found in ARTICLE.finditer(client.get(path, headers=headers).text)
    }


def pieces(app: Flask) -> FragmentCache:
    """What an app keeps."""
    found: FragmentCache = app.extensions["linnet.fragments"]
    return found


def test_everybody_is_shown_the_same_but_its_author_who_may_delete_it(
    client: FlaskClient, member: Join
) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = write(ann, "hello @ben https://example.org #tag")
    ben.post("/@ann/follow")
    others = [articles(ben, path)[status_id] for path in ("/public", "/@ann", "/home")]
    visitors = [articles(client, path)[status_id] for path in ("/public", "/@ann")]
    assert len(set(others)) == len(set(visitors)) == 1
    assert ACTS.sub("", others[0]) == visitors[0] != others[0]
    assert not re.search("<form|csrf|status-own|delete", others[0] + visitors[0])
    for path in ("/home", "/public", "/@ann"):
        own = articles(ann, path)[status_id]
        assert f'action="/statuses/{status_id}/delete"' in own and "status-own" in own
        assert f'name="next" value="{path}"' in own
    assert articles(ben, "/public")[status_id] == others[0]


def test_nobody_is_given_the_token_of_another(settings: Config) -> None:
    app = make_app(settings, WTF_CSRF_ENABLED=False)
    ann, ben = (join(app, login) for login in ("ann", "ben"))
    for who in (ann, ben):
        write(who, "hello")
    app.config["WTF_CSRF_ENABLED"] = True
    given = []
    for who in (ann, ben):
        pages = [
            who.get(path).text
            for path in ("/home", "/public", "/@ann", "/@ben", "/statuses/new")
            for _ in "12"
        ]
        forms = sum(len(re.findall('<form [^>]*method="post"', page)) for page in pages)
        tokens = [token for page in pages for token in TOKEN.findall(page)]
        assert len(tokens) == forms - len(pages)  # that of the language and the theme has none
        given.append({token.split(".")[0] for token in tokens})
    assert len(given[0]) == len(given[1]) == 1 and given[0] != given[1]
    memo, wholes = pieces(app).cache, pieces(app).joined_cache
    kept = [
        *(memo._young | memo._old).values(),
        *(one.decode() for one in (wholes._young | wholes._old).values()),
    ]
    assert len(memo) and len(wholes)
    assert not [piece for piece in kept if "csrf_token" in piece or 'name="key"' in piece]
    app.extensions["linnet.db"].close()


@pytest.mark.parametrize(
    "secret",
    "request.path session.sid g.viewer viewer.uid csrf_token() return_path theme config.DEBUG fragment('x','y') render_statuses([]) "
    "new_form_key() get_flashed_messages() current_app".split(),
)
def test_a_piece_cannot_hold_what_differs_between_readers(app: Flask, secret: str) -> None:
    source = "{% macro piece() %}{{ " + secret + " }}{% endmacro %}"
    app.jinja_env.loader = ChoiceLoader(
        [DictLoader({"leak.html": source}), app.jinja_env.loader or DictLoader({})]
    )
    with app.test_request_context("/"), pytest.raises(UndefinedError):
        pieces(app)("leak.html", "piece")


def test_a_changed_name_picture_text_or_language_shows_at_once(member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = write(ann, "hello")
    before = articles(ben, "/public")[status_id]
    assert ">Ann<" in before and "<svg" in before
    ann.post("/settings/profile", data={"name": "Ann of the reeds"})
    after = articles(ben, "/public")[status_id]
    assert ">Ann of the reeds<" in after and ">Ann<" not in after
    ann.post("/settings/profile", data={"name": "Ann"})
    assert articles(ben, "/public")[status_id] == before
    place = {"text": "here", "lat": "31.2304", "long": "121.4737", "place": "The old mill"}
    ann.post("/statuses", data=place)
    placed = max(articles(ben, "/public"))
    assert "The old mill" in articles(ben, "/public")[placed]
    chinese = articles(ben, "/public", **{"Accept-Language": "zh"})[placed]
    assert "Place:" not in chinese and "The old mill" in chinese
    ann.post("/statuses/places/remove")
    assert "The old mill" not in articles(ben, "/public")[placed]
    ann.post(f"/statuses/{placed}/delete")
    assert placed not in articles(ben, "/public")


def test_a_members_own_name_and_unread_chats_show_at_once_in_the_header(member: Join) -> None:
    ann = member("ann")
    assert '<b class="byline-name" dir="auto">Ann</b>' in ann.get("/public").text
    ann.post("/settings/profile", data={"name": "Ann of the reeds"})
    assert '<b class="byline-name" dir="auto">Ann of the reeds</b>' in ann.get("/public").text
    ben = member("ben")
    for one, other in ((ann, "ben"), (ben, "ann")):
        one.post(f"/@{other}/follow")
    assert re.search(r'data-badge="chats" hidden><span>0<', ann.get("/public").text)
    chat = ben.post(
        "/chats/new", data={"name": "Hedge", "people": "@ann", "kind": "private"}
    ).location
    assert ben.post(f"{chat}/messages", data={"text": "hello"}).status_code < 400
    assert re.search(r'data-badge="chats"><span>1<', ann.get("/public").text)
    assert re.search(r'data-badge="chats" hidden><span>0<', ben.get("/public").text)


def test_a_chosen_theme_and_language_show_at_once(member: Join) -> None:
    ann = member("ann")
    assert '<html lang="en">' in ann.get("/home").text
    ann.post("/preferences", data={"theme": "dark"})
    dark = ann.get("/home").text
    assert (
        '<html lang="en" data-theme="dark">' in dark
        and '<meta name="color-scheme" content="dark">' in dark
    )
    assert re.search(r'value="dark" aria-pressed="true"', dark)
    ann.post("/preferences", data={"language": "zh"})
    assert '<html lang="zh-Hans" data-theme="dark">' in ann.get("/home").text
    assert "Sign out" not in ann.get("/home").text


def test_the_time_of_a_status_is_short_today_longer_this_year_and_longest_before(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    moments = [datetime(2026, *day, 8, 5, tzinfo=UTC) for day in ((11, 21), (6, 2), (1, 31))]
    today, this_year, older = (first_id_at(int(moment.timestamp() * 1000)) for moment in moments)
    monkeypatch.setattr(statuses_rendering, "_day_boundaries", lambda day: (this_year, today))
    ann = Member(1, "ann", "Ann", moments[2])
    for language, times in (
        ("en", ["08:05 UTC", "Jun 2", "Jan 31, 2026"]),
        ("zh", ["08:05 UTC", "6月2日", "2026年1月31日"]),
    ):
        with app.test_request_context("/", headers={"Accept-Language": language}):
            page = statuses_rendering.render_statuses(
                Status(one, ann, "x", ()) for one in (today, this_year, older)
            )
        assert re.findall(r"<time [^>]*>([^<]+)<", page) == times


def test_a_day_and_a_year_begin_at_midnight_in_utc() -> None:
    this_year, today = statuses_rendering._day_boundaries(date(2026, 11, 21))
    for moment, first in (
        (datetime(2026, 1, 1, tzinfo=UTC), this_year),
        (datetime(2026, 11, 21, tzinfo=UTC), today),
    ):
        ms = int(moment.timestamp() * 1000)
        assert first == first_id_at(ms)
        assert first_id_at(ms - 1) + 4_095 < first or first == 0


def test_a_piece_is_rendered_once_and_again_only_while_developing(app: Flask, member: Join) -> None:
    ann = member("ann")
    write(ann, "hello")
    ann.get("/home")
    kept = len(pieces(app).cache)
    ann.get("/home")
    assert len(pieces(app).cache) == kept > 5
    source = DictLoader(
        {"piece.html": "{% macro piece(text) %}{{ text.get('text') }}{% endmacro %}"}
    )

    class Value(dict[str, str]):
        __hash__ = object.__hash__

    value = Value(text="one")
    with app.test_request_context("/"):
        pieces(app)._environment.loader = source
        assert pieces(app)("piece.html", "piece", value) == Markup("one")
        value["text"] = "two"
        assert pieces(app)("piece.html", "piece", value) == Markup("one")
        app.debug = True
        assert pieces(app)("piece.html", "piece", value) == Markup("two")


def test_pieces_are_kept_up_to_so_many_bytes(settings: Config) -> None:
    app = make_app(replace(settings, pieces_max=80_000))
    ann = join(app, "ann")
    ids = [write(ann, f"hello {number}") for number in range(40)]
    for reader in (ann, join(app, "ben")):
        assert sorted(articles(reader, "/public"))[-30:] == ids[-30:]
    for memo in (pieces(app).cache, pieces(app).joined_cache):
        assert (
            0
            < sum(2 * len(piece) + 1_000 for piece in (memo._young | memo._old).values())
            <= 40_000
        )
    app.extensions["linnet.db"].close()


def test_a_memo_lets_go_of_what_is_not_asked_for_and_keeps_what_is() -> None:
    memo = BoundedCache[str](1_000, len)
    assert memo.get("a") is None
    memo.put("often", "x" * 100)
    for number in range(100):
        memo.put(number, "y" * 100)
        assert memo.get("often") == "x" * 100
        assert len(memo) <= 10
    assert memo.get(0) is None and memo.get(99) == "y" * 100
    memo.put("huge", "z" * 5_000)  # kept alone, until the next one comes
    assert len(memo) <= 6


def test_the_same_replies_are_read_once_and_any_other_anew() -> None:
    person = ["ann", "Ann", "1700000000000", *[None] * 5]
    ann = parse_member(7, list(person))
    assert ann and ann is parse_member(7, list(person)) and ann != parse_member(71, list(person))
    for index, value in enumerate(("anna", "Anna", "1700000000001", "7/abc", "1", "8", "n", "1")):
        changed = [*person[:index], value, *person[index + 1 :]]
        assert parse_member(7, changed) != ann
    words = ["hello", "[]", "en", *[None] * (len(FIELDS) - 3)]
    status = parse_status(64, ann, list(words))
    assert status and status is parse_status(64, ann, list(words))
    assert parse_status(64, replace(ann, name="Anna"), words) != status
    for index, value in ((0, "hi"), (1, '[["hashtag","x",0,2]]'), (2, "de")):
        assert parse_status(64, ann, [*words[:index], value, *words[index + 1 :]]) != status
    assert parse_status(64, ann, [*words[:3], "1.0", "2.0", *words[5:]]) != status
    before = words[: FIELDS.index("reply")]
    assert parse_status(64, ann, [*before, "1", "2", "ben", *[None] * 5]) != status
    assert (
        parse_status(64, None, words) is None
        and parse_status(64, ann, [None] * len(FIELDS)) is None
    )
    liked = parse_status(64, ann, [*words[:-5], "5", "6", "7", "8", "1 0 1"])
    assert liked == status and (liked.likes, liked.replies, liked.boosts) == (5, 6, 7)
    assert (liked.quotes, liked.tally) == (8, (1, 0, 1))
    assert (status.likes, status.replies, status.tally) == (
        0,
        0,
        (),
    )  # the same status, and what is kept stays so
