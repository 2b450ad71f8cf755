"""Searching posts at the store: what is found, by whom, and in which order."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.schema import live_keys
from tests.support.searching import latest, post
from tests.support.settings import with_settings
from tests.support.timeline_events import event
from webapp.accounts import lifecycle, profile
from webapp.accounts import store as accounts
from webapp.core.events.outbox import Context
from webapp.core.search.syntax import parse
from webapp.core.site import Site
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
from webapp.statuses.values.visibility import WIDEST_FIRST, Visibility


def top(site: Site, query: str) -> list[int]:
    """Return the ids of the first page of what ranks highest."""
    results = search.search_top(site, parse(query).plan, None)
    return [status.id for status in results.page.items]


def own(site: Site, query: str, viewer: int) -> list[int]:
    """Return the ids that a member finds among their own posts."""
    member = site.db.read(accounts.get(viewer))
    assert member
    page = search.search_own(site, parse(query).plan, member).page
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
def test_queries_find_what_they_say(
    site: Site, people: People, apply_events: ApplyEvents, query: str, expected: list[int]
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
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
    ids = [post(site, uid, text) for uid, text in texts]
    apply_events()
    assert latest(site, query) == [ids[place] for place in reversed(expected)]


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
    site: Site, people: People, apply_events: ApplyEvents, query: str, expected: list[int]
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
    ids = [post(site, ann, text) for text in texts]
    apply_events()
    assert latest(site, query) == [ids[place] for place in reversed(expected)]


def test_kinds_of_posts_are_found(site: Site, people: People, apply_events: ApplyEvents) -> None:
    ann, ben = people("ann", "ben")
    first = post(site, ann, "Where do swifts sleep?", poll=Poll(("On a roof", "Aloft"), 60))
    apply_events()
    reply = post(site, ben, "They sleep while flying", reply=first)
    quote = post(site, ben, "A good question", quote=first)
    apply_events()
    assert latest(site, "is:reply") == [reply]
    assert latest(site, "to:ann") == [reply]
    assert latest(site, "is:quote") == [quote]
    assert latest(site, "has:poll") == [first]
    assert latest(site, "aloft") == [first]
    assert latest(site, "sleep -is:reply") == [first]


def test_pages_hold_each_post_once(site: Site, people: People, apply_events: ApplyEvents) -> None:
    site = with_settings(site, page_size=3)
    uids = people(*(f"member{number}" for number in range(5)))
    ids = [post(site, uid, f"post number {n} of heron") for n in range(6) for uid in uids]
    apply_events()
    assert latest(site, "heron") == sorted(ids, reverse=True)
    assert latest(site, "heron from:member3") == ids[3::5][::-1]


def test_edits_and_deletions_are_found_as_they_are(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    edited, deleted = (post(site, ann, "a grey heron") for _ in range(2))
    apply_events()
    editing.edit(site, ann, edited, parse_text("a black stork"), "", "")
    statuses.delete(site, ann, deleted)
    apply_events()
    assert latest(site, "heron") == []
    assert latest(site, "stork") == [edited]


def test_only_public_posts_of_others_are_found(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    ids = {one: post(site, ann, "heron", visibility=one) for one in WIDEST_FIRST}
    apply_events()
    assert latest(site, "heron") == [ids[Visibility.PUBLIC]]
    assert latest(site, "heron", ben) == [ids[Visibility.PUBLIC]]
    assert own(site, "heron", ann) == sorted(ids.values(), reverse=True)
    assert own(site, "heron", ben) == []


def test_members_find_what_they_bookmarked(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    apply_events()
    public, restricted = (
        post(site, ann, "grey heron", visibility=one)
        for one in (Visibility.PUBLIC, Visibility.FOLLOWERS)
    )
    for status_id in (public, restricted):
        bookmarks.bookmark(site, ben, status_id)
    apply_events()
    assert own(site, "heron", ben) == [restricted, public]
    assert own(site, "stork", ben) == []
    bookmarks.unbookmark(site, ben, public)
    following.unfollow(site, ben, "ann")
    apply_events()
    assert own(site, "heron", ben) == []
    following.follow(site, ben, "ann")
    assert own(site, "heron", ben) == [restricted]
    lifecycle.delete_account(site, ben, None)
    apply_events()
    assert not [key for key in _index_keys(site.db) if f":saved{ben}:" in key]
    assert site.db.trip(*(("EXISTS", keys.bookmarkers(one)) for one in (public, restricted))) == [
        0,
        0,
    ]


def test_edits_and_deletions_reach_those_who_bookmarked(
    site: Site, people: People, apply_events: ApplyEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bookmark_projections, "BATCH", 2)
    ann, *readers = people("ann", *(f"reader{number}" for number in range(5)))
    edited, deleted = (post(site, ann, "a grey heron") for _ in range(2))
    for uid in readers:
        for status_id in (edited, deleted):
            bookmarks.bookmark(site, uid, status_id)
    apply_events()
    assert own(site, "heron", readers[0]) == [deleted, edited]
    bookmarks.unbookmark(site, readers[4], edited)
    editing.edit(site, ann, edited, parse_text("a black stork"), "", "")
    statuses.delete(site, ann, deleted)
    apply_events()
    for uid in readers[:4]:
        assert own(site, "heron", uid) == []
        assert own(site, "stork", uid) == [edited]
    assert own(site, "stork", readers[4]) == []
    records = [key for key in _index_keys(site.db) if ":saved" in key and ":record:" in key]
    assert len(records) == 4
    assert not site.db.run(("EXISTS", keys.bookmarkers(deleted)))
    assert set(site.db.run(("ZRANGE", keys.bookmarkers(edited), 0, -1))) == set(
        map(str, readers[:4])
    )


def test_an_edit_between_a_bookmarks_read_and_its_write_is_found(
    site: Site, people: People, apply_events: ApplyEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, ben = people("ann", "ben")
    edited = post(site, ann, "a grey heron")
    apply_events()
    bookmarks.bookmark(site, ben, edited)
    read_document, edits = bookmark_projections.status_document, iter([True])

    def edit_first(status: Status) -> object:
        if next(edits, False):
            editing.edit(site, ann, edited, parse_text("a black stork"), "", "")
        return read_document(status)

    monkeypatch.setattr(bookmark_projections, "status_document", edit_first)
    bookmarked = event(site.db, "bookmarked", ben, edited)
    projections_context = Context(site.db, site.config, lambda: None)
    bookmark_projections.index_bookmarks(projections_context, [bookmarked])
    assert own(site, "stork", ben) == [edited]
    assert own(site, "heron", ben) == []


def test_a_deleted_account_leaves_nothing_with_those_who_bookmarked(
    site: Site, people: People, apply_events: ApplyEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("POSTS_BATCH", "OWNERS_BATCH"):
        monkeypatch.setattr(bookmark_projections, name, 2)
    ann, *readers = people("ann", *(f"reader{number}" for number in range(5)))
    ids = [post(site, ann, f"heron {number}") for number in range(3)]
    ids.append(post(site, ann, "heron, too", reply=ids[0]))
    for uid in readers:
        for status_id in ids:
            bookmarks.bookmark(site, uid, status_id)
    apply_events()
    assert len(own(site, "heron", readers[0])) == 4
    lifecycle.delete_account(site, ann, None)
    apply_events()
    assert [key for key in _index_keys(site.db) if ":saved" in key] == []
    assert not [key for key in live_keys(site.db) if key.startswith("bookmarkers:")]


def test_bookmarks_are_found_by_their_counts(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    plain, liked = (post(site, ann, "a grey heron") for _ in range(2))
    apply_events()
    for status_id in (plain, liked):
        bookmarks.bookmark(site, ben, status_id)
    likes.like(site, cat, liked)
    boosts.boost(site, cat, liked)
    apply_events()
    assert own(site, "heron min_likes:1", ben) == [liked]
    assert own(site, "min_boosts:1", ben) == [liked]
    assert own(site, "heron min_likes:2", ben) == []
    assert own(site, "heron min_likes:0", ben) == [liked, plain]


def test_ones_own_restricted_posts_are_found_by_their_likes(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    plain, liked = (
        post(site, ann, "a grey heron", visibility=Visibility.FOLLOWERS) for _ in range(2)
    )
    likes.like(site, ben, liked)
    apply_events()
    assert own(site, "heron min_likes:1", ann) == [liked]
    assert own(site, "heron min_likes:2", ann) == []
    assert own(site, "heron min_likes:0", ann) == [liked, plain]
    assert own(site, "heron min_boosts:1", ann) == []


def test_hidden_replies_do_not_rank_a_post(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat, dan = people("ann", "ben", "cat", "dan")
    answered, whispered = (post(site, ann, "heron") for _ in range(2))
    post(site, ben, "indeed", reply=answered)
    for uid in (ben, cat, dan):
        post(site, uid, "psst", reply=whispered, visibility=Visibility.MENTIONED)
    lifecycle.protect(site, dan)
    post(site, dan, "indeed", reply=whispered)
    likes.like(site, ben, whispered)
    apply_events()
    _apply_counts(site, ann, (answered, whispered))
    assert top(site, "heron") == [answered, whispered]


def test_posts_keep_their_rank_when_their_author_comes_back(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    liked, newer = (post(site, ann, "heron") for _ in range(2))
    apply_events()
    likes.like(site, ben, liked)
    apply_events()
    for protected in (True, False):
        lifecycle.protect(site, ann, protected)
        apply_events()
    assert top(site, "heron") == [liked, newer]
    assert latest(site, "heron min_likes:1") == [liked]


@pytest.mark.parametrize("changes_before_indexing", [True, False])
@pytest.mark.parametrize("act", ["protect", "suspend", "hide"])
def test_members_leave_the_results_and_come_back(
    site: Site, people: People, apply_events: ApplyEvents, act: str, changes_before_indexing: bool
) -> None:
    ann, ben = people("ann", "ben")
    ids = [post(site, ann, f"heron {number}") for number in range(3)]
    following.follow(site, ben, "ann")
    if not changes_before_indexing:
        apply_events()
    changes = {
        "protect": lambda on: lifecycle.protect(site, ann, on),
        "suspend": lambda on: lifecycle.suspend(site, ann, on),
        "hide": lambda on: profile.edit(site, ann, {"hidden_from_search": "1" * on}),
    }
    changes[act](True)
    assert latest(site, "heron") == latest(site, "heron", ben) == []
    apply_events()
    assert latest(site, "heron") == []
    assert not [key for key in _index_keys(site.db) if ":posts:" in key]
    assert own(site, "heron", ann) == ids[::-1] or act == "suspend"
    changes[act](False)
    apply_events()
    assert latest(site, "heron") == ids[::-1]


def test_deleted_accounts_leave_nothing_in_the_index(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    [ann] = people("ann")
    for visibility in WIDEST_FIRST:
        post(site, ann, "grey heron #birds", visibility=visibility)
    apply_events()
    assert _index_keys(site.db)
    lifecycle.delete_account(site, ann, None)
    apply_events()
    assert _index_keys(site.db) == []


def test_blocks_hide_results_from_both(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    ids = [post(site, uid, "heron") for uid in (ann, ben)]
    apply_events()
    blocks.block(site, ben, "ann")
    assert latest(site, "heron", ben) == [ids[1]]
    apply_events()
    assert latest(site, "heron", ben) == [ids[1]]
    assert latest(site, "heron", ann) == [ids[0]]
    assert latest(site, "heron") == sorted(ids, reverse=True)


def test_top_ranks_by_likes_boosts_and_distinct_repliers(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, *others = people("ann", "ben", "cat", "dan")
    plain, liked, boosted, answered = (post(site, ann, "heron") for _ in range(4))
    apply_events()
    for uid in others[:2]:
        likes.like(site, uid, liked)
    for uid in others:
        boosts.boost(site, uid, boosted)
    for _ in range(4):  # one member counts once
        post(site, others[0], "indeed", reply=answered)
    apply_events()
    _apply_counts(site, ann, (plain, liked, boosted, answered))
    assert top(site, "heron") == [boosted, answered, liked, plain]
    assert latest(site, "heron min_likes:2") == [liked]
    assert latest(site, "heron min_boosts:3") == [boosted]


def test_a_shard_keeps_the_newest_posts(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    site = with_settings(site, search_max=48)
    [ann] = people("ann")
    ids = []
    for number in range(5):
        ids.append(post(site, ann, f"heron number{number}"))
        _index(site, ann, ids[-1])
    assert latest(site, "heron") == ids[:1:-1]
    assert latest(site, "number1") == []


def test_a_query_that_must_look_at_everything_says_where_it_stopped(
    site: Site, people: People, apply_events: ApplyEvents, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(queries, "SCAN_MAX", 1)
    [ann] = people("ann")
    found = post(site, ann, "我的手机壳很好看")
    for number in range(250):
        post(site, ann, f"sparrow {number}")
    apply_events()
    results = search.search_latest(site, parse("的").plan, None)
    assert results.is_partial
    assert results.page.items == ()
    assert latest(site, "的") == [found]


def _index(site: Site, uid: int, status_id: int) -> None:
    """Index a post at once, under the present lease of its partition."""
    at_once = event(site.db, "posted", uid, status_id)
    posted = replace(at_once, data={**at_once.data, "login": "ann", "searchable": "1"})
    projections.index_statuses(Context(site.db, site.config, lambda: None), [posted])


def _apply_counts(site: Site, uid: int, ids: tuple[int, ...]) -> None:
    """Note the counts of posts, as the event that a second later tells open pages does."""
    counted = [event(site.db, "counted", uid, status_id) for status_id in ids]
    projections.index_counts(Context(site.db, site.config, lambda: None), counted)


def _index_keys(db: Db) -> list[str]:
    return sorted(key for key in live_keys(db) if key.startswith("search:"))
