"""Permission to quote a status: policies, visibility, blocks, and suspensions."""

import pytest

from tests.support.statuses.quotes import quoting_ids, refusal_code, seen_card
from tests.support.world import World, post
from webapp.accounts import keys as account_keys, profile
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.accounts.store import get_or_404
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import PARTITIONS
from webapp.statuses import Visibility, keys as status_keys
from webapp.statuses.quotes import store as quotes
from webapp.statuses.values.visibility import WIDEST_FIRST
from webapp.statuses.visibility import targets


def test_the_quote_policy_is_enforced(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    world.follow(ben, "ann")  # before projections run
    open_status, for_followers, closed = (
        post(world, ann, policy.slug, quote_policy=policy) for policy in QuotePolicy
    )
    assert post(world, cid, "look", quote=open_status)
    assert post(world, ben, "look", quote=for_followers)
    assert refusal_code(world, cid, for_followers) == "quoted_by_followers"
    assert (
        refusal_code(world, ben, closed) == refusal_code(world, cid, closed) == "quoted_by_nobody"
    )
    assert all(
        post(world, ann, "look", quote=quoted) for quoted in (open_status, for_followers, closed)
    )
    world.unfollow(ben, "ann")
    assert refusal_code(world, ben, for_followers) == "quoted_by_followers"
    world.apply_events()
    status = world.status(closed)
    assert (status.quotable_by(ann), status.quotable_by(ben)) == (True, False)


def test_changing_the_quote_policy_keeps_existing_quotes(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    world.follow(ben, "ann")
    quoted = post(world, ann)
    quote = world.do(post, cid, "look", quote=quoted)
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
        quotes.set_quote_policy(world.db, ann, quoted, policy)
        assert world.status(quoted).quote_policy is policy
        for uid, refusal in zip((ben, cid), refusals[policy], strict=True):
            if refusal:
                assert refusal_code(world, uid, quoted) == refusal
            else:
                assert targets.load_quotable(world.db, uid, quoted).quote_policy is policy
        assert seen_card(world.db, quote) == quoted
        assert quote in quoting_ids(world.db, quoted)
    assert not world.db.run(("HEXISTS", status_keys.status(quoted), "quote_policy"))
    hidden = post(world, ann, "hm", visibility=Visibility.FOLLOWERS)
    for uid, status_id, code in (
        (ben, quoted, "not_yours"),
        (ben, hidden, "no_status"),
        (ann, quoted + 64_000, "no_status"),
    ):
        with pytest.raises((Forbidden, NotFound), match=code):
            quotes.set_quote_policy(world.db, uid, status_id, QuotePolicy.NOBODY)
    world.suspend(ann)
    with pytest.raises(Forbidden, match="suspended"):
        quotes.set_quote_policy(world.db, ann, quoted, QuotePolicy.NOBODY)
    world.suspend(ann, False)
    world.delete(ann, quoted)
    with pytest.raises(NotFound):
        quotes.set_quote_policy(world.db, ann, quoted, QuotePolicy.NOBODY)
    assert not world.db.run(("EXISTS", status_keys.status(quoted))), "no partial hash remains"


def test_members_of_the_same_partition_cannot_change_the_quote_policy(world: World) -> None:
    (ann,) = world.people("ann")
    world.db.run(("INCRBY", account_keys.last_uid(), PARTITIONS - 1))
    (ben,) = world.people("ben")
    assert ben == ann + PARTITIONS
    quoted = post(world, ann)
    for protected, code in ((False, "not_yours"), (True, "no_status")):
        world.protect(ann, protected)
        with pytest.raises((Forbidden, NotFound), match=code):
            quotes.set_quote_policy(world.db, ben, quoted, QuotePolicy.NOBODY)


def test_restricted_statuses_cannot_be_quoted(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.follow(ben, "ann")
    for visibility in WIDEST_FIRST:
        quoted = post(world, ann, f"hm @ben {visibility.slug}", visibility=visibility)
        if visibility.restricted:
            assert (
                refusal_code(world, ann, quoted)
                == refusal_code(world, ben, quoted)
                == "not_for_quotes"
            )
            assert not world.status(quoted, ann).quotable_by(ann)
        else:
            assert post(world, ann, "look", quote=quoted)
            assert post(world, ben, "look", quote=quoted)
    hidden = post(world, ann, "for nobody", visibility=Visibility.MENTIONED)
    assert refusal_code(world, ben, hidden) == refusal_code(world, ben, hidden + 64) == "no_status"


def test_blocks_and_suspensions_prevent_quotes(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    quoted, other = post(world, ann), post(world, ben)
    world.block(ann, "ben")  # without running projections
    assert refusal_code(world, ben, quoted) == refusal_code(world, ann, other) == "cannot_quote"
    world.do(World.unblock, ann, "ben")
    world.suspend(ann, True)
    assert refusal_code(world, ben, quoted) == refusal_code(world, ann, other) == "suspended"


def test_a_member_sets_their_default_quote_policy(world: World) -> None:
    (ann,) = world.people("ann")
    assert world.db.read(get_or_404(ann)).quote_policy is QuotePolicy.EVERYONE
    for policy in (*QuotePolicy, QuotePolicy.EVERYONE):
        profile.edit(world, ann, {"quote_policy": policy.value})
        assert world.db.read(get_or_404(ann)).quote_policy is policy
    assert world.db.run(("HEXISTS", account_keys.user(ann), "quote_policy")) == 0
