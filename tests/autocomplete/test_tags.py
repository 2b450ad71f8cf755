"""Test which hashtags are suggested after a #, on both kinds of store."""

from __future__ import annotations

import pytest

from tests.autocomplete.people import post, suggested_tags
from tests.conftest import ApplyEvents, People
from tests.support.members.names import ranks_of
from webapp.accounts import lifecycle
from webapp.core.site import Site
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.values.visibility import Visibility
from webapp.timelines.tags import store as tags


@pytest.fixture
def pair(people: People) -> list[int]:
    return people("ann", "ben")


def test_used_ones_come_first_then_followed_ones_then_others_by_posts(
    site: Site, pair: list[int], apply_events: ApplyEvents
) -> None:
    ann, ben = pair
    for text in ("#larkone", "#larktwo", "#larktwo", "#larkmine #观鸟"):
        post(site, ben, text)
    tags.follow(site, ann, "larkfollowed")
    post(site, ann, "#LarkOwn and #Larkmine")
    apply_events()
    names = ["larkmine", "larkown", "larkfollowed", "larktwo", "larkone"]
    assert sorted(suggested_tags(site.db, ann, "LARK")[:2]) == names[:2]
    assert suggested_tags(site.db, ann, "lark")[2:] == names[2:]
    assert suggested_tags(site.db, ann, "观") == ["观鸟"]
    assert suggested_tags(site.db, ann, "")[2:] == ["larkfollowed"]
    post(site, ann, "#LarkOwn again")
    apply_events()
    assert suggested_tags(site.db, ann, "")[:2] == ["larkown", "larkmine"]


def test_more_used_ones_have_a_higher_rank(
    site: Site, pair: list[int], apply_events: ApplyEvents
) -> None:
    ids = [post(site, pair[1], f"#lark {number}") for number in range(10)]
    apply_events()
    assert ranks_of(site.db, "lark") == [2]
    statuses.delete(site, pair[1], ids[0])
    apply_events()
    assert ranks_of(site.db, "lark") == [1]


def test_a_hashtag_goes_with_its_last_post(
    site: Site, pair: list[int], apply_events: ApplyEvents
) -> None:
    ann, ben = pair
    status_id = post(site, ben, "#lark")
    apply_events()
    assert suggested_tags(site.db, ann, "l") == ["lark"]
    statuses.delete(site, ben, status_id)
    apply_events()
    assert suggested_tags(site.db, ann, "l") == ranks_of(site.db, "lark") == []


@pytest.mark.parametrize("change", ["suspended", "protected", "deleted"])
def test_hashtags_of_hidden_authors_are_not_suggested(
    site: Site, pair: list[int], apply_events: ApplyEvents, change: str
) -> None:
    ann, ben = pair
    post(site, ben, "#lark")
    apply_events()
    assert suggested_tags(site.db, ann, "l") == ["lark"]
    if change == "suspended":
        lifecycle.suspend(site, ben)
    elif change == "protected":
        lifecycle.protect(site, ben)
    else:
        lifecycle.delete_account(site, ben, None)
    apply_events()
    assert suggested_tags(site.db, ann, "l") == ranks_of(site.db, "lark") == []


def test_hashtags_of_restricted_posts_are_known_to_their_author_alone(
    site: Site, pair: list[int], apply_events: ApplyEvents
) -> None:
    ann, ben = pair
    for visibility in (Visibility.FOLLOWERS, Visibility.MENTIONED):
        post(site, ben, f"@ann #lark{visibility.value}", visibility=visibility)
    apply_events()
    assert suggested_tags(site.db, ann, "lark") == []
    assert len(suggested_tags(site.db, ben, "lark")) == 2


def test_an_edit_changes_the_index(site: Site, pair: list[int], apply_events: ApplyEvents) -> None:
    ann, ben = pair
    status_id = post(site, ben, "#lark")
    apply_events()
    assert suggested_tags(site.db, ann, "l") == ["lark"]
    editing.edit(site, ben, status_id, parse("#linnet"), "", "0")
    apply_events()
    assert suggested_tags(site.db, ann, "l") == ["linnet"]
