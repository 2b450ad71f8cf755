"""Permission to quote a status: policies, visibility, blocks, and suspensions."""

from __future__ import annotations

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.statuses.quotes import post, quoting_ids, refusal_code, seen_card
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle, profile
from webapp.accounts.quote_policy import QuotePolicy
from webapp.accounts.store import get_or_404
from webapp.config import Config
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.quotes import store as quotes
from webapp.statuses.values.visibility import Visibility
from webapp.statuses.visibility import targets


def test_the_quote_policy_is_enforced(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, config, ben, "ann")  # before projections run
    open_status, for_followers, closed = (
        post(db, config, ann, policy.slug, quote_policy=policy) for policy in QuotePolicy
    )
    assert post(db, config, cid, "look", open_status)
    assert post(db, config, ben, "look", for_followers)
    assert refusal_code(db, config, cid, for_followers) == "quoted_by_followers"
    assert (
        refusal_code(db, config, ben, closed)
        == refusal_code(db, config, cid, closed)
        == "quoted_by_nobody"
    )
    assert all(
        post(db, config, ann, "look", quoted) for quoted in (open_status, for_followers, closed)
    )
    following.unfollow(db, config, ben, "ann")
    assert refusal_code(db, config, ben, for_followers) == "quoted_by_followers"
    apply_events()
    status = statuses.get(db, closed)
    assert (status.quotable_by(ann), status.quotable_by(ben)) == (True, False)


def test_changing_the_quote_policy_keeps_existing_quotes(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, config, ben, "ann")
    quoted = post(db, config, ann)
    quote = post(db, config, cid, "look", quoted)
    apply_events()
    refusals = {
        QuotePolicy.EVERYONE: (None, None),
        QuotePolicy.FOLLOWERS: (None, "quoted_by_followers"),
    }
    refusals[QuotePolicy.NOBODY] = ("quoted_by_nobody", "quoted_by_nobody")
    for policy in (
        QuotePolicy.NOBODY,
        QuotePolicy.NOBODY,
        QuotePolicy.FOLLOWERS,
        QuotePolicy.EVERYONE,
    ):
        quotes.set_quote_policy(db, ann, quoted, policy)
        assert statuses.get(db, quoted).quote_policy is policy
        for uid, refusal in zip((ben, cid), refusals[policy], strict=True):
            if refusal:
                assert refusal_code(db, config, uid, quoted) == refusal
            else:
                assert targets.load_quotable(db, uid, quoted).quote_policy is policy
        assert seen_card(db, quote) == quoted
        assert quote in quoting_ids(db, quoted)
    assert not db.run(("HEXISTS", status_keys.status(quoted), "quote_policy"))
    hidden = post(db, config, ann, "hm", visibility=Visibility.FOLLOWERS)
    for uid, status_id, code in (
        (ben, quoted, "not_yours"),
        (ben, hidden, "no_status"),
        (ann, quoted + 64_000, "no_status"),
    ):
        with pytest.raises((Forbidden, NotFound), match=code):
            quotes.set_quote_policy(db, uid, status_id, QuotePolicy.NOBODY)
    lifecycle.suspend(db, config, ann)
    with pytest.raises(Forbidden, match="suspended"):
        quotes.set_quote_policy(db, ann, quoted, QuotePolicy.NOBODY)
    lifecycle.suspend(db, config, ann, False)
    statuses.delete(db, config, ann, quoted)
    with pytest.raises(NotFound):
        quotes.set_quote_policy(db, ann, quoted, QuotePolicy.NOBODY)
    assert not db.run(("EXISTS", status_keys.status(quoted))), "no partial hash remains"


def test_members_of_the_same_partition_cannot_change_the_quote_policy(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    db.run(("INCRBY", account_keys.last_uid(), PARTITIONS - 1))
    (ben,) = people("ben")
    assert ben == ann + PARTITIONS
    quoted = post(db, config, ann)
    for protected, code in ((False, "not_yours"), (True, "no_status")):
        lifecycle.protect(db, config, ann, protected)
        with pytest.raises((Forbidden, NotFound), match=code):
            quotes.set_quote_policy(db, ben, quoted, QuotePolicy.NOBODY)


def test_restricted_statuses_cannot_be_quoted(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    for visibility in Visibility:
        quoted = post(db, config, ann, f"hm @ben {visibility.slug}", visibility=visibility)
        if visibility.restricted:
            assert (
                refusal_code(db, config, ann, quoted)
                == refusal_code(db, config, ben, quoted)
                == "not_for_quotes"
            )
            assert not statuses.get(db, quoted, ann).quotable_by(ann)
        else:
            assert post(db, config, ann, "look", quoted)
            assert post(db, config, ben, "look", quoted)
    hidden = post(db, config, ann, "for nobody", visibility=Visibility.MENTIONED)
    assert (
        refusal_code(db, config, ben, hidden)
        == refusal_code(db, config, ben, hidden + 64)
        == "no_status"
    )


def test_blocks_and_suspensions_prevent_quotes(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    quoted, other = post(db, config, ann), post(db, config, ben)
    blocks.block(db, config, ann, "ben")  # without running projections
    assert (
        refusal_code(db, config, ben, quoted)
        == refusal_code(db, config, ann, other)
        == "cannot_quote"
    )
    blocks.unblock(db, config, ann, "ben")
    apply_events()
    lifecycle.suspend(db, config, ann, True)
    assert (
        refusal_code(db, config, ben, quoted) == refusal_code(db, config, ann, other) == "suspended"
    )


def test_a_member_sets_their_default_quote_policy(db: Db, config: Config, people: People) -> None:
    (ann,) = people("ann")
    assert db.read(get_or_404(ann)).quote_policy is QuotePolicy.EVERYONE
    for policy in (*QuotePolicy, QuotePolicy.EVERYONE):
        profile.edit(db, config, ann, {"quote_policy": policy.value})
        assert db.read(get_or_404(ann)).quote_policy is policy
    assert db.run(("HEXISTS", account_keys.user(ann), "quote_policy")) == 0
