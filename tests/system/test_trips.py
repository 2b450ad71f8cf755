"""No page takes more than five trips, and a home takes at most three.

A home takes a fourth trip if it leaves out more than its spare entries: see tests of word filters.
Statuses that a page leaves out are on the next pages.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from html import unescape

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.support import pagecache
from tests.support.crowded_site import HIDDEN, CrowdedSite, crowd_site
from tests.support.pages import join, serving, serving_alone
from tests.support.world import store_of
from webapp.accounts import keys as account_keys
from webapp.accounts.store import uid_by_login
from webapp.config import Config
from webapp.core.store import Db, Site, partition_of
from webapp.following import keys as following_keys
from webapp.lists import keys as list_keys
from webapp.timelines import keys as timeline_keys
from webapp.timelines.tags import store as tags

TRIPS_MAX = 5
HOME_TRIPS_MAX = 3
ANN = 1  # her uid
# A quote whose card was not read, since the page had no trip left for it.
QUOTE_WITHOUT_CARD = "</svg>Quotes another post</span></a></details>"
TIMELINE_PATHS = (
    "/home /home/popular /public /explore?lang=all /tags/tag /tags/tag/hot "
    "/@ben /@ben/replies /@swan /@swan/replies /bookmarks /bookmarks/folders/1 "
    "/history /@ann/lists/1 /@ben/likes /groups/birders /groups/birders/top"
)
# Other statuses take the place of hidden ones on these, unless nearly all are hidden. Homes merge
# posts of large authors, which are read for one page.
FULL_PATHS = ("/public", "/explore?lang=all", "/tags/tag", "/tags/tag/hot", "/@ann/lists/1")
PAGE_SIZE = 5
# Copy all keys to the second database of a server, or only these back.
SAVE = """
for _, key in ipairs(redis.call("KEYS", "*")) do redis.call("COPY", key, key, "DB", 1) end
"""
RESTORE = """
redis.call("FLUSHDB")
redis.call("SELECT", 1)
for _, key in ipairs(redis.call("KEYS", "*")) do redis.call("COPY", key, key, "DB", 0) end
"""
Entry = tuple[str, str]  # the ids of a status and of its author
Forget = Callable[[Db, str], None]


@pytest.fixture(scope="module")
def saved_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CrowdedSite]:
    """The site as it was filled, with small pages and no process caches. Its store is saved."""
    small = {"page_size": PAGE_SIZE, "merged_seconds": 0, "push_max_followers": 3}
    with serving_alone(tmp_path_factory.mktemp("trips"), **small) as app:
        site = crowd_site(app, config_of(app), partial(join, app))
        site.db.run(("EVAL", SAVE, 0))
        yield site


@pytest.fixture
def site(saved_site: CrowdedSite) -> Iterator[CrowdedSite]:
    """The site whose pages are read, on another app. Its store is as it was saved."""
    saved_site.db.run(("EVAL", RESTORE, 0))
    with serving(config_of(saved_site.app)) as app:
        ann = browser_on(app, saved_site)
        yield saved_site._replace(app=app, ann=ann)


@pytest.fixture
def small_pages(saved_site: CrowdedSite) -> Config:
    """The settings of the site."""
    return config_of(saved_site.app)


def config_of(app: Flask) -> Config:
    """Return the settings of an app."""
    config: Config = app.extensions["linnet.config"]
    return config


def browser_on(app: Flask, site: CrowdedSite) -> FlaskClient:
    """Return Ann's browser on another app with the same store."""
    client = app.test_client()
    cookie = site.ann.get_cookie("linnet")
    assert cookie
    client.set_cookie("linnet", cookie.value)
    return client


def ann_on_another_app(site: CrowdedSite, config: Config) -> FlaskClient:
    """Return Ann's browser on a new app with the same store, which has read nothing yet."""
    return browser_on(make_app(config), site)


def entries(page: str) -> list[Entry]:
    """Return the statuses on a page, each with its author."""
    return re.findall(r'<article class="status[^>]* id="status-(\d+)" data-author="(\d+)"', page)


def next_link(page: str) -> str | None:
    """Return the address of the next page, None on the last one."""
    link = re.search(r'rel="next" href="([^"]+)"', page)
    return unescape(link[1]) if link else None


def trips_max(path: str) -> int:
    """Return how many trips a page may take, with those that find out who asks."""
    return HOME_TRIPS_MAX if path.partition("?")[0] == "/home" else TRIPS_MAX


def all_entries(site: CrowdedSite, path: str) -> list[Entry]:
    """Return the statuses on all pages of a timeline. Check the trips of each page.

    Check that a page of FULL_PATHS is full while there is another.
    """
    found: list[Entry] = []
    link: str | None = path
    while link:
        before = site.db.trips
        page = site.ann.get(link).text
        assert site.db.trips - before <= trips_max(link), link
        found += entries(page)
        is_last = next_link(page) is None
        assert not is_last or "There’s nothing older" not in page or not entries(page), link
        link = next_link(page)
        assert path not in FULL_PATHS or not link or len(entries(page)) == PAGE_SIZE, link
    return found


def become_inactive(db: Db, key: str) -> None:
    """Forget a home or a list, as if Ann had not looked at it for long."""
    p = partition_of(ANN)
    db.trip(
        ("DEL", key), ("DEL", account_keys.active_members(p)), ("DEL", list_keys.active_lists(p))
    )


def lose_oldest(db: Db, key: str) -> None:
    """Keep only the newest entries of a home or a list, which is marked as incomplete."""
    db.run(("ZREMRANGEBYRANK", key, 0, -8))
    if key == account_keys.home(ANN):
        db.run(("ZADD", key, -1, "more"))
    else:
        db.run(("ZADD", list_keys.active_lists(partition_of(ANN)), -1, "1:1"))


def test_no_page_takes_more_than_five_trips(site: CrowdedSite) -> None:
    """A visitor's trips include those that look for a cached page and store the new one."""
    trips = {}
    for path in (*site.public_paths, *site.member_paths):
        before = site.db.trips
        assert site.ann.get(path).status_code < 500, path
        trips["member", path] = site.db.trips - before
    for path in site.public_paths:
        pagecache.delete_pages(site.db)
        before = site.db.trips
        assert pagecache.send_request(site.app, *path.split("?")).status < 500, path
        trips["visitor", path] = site.db.trips - before
    too_many = {page: count for page, count in trips.items() if count > trips_max(page[1])}
    assert too_many == {}


@pytest.mark.parametrize(
    ("path", "key"),
    [("/home", account_keys.home(ANN)), ("/@ann/lists/1", list_keys.list_home(ANN, 1))],
)
def test_rebuilt_homes_and_lists_take_no_more_trips_and_are_complete(
    site: CrowdedSite, path: str, key: str
) -> None:
    """Read homes and lists that must be rebuilt or extended, from the first page and below."""
    expected = all_entries(site, path)
    assert len(expected) > 9
    for forget in (become_inactive, lose_oldest):
        forget(site.db, key)
        assert all_entries(site, path) == expected, forget
    first_page = site.ann.get(path).text
    second_page = next_link(first_page)
    assert second_page
    become_inactive(site.db, key)
    found = entries(first_page) + all_entries(site, second_page)
    assert found == expected, "built from below its top"
    assert all_entries(site, path) == expected, "the part below is not taken for all of it"


def test_a_home_takes_three_trips_without_caches(site: CrowdedSite, small_pages: Config) -> None:
    """Read homes with followed tags, pull authors, quotes, boosts and deleted statuses.

    A home that needs its third trip for other things shows quotes without their cards.
    """
    tags.follow(Site(site.db, small_pages), ANN, "tag")
    expected = all_entries(site, "/home")
    assert len(expected) > 9
    assert followed_pull_authors(site.db)
    quotes_without_card = 0
    for forget in (None, become_inactive, lose_oldest):
        if forget:
            forget(site.db, account_keys.home(ANN))
        found: list[Entry] = []
        for page in cold_home_pages(site, small_pages):
            found += entries(page)
            quotes_without_card += page.count(QUOTE_WITHOUT_CARD)
        assert found == expected, forget
    assert quotes_without_card
    assert QUOTE_WITHOUT_CARD not in site.ann.get("/home").text, "a warm process reads all cards"


def followed_pull_authors(db: Db) -> list[str]:
    """Return the members whom Ann follows and whose statuses are not delivered to homes."""
    pull_authors = timeline_keys.pull_authors(partition_of(ANN))
    uids: list[str] = db.run(("ZINTER", 2, following_keys.following(ANN), pull_authors))
    return uids


def cold_home_pages(site: CrowdedSite, config: Config) -> Iterator[str]:
    """Yield Ann's home, each page from a new process. Check the trips of each page."""
    link: str | None = "/home"
    while link:
        client = ann_on_another_app(site, config)
        db = store_of(client.application)
        before = db.trips
        page = client.get(link).text
        assert db.trips - before <= HOME_TRIPS_MAX, link
        db.close()
        yield page
        link = next_link(page)


def test_pages_are_full_whatever_is_hidden_and_hide_nothing_older(
    site: CrowdedSite, small_pages: Config
) -> None:
    """Compare all pages of a timeline with one page that has room for everything."""
    large_pages = replace(small_pages, page_size=500)
    hidden = {str(site.db.read(uid_by_login(login))) for login in HIDDEN[:4]}
    for path in TIMELINE_PATHS.split():
        client = ann_on_another_app(site, large_pages)
        expected = entries(client.get(path).text)
        store_of(client.application).close()
        assert len(expected) > 9, f"{path} needs more statuses: tests/support/crowded_site.py"
        assert set(all_entries(site, path)) == set(expected), path
        assert path.startswith(("/bookmarks", "/history")) or not hidden & {
            author for _, author in expected
        }, path


def test_posting_takes_two_trips_and_keeps_the_unread_counts(
    site: CrowdedSite, small_pages: Config
) -> None:
    """Redirects take two trips at most; a form that comes back still shows the unread count."""
    ann = ann_on_another_app(site, replace(small_pages, inline_projections=False))
    db = store_of(ann.application)
    for text, status, trips in (("a lark", 303, 2), ("", 422, 2)):
        before = db.trips
        response = ann.post("/statuses", data={"text": text})
        assert (response.status_code, db.trips - before) == (status, trips)
    badges = re.compile(r'data-badge="(\w+)"(?: hidden)?><span>(\d+)<')
    shown = badges.findall(response.text)
    assert shown == badges.findall(ann.get("/statuses/new").text)
    assert any(int(unread) for _, unread in shown)
    db.close()


def test_buttons_take_few_trips(site: CrowdedSite, small_pages: Config) -> None:
    """The rate limit and what a button is on are read in the trip of the session."""
    ann = ann_on_another_app(site, replace(small_pages, inline_projections=False))
    db, [status_id, _] = store_of(ann.application), entries(ann.get("/@ben").text)[0]
    ann.post("/@ben/follow")  # now this process knows whose the login is
    acts = {f"/statuses/{status_id}/like": 3, f"/statuses/{status_id}/boost": 3}
    acts |= {f"/statuses/{status_id}/unlike": 2, "/@ben/unfollow": 2, "/@ben/follow": 2}
    for path, trips in acts.items():
        before = db.trips
        assert (ann.post(path).status_code, db.trips - before) == (303, trips), path
    db.close()
