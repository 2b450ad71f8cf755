"""Permission to quote a status: policies, visibility, blocks, and suspensions."""

from __future__ import annotations

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.statuses.quotes import post, quoting_ids, refusal_code, seen_card
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle, profile
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.accounts.store import get_or_404
from webapp.core.errors import Forbidden, NotFound
from webapp.core.site import Site
from webapp.core.store.ids import PARTITIONS
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.quotes import store as quotes
from webapp.statuses.values.visibility import WIDEST_FIRST, Visibility
from webapp.statuses.visibility import targets


def test_the_quote_policy_is_enforced(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(site, ben, "ann")  # before projections run
    open_status, for_followers, closed = (
        post(site, ann, policy.slug, quote_policy=policy) for policy in QuotePolicy
    )
    assert post(site, cid, "look", open_status)
    assert post(site, ben, "look", for_followers)
    assert refusal_code(site, cid, for_followers) == "quoted_by_followers"
    assert refusal_code(site, ben, closed) == refusal_code(site, cid, closed) == "quoted_by_nobody"
    assert all(post(site, ann, "look", quoted) for quoted in (open_status, for_followers, closed))
    following.unfollow(site, ben, "ann")
    assert refusal_code(site, ben, for_followers) == "quoted_by_followers"
    apply_events()
    status = statuses.get(site.db, closed)
    assert (status.quotable_by(ann), status.quotable_by(ben)) == (True, False)


def test_changing_the_quote_policy_keeps_existing_quotes(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(site, ben, "ann")
    quoted = post(site, ann)
    quote = post(site, cid, "look", quoted)
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
        quotes.set_quote_policy(site.db, ann, quoted, policy)
        assert statuses.get(site.db, quoted).quote_policy is policy
        for uid, refusal in zip((ben, cid), refusals[policy], strict=True):
            if refusal:
                assert refusal_code(site, uid, quoted) == refusal
            else:
                assert targets.load_quotable(site.db, uid, quoted).quote_policy is policy
        assert seen_card(site.db, quote) == quoted
        assert quote in quoting_ids(site.db, quoted)
    assert not site.db.run(("HEXISTS", status_keys.status(quoted), "quote_policy"))
    hidden = post(site, ann, "hm", visibility=Visibility.FOLLOWERS)
    for uid, status_id, code in (
        (ben, quoted, "not_yours"),
        (ben, hidden, "no_status"),
        (ann, quoted + 64_000, "no_status"),
    ):
        with pytest.raises((Forbidden, NotFound), match=code):
            quotes.set_quote_policy(site.db, uid, status_id, QuotePolicy.NOBODY)
    lifecycle.suspend(site, ann)
    with pytest.raises(Forbidden, match="suspended"):
        quotes.set_quote_policy(site.db, ann, quoted, QuotePolicy.NOBODY)
    lifecycle.suspend(site, ann, False)
    statuses.delete(site, ann, quoted)
    with pytest.raises(NotFound):
        quotes.set_quote_policy(site.db, ann, quoted, QuotePolicy.NOBODY)
    assert not site.db.run(("EXISTS", status_keys.status(quoted))), "no partial hash remains"


def test_members_of_the_same_partition_cannot_change_the_quote_policy(
    site: Site, people: People
) -> None:
    (ann,) = people("ann")
    site.db.run(("INCRBY", account_keys.last_uid(), PARTITIONS - 1))
    (ben,) = people("ben")
    assert ben == ann + PARTITIONS
    quoted = post(site, ann)
    for protected, code in ((False, "not_yours"), (True, "no_status")):
        lifecycle.protect(site, ann, protected)
        with pytest.raises((Forbidden, NotFound), match=code):
            quotes.set_quote_policy(site.db, ben, quoted, QuotePolicy.NOBODY)


def test_restricted_statuses_cannot_be_quoted(site: Site, people: People) -> None:
    ann, ben = people("ann", "ben")
    following.follow(site, ben, "ann")
    for visibility in WIDEST_FIRST:
        quoted = post(site, ann, f"hm @ben {visibility.slug}", visibility=visibility)
        if visibility.restricted:
            assert (
                refusal_code(site, ann, quoted)
                == refusal_code(site, ben, quoted)
                == "not_for_quotes"
            )
            assert not statuses.get(site.db, quoted, ann).quotable_by(ann)
        else:
            assert post(site, ann, "look", quoted)
            assert post(site, ben, "look", quoted)
    hidden = post(site, ann, "for nobody", visibility=Visibility.MENTIONED)
    assert refusal_code(site, ben, hidden) == refusal_code(site, ben, hidden + 64) == "no_status"


def test_blocks_and_suspensions_prevent_quotes(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    quoted, other = post(site, ann), post(site, ben)
    blocks.block(site, ann, "ben")  # without running projections
    assert refusal_code(site, ben, quoted) == refusal_code(site, ann, other) == "cannot_quote"
    blocks.unblock(site, ann, "ben")
    apply_events()
    lifecycle.suspend(site, ann, True)
    assert refusal_code(site, ben, quoted) == refusal_code(site, ann, other) == "suspended"


def test_a_member_sets_their_default_quote_policy(site: Site, people: People) -> None:
    (ann,) = people("ann")
    assert site.db.read(get_or_404(ann)).quote_policy is QuotePolicy.EVERYONE
    for policy in (*QuotePolicy, QuotePolicy.EVERYONE):
        profile.edit(site, ann, {"quote_policy": policy.value})
        assert site.db.read(get_or_404(ann)).quote_policy is policy
    assert site.db.run(("HEXISTS", account_keys.user(ann), "quote_policy")) == 0
