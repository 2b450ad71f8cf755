"""Searching posts at the store: what is found, by whom, and in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.schema import live_keys
from tests.support.searching import latest, post
from tests.support.timeline_events import event
from webapp.accounts import lifecycle, profile
from webapp.accounts import store as accounts
from webapp.config import Config
from webapp.core.events.outbox import Context
from webapp.core.search.syntax import parse
from webapp.core.store.client import Db
from webapp.core.text.parser import parse as parse_text
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.search import keys
from webapp.search import posts as search
from webapp.search.index import bookmark_projections, projections
from webapp.search.query import store as queries
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.interactions import bookmarks, boosts, likes
from webapp.statuses.status import Status
from webapp.statuses.values.poll import Poll
from webapp.statuses.values.visibility import Visibility


def top(db: Db, config: Config, query: str) -> list[int]:
    """Return the ids of the first page of what ranks highest."""
    results = search.search_top(db, config, parse(query).plan, None)
    return [status.id for status in results.page.items]


def own(db: Db, config: Config, query: str, viewer: int) -> list[int]:
    """Return the ids that a member finds among their own posts."""
    member = db.read(accounts.get(viewer))
    assert member
    page = search.search_own(db, config, parse(query).plan, member).page
    return [status.id for status in page.items]


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
        ("https://www.example.org/other", [3]),
        ("＃birds", [2]),
        ("nothing", []),
        ("until:2026-01-02", []),
        ("from:ann since:2026-01-02", [0]),
    ],
)
def test_queries_find_what_they_say(
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    query: str,
    expected: list[int],
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    texts = [
        (ann, "A grey heron stood by the river this morning"),
        (ben, "Two herons were flying over our house today"),
        (ben, "A red kite for @ann, look at these beautiful #Birds"),
        (ben, "The price of $GOLD is on https://www.example.org/gold today"),
        (cat, "我的手机壳很好看"),
        (cat, "To be or not to be, that is the question at the café"),
        (cat, "She told her neighbour about the weather in the mountains"),
        (cat, "Die Katze schläft heute den ganzen Tag auf dem warmen Sofa"),
    ]
    ids = [post(db, config, uid, text) for uid, text in texts]
    apply_events()
    assert latest(db, config, query) == [ids[place] for place in reversed(expected)]


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
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    query: str,
    expected: list[int],
) -> None:
    [ann] = people("ann")
    texts = [
        "I don’t know",
        "I dont know",
        "Une rivière d'eau claire, voilà l’eau que j'aime",
        "Ann O'Brien sings",
        "#İstanbul",
        "they co\xadoperate",
        "Linnet™",
    ]
    ids = [post(db, config, ann, text) for text in texts]
    apply_events()
    assert latest(db, config, query) == [ids[place] for place in reversed(expected)]


def test_kinds_of_posts_are_found(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    first = post(db, config, ann, "Where do swifts sleep?", poll=Poll(("On a roof", "Aloft"), 60))
    apply_events()
    reply = post(db, config, ben, "They sleep while flying", reply=first)
    quote = post(db, config, ben, "A good question", quote=first)
    apply_events()
    assert latest(db, config, "is:reply") == [reply]
    assert latest(db, config, "to:ann") == [reply]
    assert latest(db, config, "is:quote") == [quote]
    assert latest(db, config, "has:poll") == [first]
    assert latest(db, config, "aloft") == [first]
    assert latest(db, config, "sleep -is:reply") == [first]


def test_pages_hold_each_post_once(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    config = replace(config, page_size=3)
    uids = people(*(f"member{number}" for number in range(5)))
    ids = [post(db, config, uid, f"post number {n} of heron") for n in range(6) for uid in uids]
    apply_events()
    assert latest(db, config, "heron") == sorted(ids, reverse=True)
    assert latest(db, config, "heron from:member3") == ids[3::5][::-1]


def test_edits_and_deletions_are_found_as_they_are(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    edited, deleted = (post(db, config, ann, "a grey heron") for _ in range(2))
    apply_events()
    editing.edit(db, config, ann, edited, parse_text("a black stork"), "", "")
    statuses.delete(db, config, ann, deleted)
    apply_events()
    assert latest(db, config, "heron") == []
    assert latest(db, config, "stork") == [edited]


def test_only_public_posts_of_others_are_found(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    ids = {one: post(db, config, ann, "heron", visibility=one) for one in Visibility}
    apply_events()
    assert latest(db, config, "heron") == [ids[Visibility.PUBLIC]]
    assert latest(db, config, "heron", ben) == [ids[Visibility.PUBLIC]]
    assert own(db, config, "heron", ann) == sorted(ids.values(), reverse=True)
    assert own(db, config, "heron", ben) == []


def test_members_find_what_they_bookmarked(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    apply_events()
    public, restricted = (
        post(db, config, ann, "grey heron", visibility=one)
        for one in (Visibility.PUBLIC, Visibility.FOLLOWERS)
    )
    for status_id in (public, restricted):
        bookmarks.bookmark(db, config, ben, status_id)
    apply_events()
    assert own(db, config, "heron", ben) == [restricted, public]
    assert own(db, config, "stork", ben) == []
    bookmarks.unbookmark(db, config, ben, public)
    following.unfollow(db, config, ben, "ann")
    apply_events()
    assert own(db, config, "heron", ben) == []
    following.follow(db, config, ben, "ann")
    assert own(db, config, "heron", ben) == [restricted]
    lifecycle.delete_account(db, config, ben, None)
    apply_events()
    assert not [key for key in _index_keys(db) if f":saved{ben}:" in key]
    assert db.trip(*(("EXISTS", keys.bookmarkers(one)) for one in (public, restricted))) == [0, 0]


def test_edits_and_deletions_reach_those_who_bookmarked(
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(bookmark_projections, "BATCH", 2)
    ann, *readers = people("ann", *(f"reader{number}" for number in range(5)))
    edited, deleted = (post(db, config, ann, "a grey heron") for _ in range(2))
    for uid in readers:
        for status_id in (edited, deleted):
            bookmarks.bookmark(db, config, uid, status_id)
    apply_events()
    assert own(db, config, "heron", readers[0]) == [deleted, edited]
    bookmarks.unbookmark(db, config, readers[4], edited)
    editing.edit(db, config, ann, edited, parse_text("a black stork"), "", "")
    statuses.delete(db, config, ann, deleted)
    apply_events()
    for uid in readers[:4]:
        assert own(db, config, "heron", uid) == []
        assert own(db, config, "stork", uid) == [edited]
    assert own(db, config, "stork", readers[4]) == []
    records = [key for key in _index_keys(db) if ":saved" in key and ":record:" in key]
    assert len(records) == 4
    assert not db.run(("EXISTS", keys.bookmarkers(deleted)))
    assert set(db.run(("ZRANGE", keys.bookmarkers(edited), 0, -1))) == set(map(str, readers[:4]))


def test_an_edit_between_a_bookmarks_read_and_its_write_is_found(
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ann, ben = people("ann", "ben")
    edited = post(db, config, ann, "a grey heron")
    apply_events()
    bookmarks.bookmark(db, config, ben, edited)
    read_document, edits = bookmark_projections.status_document, iter([True])

    def edit_first(status: Status) -> object:
        if next(edits, False):
            editing.edit(db, config, ann, edited, parse_text("a black stork"), "", "")
        return read_document(status)

    monkeypatch.setattr(bookmark_projections, "status_document", edit_first)
    bookmarked = event(db, "bookmarked", ben, edited)
    projections_context = Context(db, config, lambda: None)
    bookmark_projections.index_bookmarks(projections_context, [bookmarked])
    assert own(db, config, "stork", ben) == [edited]
    assert own(db, config, "heron", ben) == []


def test_a_deleted_account_leaves_nothing_with_those_who_bookmarked(
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("POSTS_BATCH", "OWNERS_BATCH"):
        monkeypatch.setattr(bookmark_projections, name, 2)
    ann, *readers = people("ann", *(f"reader{number}" for number in range(5)))
    ids = [post(db, config, ann, f"heron {number}") for number in range(3)]
    ids.append(post(db, config, ann, "heron, too", reply=ids[0]))
    for uid in readers:
        for status_id in ids:
            bookmarks.bookmark(db, config, uid, status_id)
    apply_events()
    assert len(own(db, config, "heron", readers[0])) == 4
    lifecycle.delete_account(db, config, ann, None)
    apply_events()
    assert [key for key in _index_keys(db) if ":saved" in key] == []
    assert not [key for key in live_keys(db) if key.startswith("bookmarkers:")]


def test_bookmarks_are_found_by_their_counts(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    plain, liked = (post(db, config, ann, "a grey heron") for _ in range(2))
    apply_events()
    for status_id in (plain, liked):
        bookmarks.bookmark(db, config, ben, status_id)
    likes.like(db, config, cat, liked)
    boosts.boost(db, config, cat, liked)
    apply_events()
    assert own(db, config, "heron min_likes:1", ben) == [liked]
    assert own(db, config, "min_boosts:1", ben) == [liked]
    assert own(db, config, "heron min_likes:2", ben) == []
    assert own(db, config, "heron min_likes:0", ben) == [liked, plain]


def test_ones_own_restricted_posts_are_found_by_their_likes(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    plain, liked = (
        post(db, config, ann, "a grey heron", visibility=Visibility.FOLLOWERS) for _ in range(2)
    )
    likes.like(db, config, ben, liked)
    apply_events()
    assert own(db, config, "heron min_likes:1", ann) == [liked]
    assert own(db, config, "heron min_likes:2", ann) == []
    assert own(db, config, "heron min_likes:0", ann) == [liked, plain]
    assert own(db, config, "heron min_boosts:1", ann) == []


def test_hidden_replies_do_not_rank_a_post(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat, dan = people("ann", "ben", "cat", "dan")
    answered, whispered = (post(db, config, ann, "heron") for _ in range(2))
    post(db, config, ben, "indeed", reply=answered)
    for uid in (ben, cat, dan):
        post(db, config, uid, "psst", reply=whispered, visibility=Visibility.MENTIONED)
    lifecycle.protect(db, config, dan)
    post(db, config, dan, "indeed", reply=whispered)
    likes.like(db, config, ben, whispered)
    apply_events()
    _apply_counts(db, config, ann, (answered, whispered))
    assert top(db, config, "heron") == [answered, whispered]


def test_posts_keep_their_rank_when_their_author_comes_back(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    liked, newer = (post(db, config, ann, "heron") for _ in range(2))
    apply_events()
    likes.like(db, config, ben, liked)
    apply_events()
    for protected in (True, False):
        lifecycle.protect(db, config, ann, protected)
        apply_events()
    assert top(db, config, "heron") == [liked, newer]
    assert latest(db, config, "heron min_likes:1") == [liked]


@pytest.mark.parametrize("changes_before_indexing", [True, False])
@pytest.mark.parametrize("act", ["protect", "suspend", "hide"])
def test_members_leave_the_results_and_come_back(
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    act: str,
    changes_before_indexing: bool,
) -> None:
    ann, ben = people("ann", "ben")
    ids = [post(db, config, ann, f"heron {number}") for number in range(3)]
    following.follow(db, config, ben, "ann")
    if not changes_before_indexing:
        apply_events()
    changes = {
        "protect": lambda on: lifecycle.protect(db, config, ann, on),
        "suspend": lambda on: lifecycle.suspend(db, config, ann, on),
        "hide": lambda on: profile.edit(db, config, ann, {"hidden_from_search": "1" * on}),
    }
    changes[act](True)
    assert latest(db, config, "heron") == latest(db, config, "heron", ben) == []
    apply_events()
    assert latest(db, config, "heron") == []
    assert not [key for key in _index_keys(db) if ":posts:" in key]
    assert own(db, config, "heron", ann) == ids[::-1] or act == "suspend"
    changes[act](False)
    apply_events()
    assert latest(db, config, "heron") == ids[::-1]


def test_deleted_accounts_leave_nothing_in_the_index(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    for visibility in Visibility:
        post(db, config, ann, "grey heron #birds", visibility=visibility)
    apply_events()
    assert _index_keys(db)
    lifecycle.delete_account(db, config, ann, None)
    apply_events()
    assert _index_keys(db) == []


def test_blocks_hide_results_from_both(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    ids = [post(db, config, uid, "heron") for uid in (ann, ben)]
    apply_events()
    blocks.block(db, config, ben, "ann")
    assert latest(db, config, "heron", ben) == [ids[1]]
    apply_events()
    assert latest(db, config, "heron", ben) == [ids[1]]
    assert latest(db, config, "heron", ann) == [ids[0]]
    assert latest(db, config, "heron") == sorted(ids, reverse=True)


def test_top_ranks_by_likes_boosts_and_distinct_repliers(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, *others = people("ann", "ben", "cat", "dan")
    plain, liked, boosted, answered = (post(db, config, ann, "heron") for _ in range(4))
    apply_events()
    for uid in others[:2]:
        likes.like(db, config, uid, liked)
    for uid in others:
        boosts.boost(db, config, uid, boosted)
    for _ in range(4):  # one member counts once
        post(db, config, others[0], "indeed", reply=answered)
    apply_events()
    _apply_counts(db, config, ann, (plain, liked, boosted, answered))
    assert top(db, config, "heron") == [boosted, answered, liked, plain]
    assert latest(db, config, "heron min_likes:2") == [liked]
    assert latest(db, config, "heron min_boosts:3") == [boosted]


def test_a_shard_keeps_the_newest_posts(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    config = replace(config, search_max=48)
    [ann] = people("ann")
    ids = []
    for number in range(5):
        ids.append(post(db, config, ann, f"heron number{number}"))
        _index(db, config, ann, ids[-1])
    assert latest(db, config, "heron") == ids[:1:-1]
    assert latest(db, config, "number1") == []


def test_a_query_that_must_look_at_everything_says_where_it_stopped(
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(queries, "SCAN_MAX", 1)
    [ann] = people("ann")
    found = post(db, config, ann, "我的手机壳很好看")
    for number in range(250):
        post(db, config, ann, f"sparrow {number}")
    apply_events()
    results = search.search_latest(db, config, parse("的").plan, None)
    assert results.is_partial
    assert results.page.items == ()
    assert latest(db, config, "的") == [found]


def _index(db: Db, config: Config, uid: int, status_id: int) -> None:
    """Index a post at once, under the present lease of its partition."""
    at_once = event(db, "posted", uid, status_id)
    posted = replace(at_once, data={**at_once.data, "login": "ann", "searchable": "1"})
    projections.index_statuses(Context(db, config, lambda: None), [posted])


def _apply_counts(db: Db, config: Config, uid: int, ids: tuple[int, ...]) -> None:
    """Note the counts of posts, as the event that a second later tells open pages does."""
    counted = [event(db, "counted", uid, status_id) for status_id in ids]
    projections.index_counts(Context(db, config, lambda: None), counted)


def _index_keys(db: Db) -> list[str]:
    return sorted(key for key in live_keys(db) if key.startswith("search:"))
