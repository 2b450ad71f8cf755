"""The keys of lists."""

from webapp.core.store.schema import Hash, MemberKey, PartitionKey, ZSet

lists = MemberKey(
    "lists",
    ZSet("number", "number"),
    bound="LISTS_MAX",
    doc="The lists of a member. Their numbers are never used again.",
)

list_ = MemberKey(
    "list",
    Hash(),
    facets="<number>",
    bound="kept until its owner deletes it",
    doc="""A list of members: `name`, `private` (1: only its owner sees it), `exclusive` (1: its
    members' posts stay out of its owner's home).""",
)

list_members = MemberKey(
    "list_members",
    ZSet("uid", "unix µs, made unique"),
    facets="<number>",
    bound="LIST_MEMBERS_MAX",
    doc="Who is on a list: the truth about it.",
)

list_home = MemberKey(
    "list_home",
    ZSet("`id:author`, `id:author:reply_to` or `id:booster:author=status`", "id"),
    facets="<number>",
    bound="LIST_HOME_MAX; dropped HOME_DAYS after the last visit",
    doc="The timeline of a list: the newest posts and boosts of its members, named as in `home`.",
)

active_lists = PartitionKey(
    "active_lists",
    ZSet("`uid:number`", "last visit, unix seconds; minus that, with six decimals, to rebuild it"),
    bound="one entry an active list",
    doc="""The lists that get deliveries: those visited within HOME_DAYS. Below 0 if the timeline
    must be rebuilt, because it was not stored or its members have changed.""",
)

listed_on = MemberKey(
    "listed_on",
    ZSet("`owner:number`", "unix µs, made unique"),
    bound="no bound: as many as choose to list them",
    doc="The lists that a member is on, projected from the lists' own members.",
)

publicly_listed_on = MemberKey(
    "publicly_listed_on",
    ZSet("`owner:number`", "unix µs, made unique"),
    bound="no bound: as many as choose to list them",
    doc="Those of `listed_on` that everybody may see. Others see their number.",
)
