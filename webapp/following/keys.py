"""The keys of follows, requests, blocks and mutes."""

from __future__ import annotations

from webapp.core.store.schema import MemberKey, ZSet

following = MemberKey(
    "following",
    ZSet("uid", "unix µs, made unique"),
    bound="FOLLOWING_MAX",
    writers=(
        "`following/**/*follow.lua`, `following/**/*block.lua`, "
        "`following/requests/lua/resolve_request.lua`"
    ),
    doc="Whom a member follows. The truth about a follow.",
)


followers = MemberKey(
    "followers",
    ZSet("uid", "unix µs, made unique"),
    bound="no bound: as many as choose to follow",
    writers="`following/lua/sync_follower.lua`, `following/requests/lua/remove_follower.lua`",
    doc="Who follows a member. Projected from the followers' own lists.",
)


sent_follow_requests = MemberKey(
    "sent_follow_requests",
    ZSet("uid", "unix ms, made unique"),
    bound="REQUESTS_MAX",
    writers=(
        "`following/lua/follow.lua`, `following/lua/unfollow.lua`, `following/**/*block.lua`, "
        "`following/lua/revoke_follow.lua`, `following/requests/lua/resolve_request.lua`"
    ),
    doc="Whom a member has requested to follow, until they answer. The truth about a request.",
)


follow_requests = MemberKey(
    "follow_requests",
    ZSet("uid", "unix ms, made unique"),
    bound="REQUESTS_MAX",
    writers=(
        "`following/requests/lua/sync_request.lua`, `following/requests/lua/answer_request.lua`"
    ),
    doc=(
        "Who requests to follow a member, until the member answers. Projected from the "
        "requesters' own lists."
    ),
)


blocks = MemberKey(
    "blocks",
    ZSet("uid", "unix ms, made unique"),
    bound="BLOCKS_MAX",
    writers="`following/blocks/lua/block.lua`, `following/blocks/lua/unblock.lua`",
    doc="Whom a member blocks. The truth about a block.",
)


blockers = MemberKey(
    "blockers",
    ZSet("uid", "unix ms"),
    bound="no bound: as many as choose to block",
    writers="`following/blocks/lua/sync_blocker.lua`",
    doc="Who blocks a member. Projected from the blockers' own lists; nobody sees it.",
)


mutes = MemberKey(
    "mutes",
    ZSet("uid", "until when, unix seconds, made unique (in a hundred years: until unmuted)"),
    bound="MUTES_MAX; those that are over are removed with the next mute",
    writers=(
        "`following/mutes/lua/mute.lua`, `following/mutes/lua/unmute.lua`, "
        "`following/mutes/store.py`, `following/mutes/projections.py`"
    ),
    doc="Whom a member mutes: no timeline of the member shows their statuses. Private.",
)


hidden_boosts = MemberKey(
    "hidden_boosts",
    ZSet("uid", "unix ms, each higher than the one before"),
    bound="HIDDEN_BOOSTS_MAX",
    writers=(
        "`following/hidden_boosts/lua/hide.lua`, `following/hidden_boosts/lua/show.lua`, "
        "`following/hidden_boosts/projections.py`"
    ),
    doc="Members whose boosts a member's home does not show. Private.",
)


muted_notifications = MemberKey(
    "muted_notifications",
    ZSet("uid", "until when, as in `mutes`"),
    bound="MUTES_MAX",
    writers=(
        "`following/mutes/lua/mute.lua`, `following/mutes/lua/unmute.lua`, "
        "`following/mutes/store.py`, `following/mutes/projections.py`"
    ),
    doc="Those whom a member mutes and whose notifications are hidden too.",
)
