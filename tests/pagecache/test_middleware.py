"""What visitors get from the page cache: rendered once, and never untrue after an event."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import unquote

import pytest
from flask import Flask, template_rendered
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, make_app
from tests.support import worker
from webapp.accounts import lifecycle, profile
from webapp.accounts.store import uid_by_login
from webapp.admin import doctor
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.core.web.view_options import view_options
from webapp.demo.command import demo
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.lists import store as lists
from webapp.pagecache import keys as page_keys
from webapp.pagecache import view_counts
from webapp.statuses import store as statuses
from webapp.statuses.attachments import places
from webapp.statuses.attachments.places import Place
from webapp.statuses.edits import editing, pins
from webapp.statuses.interactions import likes
from webapp.timelines.pages import paths

# What a visitor may look at that is the same for no two of them, for nobody but machines, or made of what changes with
# every post of so many that it would hardly be kept.
OWN = "accounts.login accounts.signup media.show health.healthz health.readyz robots static streams.serve".split()
OWN += ["lists.show", "lists.members"]
Member = Callable[[str], FlaskClient]


@pytest.fixture
def site(app: Flask, member: Member) -> Site:
    """Ann, whom Ben follows, with a status of hers and of his."""
    return Site(app, member)


class Site:
    """The app, two members, and what happens."""

    def __init__(self, app: Flask, member: Member) -> None:
        self.app, self.db, self.config = (
            app,
            app.extensions["linnet.db"],
            app.extensions["linnet.config"],
        )
        self.ann, self.ben = (self.join(member, login) for login in ("ann", "ben"))
        following.follow(self.db, self.config, self.ben, "ann")
        self.hers, self.his = self.post(self.ann, "by Ann"), self.post(self.ben, "by Ben")
        self.answer = self.post(self.ben, "so it is", self.hers)
        self.list = lists.create(self.db, self.config, self.ann, "Birds")
        self.enlist(True)
        self.settle()

    def join(self, member: Member, login: str) -> int:
        member(login)
        return self.db.read(uid_by_login(login))

    def post(self, uid: int, text: str, reply: int | None = None) -> int:
        place, form = Place(47.5, 8.5, "The reeds"), f"form {text}"
        made = statuses.post(self.db, self.config, uid, parse(text, 280), form, place, reply=reply)
        self.settle()
        return made

    def enlist(self, on: bool) -> None:
        lists.set_memberships(self.db, self.config, self.ann, "ben", {self.list: on})

    def settle(self) -> None:
        worker.drain(self.db, self.config)

    def look(self, path: str, **headers: str) -> str:
        """What a new visitor sees."""
        return self.app.test_client().get(path, headers=headers).get_data(as_text=True)

    def paths(self) -> list[str]:
        people = [
            f"/@{login}{list_}"
            for login in ("ann", "ben")
            for list_ in ("", "/replies", "/followers", "/following")
        ]
        statuses = [
            f"/@ann/{self.hers}",
            f"/@ann/{self.hers}/history",
            f"/@ben/{self.his}",
            f"/@ben/{self.his}/history",
            f"/@ben/{self.answer}",
            f"/statuses?ids={self.hers},{self.his}",
        ]
        return [
            "/",
            "/public",
            f"/public?max_id={self.his + 1}",
            *people,
            *statuses,
            "/about/streaming",
            "/@ann/lists",
            "/@ben/lists",
            "/public.atom",
            "/@ann/feed.atom",
        ]

    @contextmanager
    def renderings(self) -> Iterator[list[str | None]]:
        """The names of the templates that are rendered meanwhile."""
        rendered: list[str | None] = []

        def note(sender: Flask, template: object, **rest: object) -> None:
            rendered.append(getattr(template, "name", None))

        with template_rendered.connected_to(note, self.app):
            yield rendered


def test_a_page_is_rendered_once_for_all_visitors(site: Site) -> None:
    for path in site.paths():
        first = site.look(path)
        with site.renderings() as rendered:
            assert site.look(path) == first != ""
        assert rendered == [], path


def test_languages_themes_and_queries_have_pages_of_their_own(site: Site) -> None:
    seen = {
        site.look("/public", **{"Accept-Language": language})
        for language in ("en", "zh", "en-GB;q=0.5")
    }
    assert len(seen) == 2
    visitor = site.app.test_client()
    visitor.set_cookie("linnet_theme", "dark")
    assert 'data-theme="dark"' in visitor.get("/public").get_data(as_text=True)
    assert 'data-theme="dark"' not in site.look("/public")
    assert "by Ben" not in site.look(f"/public?max_id={site.his}") and "by Ben" in site.look(
        "/public"
    )


def test_a_member_sees_none_of_it(site: Site, member: Member) -> None:
    kit = member("kit")
    for path in site.paths():
        as_visitor = site.look(path)
        own = kit.get(path)
        assert "ETag" not in own.headers and "private" in own.headers["Cache-Control"]
        assert (
            own.get_data(as_text=True) != as_visitor
            or path.startswith("/statuses")
            or path.endswith(".atom")
        )
        assert site.look(path) == as_visitor


def test_a_page_with_a_parameter_it_does_not_know_is_not_kept(site: Site) -> None:
    for path in (
        "/public?x=1",
        "/?max_id=5",
        "/public?max_id=5&max_id=6",
        "/public?_=1",
        f"/@ann/{site.hers}?max_id=1",
    ):
        site.look(path)
        with site.renderings() as rendered:
            site.look(path)
        assert rendered, path


def test_pages_that_are_not_there_are_not_kept(site: Site) -> None:
    for path in ("/@nobody", "/@ann/5", "/nothing", "/public?max_id=x"):
        for _ in range(2):
            with site.renderings() as rendered:
                site.look(path)
            assert rendered == ["error.html"], path
    assert not any("nobody" in key or "nothing" in key for key in kept_pages(site.db))


def kept_pages(db: Db) -> list[str]:
    """The names of hashes that hold a page, not only a lease."""
    found = [key for name in db.on_every_primary("KEYS", "page:*") for key in name]
    return [
        key for key in found if any(not field.startswith("=") for field in db.run(("HKEYS", key)))
    ]


def test_a_status_that_may_be_on_its_way_is_asked_for_again(site: Site) -> None:
    coming = site.his + 64_000_000
    assert "by Ben" in site.look(f"/statuses?ids={site.his},{coming}")
    with site.renderings() as rendered:
        site.look(f"/statuses?ids={site.his},{coming}")
    assert rendered


def test_every_open_page_is_kept_or_has_a_reason_not_to_be(app: Flask) -> None:
    views = app.view_functions
    for rule in app.url_map.iter_rules():
        options = view_options(views[rule.endpoint])
        if "GET" in (rule.methods or ()) and options.public and rule.endpoint not in OWN:
            chat = rule.endpoint.split(".")[0] in ("chat_api", "bots")
            assert options.cached_params is not None or chat, rule.endpoint


def test_the_paths_that_events_drop_are_those_of_the_views(app: Flask) -> None:
    with app.test_request_context():
        build = app.url_map.bind("visitors").build
        assert build("timelines.index") == paths.FRONT_PAGE
        assert build("timelines.public") == paths.PUBLIC
        assert build("statuses.several") == paths.STATUSES_BY_ID
        assert build("timelines.profile", {"login": "Ann"}) == paths.profile_path("Ann")
        assert build("timelines.replies", {"login": "Ann"}) == paths.replies_path("Ann")
        assert build("feeds.public") == paths.PUBLIC_FEED
        assert build("feeds.profile", {"login": "Ann"}) == paths.feed_path("Ann")
        assert build("statuses.show", {"login": "Ann", "status_id": 5}) == paths.status_path(
            "Ann", 5
        )
        for name in ("birds", "麻雀"):
            assert unquote(build("tags.show", {"name": name})) == paths.tag_path(name)
            assert unquote(build("tags.atom", {"name": name})) == paths.tag_feed_path(name)
        assert build("acts.likers", {"login": "Ann", "status_id": 5}) == paths.likes_path("Ann", 5)
        assert build("quotes.index", {"login": "Ann", "status_id": 5}) == paths.quotes_path(
            "Ann", 5
        )
        assert build("acts.boosters", {"login": "Ann", "status_id": 5}) == paths.boosts_path(
            "Ann", 5
        )
        assert build("edits.history", {"login": "Ann", "status_id": 5}) == paths.history_path(
            "Ann", 5
        )
        lists = [
            build(f"following.{name}", {"login": "Ann"}) for name in ("followers", "following")
        ]
        assert lists == list(paths.follow_paths("Ann"))
        assert build("lists.public", {"login": "Ann"}) == paths.lists_path("Ann")


ACTS: dict[str, Callable[[Site], object]] = {
    "posting": lambda s: s.post(s.ann, "again by Ann"),
    "replying": lambda s: s.post(s.ann, "indeed", s.answer),
    "taking a reply back": lambda s: statuses.delete(s.db, s.config, s.ben, s.answer),
    "deleting": lambda s: statuses.delete(s.db, s.config, s.ann, s.hers),
    "deleting what nobody answered": lambda s: statuses.delete(s.db, s.config, s.ben, s.his),
    "following": lambda s: following.follow(s.db, s.config, s.ann, "ben"),
    "unfollowing": lambda s: following.unfollow(s.db, s.config, s.ben, "ann"),
    "blocking": lambda s: blocks.block(s.db, s.config, s.ann, "ben"),
    "another name": lambda s: profile.edit(s.db, s.config, s.ann, {"name": "Queen Ann"}),
    "about oneself": lambda s: profile.edit(s.db, s.config, s.ben, {"bio": "Sings."}),
    "places taken back": lambda s: places.remove_locations(s.db, s.config, s.ann),
    "making a list": lambda s: lists.create(s.db, s.config, s.ben, "Divers"),
    "another name for a list": lambda s: lists.update(
        s.db, s.config, s.ann, s.list, "Waders", False, False
    ),
    "a list made private": lambda s: lists.update(
        s.db, s.config, s.ann, s.list, "Birds", True, False
    ),
    "deleting a list": lambda s: lists.delete(s.db, s.config, s.ann, s.list),
    "taking off a list": lambda s: s.enlist(False),
    "protecting": lambda s: lifecycle.protect(s.db, s.config, s.ann),
    "suspending": lambda s: lifecycle.suspend(s.db, s.config, s.ann),
    "removing": lambda s: lifecycle.delete_account(s.db, s.config, s.ben, None),
}


def test_a_like_shows_at_once_on_the_page_of_its_status_and_on_others_when_they_are_over(
    site: Site,
) -> None:
    own = f"/@ann/{site.hers}"
    pages = [(path, site.look(path)) for path in (own, f"{own}/likes", "/@ann")]
    for act in (likes.like, likes.unlike):
        act(site.db, site.config, site.ben, site.hers)
        site.settle()
        for (path, before), changes in zip(pages, (True, True, False), strict=True):
            now = site.look(path)
            assert (now != before) == (changes and act is likes.like), path
    likes.like(site.db, site.config, site.ben, site.hers)
    site.settle()
    assert "@ben<" in site.look(f"{own}/likes")
    profile.edit(site.db, site.config, site.ben, {"name": "Benjamin"})
    site.settle()
    assert "Benjamin" in site.look(f"{own}/likes")
    statuses.delete(site.db, site.config, site.ann, site.hers)
    site.settle()
    assert "Benjamin" not in site.look(f"{own}/likes") and "by Ann" not in site.look(own)


@pytest.mark.parametrize("act", ACTS)
def test_what_happened_shows_on_every_page_at_once(site: Site, act: str) -> None:
    for path in site.paths():
        site.look(path)
    ACTS[act](site)
    site.settle()
    plain = make_app(replace(site.config, page_cache_bytes=0))
    for path in site.paths():
        true = plain.test_client().get(path).get_data(as_text=True)
        assert reduced(site.look(path)) == reduced(true), (act, path)
    plain.extensions["linnet.db"].close()


def test_what_a_process_reads_but_once_a_second_for_members_gets_onto_no_kept_page(
    site: Site,
) -> None:
    app = make_app(replace(site.config, status_seconds=60))
    pages, visitor = ("/", "/public", "/public.atom"), app.test_client()
    for path in pages:
        assert "by Ann" in visitor.get(path).get_data(as_text=True)
    editing.edit(site.db, site.config, site.ann, site.hers, parse("sung by her", 280), "", "0")
    site.settle()
    for path in pages:
        page = visitor.get(path).get_data(as_text=True)
        assert "sung by her" in page and "by Ann" not in page, path
    app.extensions["linnet.db"].close()


def test_the_page_of_an_answer_shows_no_status_that_went_before_it_was_known_to_be_answered(
    site: Site,
) -> None:
    made = statuses.post(
        site.db, site.config, site.ann, parse("well", 280), "form well", reply=site.his
    )
    assert "by Ben" in site.look(f"/@ann/{made}")
    statuses.delete(site.db, site.config, site.ben, site.his)
    site.settle()
    assert "by Ben" not in site.look(f"/@ann/{made}")


def test_a_feed_has_a_pinned_reply_as_long_as_it_is_pinned(site: Site) -> None:
    feed = "/@ben/feed.atom"
    found = [str(site.answer) in site.look(feed)]
    for act in (pins.pin, pins.unpin):
        act(site.db, site.config, site.ben, site.answer)
        site.settle()
        found.append(str(site.answer) in site.look(feed))
    assert found == [False, True, False]


def reduced(page: str) -> str:
    """A page without the place in the log that it was made at, the number of an error's request, and what is counted,
    which is as old as the page.
    """
    return re.sub(
        r"""\d{13}-\d+|<code>[0-9a-f]{16}</code>|\s*<p class="status-acted">.*?</p>\s*""", "", page
    )


def test_who_was_suspended_comes_back(site: Site) -> None:
    lifecycle.suspend(site.db, site.config, site.ann)
    site.settle()
    assert "by Ann" not in site.look("/public")
    lifecycle.suspend(site.db, site.config, site.ann, False)
    site.settle()
    for path in ("/", "/public", "/@ann", f"/@ben/{site.answer}"):
        assert "by Ann" in site.look(path)


def test_everybody_on_a_page_is_named_to_the_cache(site: Site, member: Member) -> None:
    """Otherwise a page would outlive what it shows of them."""
    kit = site.join(member, "kit")
    for login in ("ann", "ben"):
        following.follow(site.db, site.config, kit, login)
    site.settle()
    for path in [*site.paths(), "/@ann/followers", "/@kit/following"]:
        for uid, login in ((site.ann, "ann"), (site.ben, "ben"), (kit, "kit")):
            old, new = f"{login} the old", f"{login} the new"
            for name in (old, new):
                profile.edit(site.db, site.config, uid, {"name": name})
                site.settle()
                page = site.look(path)
                assert old not in page or name == old, (path, login)


def test_only_the_address_of_the_site_is_kept_if_it_has_one(site: Site) -> None:
    app = make_app(replace(site.config, site_url="https://linnet.example/"))
    for base, kept in (
        ("https://linnet.example", True),
        ("http://linnet.example", False),
        ("https://evil.example", False),
    ):
        answer = app.test_client().get("/public", base_url=base)
        assert ("ETag" in answer.headers) is kept, base
    app.extensions["linnet.db"].close()


def test_popular_pages_alone_are_kept(site: Site) -> None:
    site.db.run(("ZADD", page_keys.page_views(), 9, "/public", 8, "/", 1, "/@ann"))
    app = make_app(replace(site.config, page_cache_paths=2))
    for path in ("/public", "/", "/@ann", "/@ben"):
        assert app.test_client().get(path).status_code == 200
    assert {key.partition("}:")[2] for key in kept_pages(site.db)} == {"/public", "/"}
    app.extensions["linnet.db"].close()


def test_without_bytes_there_is_no_cache(settings: Config) -> None:
    app = make_app(replace(settings, page_cache_bytes=0))
    answer = app.test_client().get("/public")
    assert answer.status_code == 200 and "ETag" not in answer.headers
    assert "private" in answer.headers["Cache-Control"]
    app.extensions["linnet.db"].close()


def test_a_community_that_is_filled_in_is_seen_at_once(app: Flask, settings: Config) -> None:
    visitor = app.test_client()
    assert "<article" not in visitor.get("/public").get_data(as_text=True)
    demo(settings, add=True, seed="1", members=5, statuses=20, days=3)
    assert "<article" in visitor.get("/public").get_data(as_text=True)


def test_an_operator_sees_how_it_does(
    app: Flask, settings: Config, member: Member, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_counts, "FLUSH_SECONDS", 0)
    visitor, ann = app.test_client(), member("ann")
    for _ in range(4):
        visitor.get("/public")
    db = connect(settings)
    figures = view_counts.stats(db)
    assert (figures.misses, figures.paths) == (1, 1) and figures.hits >= 2 and figures.bytes > 500
    assert db.run(("ZSCORE", page_keys.page_views(), "/public")) is not None
    [line] = [
        finding.message
        for finding in doctor.report(settings)
        if finding.message.startswith("page cache")
    ]
    assert f"{figures.hits} hits, 1 misses" in line and "64.0 MiB" in line
    assert ann.get("/admin").status_code == 403 and visitor.get("/admin").status_code == 303
    lifecycle.grant(db, db.read(uid_by_login("ann")), "admin")
    page = ann.get("/admin").get_data(as_text=True)
    assert "67,108,864" in page and line.split(";")[0] in page
    db.close()


def test_signing_out_leaves_its_notice_and_no_trace(site: Site) -> None:
    kit = site.app.test_client()
    assert (
        kit.post("/signup", data={"login": "kit", "name": "Kit", "password": PASSWORD}).status_code
        == 303
    )
    site.look("/")
    assert "You’re signed out." in kit.post("/logout", follow_redirects=True).get_data(as_text=True)
    assert "You’re signed out." not in site.look("/")
