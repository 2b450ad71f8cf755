"""Hidden boosts: a member's boosts leave another member's home, and nothing else does."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.conftest import ApplyEvents, People
from tests.support.timelines import home_timeline, post
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.errors import Conflict, Invalid, NotFound
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.following import keys
from webapp.following import store as following
from webapp.following.hidden_boosts import store as hidden_boosts
from webapp.statuses.interactions import boosts
from webapp.timelines.home import expiry as jobs


@pytest.mark.parametrize("push_max", [1_000, 0], ids=["pushed", "merged"])
def test_hidden_boosts_leave_the_home_until_they_are_shown_again(
    db: Db, config: Config, people: People, apply_events: ApplyEvents, push_max: int
) -> None:
    config = replace(config, push_max_followers=push_max, merged_seconds=0)
    ann, ben, cid = people("ann", "ben", "cid")
    following.follow(db, config, ann, "ben")
    apply_events()
    own, other = post(db, config, ben, "mine")[0], post(db, config, cid, "theirs")[0]
    boosts.boost(db, config, ben, other)
    apply_events()

    assert shown(db, config, ann) == [other, own]
    assert hidden_boosts.hide(db, config, ann, "Ben").uid == ben
    assert shown(db, config, ann) == [own], "before events are applied"
    apply_events()
    db.run(("ZADD", account_keys.active_members(partition_of(ann)), 1, ann))
    assert jobs.expire_inactive(db, config, partition_of(ann)) == 1  # and it is rebuilt
    assert shown(db, config, ann) == [own]
    assert shown(db, config, ben) == [other, own], "only the home of who hides them changes"

    hidden_boosts.show(db, config, ann, "ben")
    apply_events()
    assert shown(db, config, ann) == [other, own]


def test_a_post_boosted_by_somebody_else_stays(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cid, dot = people("ann", "ben", "cid", "dot")
    for login in ("ben", "cid"):
        following.follow(db, config, ann, login)
    apply_events()
    other = post(db, config, dot, "theirs")[0]
    boosts.boost(db, config, ben, other)
    boosts.boost(db, config, cid, other)
    apply_events()
    hidden_boosts.hide(db, config, ann, "ben")
    assert shown(db, config, ann) == [other]


def test_hiding_is_bounded_and_refuses_oneself_and_nobody(
    db: Db, config: Config, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann, *_ = people("ann", "ben", "cid", "dot")
    monkeypatch.setattr(hidden_boosts, "HIDDEN_BOOSTS_MAX", 2)
    with pytest.raises(Invalid):
        hidden_boosts.hide(db, config, ann, "ann")
    with pytest.raises(NotFound):
        hidden_boosts.hide(db, config, ann, "nobody")
    for login in ("ben", "cid", "ben"):
        hidden_boosts.hide(db, config, ann, login)
    with pytest.raises(Conflict):
        hidden_boosts.hide(db, config, ann, "dot")
    hidden_boosts.show(db, config, ann, "ben")
    hidden_boosts.hide(db, config, ann, "dot")
    assert db.run(("ZCARD", keys.hidden_boosts(ann))) == 2


def test_fifty_at_once_leave_one_entry_and_one_event(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, _ = people("ann", "ben")
    apply_events()
    with ThreadPoolExecutor(10) as pool:
        hide = [pool.submit(hidden_boosts.hide, db, config, ann, "ben") for _ in range(50)]
        assert len({future.result().uid for future in hide}) == 1
    assert db.run(("ZCARD", keys.hidden_boosts(ann))) == 1


def test_a_deleted_account_leaves_no_list(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, _ = people("ann", "ben")
    hidden_boosts.hide(db, config, ann, "ben")
    lifecycle.delete_account(db, config, ann, None)
    apply_events()
    assert not db.run(("EXISTS", keys.hidden_boosts(ann)))


def shown(db: Db, config: Config, uid: int) -> list[int]:
    """Return the ids of the statuses on a home, boosted or not."""
    return [getattr(item, "status", item).id for item in home_timeline(db, config, uid).items]
