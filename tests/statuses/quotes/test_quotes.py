"""Quotes at the store: who may quote what, what is shown of it to whom, and taking one's own out of a quote."""

from __future__ import annotations

import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.following.test_blocks import Dying, Killed
from tests.notifications.test_store import told, unread
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.timelines import home_timeline
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle, profile
from webapp.accounts.quote_policy import QuotePolicy
from webapp.accounts.store import get_or_404
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Context, Event
from webapp.core.store.client import Db
from webapp.core.store.ids import MAX_ID, PARTITIONS, partition_of
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, NotFound
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.following.mutes import store as mutes
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing
from webapp.statuses.filters.store import Filter, FilterSet
from webapp.statuses.interactions import bookmarks
from webapp.statuses.interactions.viewer_state import QuoteCard
from webapp.statuses.quotes import projections as quotes_projections
from webapp.statuses.quotes import store as quotes
from webapp.statuses.threads import store as threads
from webapp.statuses.visibility import targets
from webapp.statuses.visibility.visibility import Visibility
from webapp.timelines import store as timelines
from webapp.timelines.profile import profile_page

People = Callable[..., list[int]]
Settle = Callable[[], None]
GONE, DETACHED = "gone", "detached"


def post(
    db: Db,
    config: Config,
    uid: int,
    text: str = "hi",
    quote: int | None = None,
    visibility: Visibility = Visibility.PUBLIC,
    quoting: QuotePolicy = QuotePolicy.EVERYONE,
) -> int:
    said = {"quote": quote, "visibility": visibility, "quoting": quoting}
    return statuses.post(db, config, uid, parse(text), f"form-{random.random()}", **said)


def quoting(db: Db, status_id: int) -> list[int]:
    """What quotes a status, as its list says; the number that the status itself says is held to it."""
    found, number = db.trip(
        ("ZRANGE", status_keys.quotes(status_id), 0, -1),
        ("HGET", status_keys.status(status_id), "quotes"),
    )
    assert int(number or 0) == len(found) and number != "0"
    return [int(entry.partition(":")[0]) for entry in found]


def looks(card: QuoteCard) -> int | str:
    """What a card shows: the id of the quoted status, minus that where its author is muted."""
    if card.status is None:
        return DETACHED if card.detached else GONE
    return -card.status.id if card.muted else card.status.id


def seen(db: Db, quote: int, viewer: int | None = None) -> int | str:
    """What a viewer is shown in a quote, as its own page says."""
    return looks(threads.thread(db, quote, viewer, (), 10).viewer_state.quote_cards[quote])


def refused(db: Db, config: Config, uid: int, quote: int) -> str:
    """Why a member may not quote a status; nothing is posted then."""
    before = set(live_keys(db))
    with pytest.raises((Forbidden, NotFound)) as found:
        post(db, config, uid, "look", quote)
    assert set(live_keys(db)) == before
    return found.value.code


def test_a_quote_is_counted_listed_and_told_and_goes_with_its_status(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    about = post(db, config, ann)
    made = [post(db, config, uid, f"look {uid} @ann", about) for uid in (ben, cid, ann)]
    settle()
    assert quoting(db, about) == sorted(made) and statuses.get(db, about).quotes == 3
    assert [one.id for one in quotes.quotes_page(db, about, None, 30, None).page.items] == sorted(
        made
    )[::-1]
    assert statuses.get(db, made[0]).quote == (about, ann) and seen(db, made[0]) == about
    assert set(told(db, ann)) == {("quote", cid, made[1]), ("quote", ben, made[0])}
    editing.edit(db, config, ben, made[0], parse("look again @ann"), "", "0")
    settle()
    assert len(told(db, ann)) == 2
    statuses.delete(db, config, ben, made[0])
    settle()
    assert quoting(db, about) == sorted(made[1:]) and told(db, ann) == [("quote", cid, made[1])]
    statuses.delete(db, config, ann, about)
    settle()
    assert not {status_keys.quotes(about), status_keys.detached_quotes(about)} & set(live_keys(db))
    assert seen(db, made[1]) == seen(db, made[2]) == GONE
    with pytest.raises(NotFound):
        quotes.quotes_page(db, about, None, 30, None)


def test_its_author_says_who_may_quote_it(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, config, ben, "ann")  # counts at once, whatever waits
    open_, some, none = (post(db, config, ann, one.slug, quoting=one) for one in QuotePolicy)
    assert post(db, config, cid, "look", open_) and post(db, config, ben, "look", some)
    assert refused(db, config, cid, some) == "quoted_by_followers"
    assert refused(db, config, ben, none) == refused(db, config, cid, none) == "quoted_by_nobody"
    assert all(post(db, config, ann, "look", one) for one in (open_, some, none))
    following.unfollow(db, config, ben, "ann")
    assert refused(db, config, ben, some) == "quoted_by_followers"
    settle()
    status = statuses.get(db, none)
    assert (status.quotable_by(ann), status.quotable_by(ben)) == (True, False)


def test_its_author_says_anew_who_may_quote_it_and_what_quotes_it_stays(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, config, ben, "ann")
    about = post(db, config, ann)
    made = post(db, config, cid, "look", about)
    settle()
    told = {
        QuotePolicy.EVERYONE: (None, None),
        QuotePolicy.FOLLOWERS: (None, "quoted_by_followers"),
    }
    told[QuotePolicy.NOBODY] = ("quoted_by_nobody", "quoted_by_nobody")
    for quoting_now in (
        QuotePolicy.NOBODY,
        QuotePolicy.NOBODY,
        QuotePolicy.FOLLOWERS,
        QuotePolicy.EVERYONE,
    ):
        quotes.set_quote_policy(db, ann, about, quoting_now)
        assert statuses.get(db, about).quote_policy is quoting_now
        for uid, refusal in zip((ben, cid), told[quoting_now], strict=True):
            if refusal:
                assert refused(db, config, uid, about) == refusal
            else:
                assert targets.load_quotable(db, uid, about).quote_policy is quoting_now
        assert seen(db, made) == about and made in quoting(db, about)
    assert not db.run(("HEXISTS", status_keys.status(about), "quoting"))
    hidden = post(db, config, ann, "hm", visibility=Visibility.FOLLOWERS)
    for uid, status_id, code in (
        (ben, about, "not_yours"),
        (ben, hidden, "no_status"),
        (ann, about + 64_000, "no_status"),
    ):
        with pytest.raises((Forbidden, NotFound), match=code):
            quotes.set_quote_policy(db, uid, status_id, QuotePolicy.NOBODY)
    lifecycle.suspend(db, config, ann)
    with pytest.raises(Forbidden, match="suspended"):
        quotes.set_quote_policy(db, ann, about, QuotePolicy.NOBODY)
    lifecycle.suspend(db, config, ann, False)
    statuses.delete(db, config, ann, about)
    with pytest.raises(NotFound):
        quotes.set_quote_policy(db, ann, about, QuotePolicy.NOBODY)
    assert not db.run(("EXISTS", status_keys.status(about))), "nothing is half there"


def test_who_may_quote_it_is_for_its_author_to_say_even_among_those_kept_in_one_partition(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    db.run(("INCRBY", account_keys.last_uid(), PARTITIONS - 1))
    (ben,) = people("ben")
    assert ben == ann + PARTITIONS
    about = post(db, config, ann)
    for protected, code in ((False, "not_yours"), (True, "no_status")):
        lifecycle.protect(db, config, ann, protected)
        with pytest.raises((Forbidden, NotFound), match=code):
            quotes.set_quote_policy(db, ben, about, QuotePolicy.NOBODY)


def test_what_not_everybody_may_see_is_quoted_by_nobody(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    for visibility in Visibility:
        about = post(db, config, ann, f"hm @ben {visibility.slug}", visibility=visibility)
        if visibility.restricted:
            assert (
                refused(db, config, ann, about)
                == refused(db, config, ben, about)
                == "not_for_quotes"
            )
            assert not statuses.get(db, about, ann).quotable_by(ann)
        else:
            assert post(db, config, ann, "look", about) and post(db, config, ben, "look", about)
    hidden = post(db, config, ann, "for nobody", visibility=Visibility.MENTIONED)
    assert refused(db, config, ben, hidden) == refused(db, config, ben, hidden + 64) == "no_status"


def test_nothing_is_quoted_across_a_block_or_of_a_suspended_member(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    about, other = post(db, config, ann), post(db, config, ben)
    blocks.block(db, config, ann, "ben")  # not mirrored yet
    assert refused(db, config, ben, about) == refused(db, config, ann, other) == "cannot_quote"
    blocks.unblock(db, config, ann, "ben")
    settle()
    lifecycle.suspend(db, config, ann, True)
    assert refused(db, config, ben, about) == refused(db, config, ann, other) == "suspended"


def test_each_reader_is_shown_what_is_for_them_at_once(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid, dan = people("ann", "ben", "cid", "dan")
    about = post(db, config, ann)
    quote = post(db, config, ben, "look", about)
    settle()
    mutes.mute(db, config, cid, "ann", 3_600)
    blocks.block(db, config, dan, "ann")
    settle()
    assert [seen(db, quote, uid) for uid in (None, ann, ben, cid, dan)] == [
        about,
        about,
        about,
        -about,
        GONE,
    ]
    quotes.detach(db, config, ann, quote)
    assert [seen(db, quote, uid) for uid in (None, ann, ben, cid, dan)] == [DETACHED] * 5
    quotes.reattach(db, config, ann, quote)
    assert seen(db, quote) == about
    lifecycle.suspend(db, config, ann, True)
    assert seen(db, quote, ben) == GONE
    lifecycle.suspend(db, config, ann, False)
    assert seen(db, quote, ben) == about
    editing.edit(db, config, ann, about, parse("other words"), "", "0")
    card = threads.thread(db, quote, ben, (), 10).viewer_state.quote_cards[quote]
    assert card.status and card.status.text == "other words"
    statuses.delete(db, config, ann, about)
    assert [seen(db, quote, uid) for uid in (None, ann, ben, cid)] == [GONE] * 4


def test_only_its_author_detaches_a_status_and_again_is_no_change(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    config = replace(config, detached_max=2)
    ann, ben = people("ann", "ben")
    about, outbox = post(db, config, ann), event_keys.outbox(partition_of(ann))
    made = [post(db, config, ben, f"look {n}", about) for n in range(3)]
    settle()
    for stranger in (ben, ben + 64):
        for act in (quotes.detach, quotes.reattach):
            with pytest.raises(NotFound):
                act(db, config, stranger, made[0])
    for quote in (about, MAX_ID):  # no quote, and no status
        with pytest.raises(NotFound):
            quotes.detach(db, config, ann, quote)
    for act, count in (
        (quotes.detach, 1),
        (quotes.detach, 0),
        (quotes.reattach, 1),
        (quotes.reattach, 0),
    ):
        before = db.run(("XLEN", outbox))
        act(db, config, ann, made[0])
        assert db.run(("XLEN", outbox)) - before == count
    for quote in made[:2]:
        quotes.detach(db, config, ann, quote)
    with pytest.raises(Conflict):
        quotes.detach(db, config, ann, made[2])
    statuses.delete(db, config, ben, made[0])
    settle()
    assert db.run(("ZRANGE", status_keys.detached_quotes(about), 0, -1)) == [
        str(made[1])
    ]  # what is gone makes room
    quotes.detach(db, config, ann, made[2])
    assert quoting(db, about) == made[1:]  # they quote it still


def test_a_quote_that_not_everybody_may_see_is_not_listed_told_or_known(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    about = post(db, config, ann)
    made = [post(db, config, ben, f"look {one.slug}", about, visibility=one) for one in Visibility]
    settle()
    assert quoting(db, about) == made[:2]
    assert told(db, ann) == [("quote", ben, one) for one in made[1::-1]] and unread(db, ann) == 2
    for quote in made[2:]:
        with pytest.raises(NotFound):
            quotes.detach(db, config, ann, quote)
    following.follow(db, config, ann, "ben")
    quotes.detach(db, config, ann, made[2])
    assert seen(db, made[2], ann) == DETACHED
    for status_id in made:
        statuses.delete(db, config, ben, status_id)
    settle()
    assert quoting(db, about) == [] and not db.run(("EXISTS", status_keys.detached_quotes(about)))


def test_pages_take_one_more_trip_only_where_something_is_quoted(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, config, ben, "ann")
    plain = [post(db, config, ann, f"text {n} #song") for n in range(3)]
    reader = db.read(get_or_404(ben))
    reads = (
        (lambda: home_timeline(db, config, ben), 2),
        (lambda: timelines.public(db, config, viewer=ben), 2),
        (lambda: timelines.tagged(db, config, "song", viewer=ben), 2),
        (lambda: profile_page(db, config, "ann", reader), 3),
        (lambda: threads.thread(db, plain[0], ben, (), 10), 2),
        (lambda: bookmarks.bookmarks_page(db, ben, None, 30), 3),
    )

    def trips() -> list[int]:
        found = []
        for read, _ in reads:
            before = db.trips
            read()
            found.append(db.trips - before)
        return found

    bookmarks.bookmark(db, config, ben, plain[0])
    settle()
    home_timeline(db, config, ben)
    assert trips() == [most for _, most in reads]
    for n in range(5):
        about = post(db, config, cid, f"about {n}")
        bookmarks.bookmark(db, config, ben, post(db, config, ann, f"look {n} #song", about))
        statuses.post(
            db, config, ann, parse(f"and {n}"), f"form-{n}-more", reply=plain[0], quote=about
        )
        settle()
        assert trips() == [most + 1 for _, most in reads]
    for viewer in (ben, None):
        before = db.trips
        assert quotes.quotes_page(db, about, None, 30, viewer).page.items
        assert db.trips - before == 2


def test_the_list_of_quotes_is_cut_by_cursor_and_holds_only_what_is_shown(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    about = post(db, config, ann)
    bens, cids = (
        [post(db, config, uid, f"look {n}", about) for n in range(3)] for uid in (ben, cid)
    )
    settle()

    def walk(viewer: int | None) -> list[int]:
        found, before = list[int](), None
        while True:
            page = quotes.quotes_page(db, about, before, 2, viewer).page
            found += [one.id for one in page.items]
            before = page.next
            if before is None:
                return found

    assert walk(None) == sorted([*bens, *cids])[::-1]
    blocks.block(db, config, ann, "cid")
    assert walk(ann) == bens[::-1] and len(walk(None)) == 6
    lifecycle.suspend(db, config, cid, True)
    assert walk(None) == bens[::-1] and quotes.quotes_page(db, about, None, 2, ann).count == 6


def test_quotes_that_race_with_the_end_of_what_they_quote_leave_nothing(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, *others = people("ann", *(f"bird{n}" for n in range(4)))
    for _ in range(5):
        about = post(db, config, ann)

        def quote(uid: int, about: int = about) -> int | None:
            try:
                return post(db, config, uid, "look", about)
            except NotFound:
                return None

        with ThreadPoolExecutor(5) as pool:
            made = [pool.submit(quote, uid) for uid in others]
            pool.submit(statuses.delete, db, config, ann, about).result()
            found = [one for future in made if (one := future.result())]
        settle()
        assert not {status_keys.quotes(about), status_keys.detached_quotes(about)} & set(
            live_keys(db)
        )
        assert [seen(db, one) for one in found] == [GONE] * len(found)


def test_a_status_that_is_detached_while_its_quote_is_on_its_way_stays_so(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    about = post(db, config, ann)
    quote = post(db, config, ben, "look", about)
    with ThreadPoolExecutor(8) as pool:
        for future in [pool.submit(quotes.detach, db, config, ann, quote) for _ in range(20)]:
            future.result()
    events = [
        fields for _, fields in db.run(("XRANGE", event_keys.outbox(partition_of(ann)), "-", "+"))
    ]
    assert sum("detached" in fields for fields in events) == 1
    settle()
    assert seen(db, quote) == DETACHED and quoting(db, about) == [quote]


@pytest.mark.parametrize("step", range(3))
def test_a_worker_that_dies_anywhere_in_a_mirror_leaves_what_the_next_one_finishes(
    db: Db, config: Config, people: People, step: int
) -> None:
    ann, ben = people("ann", "ben")
    about = post(db, config, ann)
    quote = post(db, config, ben, "look", about)
    worker.drain(db, config)
    statuses.delete(db, config, ben, quote)
    data = {"id": str(quote), "author": str(ben), "quote": str(about), "quoted": str(ann)}
    event = Event("1-1", partition_of(ben), "log", 99, "deleted", "-", data)
    with_death = Context(Dying(db, step), config, lambda: None)  # type: ignore[arg-type]
    try:
        quotes_projections.sync_quotes(with_death, [event])
    except Killed:
        quotes_projections.sync_quotes(Context(db, config, lambda: None), [event])
    assert quoting(db, about) == []


def test_the_end_of_an_account_takes_its_quotes_along(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    about = post(db, config, ann)
    mine = post(db, config, ann, "see", post(db, config, ben, "a song"))
    quote = post(db, config, ben, "look", about)
    settle()
    quotes.detach(db, config, ann, quote)
    lifecycle.delete_account(db, config, ben, None)
    settle()
    assert quoting(db, about) == [] and not db.run(("EXISTS", status_keys.detached_quotes(about)))
    assert seen(db, mine) == GONE and told(db, ann) == []
    lifecycle.delete_account(db, config, ann, None)
    settle()
    assert not [key for key in live_keys(db) if key.startswith(("quotes:", "detached:", "status:"))]


def test_a_form_posts_the_same_words_once_for_each_status_they_quote(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    abouts = [None, *(post(db, config, ann, f"{n}") for n in range(2))]
    made = [
        statuses.post(db, config, ann, parse("look"), "one-form", quote=about)
        for about in (*abouts, *abouts)
    ]
    assert made[:3] == made[3:] and len(set(made)) == 3


def test_what_waits_is_posted_as_a_quote_or_becomes_a_draft_that_says_why(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    open_, closed = post(db, config, ann), post(db, config, ann, "mine", quoting=QuotePolicy.NOBODY)
    gone = post(db, config, ann, "gone")
    statuses.delete(db, config, ann, gone)
    for form, about, who in (
        ("form-a", open_, "followers"),
        ("form-b", closed, ""),
        ("form-c", gone, ""),
    ):
        fields = {"text": form, "quote": str(about), "quoting": who}
        drafts.save(db, config, ben, form, fields, datetime.now(UTC))
    drafts.save(
        db,
        config,
        ben,
        "form-d",
        {"text": "hm", "quote": "x", "quoting": "noise"},
        datetime.now(UTC),
    )
    drafts.publish_due(db, config, range(64))
    settle()
    (made,) = quoting(db, open_)
    assert statuses.get(db, made).quote_policy is QuotePolicy.FOLLOWERS
    failed = {draft.form_key: draft.error_code for draft in drafts.list_all(db, ben)[1]}
    assert failed == {
        "form-b": "quoted_by_nobody",
        "form-c": "no_status",
        "form-d": "draft_invalid",
    }
    assert {draft.fields.get("quote") for draft in drafts.list_all(db, ben)[1]} == {
        str(closed),
        str(gone),
        "x",
    }


def test_a_member_chooses_who_may_quote_what_they_will_write(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    assert db.read(get_or_404(ann)).quote_policy is QuotePolicy.EVERYONE
    for one in (*QuotePolicy, QuotePolicy.EVERYONE):
        profile.edit(db, config, ann, {"quoting": one.value})
        assert db.read(get_or_404(ann)).quote_policy is one
    assert db.run(("HEXISTS", account_keys.user(ann), "quoting")) == 0


def test_a_post_that_is_opened_shows_what_it_quotes_whatever_filters_find_in_it(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    about = post(db, config, ann)
    quote = post(db, config, ben, "seeds", about)
    sieve = FilterSet([Filter("seeds", hide=True)], "thread", ann)
    assert (
        looks(threads.thread(db, quote, ann, (), 10, sieve).viewer_state.quote_cards[quote])
        == about
    )
