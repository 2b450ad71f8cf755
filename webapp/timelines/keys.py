"""The keys of timelines and followed hashtags."""

from __future__ import annotations

from zlib import crc32

from webapp.core.store.ids import partition_of
from webapp.core.store.schema import (
    PARTITION_TAGS,
    Key,
    MemberKey,
    PartitionKey,
    Set,
    SiteKey,
    ZSet,
)

tag_index = MemberKey(
    "tag_index",
    ZSet("`id:name`", "id"),
    bound="the newest 20,000; goes with the account",
    writers="`timelines/lua/publish.lua`",
    doc="The hashtags that a member's statuses are indexed under, to take them out again.",
)

home = MemberKey(
    "home",
    ZSet("`id:author`, `id:author:reply_to` or `id:booster:author=status`", "id"),
    bound="HOME_MAX + HOME_SLACK and a few; dropped HOME_DAYS after the last visit",
    writers=(
        "`statuses/lua/post.lua`, `statuses/lua/delete.lua`, `statuses/**/*boost.lua`, "
        "`following/**/*.lua`, `timelines/**/*.lua`"
    ),
    doc=(
        "A home timeline. A reply to a third member names them as well; a boost names who boosts, "
        "and the status with its author. The member `more` (score: minus the time of the newest "
        "cut, µs) says that older entries were left out."
    ),
)

active_members = PartitionKey(
    "active",
    ZSet("uid", "last visit, unix seconds"),
    bound="one entry an active member",
    writers="`accounts/lua/create.lua`, `following/**/*.lua`, `timelines/**/*.lua`",
    doc=(
        "The members who get deliveries: those who came within HOME_DAYS. Below 0 for an hour "
        "or more after a rebuild or an unfollow: deliveries look at the member's own list of "
        "follows then."
    ),
)

pull_authors = PartitionKey(
    "pull_authors",
    Set("uid"),
    bound="no bound: one a member above PUSH_MAX_FOLLOWERS, sticky",
    writers="`timelines/fanout/backfill.py`, `timelines/account_projections.py`",
    doc=(
        "The authors with too many followers to push to, copied to each partition for the "
        "scripts that read homes there."
    ),
)

PUBLIC_TAG = "public"  # the hash tag of the public timeline

public_timeline = SiteKey(
    "public:{public}",
    ZSet("`id:author`", "id"),
    bound="PUBLIC_MAX",
    writers="`timelines/lua/publish.lua`, `timelines/lua/resync_public.lua`, `timelines/shared.py`",
    doc="The public timeline.",
)


def hashtag_partition(name: str) -> int:
    """Return the partition of a hashtag, by its folded name."""
    return partition_of(crc32(name.encode()))


def _hashtag_statuses(name: str) -> str:
    return f"hashtag:{{{PARTITION_TAGS[hashtag_partition(name)]}}}:{name}"


hashtag_statuses = Key(
    "hashtag:{<tag>}:<name>",
    _hashtag_statuses,
    ZSet("`id:author`", "id"),
    bound="TAGGED_MAX",
    writers="`timelines/lua/publish.lua`, `timelines/shared.py`, `timelines/home/store.py`",
    doc="The public statuses with a hashtag, under its folded name (`text.tag_name`).",
)

followed_tags = MemberKey(
    "tags",
    ZSet("name", "unix ms, made unique"),
    bound="FOLLOWED_TAGS_MAX",
    writers=(
        "`timelines/tags/lua/follow_tag.lua`, `timelines/tags/lua/refold_tag.lua`, "
        "`timelines/tags/lua/unfollow_tag.lua`, `timelines/tags/projections.py`"
    ),
    doc="The hashtags a member follows, by their folded names.",
)
