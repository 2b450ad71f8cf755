"""Searching posts at the store: what is found, by whom, and in which order."""

from dataclasses import replace

import pytest

from tests.support.events import current_event
from tests.support.schema import live_keys
from tests.support.searching import latest, own
from tests.support.settings import with_settings
from tests.support.world import World, post
from webapp.accounts import profile
from webapp.core.events.outbox import Context
from webapp.core.search.syntax import parse
from webapp.core.store import Db, Site
from webapp.core.text.parser import parse as parse_text
from webapp.search import keys, posts as search
from webapp.search.index import bookmark_projections, projections
from webapp.search.query import store as queries
from webapp.statuses import Poll, Status, Visibility
from webapp.statuses.edits import editing
from webapp.statuses.values.visibility import WIDEST_FIRST


def top(site: Site, query: str) -> list[int]:
    """Return the ids of the first page of what ranks highest."""
    results = search.search_top(site, parse(query).plan, None)
    return [status.id for status in results.page.items]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("herons", [0, 1]),
        ("HERON", [0, 1]),
        ("heron river", [0]),
        ('"grey heron"', [0]),
        ('"heron grey"', []),
        ("heron OR kite", [0, 1, 2]),
        ("heron -grey", [1]),
        ("-heron kite", [2]),
        ("#birds", [2]),
        ("birds", [2]),
        ("from:ann heron", [0]),
        ("from:Ben", [1, 2, 3]),
        ("mentions:ann", [2]),
        ("@ann", [0, 2]),
        ("$gold", [3]),
        ("url:example.org", [3]),
        ("item", []),
        ("has:link", [3]),
        ("has:link heron", []),
        ("lang:zh", [4]),
        ("手机壳", [4]),
        ("机壳很", [4]),
        ("机很", []),
        ("好", [4]),
        ('"to be or not to be"', [5]),
        ("café", [5]),
        ("cafe", [5]),
        ("her", [6]),
        ("die Katze", [7]),
        ("-her heron", [0, 1]),
        ("example.org", [3]),
        ("EXAMPLE.org OR kite", [2, 3]),
        ("-example.org $gold", []),
        ("example.org/gold", [3]),
        ("example.org/gold/", [3]),
        ("example.org/gold/R%C3%A9sum%C3%A9?id=7", [3]),
        ("example.org/gold/résumé", [3]),
        ("example.org/other", []),
        ("gold/résumé", []),
        ("url:example.org/gold", [3]),
        ("https://www.example.org/gold?id=7", []),
        ("https://www.example.org/gold", [3]),
        ("https://www.example.org/other", []),
        ("＃birds", [2]),
        ("nothing", []),
        ("until:2026-01-02", []),
        ("from:ann since:2026-01-02", [0]),
    ],
)
def test_queries_find_what_they_say(world: World, query: str, expected: list[int]) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    texts = [
        (ann, "A grey heron stood by the river this morning"),
        (ben, "Two herons were flying over our house today"),
        (ben, "A red kite for @ann, look at these beautiful #Birds"),
        (ben, "The price of $GOLD is on https://www.example.org/gold/résumé?id=7 today"),
        (cat, "我的手机壳很好看"),
        (cat, "To be or not to be, that is the question at the café"),
        (cat, "She told her neighbour about the weather in the mountains"),
        (cat, "Die Katze schläft heute den ganzen Tag auf dem warmen Sofa"),
    ]
    ids = [post(world, uid, text) for uid, text in texts]
    world.apply_events()
    assert latest(world, query) == [ids[place] for place in reversed(expected)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("dont", [0, 1]),
        ("don't", [0, 1]),
        ("don’t", [0, 1]),
        ('"i dont know"', [1]),
        ('"i don’t know"', [0, 1]),
        ("eau", [2]),
        ('"eau claire"', [2]),
        ("l'eau", [2]),
        ("obrien", [3]),
        ("O`Brien", [3]),
        ("istanbul", [4]),
        ("İSTANBUL", [4]),
        ("#istanbul", [4]),
        ("cooperate", [5]),
        ("linnet", [6]),
    ],
)
def test_words_are_found_in_all_ways_of_writing_them(
    world: World, query: str, expected: list[int]
) -> None:
    [ann] = world.people("ann")
    texts = [
        "I don’t know",
        "I dont know",
        "Une rivière d'eau claire, voilà l’eau que j'aime",
        "Ann O'Brien sings",
        "#İstanbul",
        "they co\xadoperate",
        "Linnet™",
    ]
    ids = [post(world, ann, text) for text in texts]
    world.apply_events()
    assert latest(world, query) == [ids[place] for place in reversed(expected)]


def test_kinds_of_posts_are_found(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    first = world.do(post, ann, "Where do swifts sleep?", poll=Poll(("On a roof", "Aloft"), 60))
    reply = post(world, ben, "They sleep while flying", reply=first)
    quote = world.do(post, ben, "A good question", quote=first)
    assert latest(world, "is:reply") == [reply]
    assert latest(world, "to:ann") == [reply]
    assert latest(world, "is:quote") == [quote]
    assert latest(world, "has:poll") == [first]
    assert latest(world, "aloft") == [first]
    assert latest(world, "sleep -is:reply") == [first]


def test_pages_hold_each_post_once(world: World) -> None:
    world = with_settings(world, page_size=3)
    uids = world.people(*(f"member{number}" for number in range(5)))
    ids = [post(world, uid, f"post number {n} of heron") for n in range(6) for uid in uids]
    world.apply_events()
    assert latest(world, "heron") == sorted(ids, reverse=True)
    assert latest(world, "heron from:member3") == ids[3::5][::-1]


def test_edits_and_deletions_are_found_as_they_are(world: World) -> None:
    [ann] = world.people("ann")
    edited, deleted = (post(world, ann, "a grey heron") for _ in range(2))
    world.apply_events()
    editing.edit(world, ann, edited, parse_text("a black stork"), "", "")
    world.do(World.delete, ann, deleted)
    assert latest(world, "heron") == []
    assert latest(world, "stork") == [edited]


def test_only_public_posts_of_others_are_found(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.follow(ben, "ann")
    ids = {one: post(world, ann, "heron", visibility=one) for one in WIDEST_FIRST}
    world.apply_events()
    assert latest(world, "heron") == [ids[Visibility.PUBLIC]]
    assert latest(world, "heron", ben) == [ids[Visibility.PUBLIC]]
    assert own(world, "heron", ann) == sorted(ids.values(), reverse=True)
    assert own(world, "heron", ben) == []


def test_members_find_what_they_bookmarked(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(World.follow, ben, "ann")
    public, restricted = (
        post(world, ann, "grey heron", visibility=one)
        for one in (Visibility.PUBLIC, Visibility.FOLLOWERS)
    )
    for status_id in (public, restricted):
        world.bookmark(ben, status_id)
    world.apply_events()
    assert own(world, "heron", ben) == [restricted, public]
    assert own(world, "stork", ben) == []
    world.unbookmark(ben, public)
    world.do(World.unfollow, ben, "ann")
    assert own(world, "heron", ben) == []
    world.follow(ben, "ann")
    assert own(world, "heron", ben) == [restricted]
    world.do(World.delete_account, ben, None)
    assert not [key for key in _index_keys(world.db) if f":saved{ben}:" in key]
    found = world.db.trip(*(("EXISTS", keys.bookmarkers(one)) for one in (public, restricted)))
    assert found == [0, 0]


def test_edits_and_deletions_reach_those_who_bookmarked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bookmark_projections, "BATCH", 2)
    ann, *readers = world.people("ann", *(f"reader{number}" for number in range(5)))
    edited, deleted = (post(world, ann, "a grey heron") for _ in range(2))
    for uid in readers:
        for status_id in (edited, deleted):
            world.bookmark(uid, status_id)
    world.apply_events()
    assert own(world, "heron", readers[0]) == [deleted, edited]
    world.unbookmark(readers[4], edited)
    editing.edit(world, ann, edited, parse_text("a black stork"), "", "")
    world.do(World.delete, ann, deleted)
    for uid in readers[:4]:
        assert own(world, "heron", uid) == []
        assert own(world, "stork", uid) == [edited]
    assert own(world, "stork", readers[4]) == []
    records = [key for key in _index_keys(world.db) if ":saved" in key and ":record:" in key]
    assert len(records) == 4
    assert not world.db.run(("EXISTS", keys.bookmarkers(deleted)))
    found = set(world.db.run(("ZRANGE", keys.bookmarkers(edited), 0, -1)))
    assert found == set(map(str, readers[:4]))


def test_an_edit_between_a_bookmarks_read_and_its_write_is_found(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = world.people("ann", "ben")
    edited = world.do(post, ann, "a grey heron")
    world.bookmark(ben, edited)
    read_document, edits = bookmark_projections.status_document, iter([True])

    def edit_first(status: Status) -> object:
        if next(edits, False):
            editing.edit(world, ann, edited, parse_text("a black stork"), "", "")
        return read_document(status)

    monkeypatch.setattr(bookmark_projections, "status_document", edit_first)
    bookmarked = current_event(world.db, "bookmarked", ben, id=edited, author=ben, uid=ben)
    projections_context = world.context
    bookmark_projections.index_bookmarks(projections_context, [bookmarked])
    assert own(world, "stork", ben) == [edited]
    assert own(world, "heron", ben) == []


def test_a_deleted_account_leaves_nothing_with_those_who_bookmarked(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("POSTS_BATCH", "OWNERS_BATCH"):
        monkeypatch.setattr(bookmark_projections, name, 2)
    ann, *readers = world.people("ann", *(f"reader{number}" for number in range(5)))
    ids = [post(world, ann, f"heron {number}") for number in range(3)]
    ids.append(post(world, ann, "heron, too", reply=ids[0]))
    for uid in readers:
        for status_id in ids:
            world.bookmark(uid, status_id)
    world.apply_events()
    assert len(own(world, "heron", readers[0])) == 4
    world.do(World.delete_account, ann, None)
    assert [key for key in _index_keys(world.db) if ":saved" in key] == []
    assert not [key for key in live_keys(world.db) if key.startswith("bookmarkers:")]


def test_bookmarks_are_found_by_their_counts(world: World) -> None:
    ann, ben, cat = world.people("ann", "ben", "cat")
    plain, liked = (post(world, ann, "a grey heron") for _ in range(2))
    world.apply_events()
    for status_id in (plain, liked):
        world.bookmark(ben, status_id)
    world.like(cat, liked)
    world.do(World.boost, cat, liked)
    assert own(world, "heron min_likes:1", ben) == [liked]
    assert own(world, "min_boosts:1", ben) == [liked]
    assert own(world, "heron min_likes:2", ben) == []
    assert own(world, "heron min_likes:0", ben) == [liked, plain]


def test_ones_own_restricted_posts_are_found_by_their_likes(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.follow(ben, "ann")
    plain, liked = (
        post(world, ann, "a grey heron", visibility=Visibility.FOLLOWERS) for _ in range(2)
    )
    world.do(World.like, ben, liked)
    assert own(world, "heron min_likes:1", ann) == [liked]
    assert own(world, "heron min_likes:2", ann) == []
    assert own(world, "heron min_likes:0", ann) == [liked, plain]
    assert own(world, "heron min_boosts:1", ann) == []


def test_hidden_replies_do_not_rank_a_post(world: World) -> None:
    ann, ben, cat, dan = world.people("ann", "ben", "cat", "dan")
    answered, whispered = (post(world, ann, "heron") for _ in range(2))
    post(world, ben, "indeed", reply=answered)
    for uid in (ben, cat, dan):
        post(world, uid, "psst", reply=whispered, visibility=Visibility.MENTIONED)
    world.protect(dan)
    post(world, dan, "indeed", reply=whispered)
    world.do(World.like, ben, whispered)
    _apply_counts(world, ann, (answered, whispered))
    assert top(world, "heron") == [answered, whispered]


def test_posts_keep_their_rank_when_their_author_comes_back(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    liked, newer = (post(world, ann, "heron") for _ in range(2))
    world.apply_events()
    world.do(World.like, ben, liked)
    for protected in (True, False):
        world.do(World.protect, ann, protected)
    assert top(world, "heron") == [liked, newer]
    assert latest(world, "heron min_likes:1") == [liked]


@pytest.mark.parametrize("changes_before_indexing", [True, False])
@pytest.mark.parametrize("act", ["protect", "suspend", "hide"])
def test_members_leave_the_results_and_come_back(
    world: World, act: str, changes_before_indexing: bool
) -> None:
    ann, ben = world.people("ann", "ben")
    ids = [post(world, ann, f"heron {number}") for number in range(3)]
    world.follow(ben, "ann")
    if not changes_before_indexing:
        world.apply_events()
    changes = {
        "protect": lambda on: world.protect(ann, on),
        "suspend": lambda on: world.suspend(ann, on),
        "hide": lambda on: profile.edit(world, ann, {"hidden_from_search": "1" * on}),
    }
    changes[act](True)
    assert latest(world, "heron") == latest(world, "heron", ben) == []
    world.apply_events()
    assert latest(world, "heron") == []
    assert not [key for key in _index_keys(world.db) if ":posts:" in key]
    assert own(world, "heron", ann) == ids[::-1] or act == "suspend"
    changes[act](False)
    world.apply_events()
    assert latest(world, "heron") == ids[::-1]


def test_blocks_hide_results_from_both(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    ids = [post(world, uid, "heron") for uid in (ann, ben)]
    world.apply_events()
    world.block(ben, "ann")
    assert latest(world, "heron", ben) == [ids[1]]
    world.apply_events()
    assert latest(world, "heron", ben) == [ids[1]]
    assert latest(world, "heron", ann) == [ids[0]]
    assert latest(world, "heron") == sorted(ids, reverse=True)


def test_top_ranks_by_likes_boosts_and_distinct_repliers(world: World) -> None:
    ann, *others = world.people("ann", "ben", "cat", "dan")
    plain, liked, boosted, answered = (post(world, ann, "heron") for _ in range(4))
    world.apply_events()
    for uid in others[:2]:
        world.like(uid, liked)
    for uid in others:
        world.boost(uid, boosted)
    for _ in range(4):  # one member counts once
        post(world, others[0], "indeed", reply=answered)
    world.apply_events()
    _apply_counts(world, ann, (plain, liked, boosted, answered))
    assert top(world, "heron") == [boosted, answered, liked, plain]
    assert latest(world, "heron min_likes:2") == [liked]
    assert latest(world, "heron min_boosts:3") == [boosted]


def test_a_shard_keeps_the_newest_posts(world: World) -> None:
    world = with_settings(world, search_max=48)
    [ann] = world.people("ann")
    ids = []
    for number in range(5):
        ids.append(post(world, ann, f"heron number{number}"))
        _index(world, ann, ids[-1])
    assert latest(world, "heron") == ids[:1:-1]
    assert latest(world, "number1") == []


def test_a_query_that_must_look_at_everything_says_where_it_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "SCAN_MAX", 1)
    [ann] = world.people("ann")
    found = post(world, ann, "我的手机壳很好看")
    for number in range(250):
        post(world, ann, f"sparrow {number}")
    world.apply_events()
    results = search.search_latest(world, parse("的").plan, None)
    assert results.is_partial
    assert results.page.items == ()
    assert latest(world, "的") == [found]


def _index(site: Site, uid: int, status_id: int) -> None:
    """Index a post at once, under the present lease of its partition."""
    at_once = current_event(site.db, "posted", uid, id=status_id, author=uid)
    posted = replace(at_once, data={**at_once.data, "login": "ann", "searchable": "1"})
    projections.index_statuses(Context(site.db, site.config, lambda: None), [posted])


def _apply_counts(site: Site, uid: int, ids: tuple[int, ...]) -> None:
    """Note the counts of posts, as the event that a second later tells open pages does."""
    counted = [
        current_event(site.db, "counted", uid, id=status_id, author=uid) for status_id in ids
    ]
    projections.index_counts(Context(site.db, site.config, lambda: None), counted)


def _index_keys(db: Db) -> list[str]:
    return sorted(key for key in live_keys(db) if key.startswith("search:"))
