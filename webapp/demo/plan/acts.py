"""Plan all acts of a community, in order, each at a ms of its own.

Joining, posting and chatting happen at their times. The other acts follow in rounds, between two
posts: there the projections of many can share trips, since those of a kind come together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from random import Random

from webapp.demo.acts.act import Act, Post
from webapp.demo.acts.member_acts import Answer, Follow, ForgetHomes, Join, Protect
from webapp.demo.acts.post_acts import Boost, ClosePolls, Like, Vote, Write
from webapp.demo.community import DAY_MS, Community, Plan

from .chats import plan_chats
from .own import plan_own_pages
from .reactions import plan_reactions, plan_trending

MINUTE_MS = 60_000
JOB_DAYS = 10  # between two runs of the job that drops homes
CHAT_DAYS = 8  # ago: since when friends who chat follow each other
PROTECTED_MS = 120 * MINUTE_MS  # ago: when a member protects their account
REQUESTS = 3  # to follow them afterwards; the first is accepted
APART_MS, GAP_MIN_MS = 120 * MINUTE_MS, MINUTE_MS  # rounds; timed acts for one to fit in between
RECENT_MS = 8 * 60 * MINUTE_MS  # ago: since then readers see the times of acts
RECENT_APART_MS, RECENT_GAP_MIN_MS = 2 * MINUTE_MS, MINUTE_MS // 6
ROUND_MAX_MS = 20 * 60_000  # that a round lasts


def plan_acts(plan: Plan, community: Community) -> list[Act]:
    """Return the acts of members, in order of time. The same plan gives the same acts."""
    rng = Random(f"{plan.seed} acts")
    persons, posts = community.people, community.posts
    timed: list[Act] = [Join(person.joined, place) for place, person in enumerate(persons)]
    timed += (Write(post.at_ms, post.author, number, post) for number, post in enumerate(posts))
    timed += _jobs(plan, posts)
    friends = _friends(community, plan.now - CHAT_DAYS * DAY_MS)
    timed += plan_chats(rng, community, friends)
    loose: list[Act] = [Follow(one.at_ms, one.follower, one.target) for one in community.follows]
    loose += plan_reactions(rng, community)
    loose += plan_trending(rng, community)
    loose += plan_own_pages(rng, community)
    loose = [replace(act, at_ms=max(act.at_ms, persons[act.member].joined)) for act in loose]
    protected = community.protected_index
    if protected is not None:
        timed += _protection(rng, community, protected, plan.now - PROTECTED_MS)
        loose = [act for act in loose if not _is_late(act, protected, posts, plan.now - DAY_MS)]
    return in_order(timed, loose, plan.now)


def _jobs(plan: Plan, posts: Sequence[Post]) -> Iterator[Act]:
    """Yield the workers' jobs: dropping homes now and then, and ending polls when they end."""
    for at_ms in range(plan.start, plan.now, JOB_DAYS * DAY_MS):
        yield ForgetHomes(at_ms, 0)
    for post in posts:
        if post.poll and (ends_at := post.at_ms + post.poll.minutes * MINUTE_MS) < plan.now:
            yield ClosePolls(ends_at, post.author)


def _friends(community: Community, since: int) -> list[int]:
    """Return those with whom the featured member exchanged follows before `since`.

    Those who write English come first.
    """
    me = community.featured_index
    early = {(one.follower, one.target) for one in community.follows if one.at_ms < since}
    friends = [one for one in community.followed[me] if {(me, one), (one, me)} <= early]
    return sorted(friends, key=lambda one: community.people[one].languages != ("en",))


def _protection(rng: Random, community: Community, member: int, at_ms: int) -> Iterator[Act]:
    """Yield the act of a member who protects their account, and requests to follow them."""
    yield Protect(at_ms, member)
    present = set(range(len(community.people))) - {member, community.featured_index}
    strangers = sorted(present - {*community.followers[member]})
    strangers = [one for one in strangers if community.people[one].joined < at_ms]
    for number, other in enumerate(rng.sample(strangers, min(REQUESTS, len(strangers))), 1):
        yield Follow(at_ms + number * MINUTE_MS, other, member)
        if number == 1:
            yield Answer(at_ms + 9 * MINUTE_MS, member, other)


def _is_late(act: Act, protected: int, posts: Sequence[Post], since: int) -> bool:
    """Return True if somebody follows the member, or reacts to their posts, after that time."""
    if act.at_ms < since:
        return False
    if isinstance(act, Follow):
        return act.target == protected
    return isinstance(act, Like | Boost | Vote) and posts[act.number].author == protected


def in_order(timed: Sequence[Act], loose: Sequence[Act], now: int) -> list[Act]:
    """Return all acts in order of time, up to `now` (unix ms). Loose ones are never early."""
    waiting = sorted(loose, key=lambda act: act.at_ms)
    timed = sorted(timed, key=lambda act: act.at_ms)
    acts: list[Act] = []
    done = round_at = 0
    ends = [*(one.at_ms for one in timed[1:]), now]
    for place, (act, next_at) in enumerate(zip(timed, ends, strict=True), 1):
        at_ms = max(act.at_ms, acts[-1].at_ms + 1) if acts else act.at_ms
        acts.append(replace(act, at_ms=at_ms))
        is_last = place == len(timed)
        is_recent = at_ms > now - RECENT_MS
        apart = RECENT_APART_MS if is_recent else APART_MS
        gap_min = RECENT_GAP_MIN_MS if is_recent else GAP_MIN_MS
        if is_last or (next_at - at_ms > gap_min and at_ms - round_at > apart):
            end = done
            while end < len(waiting) and (is_last or waiting[end].at_ms <= at_ms):
                end += 1
            acts += _round(waiting[done:end], at_ms, min(next_at, at_ms + ROUND_MAX_MS))
            done, round_at = end, at_ms
    return acts


def _round(acts: Sequence[Act], start: int, end: int) -> Iterator[Act]:
    """Yield acts by kind, evenly between two times, and at least one ms apart."""
    by_kind: dict[type[Act], list[Act]] = {}
    for act in acts:
        by_kind.setdefault(type(act), []).append(act)
    step = max((end - start) / (len(acts) + 1), 1)
    for number, act in enumerate(chain.from_iterable(by_kind.values()), 1):
        yield replace(act, at_ms=start + int(number * step))
