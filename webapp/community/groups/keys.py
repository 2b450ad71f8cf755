"""The keys of groups. Those that the policy and homes read are in statuses/visibility."""

from webapp.core.store.schema import Hash, Key, MemberKey, SiteKey, String, ZSet
from webapp.statuses.visibility.keys import GroupKey

last_group_id = SiteKey(
    "last_group_id",
    String("(counter)"),
    bound="no bound: one value",
    doc="The last number given to a group. Numbers are dense; gaps are fine.",
)

group_slug = Key(
    "group_slug:{<slug>}",
    String("`gid:uid`"),
    bound="one a group; ten minutes for a claim without a group",
    doc="The group of an address, and who claimed it. Kept for good once the group exists.",
)

group_directory = SiteKey(
    "group_directory",
    ZSet("gid", "members"),
    bound="the largest 1,000",
    doc="The groups that are found on the page of groups.",
)

group_requests = GroupKey(
    "group_requests",
    ZSet("uid", "unix ms"),
    bound="GROUP_REQUESTS_MAX",
    doc="Members who ask to join a closed group.",
)

group_banned = GroupKey(
    "group_banned",
    ZSet("uid", "unix ms"),
    bound="the newest 1,000",
    doc="Members who may not come back until an owner lets them.",
)

group_votes = GroupKey(
    "group_votes",
    ZSet("`id:author`", "votes up minus votes down; 1 when placed"),
    bound="GROUP_POSTS_MAX: trimmed with `group_posts`",
    doc="The votes of the posts of a group's timeline.",
)

group_voters = GroupKey(
    "group_voters",
    Hash("uid", "1, 0 or -1"),
    facets="<id>",
    bound="GROUP_MEMBERS_MAX; gone when nobody may vote any more",
    doc="Who voted on a post, and how. It expires a week after the post.",
)

group_top = GroupKey(
    "group_top",
    ZSet("`id:author`", "id + votes x GROUP_VOTE_SECONDS x 4,096,000"),
    bound="GROUP_POSTS_MAX; a minute",
    doc="The posts of a group by time and votes, as they were last computed.",
)

group_removed = GroupKey(
    "group_removed",
    ZSet("status id", "unix ms when an owner removed it"),
    bound="500: the oldest go",
    doc="Posts that owners took off the timeline. They do not come back if an event is repeated.",
)

group_pinned = GroupKey(
    "group_pinned",
    ZSet("`id:author`", "unix ms when it was pinned"),
    bound="3",
    doc="The posts that owners show above a group's newest. None that has left the group.",
)

group_invitations = GroupKey(
    "group_invitations",
    Hash("`@uid`, or a link's sha", "three numbers"),
    bound="500; those that have ended go when another is made",
    doc="""Members who are invited, and links under the SHA-256 of their secrets: `left ends by`
    (uses, unix ms, uid). They count while `by` may still invite.""",
)

invited_to = MemberKey(
    "invited_to",
    ZSet("gid", "unix ms when it ends"),
    bound="the 100 that end last",
    doc="""The groups that a member is invited to, projected from `group_invitations`, which decide.
    Erased with a deleted account.""",
)

group_invited = MemberKey(
    "group_invited",
    ZSet("`gid:uid`", "unix ms when it ends"),
    bound="the 500 that end last",
    private=True,
    doc="Whom a member invited by name: their notifications hold while they are on it.",
)

group_leaving = GroupKey(
    "group_leaving",
    ZSet("uid", "unix ms"),
    bound="GROUP_MEMBERS_MAX; gone once all are told",
    doc="The members of a closed-down group whose own lists still name it.",
)
