"""Bookmark folders in the store: sorting posts, limits, and what becomes of them."""

from collections.abc import Callable

import pytest

from tests.conftest import PASSWORD
from tests.support.concurrently import at_once
from tests.support.events import waiting_events
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.interactions import bookmarked_ids
from tests.support.world import World, post
from webapp.core.errors import Conflict, Forbidden, NotFound, Refused
from webapp.core.store import Site
from webapp.search import keys as search_keys
from webapp.statuses import Visibility
from webapp.statuses.folders import keys, store
from webapp.statuses.interactions import bookmarks


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


def test_posts_are_sorted_into_folders_and_bookmarked(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    ids = [post(world, ann, f"text {number}") for number in range(5)]
    birds, soups = create(world, ben, "Birds", "soups")
    for status_id in (ids[3], ids[0], ids[4]):
        store.sort(world, ben, status_id, {birds: True, soups: False})
    store.sort(world, ben, ids[0], {birds: True, soups: True})  # keeps its place
    nests = store.sort(world, ben, ids[1], {}, "Nests")
    assert names(world, ben) == ["Birds", "Nests", "soups"]
    assert ids_in(world, ben, birds) == [ids[4], ids[0], ids[3]]
    assert ids_in(world, ben, soups) == [ids[0]]
    assert ids_in(world, ben, nests) == [ids[1]]
    folders = world.db.read(store.folders_of(ben))
    assert store.numbers_with(world.db, ben, ids[0], folders) == {birds, soups}
    assert bookmarked_ids(world.db, ben) == [ids[1], ids[4], ids[0], ids[3]]
    world.apply_events()
    assert world.db.run(("EXISTS", search_keys.bookmarkers(ids[4]))), "search finds it"
    store.sort(world, ben, ids[4], {birds: False})
    assert ids_in(world, ben, birds) == [ids[0], ids[3]]
    assert ids[4] in bookmarked_ids(world.db, ben), "it stays bookmarked"
    store.sort(world, ben, ids[2], {birds: False})
    assert ids[2] not in bookmarked_ids(world.db, ben), "removing bookmarks nothing"


def test_a_removed_bookmark_leaves_all_folders_and_a_deleted_folder_no_bookmark(
    world: World,
) -> None:
    ann, ben = world.people("ann", "ben")
    one, other = (post(world, ann, text) for text in ("one", "other"))
    birds, soups = create(world, ben, "Birds", "Soups")
    for status_id in (one, other):
        store.sort(world, ben, status_id, {birds: True, soups: True})
    bookmarks.unbookmark(world, ben, one)
    assert ids_in(world, ben, birds) == ids_in(world, ben, soups) == [other]
    bookmarks.bookmark(world, ben, one)
    assert ids_in(world, ben, birds) == [other], "it does not come back"
    store.rename(world.db, ben, birds, "Wings")
    store.delete(world.db, ben, soups)
    assert names(world, ben) == ["Wings"] and bookmarked_ids(world.db, ben) == [one, other]
    assert create(world, ben, "Soups") == [soups + 1], "no number is used again"
    world.delete(ann, other)
    assert ids_in(world, ben, birds) == []
    assert not world.db.run(("EXISTS", keys.folder_statuses(ben, birds))), "it was removed"


def test_refused_choices_change_nothing(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    bounded = with_settings(world, folders_max=2, folder_statuses_max=1, bookmarks_max=2)
    ids = [post(world, ann, f"text {number}") for number in range(3)]
    hidden = world.post(ann, "secret", visibility=Visibility.MENTIONED)
    first, second = create(bounded, ben, "one", "two")
    store.sort(bounded, ben, ids[0], {first: True})
    refused: list[tuple[type[Refused], str, Callable[[], object]]] = [
        (Conflict, "folder_named", lambda: store.sort(bounded, ben, ids[1], {second: True}, "one")),
        (Conflict, "folder_named", lambda: store.rename(world.db, ben, second, "one")),
        (NotFound, "no_folder", lambda: store.rename(world.db, ben, 9, "three")),
        (NotFound, "no_folder", lambda: store.rename(world.db, ann, first, "three")),
        (NotFound, "no_folder", lambda: store.delete(world.db, ben, 9)),
        (NotFound, "no_folder", lambda: store.delete(world.db, ann, first)),
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
        with pytest.raises(error, match=code):
            act()
    store.rename(world.db, ben, first, "one")  # its own name
    assert bookmarked_ids(world.db, ben) == [ids[0]] and ids_in(world, ben, second) == []
    bookmarks.bookmark(bounded, ben, ids[1])
    bounded.refuses(Conflict, store.sort, ben, ids[2], {second: True}, match="bookmarks")
    world.suspend(ben)
    world.refuses(Forbidden, store.sort, ben, ids[1], {}, "three")
    assert names(world, ben) == ["one", "two"]


def test_fifty_at_once_stay_within_the_limits(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    bounded = with_settings(world, folders_max=3, folder_statuses_max=5)
    ids = [post(world, ann, f"text {number}") for number in range(10)]
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

    at_once(50, act, range(50))
    kept = set(bookmarked_ids(world.db, ben))
    assert len(names(world, ben)) <= 3
    for folder in world.db.read(store.folders_of(ben)):
        found = ids_in(world, ben, folder.number)
        assert len(found) <= 5 and set(found) <= kept


def test_folders_are_private_and_end_with_the_account(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = world.do(post, ann)
    world.do(bookmarks.bookmark, ben, status_id)
    before = set(live_keys(world.db))
    number = store.sort(world, ben, status_id, {}, "Birds")
    own = {keys.folders(ben), keys.folder_statuses(ben, number)}
    assert set(live_keys(world.db)) - before == own
    assert waiting_events(world.db, ben) == 0, "no event"
    world.do(World.delete_account, ben, PASSWORD)
    assert own.isdisjoint(live_keys(world.db))
    world.refuses(NotFound, store.sort, ben, status_id, {number: True})
