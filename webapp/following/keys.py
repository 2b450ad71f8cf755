"""What follows, requests, blocks and mutes store."""

from __future__ import annotations

from webapp.core.store.schema import MemberKey, ZSet

following = MemberKey(
    "following",
    ZSet("uid", "unix µs, made unique"),
    bound="FOLLOWING_MAX",
    writers=(
        "`following/**/*follow.lua`, `following/**/*block.lua`, `following/requests/lua/resolve_request.lua`"
    ),
    doc="Whom a member follows: the truth about a follow.",
)


followers = MemberKey(
    "followers",
    ZSet("uid", "unix µs, made unique"),
    bound="no bound: as many as choose to follow",
    writers="`following/lua/sync_follower.lua`, `following/requests/lua/remove_follower.lua`",
    doc="Who follows a member, projected from the followers' own lists.",
)


sent_follow_requests = MemberKey(
    "sent_follow_requests",
    ZSet("uid", "unix ms, made unique"),
    bound="REQUESTS_MAX",
    writers=(
        "`following/lua/follow.lua`, `following/lua/unfollow.lua`, `following/**/*block.lua`, "
        "`following/lua/revoke_follow.lua`, `following/requests/lua/resolve_request.lua`"
    ),
    doc=(
        "Whom a member has asked to follow and who has not answered yet: the truth about a request."
    ),
)


follow_requests = MemberKey(
    "follow_requests",
    ZSet("uid", "unix ms, made unique"),
    bound="REQUESTS_MAX",
    writers=(
        "`following/requests/lua/sync_request.lua`, `following/requests/lua/answer_request.lua`"
    ),
    doc=(
        "Who asks to follow a member, projected from the askers' own lists, until the member answers."
    ),
)


blocks = MemberKey(
    "blocks",
    ZSet("uid", "unix ms, made unique"),
    bound="BLOCKS_MAX",
    writers="`following/blocks/lua/block.lua`, `following/blocks/lua/unblock.lua`",
    doc="Whom a member blocks: the truth about a block.",
)


blockers = MemberKey(
    "blockers",
    ZSet("uid", "unix ms"),
    bound="no bound: as many as choose to block",
    writers="`following/blocks/lua/sync_blocker.lua`",
    doc="Who blocks a member, projected from the blockers' own lists. Nobody is shown it.",
)


mutes = MemberKey(
    "mutes",
    ZSet("uid", "until when, unix seconds, made unique (a hundred years ahead: until unmuted)"),
    bound="MUTES_MAX; those that are over go when another is made",
    writers=(
        "`following/mutes/lua/mute.lua`, `following/mutes/lua/unmute.lua`, `following/mutes/store.py`"
    ),
    doc=(
        "Whom a member mutes: their statuses come into no timeline of the member's. Nobody else is told."
    ),
)


muted_notifications = MemberKey(
    "muted_notifications",
    ZSet("uid", "until when, as in `mutes`"),
    bound="at most as many as are muted",
    writers=(
        "`following/mutes/lua/mute.lua`, `following/mutes/lua/unmute.lua`, `following/mutes/store.py`"
    ),
    doc="Those of the muted whose notifications a member does not want either.",
)
