"""Posts that a member was shown on Explore make room for others, and never leave it empty."""

import re
from collections.abc import Iterable

import pytest
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.schema import live_keys
from tests.support.world import Web
from webapp.accounts import registration
from webapp.accounts.store import uid_by_login
from webapp.config import Config
from webapp.core.store import Db, Site
from webapp.core.text.parser import parse
from webapp.explore import keys, seen
from webapp.explore.seen import SeenPosts
from webapp.statuses import Skeleton, store as statuses

ENTRIES = [f"{number}:1" for number in range(500, 0, -1)]
CURSORS = {number: number * 10 for number in range(1, 501)}


class Seen(SeenPosts):
    """Say that some posts were seen, as a filter does, errors included."""

    def __init__(self, status_ids: Iterable[int]) -> None:
        super().__init__(seen.NOTHING_SEEN.statuses, frozenset())
        object.__setattr__(self, "recent", frozenset(status_ids))

    def is_seen(self, status_id: int) -> bool:
        return status_id in self.recent


def ordered(entries: list[str], seen_ids: Iterable[int]) -> list[int]:
    """Return the ids of entries in the order in which a member gets them."""
    found = Skeleton(entries, 301, CURSORS)
    left = Seen(seen_ids).unseen_first(found)
    assert left.cursors == CURSORS and left.end == 301
    return [int(entry.partition(":")[0]) for entry in left.entries]


def test_unseen_posts_come_before_seen_ones() -> None:
    window = ENTRIES[:200]
    ids = list(range(500, 300, -1))
    assert ordered(window, []) == ids, "nothing was seen"
    assert ordered(window, ids[:50]) == ids[50:] + ids[:50]
    assert ordered(window, ids[1::2]) == ids[::2] + ids[1::2]
    assert ordered(window, ids) == ids, "everything was seen, or taken for it"
    assert ordered([], ids) == []


@pytest.fixture
def store(web: Web) -> Db:
    return web.db


@pytest.fixture
def posts(store: Db, settings: Config) -> list[int]:
    """A page and a half of posts, the newest first."""
    wren = registration.sign_up(Site(store, settings), "wren", "Wren", "correct horse").uid
    texts = [
        parse(f"The dawn chorus was lovely on morning {number}")
        for number in range(3 * settings.page_size // 2)
    ]
    ids = [
        statuses.post(Site(store, settings), wren, text, f"form-{number}")
        for number, text in enumerate(texts)
    ]
    worker.drain(Site(store, settings))
    return ids[::-1]


def shown(client: FlaskClient, path: str = "/explore") -> list[int]:
    """Return the ids on a page, and let the process send what it noted."""
    page = client.get(path).text
    client.application.extensions["linnet.views"].flush()
    return [int(one) for one in re.findall(r'id="status-(\d+)" data-author', page)]


def later(db: Db, uid: int) -> None:
    """Let so much time pass that what was shown counts as seen."""
    db.run(("DEL", keys.recently_shown(uid)))


def test_a_member_gets_other_posts_on_the_next_visit(web: Web, store: Db, posts: list[int]) -> None:
    size = web.config.page_size
    ann, ben = web.member("ann"), web.member("ben")
    uid = store.read(uid_by_login("ann"))
    assert shown(ann) == shown(ann) == posts[:size], "a reload changes nothing"
    later(store, uid)
    found = shown(ann)
    assert found == [*posts[size:], *posts[: 2 * size - len(posts)]], "unseen ones, then seen ones"
    later(store, uid)
    assert shown(ann) == posts[:size], "all were seen"
    below = re.search(r"max_id=(\d+)", ann.get("/explore").text)
    assert below and shown(ann, f"/explore?max_id={below[1]}") == posts[size:]
    assert shown(ben) == shown(web.client) == posts[:size], "others get what they got"
    assert shown(ann, "/explore?lang=all") == posts[:size], "the page of popular posts shows all"


def test_unseen_posts_of_hidden_authors_leave_no_gap(web: Web, store: Db, posts: list[int]) -> None:
    size = web.config.page_size
    ann = web.member("ann")
    uid = store.read(uid_by_login("ann"))
    robin = registration.sign_up(web, "robin", "Robin", "correct horse").uid
    for number in range(size + 1):
        text = parse(f"The evening chorus was loud on evening {number}")
        statuses.post(web, robin, text, f"robin-{number}")
    web.apply_events()
    web.mute(uid, "robin")
    web.apply_events()
    assert shown(ann) == posts[:size]
    later(store, uid)
    page = ann.get("/explore").text
    assert shown(ann) == [*posts[size:], *posts[: 2 * size - len(posts)]]
    below = re.search(r"max_id=(\d+)", page)
    assert below, "what was seen can be reached"
    found = set(shown(ann, f"/explore?max_id={below[1]}"))
    assert found >= set(posts[2 * size - len(posts) : size])


def test_a_page_that_shows_nothing_new_notes_nothing(web: Web, store: Db, posts: list[int]) -> None:
    size = web.config.page_size
    ann = web.member("ann")
    shown(ann)
    uid = store.read(uid_by_login("ann"))
    found = store.read(seen.seen_posts(uid))
    assert found.recent == set(posts[:size]) and not any(map(found.is_seen, posts))
    assert seen.mark_shown(uid, found, posts[:size]) is None
    assert seen.mark_shown(uid, found, posts) is not None
    later(store, uid)
    found = store.read(seen.seen_posts(uid))
    assert all(map(found.is_seen, posts[:size]))
    assert 0 < store.run(("TTL", keys.seen_posts(uid))) <= seen.TTL_SECONDS


def test_nothing_is_kept_of_visitors_and_deleted_accounts(
    web: Web, store: Db, posts: list[int]
) -> None:
    shown(web.client)
    ann = web.member("ann")
    shown(ann)
    uid = store.read(uid_by_login("ann"))
    names = (keys.seen_posts(uid), keys.recently_shown(uid))
    assert {key for key in live_keys(store) if "seen_posts" in key or "recently" in key} == {*names}
    web.delete_account(uid, None)
    web.apply_events()
    command = seen.mark_shown(uid, seen.NOTHING_SEEN, posts)
    assert command and store.run(command) == 0
    assert store.trip(*(("EXISTS", name) for name in names)) == [0, 0]


def test_fifty_pages_at_once_note_all_that_they_show(store: Db, posts: list[int]) -> None:
    uid = store.read(uid_by_login("wren"))
    commands = [seen.mark_shown(uid, seen.NOTHING_SEEN, range(one, one + 20)) for one in range(50)]
    store.trip(*(one for one in commands if one))
    later(store, uid)
    assert all(map(store.read(seen.seen_posts(uid)).is_seen, range(69)))
