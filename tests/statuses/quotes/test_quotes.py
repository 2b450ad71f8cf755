"""Quotes in the store: permissions, cards, detaching, lists of quotes, and races."""

from datetime import UTC, datetime
from functools import partial

import pytest

from tests.support import paging, worker
from tests.support.concurrently import at_once, together
from tests.support.events import event_types, waiting_events
from tests.support.notified import notified, unread
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.quotes import DETACHED, GONE, card_state, quoting_ids, seen_card
from tests.support.timelines import home_timeline
from tests.support.world import World, post
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.accounts.store import get_or_404
from webapp.core.errors import Conflict, NotFound
from webapp.core.store.ids import MAX_ID
from webapp.core.text.parser import parse
from webapp.statuses import Filter, FilterSet, store as statuses
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing
from webapp.statuses.interactions import bookmarks
from webapp.statuses.quotes import keys as quote_keys, listing, store as quotes
from webapp.statuses.threads import store as threads
from webapp.statuses.values.visibility import WIDEST_FIRST
from webapp.timelines import store as timelines
from webapp.timelines.profile import ProfileQuery, profile_page


def test_quotes_are_counted_listed_notified_and_deleted(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    quoted = post(world, ann)
    quote_ids = [post(world, uid, f"look {uid} @ann", quote=quoted) for uid in (ben, cid, ann)]
    world.apply_events()
    assert quoting_ids(world.db, quoted) == sorted(quote_ids)
    assert world.status(quoted).quotes == 3
    assert [
        status.id for status in listing.quotes_page(world.db, quoted, None, 30, None).page.items
    ] == sorted(quote_ids)[::-1]
    assert world.status(quote_ids[0]).quote == (quoted, ann)
    assert seen_card(world.db, quote_ids[0]) == quoted
    found = set(notified(world.db, ann))
    assert found == {("quote", cid, quote_ids[1]), ("quote", ben, quote_ids[0])}
    world.do(editing.edit, ben, quote_ids[0], parse("look again @ann"), "", "0")
    assert len(notified(world.db, ann)) == 2
    world.do(statuses.delete, ben, quote_ids[0])
    assert quoting_ids(world.db, quoted) == sorted(quote_ids[1:])
    assert notified(world.db, ann) == [("quote", cid, quote_ids[1])]
    world.do(statuses.delete, ann, quoted)
    assert not {quote_keys.quotes(quoted), quote_keys.detached_quotes(quoted)} & set(
        live_keys(world.db)
    )
    assert seen_card(world.db, quote_ids[1]) == seen_card(world.db, quote_ids[2]) == GONE
    with pytest.raises(NotFound):
        listing.quotes_page(world.db, quoted, None, 30, None)


def test_each_viewer_sees_a_card_for_their_relationship(world: World) -> None:
    ann, ben, cid, dan = world.people("ann", "ben", "cid", "dan")
    quoted = post(world, ann)
    quote = world.do(post, ben, "look", quote=quoted)
    world.mute(cid, "ann", 3_600)
    world.do(World.block, dan, "ann")
    expected = [quoted, quoted, quoted, -quoted, GONE]
    assert [seen_card(world.db, quote, uid) for uid in (None, ann, ben, cid, dan)] == expected
    quotes.detach(world, ann, quote)
    assert [seen_card(world.db, quote, uid) for uid in (None, ann, ben, cid, dan)] == [DETACHED] * 5
    quotes.reattach(world, ann, quote)
    assert seen_card(world.db, quote) == quoted
    world.suspend(ann, True)
    assert seen_card(world.db, quote, ben) == GONE
    world.suspend(ann, False)
    assert seen_card(world.db, quote, ben) == quoted
    editing.edit(world, ann, quoted, parse("other words"), "", "0")
    card = threads.thread(world.db, quote, ben, (), 10).viewer_state.quote_cards[quote]
    assert card.status and card.status.text == "other words"
    statuses.delete(world, ann, quoted)
    assert [seen_card(world.db, quote, uid) for uid in (None, ann, ben, cid)] == [GONE] * 4


def test_only_the_quoted_author_detaches_and_repeats_change_nothing(world: World) -> None:
    world = with_settings(world, detached_max=2)
    ann, ben = world.people("ann", "ben")
    quoted = post(world, ann)
    quote_ids = [post(world, ben, f"look {number}", quote=quoted) for number in range(3)]
    world.apply_events()
    for stranger in (ben, ben + 64):
        for action in (quotes.detach, quotes.reattach):
            world.refuses(NotFound, action, stranger, quote_ids[0])
    for quote in (quoted, MAX_ID):  # not a quote; not a status
        world.refuses(NotFound, quotes.detach, ann, quote)
    for action, count in (
        (quotes.detach, 1),
        (quotes.detach, 0),
        (quotes.reattach, 1),
        (quotes.reattach, 0),
    ):
        before = waiting_events(world.db, ann)
        action(world, ann, quote_ids[0])
        assert waiting_events(world.db, ann) - before == count
    for quote in quote_ids[:2]:
        quotes.detach(world, ann, quote)
    world.refuses(Conflict, quotes.detach, ann, quote_ids[2])
    world.do(statuses.delete, ben, quote_ids[0])
    assert world.db.run(("ZRANGE", quote_keys.detached_quotes(quoted), 0, -1)) == [
        str(quote_ids[1])
    ]  # deleted quotes make room
    quotes.detach(world, ann, quote_ids[2])
    assert quoting_ids(world.db, quoted) == quote_ids[1:]  # the list still has them


def test_restricted_quotes_are_not_listed_or_notified(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    quoted = post(world, ann)
    quote_ids = [
        post(world, ben, f"look {visibility.slug}", quote=quoted, visibility=visibility)
        for visibility in WIDEST_FIRST
    ]
    world.apply_events()
    assert quoting_ids(world.db, quoted) == quote_ids[:2]
    assert notified(world.db, ann) == [("quote", ben, quote) for quote in quote_ids[1::-1]]
    assert unread(world.db, ann) == 2
    for quote in quote_ids[2:]:
        world.refuses(NotFound, quotes.detach, ann, quote)
    world.follow(ann, "ben")
    quotes.detach(world, ann, quote_ids[2])
    assert seen_card(world.db, quote_ids[2], ann) == DETACHED
    for status_id in quote_ids:
        statuses.delete(world, ben, status_id)
    world.apply_events()
    assert quoting_ids(world.db, quoted) == []
    assert not world.db.run(("EXISTS", quote_keys.detached_quotes(quoted)))


def test_quotes_cost_pages_one_more_trip(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    world.follow(ben, "ann")
    plain = [post(world, ann, f"text {number} #song") for number in range(3)]
    viewer = world.db.read(get_or_404(ben))
    reads = (
        (lambda: home_timeline(world, ben), 2),
        (lambda: timelines.public(world, viewer=ben), 2),
        (lambda: timelines.tagged(world, "song", viewer=ben), 2),
        (lambda: profile_page(world, ProfileQuery("ann", viewer)), 3),
        (lambda: threads.thread(world.db, plain[0], ben, (), 10), 2),
        (lambda: bookmarks.bookmarks_page(world.db, ben, None, 30), 3),
    )

    def trips() -> list[int]:
        found = []
        for read, _ in reads:
            before = world.db.trips
            read()
            found.append(world.db.trips - before)
        return found

    world.do(bookmarks.bookmark, ben, plain[0])
    home_timeline(world, ben)
    assert trips() == [expected for _, expected in reads]
    for number in range(5):
        quoted = post(world, cid, f"about {number}")
        bookmarks.bookmark(world, ben, post(world, ann, f"look {number} #song", quote=quoted))
        world.post(ann, f"and {number}", reply=plain[0], quote=quoted)
        world.apply_events()
        assert trips() == [expected + 1 for _, expected in reads]
    for viewer in (ben, None):
        before = world.db.trips
        assert listing.quotes_page(world.db, quoted, None, 30, viewer).page.items
        assert world.db.trips - before == 2


def test_pages_of_quotes_omit_hidden_authors(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    quoted = post(world, ann)
    bens, cids = (
        [post(world, uid, f"look {number}", quote=quoted) for number in range(3)]
        for uid in (ben, cid)
    )
    world.apply_events()

    def walk(viewer: int | None) -> list[int]:
        return paging.ids(
            lambda before: listing.quotes_page(world.db, quoted, before, 2, viewer).page
        )

    assert walk(None) == sorted([*bens, *cids])[::-1]
    world.block(ann, "cid")
    assert walk(ann) == bens[::-1] and len(walk(None)) == 6
    world.suspend(cid, True)
    assert walk(None) == bens[::-1]
    assert listing.quotes_page(world.db, quoted, None, 2, ann).count == 6


def test_quotes_concurrent_with_deletion_leave_no_keys(world: World) -> None:
    ann, *members = world.people("ann", *(f"bird{number}" for number in range(4)))
    for _ in range(5):
        quoted = post(world, ann)
        acts = [partial(post, world, uid, "look", quote=quoted) for uid in members]
        quote_ids = together([*acts, partial(world.delete, ann, quoted)])[:-1]
        world.apply_events()
        assert not {quote_keys.quotes(quoted), quote_keys.detached_quotes(quoted)} & set(
            live_keys(world.db)
        )
        assert {seen_card(world.db, one) for one in quote_ids if one != "no_status"} <= {GONE}


def test_a_status_detached_before_projections_run_stays_detached(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    quoted = post(world, ann)
    quote = post(world, ben, "look", quote=quoted)
    at_once(8, lambda _: quotes.detach(world, ann, quote), range(20))
    assert event_types(world.db, ann).count("quote_detached") == 1
    world.apply_events()
    assert seen_card(world.db, quote) == DETACHED and quoting_ids(world.db, quoted) == [quote]


def test_deleting_an_account_deletes_its_quotes(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    quoted = post(world, ann)
    own_quote = post(world, ann, "see", quote=post(world, ben, "a song"))
    quote = world.do(post, ben, "look", quote=quoted)
    quotes.detach(world, ann, quote)
    world.do(World.delete_account, ben, None)
    assert quoting_ids(world.db, quoted) == []
    assert not world.db.run(("EXISTS", quote_keys.detached_quotes(quoted)))
    assert seen_card(world.db, own_quote) == GONE and notified(world.db, ann) == []
    world.do(World.delete_account, ann, None)
    assert not [
        key for key in live_keys(world.db) if key.startswith(("quotes:", "detached:", "status:"))
    ]


def test_a_form_key_posts_once_per_quoted_status(world: World) -> None:
    (ann,) = world.people("ann")
    quoted_ids = [None, *(post(world, ann, f"{number}") for number in range(2))]
    quote_ids = [
        statuses.post(world, ann, parse("look"), "one-form", quote=quoted)
        for quoted in (*quoted_ids, *quoted_ids)
    ]
    assert quote_ids[:3] == quote_ids[3:] and len(set(quote_ids)) == 3


def test_a_scheduled_quote_is_published_or_fails_with_a_code(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    open_status, closed = (
        post(world, ann),
        post(world, ann, "mine", quote_policy=QuotePolicy.NOBODY),
    )
    deleted = post(world, ann, "gone")
    statuses.delete(world, ann, deleted)
    for form, quoted, policy in (
        ("form-a", open_status, "followers"),
        ("form-b", closed, ""),
        ("form-c", deleted, ""),
    ):
        fields = {"text": form, "quote": str(quoted), "quote_policy": policy}
        drafts.save(world, ben, form, fields, datetime.now(UTC))
    drafts.save(
        world,
        ben,
        "form-d",
        {"text": "hm", "quote": "x", "quote_policy": "noise"},
        datetime.now(UTC),
    )
    world.do(worker.publish_due)
    (published,) = quoting_ids(world.db, open_status)
    assert world.status(published).quote_policy is QuotePolicy.FOLLOWERS
    failed = {draft.form_key: draft.error_code for draft in drafts.list_all(world.db, ben)[1]}
    expected = {"form-b": "quoted_by_nobody", "form-c": "no_status", "form-d": "draft_invalid"}
    assert failed == expected
    found = {draft.fields.get("quote") for draft in drafts.list_all(world.db, ben)[1]}
    assert found == {str(closed), str(deleted), "x"}


def test_an_opened_quote_shows_its_card_despite_filters(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    quoted = post(world, ann)
    quote = post(world, ben, "seeds", quote=quoted)
    filter_set = FilterSet([Filter("seeds", hide=True)], "thread", ann)
    assert (
        card_state(
            threads.thread(world.db, quote, ann, (), 10, filter_set).viewer_state.quote_cards[quote]
        )
        == quoted
    )
