"""The archive holds what a member has in groups, polls and optional systems."""

from datetime import UTC, date, datetime

import pytest

from tests.support.rewards import PRICE, add_drop, give_points
from tests.support.world import World
from webapp.archive.exports import communities
from webapp.archive.exports.communities import (
    read_check_in_days,
    read_groups,
    read_job_offers,
    read_orders,
    read_position,
    read_promotions,
    read_skills,
    read_votes,
)
from webapp.archive.exports.sources import Owner
from webapp.community.groups import store as groups
from webapp.community.groups.models import Voting
from webapp.community.jobs import store as jobs
from webapp.community.jobs.skills import Skill
from webapp.community.nearby import people
from webapp.rewards.drops import store as drops
from webapp.rewards.points import check_ins
from webapp.rewards.promotions import store as promotions
from webapp.statuses import Poll
from webapp.statuses.polls import voting
from webapp.statuses.visibility.groups import GroupKind

SITE = "https://linnet.example"
LUA = Skill("Lua", 2, 3)
READERS = (
    *(read_groups, read_votes, read_job_offers, read_skills),
    *(read_orders, read_promotions, read_check_in_days, read_position),
)


def test_a_member_gets_what_they_have_and_nothing_of_others(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    give_points(world, [ann], 100)
    own, poll = world.post(ann, "mine"), world.post(ben, "which?", poll=Poll(("a", "b", "c"), 60))
    groups.create(world, ann, "birders", "Birders", "", GroupKind.CLOSED, Voting.OFF)
    jobs.save(world, ann, jobs.Offer("Ranger", "Count birds", "Reeds", False, (LUA,)))
    jobs.save_skills(world, ann, jobs.Candidate((LUA,)))
    drops.take(world, add_drop(world, stock=2), ann)
    promotions.start(world, ann, own, promotions.Terms(("tea",), "", "views", 5, 50, 3))
    world.do(voting.vote, ann, poll, {0})
    people.show(world.db, ann, (53.55, 9.99))
    today = datetime.now(UTC).date()
    check_ins.check_in(world, ann, "UTC")
    lua = {"name": "Lua", "level": 2, "years": 3}
    owner = Owner(world.site, ann, SITE)

    [group] = read_groups(owner)
    assert (group["name"], group["url"]) == ("Birders", f"{SITE}/groups/birders")
    [offer] = read_job_offers(owner)
    assert (offer["title"], offer["place"], offer["skills"]) == ("Ranger", "Reeds", (lua,))
    assert read_skills(owner) == [lua]
    [order] = read_orders(owner)
    assert order["title"] == "Reed map"
    [promoted] = read_promotions(owner)
    assert (promoted["url"], promoted["budget"]) == (f"{SITE}/@ann/{own}", 50)
    assert read_votes(owner) == [{"url": f"{SITE}/@ben/{poll}", "answers": [1]}]
    [place] = read_position(owner)
    assert (round(place["latitude"]), round(place["longitude"])) == (54, 10)
    [year] = read_check_in_days(owner)
    assert year["year"] == date.fromisoformat(year["days"][0]).year
    assert date.fromisoformat(year["days"][0]) in {today, datetime.now(UTC).date()}
    assert [read(Owner(world.site, ben, SITE)) for read in READERS] == [[]] * len(READERS)


def test_orders_that_no_page_lists_any_longer_are_read_too(world: World) -> None:
    (ann,) = world.people("ann")
    count = drops.LISTED + 1
    give_points(world, [ann], count * PRICE)
    for _ in range(count):
        drops.take(world, add_drop(world, stock=1), ann)
    world.apply_events()
    assert len(read_orders(Owner(world.site, ann, SITE))) == count


def test_systems_that_are_not_installed_have_no_rows(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(communities, "feature_modules", lambda _part: iter(()))
    owner = Owner(world.site, 1, SITE)
    assert [read(owner) for read in READERS] == [[]] * len(READERS)
