"""Visibility in the store: restricted statuses, replies, edits, blocks and follows."""

import pytest

from tests.conftest import People
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.streaming.client import assert_log_holds_only_ids
from tests.support.timelines import home_timeline, walk
from tests.support.world import World
from webapp.accounts import keys as account_keys
from webapp.accounts.store import get_or_404
from webapp.config import Rate
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Db, Site, partition_of
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.statuses import Visibility, by_ids, store as statuses
from webapp.statuses.edits import editing, pins
from webapp.statuses.threads import store as threads
from webapp.statuses.values import places
from webapp.statuses.values.visibility import WIDEST_FIRST, allowed_for_reply
from webapp.timelines import store as timelines
from webapp.timelines.profile import ProfileQuery, profile_page


def post(site: Site, uid: int, text: str, visibility: Visibility, reply: int | None = None) -> int:
    form = f"form-{uid}-{len(text)}"
    return statuses.post(site, uid, parse(text), form, reply=reply, visibility=visibility)


def profile_ids(site: Site, viewer: int, login: str = "ann", replies: bool = False) -> list[int]:
    """Return the status ids on all pages of a profile, as a member sees it."""
    member = site.db.read(get_or_404(viewer))
    return walk(
        lambda before: profile_page(site, ProfileQuery(login, member, before, replies)).timeline,
        site.config.page_size,
    )


def home_ids(site: Site, uid: int) -> list[int]:
    return [item.id for item in home_timeline(site, uid).items]


def restricted_keys(db: Db) -> list[str]:
    """Return the keys of the lists of restricted statuses."""
    return [key for key in live_keys(db) if key.startswith("restricted:")]


def test_profile_and_home_follow_the_viewers_own_follows_before_projections_run(
    world: World,
) -> None:
    ann, ben = world.people("ann", "ben")
    status = world.do(post, ann, "for followers", Visibility.FOLLOWERS)
    assert profile_ids(world, ben) == []
    assert not by_ids.fetch(world.db, {status: 0}, ben)[0]
    following.follow(world, ben, "ann")
    assert profile_ids(world, ben) == [status]
    assert world.status(status, ben).text == "for followers"
    world.apply_events()
    assert home_ids(world, ben) == [status]
    following.unfollow(world, ben, "ann")
    assert profile_ids(world, ben) == []
    assert home_timeline(world, ben).items == ()
    with pytest.raises(NotFound):
        world.status(status, ben)


def test_a_block_hides_the_profile_immediately_and_ends_the_follow(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(following.follow, ben, "ann")
    mentioning = post(world, ann, "for @ben", Visibility.MENTIONED)
    for_followers = world.do(post, ann, "for followers", Visibility.FOLLOWERS)
    assert profile_ids(world, ben) == [for_followers, mentioning]
    world.block(ann, "ben")
    assert profile_ids(world, ben) == []
    world.refuses(Forbidden, World.like, ben, mentioning)
    world.refuses(Forbidden, post, ben, "a", Visibility.PUBLIC, mentioning)
    world.apply_events()
    world.do(World.unblock, ann, "ben")
    assert profile_ids(world, ben) == [mentioning]  # still mentioned, no longer a follower


def test_profile_pages_are_full_despite_hidden_statuses(site: Site, people: People) -> None:
    site = with_settings(site, page_size=2, limit_post=Rate(100, 1))
    ann, ben, cid = people("ann", "ben", "cid")
    parent = post(site, cid, "wades", Visibility.PUBLIC)
    visible = []
    replies = []
    for number in range(5):
        visible.append(post(site, ann, "s" * (number + 1), Visibility.PUBLIC))
        for mentions in range(3):
            post(
                site,
                ann,
                f"{'@cid ' * (mentions + 1)}{number}" + "x" * number,
                Visibility.MENTIONED,
            )
        visible.append(post(site, ann, f"@ben {'a' * (40 + number)}", Visibility.MENTIONED))
        text = f"@ben {'b' * (60 + number)}"
        replies.append(post(site, ann, text, Visibility.FOLLOWERS, parent))
    assert profile_ids(site, ben) == sorted(visible, reverse=True)
    assert profile_ids(site, ben, replies=True) == sorted([*visible, *replies], reverse=True)
    page = profile_page(site, ProfileQuery("ann"))
    assert len(page.timeline.items) == 2
    assert page.profile.statuses == 5


def test_one_form_posts_once_for_each_visibility(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    text = parse("hm @Ben @nobody @ben")
    first, second = (
        [
            statuses.post(world, ann, text, "form-1", visibility=visibility)
            for visibility in WIDEST_FIRST
        ]
        for _ in range(2)
    )
    assert first == second
    assert len(set(first)) == 4
    mentioned = [world.status(status, ann).mentioned_uids for status in first]
    assert mentioned == [set(), set(), {ben}, {ben}]
    assert not [key for key in restricted_keys(world.db) if key.endswith(":0")]
    for status in first:
        statuses.delete(world, ann, status)
    world.apply_events()
    assert restricted_keys(world.db) == []


def test_an_edit_changes_the_mentioned_audience(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    status = world.do(post, ann, "hm @ben", Visibility.MENTIONED)
    world.do(editing.edit, ann, status, parse("hm @cid"), "", "0")
    assert profile_ids(world, ben) == []
    assert profile_ids(world, cid) == [status]
    assert profile_ids(world, ann) == [status]
    for stranger in (ben, ben + 64):
        world.refuses(NotFound, pins.pin, stranger, status)
        with pytest.raises(NotFound):
            editing.history(world.db, status, stranger)
        world.refuses(NotFound, editing.edit, stranger, status, parse("mine"), "", "0")
    assert len(editing.history(world.db, status, cid).versions) == 2
    assert_log_holds_only_ids(world.db, status)
    statuses.delete(world, ann, status)
    assert restricted_keys(world.db) == []


def test_a_reply_that_mentions_nobody_stays_hidden_from_others(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    parent = post(world, cid, "sung", Visibility.PUBLIC)
    reply = world.do(post, ann, "to myself", Visibility.MENTIONED, parent)
    assert_log_holds_only_ids(world.db, reply)
    assert world.status(parent).replies == 0
    assert threads.thread(world.db, parent, ben, (), 10).descendants == ()
    assert threads.thread(world.db, parent, cid, (), 10).descendants != ()  # the parent's author
    for stranger in (ben, ben + 64):
        world.refuses(NotFound, statuses.delete, stranger, reply)
    places.remove_locations(world, ann)
    world.do(statuses.delete, ann, reply)
    assert_log_holds_only_ids(world.db, reply)


@pytest.mark.parametrize("parent", WIDEST_FIRST)
def test_a_reply_is_at_most_as_visible_as_its_parent(world: World, parent: Visibility) -> None:
    ann, ben = world.people("ann", "ben")
    status = post(world, ann, f"hm @ben {parent.slug}", parent)
    default = world.post(ben, "hm", reply=status)
    assert world.status(default, ben).visibility is parent
    for visibility in WIDEST_FIRST:
        text = f"{parent.slug} {visibility.slug}"
        if visibility in allowed_for_reply(parent):
            reply = post(world, ben, text, visibility, status)
            assert world.status(reply, ann).visibility is visibility
        else:
            world.refuses(Forbidden, post, ben, text, visibility, status, match="too_visible")


def test_restricted_statuses_of_a_pull_author_reach_their_audience(
    site: Site, people: People
) -> None:
    site = with_settings(site, push_max_followers=1)
    ann, ben, cid = people("ann", "ben", "cid")
    for follower in (ben, cid):
        following.follow(site, follower, "ann")
    worker.drain(site)
    assert site.db.run(("HGET", account_keys.user(ann), "pull_author")) == "1"
    posted = [
        post(site, ann, f"hm @ben {visibility.slug}", visibility) for visibility in WIDEST_FIRST
    ]
    worker.drain(site)
    for _ in range(2):  # the second time both homes are rebuilt
        assert home_ids(site, ben) == posted[::-1]
        assert home_ids(site, cid) == posted[2::-1]
        for uid in (ben, cid):
            site.db.run(("DEL", account_keys.home(uid)))
            site.db.run(("ZREM", account_keys.active_members(partition_of(uid)), uid))


def test_restoring_a_member_brings_back_only_public_statuses(world: World) -> None:
    (ann,) = world.people("ann")
    public, *_ = [
        post(world, ann, f"hm #song {visibility.slug}", visibility) for visibility in WIDEST_FIRST
    ]
    world.apply_events()
    for suspended in (True, False):
        world.do(World.suspend, ann, suspended)
    world.apply_events()
    assert [item.id for item in timelines.public(world).items] == [public]
    assert [item.id for item in timelines.tagged(world, "song").items] == [public]
