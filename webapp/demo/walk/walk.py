"""Run the walk: a part for each feature of the README, in its order, one after the other until now.

An interrupted walk leaves posts, chats and follows as members might have made them.
"""

import time
from collections.abc import Mapping, Sequence

from webapp.core.errors import Conflict, Forbidden, RateLimited
from webapp.core.logs import log
from webapp.core.store import Site
from webapp.demo.acts.act import Progress
from webapp.demo.acts.applier import Applier
from webapp.demo.acts.clock import PastDb
from webapp.demo.acts.ids import earlier_ids
from webapp.explore import open_group_chats
from webapp.timelines.trends import counting as trends

from . import (
    chat_stops as chats,
    conversation_stops as conversations,
    meeting_stops as meeting,
    people_stops as people,
    post_stops as posts,
    reward_stops as rewards,
    site_stops as site,
)
from .context import Part, Stop, WalkContext
from .group_stops import groups_of_members
from .walk_members import WalkMembers

PART_US = 120 * 1_000_000  # between the beginnings of two parts; all fit into the hour of edits
FEATURES: Mapping[str, Part] = {
    "Members": people.members,
    "Posting": posts.posting,
    "Audience": posts.audiences,
    "Reading": site.reading,
    "Replies": conversations.replies,
    "Boosts": conversations.boosts_of_posts,
    "Likes and bookmarks": conversations.likes_and_bookmarks,
    "Polls": conversations.polls,
    "Quotes": conversations.quotes_of_posts,
    "Newest and popular": conversations.hot_posts,
    "Hashtags": people.hashtags,
    "Search": meeting.search,
    "Explore": site.explore,
    "People to follow": meeting.people_to_follow,
    "Notifications": people.notifications,
    "Drafts and scheduled posts": posts.drafts_and_scheduled,
    "Protected accounts": people.protected_accounts,
    "Lists": people.lists_of_members,
    "Groups": groups_of_members,
    "Peace and quiet": people.peace_and_quiet,
    "Chats": chats.chats,
    "Points": rewards.points,
    "Drops": rewards.drops,
    "Market": rewards.market,
    "Promoted posts": rewards.promotions,
    "Jobs": meeting.jobs_by_skills,
    "Nearby": meeting.nearby,
    "Sharing": posts.sharing,
    "Speed": site.speed,
    "Moderation": site.moderation,
    "Site status": site.site_status,
    "A site of your own": site.own_site,
    "Two-step login": site.two_step_login,
    "Passkeys": site.passkeys,
    "A way back in": site.recovery_codes,
    "Accessibility and languages": site.accessibility_and_languages,
    "Apps": site.apps_of_phones,
    "Interfaces": site.interfaces,
}

Walk = Mapping[str, Sequence[Stop]]  # by feature


def run_walk(site: Site, members: WalkMembers, progress: Progress) -> Walk:
    """Let the members use every feature, apply the events, and return where to see it.

    Many trips. Raises Unavailable, and NotFound if a member is deleted meanwhile.
    """
    past_db = PastDb(site.db)
    applier = Applier.over(site, past_db)
    context = WalkContext(past_db, site.config, members, applier.apply)
    now_us = time.time_ns() // 1000
    walk: dict[str, list[Stop]] = {}
    with earlier_ids(site.db), applier, progress("Walk", list(FEATURES.items())) as parts:
        for number, (feature, part) in enumerate(parts):
            past_db.set_time(now_us - (len(FEATURES) - number) * PART_US)
            walk[feature] = _run_part(context, feature, part)
            applier.apply()
    rank_explore(site)
    return walk


def rank_explore(site: Site) -> None:
    """Rank trends and groups as a worker does every minute."""
    trends.rank_now(site)
    open_group_chats.rank(site)


def _run_part(context: WalkContext, feature: str, part: Part) -> list[Stop]:
    """Run a part, up to an act that the settings refuse, such as an edit with EDIT_MINUTES=0."""
    stops: list[Stop] = []
    try:
        stops.extend(part(context))
    except (Conflict, Forbidden, RateLimited) as refusal:
        log.warning("The walk shows %s only in part: %s", feature, refusal)
    return stops
