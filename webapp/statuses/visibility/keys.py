"""The keys of groups that the policy and homes read.

They are here because groups are an optional room, which the rooms of statuses cannot import.
"""

from webapp.core.store.schema import Hash, MemberKey, Set, ZSet


class GroupKey(MemberKey):
    """A key of one group, in the group's partition: `gid % 64`."""

    id = "gid"


group = GroupKey(
    "group",
    Hash(),
    bound="kept until its owners close it",
    doc="""A group: `slug`, `name`, `about`, `rules`, `kind` (open, closed, announcements), `voting`
    ('', up, both), `created` (unix ms), `picture` (the name of a stored one), `chat` (the id of its
    chat, which lies in the same partition).""",
)

group_members = GroupKey(
    "group_members",
    ZSet("uid", "unix ms"),
    bound="GROUP_MEMBERS_MAX",
    doc="The members of a group, in the order they came: the truth about it.",
)

group_owners = GroupKey(
    "group_owners",
    Set("uid"),
    bound="GROUP_OWNERS_MAX",
    doc="The members who run a group. At least one.",
)

groups = MemberKey(
    "groups",
    ZSet("gid", "1 if its posts are in the member's home, 0 if not, or an id"),
    bound="GROUPS_MAX",
    doc="""The groups of a member, projected from `group_members`. They propose; the group's own
    members decide. An id: the member's home says how many posts are newer. Erased after a deleted
    account has left them.""",
)

group_posts = GroupKey(
    "group_posts",
    ZSet("`id:author`", "id"),
    bound="GROUP_POSTS_MAX",
    doc="The timeline of a group: its newest posts, without replies.",
)
