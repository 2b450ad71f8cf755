"""Members whom moderators have limited are on no page where others find people or offers."""

import pytest

from tests.support.moderators import as_moderator
from tests.support.world import Web, World
from webapp.community.jobs import store as jobs
from webapp.community.jobs.skills import Skill
from webapp.community.jobs.store import Candidate, Offer
from webapp.community.jobs.work import announce_new
from webapp.community.nearby import people
from webapp.moderation import acting
from webapp.notifications.store import entries_of
from webapp.rewards.items import store as items
from webapp.rewards.market.store import Sale, offer
from webapp.rewards.points import boards, check_ins

HERE = (52.52, 13.41)
BEES = (Skill("Bees"),)


@pytest.fixture
def limited(world: World) -> tuple[int, int]:
    """Two members: a limited one, and one who would find them."""
    mod, ann, ben = world.people("mod", "ann", "ben")
    for uid in (ann, ben):
        check_ins.check_in(world, uid, "UTC")
        people.show(world.db, uid, HERE)
    world.do(acting.act, as_moderator(world, mod), ann, "limit", "Too many posts.")
    return ann, ben


def on_board(world: World, uid: int) -> set[int]:
    """Return the members on this week's board."""
    places, _rank = boards.board_of_all(world.db, uid, str(boards.this_week()))
    return {place.member.uid for place in places}


def test_a_limited_member_is_on_no_board_until_that_ends(
    world: World, limited: tuple[int, int]
) -> None:
    ann, ben = limited
    assert on_board(world, ben) == {ben}
    world.do(acting.answer, as_moderator(world, 1), ann, 1, True)
    assert on_board(world, ben) == {ann, ben}


def test_a_limited_member_is_not_found_nearby(world: World, limited: tuple[int, int]) -> None:
    ann, ben = limited
    assert people.people_near(world.db, ben, HERE) == []
    assert [one.uid for one, _km in people.people_near(world.db, ann, HERE)] == [ben]


def test_offers_of_a_limited_member_are_on_no_page_and_notify_nobody(
    world: World, limited: tuple[int, int]
) -> None:
    ann, ben = limited
    jobs.save_skills(world, ben, Candidate(BEES, shown=True))
    jobs.save(world, ann, Offer("Keep bees", "All day", "", True, BEES))
    announce_new(world)
    world.apply_events()
    found = world.db.read(jobs.search("", "", None, 9))
    assert jobs.visible_page(world.db, ben, found).items == ()
    assert len(jobs.visible_page(world.db, ann, found).items) == 1
    assert not [one for one in world.db.read(entries_of(ben)) if one.kind.name == "job"]


def test_what_a_limited_member_sells_is_in_the_list_of_that_member_alone(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    (uid, ben_uid), item = (1, 2), items.give(web, 1, "thing", "Reed map")
    web.do(offer, uid, item, 1, Sale(10))
    assert "Reed map" in ben.get("/market").text
    web.do(acting.act, as_moderator(web, ben_uid), uid, "limit", "Too many posts.")
    pages = [one.get("/market").text for one in (web.client, ben, ann)]
    assert ["Reed map" in page for page in pages] == [False, False, True]
    assert "Reed map" in ben.get(f"/market/{item}").text
