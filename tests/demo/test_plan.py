"""The plan of a community: who replies to what, and what else happens when."""

from collections import Counter
from itertools import pairwise

import pytest

from webapp.demo.acts.act import Act
from webapp.demo.acts.chat_acts import ReadChat, Say
from webapp.demo.acts.member_acts import Answer, Follow, Join, Protect
from webapp.demo.acts.post_acts import Bookmark, Boost, Like, Pin, Vote, Write
from webapp.demo.community import Community, Plan, generate_community, plan_people
from webapp.demo.plan.acts import plan_acts
from webapp.demo.plan.extras import extra_lines

NOW = 1_800_000_000_000
PLAN = Plan("1", NOW)


@pytest.fixture(scope="module")
def community() -> Community:
    """Return a community of the default size."""
    return generate_community(PLAN, plan_people(PLAN))


@pytest.fixture(scope="module")
def acts(community: Community) -> list[Act]:
    """Return what happens in it."""
    return plan_acts(PLAN, community)


def test_the_same_plan_gives_the_same_acts(acts: list[Act]) -> None:
    assert plan_acts(PLAN, generate_community(PLAN, plan_people(PLAN))) == acts


def test_each_act_has_a_time_of_its_own_after_all_that_it_needs(acts: list[Act]) -> None:
    times = [act.at_ms for act in acts]
    assert all(earlier < later for earlier, later in pairwise(times))
    assert times[-1] <= NOW
    members: set[int] = set()
    posts: set[int] = set()
    for act in acts:
        if isinstance(act, Join):
            members.add(act.member)
        elif isinstance(act, Write):
            parents = {act.post.reply_to, act.post.quote} - {None}
            assert act.member in members and parents <= posts
            posts.add(act.number)
        elif isinstance(act, Like | Boost | Vote | Bookmark | Pin):
            assert act.member in members and act.number in posts
        elif isinstance(act, Follow):
            assert {act.member, act.target} <= members


def test_posts_are_answered_by_others_and_authors_answer_back(community: Community) -> None:
    posts = community.posts
    replies = [post for post in posts if post.reply_to is not None]
    assert len(replies) > 900 and len({post.text for post in replies}) > 500
    answered_back = 0
    for reply in replies:
        assert reply.reply_to is not None
        parent = posts[reply.reply_to]
        assert parent.at_ms < reply.at_ms and parent.author != reply.author
        assert parent.language == reply.language
        if parent.reply_to is not None:
            answered_back += posts[parent.reply_to].author == reply.author
    assert answered_back > 300


def test_only_replies_that_were_written_for_a_question_answer_it() -> None:
    for language in ("en", "zh"):
        moods = {head.split()[1] for head in extra_lines(language) if head.startswith("replies")}
        assert moods == {"good", "bad", "plain", "poll", "view", "warned"}


def test_a_few_posts_get_very_many_likes_and_most_get_few(acts: list[Act]) -> None:
    likes = Counter(act.number for act in acts if isinstance(act, Like))
    boosts = Counter(act.number for act in acts if isinstance(act, Boost))
    counts = sorted(likes.values(), reverse=True)
    assert counts[0] > 120 and counts[30] < counts[0] / 3 and counts[-1] == 1
    assert sum(count <= 3 for count in counts) > len(counts) / 2
    assert max(boosts.values()) > 30 and len(boosts) > 200
    reactions = [act for act in acts if isinstance(act, Like | Boost | Vote | Bookmark)]
    once = Counter((type(act), act.member, act.number) for act in reactions)
    assert set(once.values()) == {1}


def test_polls_pictures_warnings_quotes_and_places_are_there(community: Community) -> None:
    kinds = Counter(post.mood for post in community.posts)
    assert min(kinds[kind] for kind in ("poll", "warned", "view", "quote")) > 12
    pictured = [post for post in community.posts if post.alts]
    assert all(all(post.alts) for post in pictured) and any(len(post.alts) > 1 for post in pictured)
    assert sum(post.place is not None for post in pictured) > 5
    ends = [post.at_ms + post.poll.minutes * 60_000 for post in community.posts if post.poll]
    assert any(end < NOW for end in ends)


def test_votes_come_before_a_poll_ends(acts: list[Act], community: Community) -> None:
    votes = [act for act in acts if isinstance(act, Vote)]
    assert len(votes) > 300
    for vote in votes:
        post = community.posts[vote.number]
        assert post.poll and vote.at_ms < post.at_ms + post.poll.minutes * 60_000


def test_one_member_is_protected_late_and_gets_requests(
    acts: list[Act], community: Community
) -> None:
    (protected,) = (act for act in acts if isinstance(act, Protect))
    assert protected.member in community.followed[community.featured_index]
    later = [act for act in acts if act.at_ms > protected.at_ms]
    requests = [act for act in later if isinstance(act, Follow) and act.target == protected.member]
    (answer,) = (act for act in later if isinstance(act, Answer))
    assert len(requests) == 3 and answer.requester == requests[0].member


def test_the_featured_member_has_chats_with_messages_to_read(
    acts: list[Act], community: Community
) -> None:
    chats = [act for act in acts if isinstance(act, Say)]
    read = {act.chat: act.line for act in acts if isinstance(act, ReadChat)}
    newest = {act.chat: act.line for act in chats}
    assert len(newest) == 7 and all(read[chat] < newest[chat] for chat in list(newest)[-3:])
    assert sum(act.member == community.featured_index for act in chats) > 8
