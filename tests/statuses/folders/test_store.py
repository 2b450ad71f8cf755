"""Bookmark folders in the store: sorting posts, limits, and what becomes of them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.conftest import PASSWORD, ApplyEvents, People
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.interactions import bookmarked_ids, post
from webapp.accounts import lifecycle
from webapp.core.errors import Conflict, Forbidden, NotFound, Refused
from webapp.core.events import keys as event_keys
from webapp.core.site import Site
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import parse
from webapp.search import keys as search_keys
from webapp.statuses import store as statuses
from webapp.statuses.folders import keys, store
from webapp.statuses.interactions import bookmarks
from webapp.statuses.values.visibility import Visibility


def ids_in(site: Site, uid: int, number: int) -> list[int]:
    """Return the ids of all pages of a folder, two posts a page."""
    found, cursor = list[int](), None
    while True:
        folder, ids = site.db.read(store.newest_in_folder(uid, number, cursor, 2))
        assert folder.number == number
        page = store.folder_page(site.db, uid, number, ids, 2)
        found += [status.id for status in page.items]
        if (cursor := page.next) is None:
            return found


def create(site: Site, uid: int, *folder_names: str) -> list[int]:
    """Create folders without posts, and return their numbers."""
    status_id = post(site, uid, "sorted and taken out")
    numbers = [store.sort(site, uid, status_id, {}, name) for name in folder_names]
    store.sort(site, uid, status_id, dict.fromkeys(numbers, False))
    bookmarks.unbookmark(site, uid, status_id)
    return numbers


def names(site: Site, uid: int) -> list[str]:
    return [folder.name for folder in site.db.read(store.folders_of(uid))]


def test_posts_are_sorted_into_folders_and_bookmarked(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    ids = [post(site, ann, f"text {number}") for number in range(5)]
    birds, soups = create(site, ben, "Birds", "soups")
    for status_id in (ids[3], ids[0], ids[4]):
        store.sort(site, ben, status_id, {birds: True, soups: False})
    store.sort(site, ben, ids[0], {birds: True, soups: True})  # keeps its place
    nests = store.sort(site, ben, ids[1], {}, "Nests")
    assert names(site, ben) == ["Birds", "Nests", "soups"]
    assert ids_in(site, ben, birds) == [ids[4], ids[0], ids[3]]
    assert ids_in(site, ben, soups) == [ids[0]]
    assert ids_in(site, ben, nests) == [ids[1]]
    folders = site.db.read(store.folders_of(ben))
    assert store.numbers_with(site.db, ben, ids[0], folders) == {birds, soups}
    assert bookmarked_ids(site.db, ben) == [ids[1], ids[4], ids[0], ids[3]]
    apply_events()
    assert site.db.run(("EXISTS", search_keys.bookmarkers(ids[4]))), "search finds it"
    store.sort(site, ben, ids[4], {birds: False})
    assert ids_in(site, ben, birds) == [ids[0], ids[3]]
    assert ids[4] in bookmarked_ids(site.db, ben), "it stays bookmarked"
    store.sort(site, ben, ids[2], {birds: False})
    assert ids[2] not in bookmarked_ids(site.db, ben), "removing bookmarks nothing"


def test_a_removed_bookmark_leaves_all_folders_and_a_deleted_folder_no_bookmark(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    one, other = (post(site, ann, text) for text in ("one", "other"))
    birds, soups = create(site, ben, "Birds", "Soups")
    for status_id in (one, other):
        store.sort(site, ben, status_id, {birds: True, soups: True})
    bookmarks.unbookmark(site, ben, one)
    assert ids_in(site, ben, birds) == ids_in(site, ben, soups) == [other]
    bookmarks.bookmark(site, ben, one)
    assert ids_in(site, ben, birds) == [other], "it does not come back"
    store.rename(site.db, ben, birds, "Wings")
    store.delete(site.db, ben, soups)
    assert names(site, ben) == ["Wings"] and bookmarked_ids(site.db, ben) == [one, other]
    assert create(site, ben, "Soups") == [soups + 1], "no number is used again"
    statuses.delete(site, ann, other)
    assert ids_in(site, ben, birds) == []
    assert not site.db.run(("EXISTS", keys.folder_statuses(ben, birds))), "it was removed"


def test_refused_choices_change_nothing(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    bounded = with_settings(site, folders_max=2, folder_statuses_max=1, bookmarks_max=2)
    ids = [post(site, ann, f"text {number}") for number in range(3)]
    hidden = statuses.post(site, ann, parse("secret"), "form", visibility=Visibility.MENTIONED)
    first, second = create(bounded, ben, "one", "two")
    store.sort(bounded, ben, ids[0], {first: True})
    refused: list[tuple[type[Refused], str, Callable[[], object]]] = [
        (Conflict, "folder_named", lambda: store.sort(bounded, ben, ids[1], {second: True}, "one")),
        (Conflict, "folder_named", lambda: store.rename(site.db, ben, second, "one")),
        (NotFound, "no_folder", lambda: store.rename(site.db, ben, 9, "three")),
        (NotFound, "no_folder", lambda: store.rename(site.db, ann, first, "three")),
        (NotFound, "no_folder", lambda: store.delete(site.db, ben, 9)),
        (NotFound, "no_folder", lambda: store.delete(site.db, ann, first)),
        (NotFound, "no_folder", lambda: store.sort(bounded, ben, ids[1], {second: True, 9: True})),
        (NotFound, "no_folder", lambda: store.sort(bounded, ann, ids[1], {first: True})),
        (NotFound, "no_status", lambda: store.sort(bounded, ben, hidden, {second: True})),
        (Conflict, "folders_full", lambda: store.sort(bounded, ben, ids[1], {second: True}, "x")),
        (
            Conflict,
            "folder_full",
            lambda: store.sort(bounded, ben, ids[1], {second: True, 1: True}),
        ),
    ]
    for error, code, act in refused:
        with pytest.raises(error) as refusal:
            act()
        assert refusal.value.code == code
    store.rename(site.db, ben, first, "one")  # its own name
    assert bookmarked_ids(site.db, ben) == [ids[0]] and ids_in(site, ben, second) == []
    bookmarks.bookmark(bounded, ben, ids[1])
    with pytest.raises(Conflict, match="bookmarks"):
        store.sort(bounded, ben, ids[2], {second: True})
    lifecycle.suspend(site, ben)
    with pytest.raises(Forbidden):
        store.sort(site, ben, ids[1], {}, "three")
    assert names(site, ben) == ["one", "two"]


def test_fifty_at_once_stay_within_the_limits(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    bounded = with_settings(site, folders_max=3, folder_statuses_max=5)
    ids = [post(site, ann, f"text {number}") for number in range(10)]
    [number] = create(bounded, ben, "Birds")

    def act(turn: int) -> None:
        status_id = ids[turn % 10]
        try:
            if turn % 5 == 4:
                bookmarks.unbookmark(bounded, ben, status_id)
            else:
                name = f"folder {turn}" if turn % 2 else ""
                store.sort(bounded, ben, status_id, {number: True}, name)
        except Conflict:
            pass

    with ThreadPoolExecutor(50) as threads:
        list(threads.map(act, range(50)))
    kept = set(bookmarked_ids(site.db, ben))
    assert len(names(site, ben)) <= 3
    for folder in site.db.read(store.folders_of(ben)):
        found = ids_in(site, ben, folder.number)
        assert len(found) <= 5 and set(found) <= kept


def test_folders_are_private_and_end_with_the_account(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    status_id = post(site, ann)
    apply_events()
    bookmarks.bookmark(site, ben, status_id)
    apply_events()
    before = set(live_keys(site.db))
    number = store.sort(site, ben, status_id, {}, "Birds")
    own = {keys.folders(ben), keys.folder_statuses(ben, number)}
    assert set(live_keys(site.db)) - before == own
    assert site.db.run(("XLEN", event_keys.outbox(partition_of(ben)))) == 0, "no event"
    lifecycle.delete_account(site, ben, PASSWORD)
    apply_events()
    assert own.isdisjoint(live_keys(site.db))
    with pytest.raises(NotFound):
        store.sort(site, ben, status_id, {number: True})
