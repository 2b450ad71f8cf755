"""The keys of follows, requests, blocks and mutes."""

from webapp.core.store.schema import Hash, MemberKey, ZSet

following = MemberKey(
    "following",
    ZSet("uid", "unix µs, made unique"),
    bound="FOLLOWING_MAX",
    doc="Whom a member follows. The truth about a follow.",
)

followers = MemberKey(
    "followers",
    ZSet("uid", "unix µs, made unique"),
    bound="no bound: as many as choose to follow",
    doc="Who follows a member. Projected from the followers' own lists.",
)

sent_follow_requests = MemberKey(
    "sent_follow_requests",
    ZSet("uid", "unix ms, made unique"),
    bound="REQUESTS_MAX",
    doc="Whom a member has requested to follow, until they answer. The truth about a request.",
)

follow_requests = MemberKey(
    "follow_requests",
    ZSet("uid", "unix ms, made unique"),
    bound="REQUESTS_MAX",
    doc="""Who requests to follow a member, until the member answers. Projected from the requesters'
    own lists.""",
)

blocks = MemberKey(
    "blocks",
    ZSet("uid", "unix ms, made unique"),
    bound="BLOCKS_MAX",
    doc="Whom a member blocks. The truth about a block.",
)

blockers = MemberKey(
    "blockers",
    ZSet("uid", "unix ms"),
    bound="no bound: as many as choose to block",
    doc="Who blocks a member. Projected from the blockers' own lists; nobody sees it.",
)

mutes = MemberKey(
    "mutes",
    ZSet("uid", "until when, unix seconds, made unique (in a hundred years: until unmuted)"),
    private=True,
    bound="MUTES_MAX; those that are over are removed with the next mute",
    doc="Whom a member mutes: no timeline of the member shows their statuses. Private.",
)

hidden_boosts = MemberKey(
    "hidden_boosts",
    ZSet("uid", "unix ms, each higher than the one before"),
    private=True,
    bound="HIDDEN_BOOSTS_MAX",
    doc="Members whose boosts a member's home and lists do not show. Private.",
)

subscriptions = MemberKey(
    "subscriptions",
    ZSet("uid", "unix ms, each higher than the one before"),
    private=True,
    bound="SUBSCRIPTIONS_MAX",
    doc="""Members whose posts notify a member, who follows them all. The truth about a
    subscription. Private.""",
)

post_subscribers = MemberKey(
    "post_subscribers",
    ZSet("uid", "unix ms, made unique"),
    private=True,
    bound="no bound: as many as choose to subscribe",
    doc="""Who is notified of a member's posts. Projected from the subscribers' own lists; nobody
    sees it.""",
)

endorsements = MemberKey(
    "endorsements",
    ZSet("uid", "unix ms, each higher than the one before"),
    private=True,
    bound="ENDORSEMENTS_MAX",
    doc="Followed members whom a member features on the profile.",
)

notes = MemberKey(
    "notes",
    Hash("uid", "text"),
    private=True,
    bound="NOTES_MAX",
    doc="What a member has noted about others. Private: nobody else can read it.",
)

muted_notifications = MemberKey(
    "muted_notifications",
    ZSet("uid", "until when, as in `mutes`"),
    private=True,
    bound="MUTES_MAX",
    doc="Those whom a member mutes and whose notifications are hidden too.",
)
