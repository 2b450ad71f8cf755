"""The keys of likes, boosts and bookmarks."""

from __future__ import annotations

from webapp.core.store.schema import MemberKey, StatusKey, ZSet

member_likes = MemberKey(
    "likes",
    ZSet("status id", "unix ms, made unique"),
    bound="LIKES_MAX, the oldest goes",
    writers=(
        "`statuses/interactions/lua/like.lua`, `statuses/interactions/lua/unlike.lua`, "
        "`statuses/interactions/like_projections.py`"
    ),
    doc=(
        "What a member likes: the truth about a like. A status that is gone stays on it, "
        "unseen, until it is the oldest."
    ),
)


likers = StatusKey(
    "likers",
    ZSet("uid", "unix ms, made unique"),
    bound="no bound: as many as choose to like it; goes with the status",
    writers=(
        "`statuses/interactions/lua/sync_interaction.lua`, `statuses/lua/delete.lua`, "
        "`statuses/lua/purge_deleted_account.lua`"
    ),
    doc="Who likes a status, projected from the members' own lists.",
)


member_boosts = MemberKey(
    "boosts",
    ZSet("`status:author`", "id of the boost"),
    bound="BOOSTS_MAX, the oldest goes",
    writers=(
        "`statuses/interactions/lua/boost.lua`, `statuses/interactions/lua/unboost.lua`, "
        "`statuses/interactions/lua/drop_boost.lua`, "
        "`statuses/interactions/boost_projections.py`"
    ),
    doc=(
        "What a member boosts: the truth about a boost. Its id is made like that of a "
        "status, and sorts among them."
    ),
)


boosters = StatusKey(
    "boosters",
    ZSet("uid", "id of the boost, made unique"),
    bound=(
        "no bound: as many as choose to boost it; goes after the status, once their "
        "lists say nothing of it"
    ),
    writers=(
        "`statuses/interactions/lua/sync_interaction.lua`, "
        "`statuses/interactions/boost_projections.py`"
    ),
    doc="Who boosts a status, projected from the members' own lists.",
)


recent_interactions = MemberKey(
    "recent_interactions",
    ZSet("status id", "unix ms"),
    bound="what is older than a minute goes; expires a minute after the last",
    writers="`statuses/**/*like.lua`, `statuses/**/*boost.lua`, `statuses/polls/lua/vote.lua`",
    doc=(
        "What a member has liked or boosted, or ceased to, or voted in within the last "
        "minute: whether it is counted yet is looked up."
    ),
)


bookmarks = MemberKey(
    "bookmarks",
    ZSet("status id", "unix ms, made unique"),
    bound="BOOKMARKS_MAX",
    writers=(
        "`statuses/interactions/lua/bookmark.lua`, `statuses/interactions/lua/unbookmark.lua`, "
        "`statuses/interactions/bookmarks.py`, "
        "`statuses/interactions/like_projections.py`"
    ),
    doc="What a member has bookmarked. Nobody else is shown it, and nobody is told.",
)
