"""Test which hashtags are suggested after a #, on both kinds of store."""

import pytest

from tests.autocomplete.people import suggested_tags
from tests.support.members.names import ranks_of
from tests.support.world import World, post
from webapp.core.text.parser import parse
from webapp.statuses import Visibility
from webapp.statuses.edits import editing


@pytest.fixture
def pair(world: World) -> list[int]:
    return world.people("ann", "ben")


def test_used_ones_come_first_then_followed_ones_then_others_by_posts(
    world: World, pair: list[int]
) -> None:
    ann, ben = pair
    for text in ("#larkone", "#larktwo", "#larktwo", "#larkmine #观鸟"):
        post(world, ben, text)
    world.follow_tag(ann, "larkfollowed")
    world.do(post, ann, "#LarkOwn and #Larkmine")
    names = ["larkmine", "larkown", "larkfollowed", "larktwo", "larkone"]
    assert sorted(suggested_tags(world.db, ann, "LARK")[:2]) == names[:2]
    assert suggested_tags(world.db, ann, "lark")[2:] == names[2:]
    assert suggested_tags(world.db, ann, "观") == ["观鸟"]
    assert suggested_tags(world.db, ann, "")[2:] == ["larkfollowed"]
    world.do(post, ann, "#LarkOwn again")
    assert suggested_tags(world.db, ann, "")[:2] == ["larkown", "larkmine"]


def test_more_used_ones_have_a_higher_rank(world: World, pair: list[int]) -> None:
    ids = [post(world, pair[1], f"#lark {number}") for number in range(10)]
    world.apply_events()
    assert ranks_of(world.db, "lark") == [2]
    world.do(World.delete, pair[1], ids[0])
    assert ranks_of(world.db, "lark") == [1]


def test_a_hashtag_goes_with_its_last_post(world: World, pair: list[int]) -> None:
    ann, ben = pair
    status_id = world.do(post, ben, "#lark")
    assert suggested_tags(world.db, ann, "l") == ["lark"]
    world.do(World.delete, ben, status_id)
    assert suggested_tags(world.db, ann, "l") == ranks_of(world.db, "lark") == []


@pytest.mark.parametrize("change", ["suspended", "protected", "deleted"])
def test_hashtags_of_hidden_authors_are_not_suggested(
    world: World, pair: list[int], change: str
) -> None:
    ann, ben = pair
    world.do(post, ben, "#lark")
    assert suggested_tags(world.db, ann, "l") == ["lark"]
    if change == "suspended":
        world.suspend(ben)
    elif change == "protected":
        world.protect(ben)
    else:
        world.delete_account(ben, None)
    world.apply_events()
    assert suggested_tags(world.db, ann, "l") == ranks_of(world.db, "lark") == []


def test_hashtags_of_restricted_posts_are_known_to_their_author_alone(
    world: World, pair: list[int]
) -> None:
    ann, ben = pair
    for visibility in (Visibility.FOLLOWERS, Visibility.MENTIONED):
        post(world, ben, f"@ann #lark{visibility.value}", visibility=visibility)
    world.apply_events()
    assert suggested_tags(world.db, ann, "lark") == []
    assert len(suggested_tags(world.db, ben, "lark")) == 2


def test_an_edit_changes_the_index(world: World, pair: list[int]) -> None:
    ann, ben = pair
    status_id = world.do(post, ben, "#lark")
    assert suggested_tags(world.db, ann, "l") == ["lark"]
    world.do(editing.edit, ben, status_id, parse("#linnet"), "", "0")
    assert suggested_tags(world.db, ann, "l") == ["linnet"]
