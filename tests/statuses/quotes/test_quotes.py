"""Quotes in the store: permissions, cards, detaching, lists of quotes, and races."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from tests.conftest import ApplyEvents, People
from tests.support import worker
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.notified import notified, unread
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.statuses.quotes import DETACHED, GONE, card_state, post, quoting_ids, seen_card
from tests.support.timelines import home_timeline
from webapp.accounts import lifecycle
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.accounts.store import get_or_404
from webapp.core.errors import Conflict, NotFound
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.site import Site
from webapp.core.store.ids import MAX_ID, partition_of
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.statuses import store as statuses
from webapp.statuses.drafts import publishing
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing
from webapp.statuses.filters.filter_set import Filter, FilterSet
from webapp.statuses.interactions import bookmarks
from webapp.statuses.quotes import keys as quote_keys
from webapp.statuses.quotes import listing
from webapp.statuses.quotes import projections as quotes_projections
from webapp.statuses.quotes import store as quotes
from webapp.statuses.threads import store as threads
from webapp.statuses.values.visibility import WIDEST_FIRST
from webapp.timelines import store as timelines
from webapp.timelines.profile import ProfileQuery, profile_page


def test_quotes_are_counted_listed_notified_and_deleted(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    quoted = post(site, ann)
    quote_ids = [post(site, uid, f"look {uid} @ann", quoted) for uid in (ben, cid, ann)]
    apply_events()
    assert quoting_ids(site.db, quoted) == sorted(quote_ids)
    assert statuses.get(site.db, quoted).quotes == 3
    assert [
        status.id for status in listing.quotes_page(site.db, quoted, None, 30, None).page.items
    ] == sorted(quote_ids)[::-1]
    assert statuses.get(site.db, quote_ids[0]).quote == (quoted, ann)
    assert seen_card(site.db, quote_ids[0]) == quoted
    assert set(notified(site.db, ann)) == {
        ("quote", cid, quote_ids[1]),
        ("quote", ben, quote_ids[0]),
    }
    editing.edit(site, ben, quote_ids[0], parse("look again @ann"), "", "0")
    apply_events()
    assert len(notified(site.db, ann)) == 2
    statuses.delete(site, ben, quote_ids[0])
    apply_events()
    assert quoting_ids(site.db, quoted) == sorted(quote_ids[1:])
    assert notified(site.db, ann) == [("quote", cid, quote_ids[1])]
    statuses.delete(site, ann, quoted)
    apply_events()
    assert not {quote_keys.quotes(quoted), quote_keys.detached_quotes(quoted)} & set(
        live_keys(site.db)
    )
    assert seen_card(site.db, quote_ids[1]) == seen_card(site.db, quote_ids[2]) == GONE
    with pytest.raises(NotFound):
        listing.quotes_page(site.db, quoted, None, 30, None)


def test_each_viewer_sees_a_card_for_their_relationship(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid, dan = people("ann", "ben", "cid", "dan")
    quoted = post(site, ann)
    quote = post(site, ben, "look", quoted)
    apply_events()
    mutes.mute(site, cid, "ann", 3_600)
    blocks.block(site, dan, "ann")
    apply_events()
    assert [seen_card(site.db, quote, uid) for uid in (None, ann, ben, cid, dan)] == [
        quoted,
        quoted,
        quoted,
        -quoted,
        GONE,
    ]
    quotes.detach(site, ann, quote)
    assert [seen_card(site.db, quote, uid) for uid in (None, ann, ben, cid, dan)] == [DETACHED] * 5
    quotes.reattach(site, ann, quote)
    assert seen_card(site.db, quote) == quoted
    lifecycle.suspend(site, ann, True)
    assert seen_card(site.db, quote, ben) == GONE
    lifecycle.suspend(site, ann, False)
    assert seen_card(site.db, quote, ben) == quoted
    editing.edit(site, ann, quoted, parse("other words"), "", "0")
    card = threads.thread(site.db, quote, ben, (), 10).viewer_state.quote_cards[quote]
    assert card.status and card.status.text == "other words"
    statuses.delete(site, ann, quoted)
    assert [seen_card(site.db, quote, uid) for uid in (None, ann, ben, cid)] == [GONE] * 4


def test_only_the_quoted_author_detaches_and_repeats_change_nothing(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    site = with_settings(site, detached_max=2)
    ann, ben = people("ann", "ben")
    quoted, outbox = post(site, ann), event_keys.outbox(partition_of(ann))
    quote_ids = [post(site, ben, f"look {number}", quoted) for number in range(3)]
    apply_events()
    for stranger in (ben, ben + 64):
        for action in (quotes.detach, quotes.reattach):
            with pytest.raises(NotFound):
                action(site, stranger, quote_ids[0])
    for quote in (quoted, MAX_ID):  # not a quote; not a status
        with pytest.raises(NotFound):
            quotes.detach(site, ann, quote)
    for action, count in (
        (quotes.detach, 1),
        (quotes.detach, 0),
        (quotes.reattach, 1),
        (quotes.reattach, 0),
    ):
        before = site.db.run(("XLEN", outbox))
        action(site, ann, quote_ids[0])
        assert site.db.run(("XLEN", outbox)) - before == count
    for quote in quote_ids[:2]:
        quotes.detach(site, ann, quote)
    with pytest.raises(Conflict):
        quotes.detach(site, ann, quote_ids[2])
    statuses.delete(site, ben, quote_ids[0])
    apply_events()
    assert site.db.run(("ZRANGE", quote_keys.detached_quotes(quoted), 0, -1)) == [
        str(quote_ids[1])
    ]  # deleted quotes make room
    quotes.detach(site, ann, quote_ids[2])
    assert quoting_ids(site.db, quoted) == quote_ids[1:]  # the list still has them


def test_restricted_quotes_are_not_listed_or_notified(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    quoted = post(site, ann)
    quote_ids = [
        post(site, ben, f"look {visibility.slug}", quoted, visibility=visibility)
        for visibility in WIDEST_FIRST
    ]
    apply_events()
    assert quoting_ids(site.db, quoted) == quote_ids[:2]
    assert notified(site.db, ann) == [("quote", ben, quote) for quote in quote_ids[1::-1]]
    assert unread(site.db, ann) == 2
    for quote in quote_ids[2:]:
        with pytest.raises(NotFound):
            quotes.detach(site, ann, quote)
    following.follow(site, ann, "ben")
    quotes.detach(site, ann, quote_ids[2])
    assert seen_card(site.db, quote_ids[2], ann) == DETACHED
    for status_id in quote_ids:
        statuses.delete(site, ben, status_id)
    apply_events()
    assert quoting_ids(site.db, quoted) == []
    assert not site.db.run(("EXISTS", quote_keys.detached_quotes(quoted)))


def test_quotes_cost_pages_one_more_trip(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(site, ben, "ann")
    plain = [post(site, ann, f"text {number} #song") for number in range(3)]
    viewer = site.db.read(get_or_404(ben))
    reads = (
        (lambda: home_timeline(site, ben), 2),
        (lambda: timelines.public(site, viewer=ben), 2),
        (lambda: timelines.tagged(site, "song", viewer=ben), 2),
        (lambda: profile_page(site, ProfileQuery("ann", viewer)), 3),
        (lambda: threads.thread(site.db, plain[0], ben, (), 10), 2),
        (lambda: bookmarks.bookmarks_page(site.db, ben, None, 30), 3),
    )

    def trips() -> list[int]:
        found = []
        for read, _ in reads:
            before = site.db.trips
            read()
            found.append(site.db.trips - before)
        return found

    bookmarks.bookmark(site, ben, plain[0])
    apply_events()
    home_timeline(site, ben)
    assert trips() == [expected for _, expected in reads]
    for number in range(5):
        quoted = post(site, cid, f"about {number}")
        bookmarks.bookmark(site, ben, post(site, ann, f"look {number} #song", quoted))
        statuses.post(
            site, ann, parse(f"and {number}"), f"form-{number}-more", reply=plain[0], quote=quoted
        )
        apply_events()
        assert trips() == [expected + 1 for _, expected in reads]
    for viewer in (ben, None):
        before = site.db.trips
        assert listing.quotes_page(site.db, quoted, None, 30, viewer).page.items
        assert site.db.trips - before == 2


def test_pages_of_quotes_omit_hidden_authors(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    quoted = post(site, ann)
    bens, cids = (
        [post(site, uid, f"look {number}", quoted) for number in range(3)] for uid in (ben, cid)
    )
    apply_events()

    def walk(viewer: int | None) -> list[int]:
        found, before = list[int](), None
        while True:
            page = listing.quotes_page(site.db, quoted, before, 2, viewer).page
            found += [status.id for status in page.items]
            before = page.next
            if before is None:
                return found

    assert walk(None) == sorted([*bens, *cids])[::-1]
    blocks.block(site, ann, "cid")
    assert walk(ann) == bens[::-1] and len(walk(None)) == 6
    lifecycle.suspend(site, cid, True)
    assert walk(None) == bens[::-1]
    assert listing.quotes_page(site.db, quoted, None, 2, ann).count == 6


def test_quotes_concurrent_with_deletion_leave_no_keys(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, *members = people("ann", *(f"bird{number}" for number in range(4)))
    for _ in range(5):
        quoted = post(site, ann)

        def quote(uid: int, quoted: int = quoted) -> int | None:
            try:
                return post(site, uid, "look", quoted)
            except NotFound:
                return None

        with ThreadPoolExecutor(5) as pool:
            futures = [pool.submit(quote, uid) for uid in members]
            pool.submit(statuses.delete, site, ann, quoted).result()
            quote_ids = [future.result() for future in futures]
        apply_events()
        assert not {quote_keys.quotes(quoted), quote_keys.detached_quotes(quoted)} & set(
            live_keys(site.db)
        )
        assert {seen_card(site.db, quote_id) for quote_id in quote_ids if quote_id} <= {GONE}


def test_a_status_detached_before_projections_run_stays_detached(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    quoted = post(site, ann)
    quote = post(site, ben, "look", quoted)
    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(quotes.detach, site, ann, quote) for _ in range(20)]:
            future.result()
    events = [
        fields
        for _, fields in site.db.run(("XRANGE", event_keys.outbox(partition_of(ann)), "-", "+"))
    ]
    assert sum("quote_detached" in fields for fields in events) == 1
    apply_events()
    assert seen_card(site.db, quote) == DETACHED and quoting_ids(site.db, quoted) == [quote]


@pytest.mark.parametrize("step", range(3))
def test_a_retry_completes_a_projection_that_died_at_any_trip(
    site: Site, people: People, step: int
) -> None:
    ann, ben = people("ann", "ben")
    quoted = post(site, ann)
    quote = post(site, ben, "look", quoted)
    worker.drain(site)
    statuses.delete(site, ben, quote)
    data = {"id": str(quote), "author": str(ben), "quoted_id": str(quoted), "quoted_uid": str(ann)}
    event = Event("1-1", partition_of(ben), "log", 99, "deleted", "-", data)
    with_death = Context(CrashingDb(site.db, step), site.config, lambda: None)  # type: ignore[arg-type]
    try:
        quotes_projections.sync_quotes(with_death, [event])
    except Crashed:
        quotes_projections.sync_quotes(Context(site.db, site.config, lambda: None), [event])
    assert quoting_ids(site.db, quoted) == []


def test_deleting_an_account_deletes_its_quotes(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    quoted = post(site, ann)
    own_quote = post(site, ann, "see", post(site, ben, "a song"))
    quote = post(site, ben, "look", quoted)
    apply_events()
    quotes.detach(site, ann, quote)
    lifecycle.delete_account(site, ben, None)
    apply_events()
    assert quoting_ids(site.db, quoted) == []
    assert not site.db.run(("EXISTS", quote_keys.detached_quotes(quoted)))
    assert seen_card(site.db, own_quote) == GONE and notified(site.db, ann) == []
    lifecycle.delete_account(site, ann, None)
    apply_events()
    assert not [
        key for key in live_keys(site.db) if key.startswith(("quotes:", "detached:", "status:"))
    ]


def test_a_form_key_posts_once_per_quoted_status(site: Site, people: People) -> None:
    (ann,) = people("ann")
    quoted_ids = [None, *(post(site, ann, f"{number}") for number in range(2))]
    quote_ids = [
        statuses.post(site, ann, parse("look"), "one-form", quote=quoted)
        for quoted in (*quoted_ids, *quoted_ids)
    ]
    assert quote_ids[:3] == quote_ids[3:] and len(set(quote_ids)) == 3


def test_a_scheduled_quote_is_published_or_fails_with_a_code(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    open_status, closed = (
        post(site, ann),
        post(site, ann, "mine", quote_policy=QuotePolicy.NOBODY),
    )
    deleted = post(site, ann, "gone")
    statuses.delete(site, ann, deleted)
    for form, quoted, policy in (
        ("form-a", open_status, "followers"),
        ("form-b", closed, ""),
        ("form-c", deleted, ""),
    ):
        fields = {"text": form, "quote": str(quoted), "quote_policy": policy}
        drafts.save(site, ben, form, fields, datetime.now(UTC))
    drafts.save(
        site,
        ben,
        "form-d",
        {"text": "hm", "quote": "x", "quote_policy": "noise"},
        datetime.now(UTC),
    )
    publishing.publish_due(site, range(64))
    apply_events()
    (published,) = quoting_ids(site.db, open_status)
    assert statuses.get(site.db, published).quote_policy is QuotePolicy.FOLLOWERS
    failed = {draft.form_key: draft.error_code for draft in drafts.list_all(site.db, ben)[1]}
    assert failed == {
        "form-b": "quoted_by_nobody",
        "form-c": "no_status",
        "form-d": "draft_invalid",
    }
    assert {draft.fields.get("quote") for draft in drafts.list_all(site.db, ben)[1]} == {
        str(closed),
        str(deleted),
        "x",
    }


def test_an_opened_quote_shows_its_card_despite_filters(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    quoted = post(site, ann)
    quote = post(site, ben, "seeds", quoted)
    filter_set = FilterSet([Filter("seeds", hide=True)], "thread", ann)
    assert (
        card_state(
            threads.thread(site.db, quote, ann, (), 10, filter_set).viewer_state.quote_cards[quote]
        )
        == quoted
    )
