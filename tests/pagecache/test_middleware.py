"""Pages that visitors get from the page cache: rendered once, invalidated by events."""

import re
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import unquote

import pytest

from tests.conftest import PASSWORD, make_app
from tests.support.cached_site import CachedSite, cached_page_keys, comparable
from tests.support.world import Web
from webapp.accounts import lifecycle, profile
from webapp.accounts.store import uid_by_login
from webapp.admin import doctor
from webapp.config import Config
from webapp.core.metrics.recorder import RECORDER
from webapp.core.reporter import Reporter
from webapp.core.store import Site
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.core.web.view_options import view_options
from webapp.demo.command import demo
from webapp.explore import open_group_chats
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.lists import store as lists
from webapp.pagecache import keys as page_keys, popularity
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing, pins
from webapp.statuses.interactions import boosts, likes
from webapp.statuses.values import places
from webapp.timelines.page_invalidation import paths

# Public pages that differ for each visitor, are for machines, or change too often to be cached.
UNCACHED = """
    accounts.login accounts.signup setup.index recovery.reset client_accounts.user_info
    client_discovery.nodeinfo
    client_discovery.webfinger
    client_discovery.nodeinfo_links client_discovery.host_meta digest.unsubscribe email_login.index
    password_reset.forgot_password password_reset.reset_password
    explore.in_all_languages feeds.home following.menu groups.about groups.by_number groups.find
    groups.index groups.members groups.show groups.top health.healthz health.readyz join.follow
    join.on_status lists.members lists.show media.show media.show_group_picture
    media.show_link_picture metrics.show cart.show market.index market.show site_icon_file
    oauth_tokens.metadata post_menu.show profile_tabs.likes profile_tabs.media robots search.atom
    search.show standing.index sharing.answer_oembed sharing.card static streams.serve
""".split()


@pytest.fixture
def site(web: Web) -> CachedSite:
    """Return a site with Ann, her follower Ben, and a status of each."""
    return CachedSite(web.app, web.member)


def test_a_page_is_rendered_once_for_all_visitors(site: CachedSite) -> None:
    for path in site.paths():
        first = site.view(path)
        with site.renderings() as rendered:
            assert site.view(path) == first != ""
        assert rendered == [], path


def test_languages_themes_and_queries_are_cached_separately(site: CachedSite) -> None:
    pages = {
        site.view("/public", **{"Accept-Language": language})
        for language in ("en", "zh", "en-GB;q=0.5")
    }
    assert len(pages) == 2
    visitor = site.app.test_client()
    visitor.set_cookie("linnet_theme", "dark")
    assert 'data-theme="dark"' in visitor.get("/public").get_data(as_text=True)
    assert 'data-theme="dark"' not in site.view("/public")
    assert "by Ben" not in site.view(f"/public?max_id={site.bens_status}")
    assert "by Ben" in site.view("/public")


def test_a_member_gets_no_cached_page(site: CachedSite, web: Web) -> None:
    kit = web.member("kit")
    for path in site.paths():
        visitors_page = site.view(path)
        answer = kit.get(path)
        assert "ETag" not in answer.headers and "private" in answer.headers["Cache-Control"]
        assert (
            answer.get_data(as_text=True) != visitors_page
            or path.startswith("/statuses")
            or path.endswith((".atom", "/embed"))
        )
        assert site.view(path) == visitors_page


def test_a_page_with_an_unknown_parameter_is_not_cached(site: CachedSite) -> None:
    for path in (
        "/public?x=1",
        "/?max_id=5",
        "/public?max_id=5&max_id=6",
        "/public?_=1",
        f"/@ann/{site.anns_status}?max_id=1",
    ):
        site.view(path)
        with site.renderings() as rendered:
            site.view(path)
        assert rendered, path


def test_no_path_with_doubled_slashes_shows_a_list_that_became_private(site: CachedSite) -> None:
    doubled, visitor = {"PATH_INFO": "//@ann/lists"}, site.app.test_client()
    assert "Birds" in visitor.get(environ_overrides=doubled).text
    lists.update(site, site.ann, site.list, "Birds", True, False)
    site.apply_events()
    assert "Birds" not in visitor.get(environ_overrides=doubled).text


def test_missing_pages_are_not_cached(site: CachedSite) -> None:
    for path in ("/@nobody", "/@ann/5", "/nothing", "/public?max_id=x"):
        for _ in range(2):
            with site.renderings() as rendered:
                site.view(path)
            assert rendered == ["error.html"], path
    assert not any("nobody" in key or "nothing" in key for key in cached_page_keys(site.db))


def test_a_page_with_a_future_status_id_is_not_cached(site: CachedSite) -> None:
    future_id = site.bens_status + 64_000_000
    assert "by Ben" in site.view(f"/statuses?ids={site.bens_status},{future_id}")
    with site.renderings() as rendered:
        site.view(f"/statuses?ids={site.bens_status},{future_id}")
    assert rendered


def test_every_public_page_is_cached_or_listed_as_uncached(web: Web) -> None:
    views = web.app.view_functions
    for rule in web.app.url_map.iter_rules():
        options = view_options(views[rule.endpoint])
        if "GET" in (rule.methods or ()) and options.public and rule.endpoint not in UNCACHED:
            is_api = rule.rule.startswith("/api/")
            assert options.cached_params is not None or is_api, rule.endpoint


def test_invalidated_paths_are_those_of_the_views(web: Web) -> None:
    with web.app.test_request_context():
        build = web.app.url_map.bind("visitors").build
        assert build("timelines.index") == paths.FRONT_PAGE
        assert build("timelines.public") == paths.PUBLIC
        assert build("statuses.several") == paths.STATUSES_BY_ID
        assert build("timelines.profile", {"login": "Ann"}) == paths.profile_path("Ann")
        assert build("timelines.replies", {"login": "Ann"}) == paths.profile_paths("Ann")[1]
        assert build("feeds.public") == paths.PUBLIC_FEED
        assert build("explore.index") == paths.HOT
        assert build("explore.open_groups") == open_group_chats.GROUPS_PAGE
        people = build("suggestions.index")
        tabs = [build(f"explore.{name}") for name in ("index", "tags", "links", "open_groups")]
        explore = [*tabs[:3], people, tabs[3]]
        assert [*explore, paths.PUBLIC] == list(paths.TREND_PAGES)
        assert tabs[1] == paths.TRENDING_TAGS
        assert build("feeds.profile", {"login": "Ann"}) == paths.feed_path("Ann")
        status = {"login": "Ann", "status_id": 5}
        assert build("statuses.show", status) == paths.status_path("Ann", 5)
        assert build("sharing.embed", status) == paths.status_path("Ann", 5, "embed")
        assert build("interactions.likers", status) == paths.status_path("Ann", 5, "likes")
        assert build("interactions.boosters", status) == paths.status_path("Ann", 5, "boosts")
        assert build("quotes.index", status) == paths.status_path("Ann", 5, "quotes")
        assert build("edits.history", status) == paths.status_path("Ann", 5, "history")
        for name in ("birds", "麻雀"):
            tabs = [build(f"tags.{page}", {"name": name}) for page in ("show", "atom", "hot")]
            assert list(map(unquote, tabs)) == list(paths.tag_paths(name))
        lists = [
            build(f"following.{name}", {"login": "Ann"})
            for name in ("followers", "following", "mutuals")
        ]
        assert lists == list(paths.follow_paths("Ann"))
        assert build("lists.public", {"login": "Ann"}) == paths.lists_path("Ann")


ACTIONS: dict[str, Callable[[CachedSite], object]] = {
    "posting": lambda s: s.post(s.ann, "again from Ann"),
    "replying": lambda s: s.post(s.ann, "indeed", s.reply),
    "deleting a reply": lambda s: statuses.delete(s, s.ben, s.reply),
    "deleting": lambda s: statuses.delete(s, s.ann, s.anns_status),
    "deleting a status without replies": lambda s: statuses.delete(s, s.ben, s.bens_status),
    "following": lambda s: following.follow(s, s.ann, "ben"),
    "unfollowing": lambda s: following.unfollow(s, s.ben, "ann"),
    "blocking": lambda s: blocks.block(s, s.ann, "ben"),
    "changing the name": lambda s: profile.edit(s, s.ann, {"name": "Queen Ann"}),
    "changing the bio": lambda s: profile.edit(s, s.ben, {"bio": "Sings."}),
    "removing locations": lambda s: places.remove_locations(s, s.ann),
    "creating a list": lambda s: lists.create(s, s.ben, "Divers"),
    "renaming a list": lambda s: lists.update(s, s.ann, s.list, "Waders", False, False),
    "making a list private": lambda s: lists.update(s, s.ann, s.list, "Birds", True, False),
    "deleting a list": lambda s: lists.delete(s, s.ann, s.list),
    "removing from a list": lambda s: s.set_listed(False),
    "protecting": lambda s: lifecycle.protect(s, s.ann),
    "suspending": lambda s: lifecycle.suspend(s, s.ann),
    "deleting the account": lambda s: lifecycle.delete_account(s, s.ben, None),
}


def test_a_like_invalidates_the_page_of_its_status_but_no_timeline(site: CachedSite) -> None:
    permalink = f"/@ann/{site.anns_status}"
    by_id = f"/statuses?permalink={site.anns_status}&ids={site.anns_status}"  # for open pages
    addresses = (permalink, f"{permalink}/likes", by_id, "/@ann")

    def viewed(path: str) -> str:
        return re.sub(r'data-page="[^"]*"', "", site.view(path))

    pages = [(path, viewed(path)) for path in addresses]
    for action in (likes.like, likes.unlike):
        action(site, site.ben, site.anns_status)
        site.apply_events()
        for (path, before), changes in zip(pages, (True, True, True, False), strict=True):
            after = viewed(path)
            assert (after != before) == (changes and action is likes.like), path
    likes.like(site, site.ben, site.anns_status)
    site.apply_events()
    assert "@ben<" in site.view(f"{permalink}/likes")
    profile.edit(site, site.ben, {"name": "Benjamin"})
    site.apply_events()
    assert "Benjamin" in site.view(f"{permalink}/likes")
    statuses.delete(site, site.ann, site.anns_status)
    site.apply_events()
    assert "Benjamin" not in site.view(f"{permalink}/likes")
    assert "from Ann" not in site.view(permalink)


@pytest.mark.slow
@pytest.mark.parametrize("action", ACTIONS)
def test_every_page_is_up_to_date_after_an_action(site: CachedSite, action: str) -> None:
    for path in site.paths():
        site.view(path)
    ACTIONS[action](site)
    site.apply_events()
    uncached = make_app(replace(site.config, page_cache_bytes=0))
    for path in site.paths():
        expected = uncached.test_client().get(path).get_data(as_text=True)
        assert comparable(site.view(path)) == comparable(expected), (action, path)
    uncached.extensions["linnet.db"].close()


REPLY_COUNT = re.compile(r'action-reply"[^>]*>(?:(?!</a>).)*</svg> <b>1</b></a>')
COUNT_ENDS: dict[str, Callable[[CachedSite], object]] = {
    "deleting the reply": lambda s: statuses.delete(s, s.ben, s.reply),
    "protecting its author": lambda s: lifecycle.protect(s, s.ben),
    "deleting its author's account": lambda s: lifecycle.delete_account(s, s.ben, None),
}


@pytest.mark.parametrize("action", COUNT_ENDS)
def test_no_cached_page_counts_a_reply_that_is_gone(
    site: CachedSite, web: Web, action: str
) -> None:
    boosts.boost(site, site.join(web.member, "cat"), site.anns_status)
    site.apply_events()
    pages = ("/", "/public", "/@ann", "/@cat")
    for path in pages:
        assert REPLY_COUNT.search(site.view(path)), path
    COUNT_ENDS[action](site)
    site.apply_events()
    for path in pages:
        page = site.view(path)
        assert "from Ann" in page and not REPLY_COUNT.search(page), path


def test_statuses_cached_in_a_process_get_onto_no_cached_page(site: CachedSite) -> None:
    app = make_app(replace(site.config, status_seconds=60))
    page_paths, visitor = ("/", "/public", "/public.atom"), app.test_client()
    for path in page_paths:
        assert "from Ann" in visitor.get(path).get_data(as_text=True)
    editing.edit(site, site.ann, site.anns_status, parse("sung by her", 280), "", "0")
    site.apply_events()
    for path in page_paths:
        text = visitor.get(path).get_data(as_text=True)
        assert "sung by her" in text and "from Ann" not in text, path
    app.extensions["linnet.db"].close()


def test_the_page_of_a_reply_drops_a_parent_deleted_before_the_reply_is_applied(
    site: CachedSite,
) -> None:
    reply = statuses.post(site, site.ann, parse("well", 280), "form well", reply=site.bens_status)
    assert "by Ben" in site.view(f"/@ann/{reply}")
    statuses.delete(site, site.ben, site.bens_status)
    site.apply_events()
    assert "by Ben" not in site.view(f"/@ann/{reply}")


def test_a_feed_shows_a_reply_while_it_is_pinned(site: CachedSite) -> None:
    feed = "/@ben/feed.atom"
    shown = [str(site.reply) in site.view(feed)]
    for action in (pins.pin, pins.unpin):
        action(site, site.ben, site.reply)
        site.apply_events()
        shown.append(str(site.reply) in site.view(feed))
    assert shown == [False, True, False]


def test_the_statuses_of_a_suspended_member_come_back(site: CachedSite) -> None:
    lifecycle.suspend(site, site.ann)
    site.apply_events()
    assert "from Ann" not in site.view("/public")
    lifecycle.suspend(site, site.ann, False)
    site.apply_events()
    for path in ("/", "/public", "/@ann", f"/@ben/{site.reply}"):
        assert "from Ann" in site.view(path)


@pytest.mark.slow
def test_a_page_depends_on_every_member_it_shows(site: CachedSite, web: Web) -> None:
    kit = site.join(web.member, "kit")
    for login in ("ann", "ben"):
        following.follow(site, kit, login)
    site.apply_events()
    for path in [*site.paths(), "/@ann/followers", "/@kit/following"]:
        for uid, login in ((site.ann, "ann"), (site.ben, "ben"), (kit, "kit")):
            old, new = f"{login} the old", f"{login} the new"
            for name in (old, new):
                profile.edit(site, uid, {"name": name})
                site.apply_events()
                page = site.view(path)
                assert old not in page or name == old, (path, login)


def test_only_the_configured_site_url_is_cached(site: CachedSite) -> None:
    app = make_app(replace(site.config, site_url="https://linnet.example/"))
    for url, cached in (
        ("https://linnet.example", True),
        ("http://linnet.example", False),
        ("https://evil.example", False),
    ):
        answer = app.test_client().get("/public", base_url=url)
        assert ("ETag" in answer.headers) is cached, url
    app.extensions["linnet.db"].close()


def test_only_popular_pages_are_cached(site: CachedSite) -> None:
    site.db.run(("ZADD", page_keys.page_views(), 9, "/public", 8, "/", 1, "/@ann"))
    app = make_app(replace(site.config, page_cache_paths=2))
    for path in ("/public", "/", "/@ann", "/@ben"):
        assert app.test_client().get(path).status_code == 200
    assert {key.partition("}:")[2] for key in cached_page_keys(site.db)} == {"/public", "/"}
    app.extensions["linnet.db"].close()


def test_a_limit_of_zero_bytes_disables_the_cache(settings: Config) -> None:
    app = make_app(replace(settings, page_cache_bytes=0))
    answer = app.test_client().get("/public")
    assert answer.status_code == 200 and "ETag" not in answer.headers
    assert "private" in answer.headers["Cache-Control"]
    app.extensions["linnet.db"].close()


@pytest.mark.slow
def test_a_demo_community_shows_on_cached_pages(web: Web) -> None:
    visitor = web.app.test_client()
    assert "<article" not in visitor.get("/public").get_data(as_text=True)
    demo(web.config, add=True, seed="1", members=5, statuses=20, days=3)
    assert "<article" in visitor.get("/public").get_data(as_text=True)


def test_an_operator_sees_the_statistics(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(popularity, "FLUSH_SECONDS", 0)
    visitor, ann = web.app.test_client(), web.member("ann")
    RECORDER.take()
    for _ in range(4):
        visitor.get("/public")
    db = connect(web.config)
    Reporter(Site(db, web.config), "web").flush()
    stats = popularity.stats(db)
    assert (stats.hits, stats.misses, stats.paths) == (3, 1, 1) and stats.bytes > 500
    assert db.run(("ZSCORE", page_keys.page_views(), "/public")) is not None
    [line] = [
        finding.message
        for finding in doctor.report(web.config)
        if finding.message.startswith("page cache")
    ]
    assert f"{stats.hits} hits, 1 misses" in line and "64.0 MiB" in line
    assert ann.get("/admin").status_code == 403 and visitor.get("/admin").status_code == 303
    lifecycle.grant(db, db.read(uid_by_login("ann")), "admin")
    page = ann.get("/admin").get_data(as_text=True)
    assert "67,108,864" in page and line.split(";")[0] in page
    db.close()


def test_the_notice_of_signing_out_is_not_cached(site: CachedSite) -> None:
    kit = site.app.test_client()
    form = {"login": "kit", "name": "Kit", "password": PASSWORD}
    assert kit.post("/signup", data=form).status_code == 303
    site.view("/")
    assert "You’re logged out." in kit.post("/logout", follow_redirects=True).get_data(as_text=True)
    assert "You’re logged out." not in site.view("/")
