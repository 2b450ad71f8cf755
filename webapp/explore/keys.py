"""The keys of Explore: open group chats, and the posts that members were shown."""

from webapp.core.store.schema import MemberKey, SiteKey, String, ZSet

open_groups = SiteKey(
    "groups:{groups}:open",
    ZSet("chat id", "members"),
    bound="the largest 1,000",
    doc="The chats of the kind `open`, which anybody may find and join.",
)

group_ranking = SiteKey(
    "groups:{groups}:ranking",
    String("chat ids, a blank between"),
    bound="30 chats",
    doc="The open chats that Explore shows, those with most members who are not silent first.",
)

group_names = SiteKey(
    "groups:{groups}:names",
    String("lines of a chat id, a blank, and the folded name"),
    bound="1,000 chats",
    doc="The names of the open chats that can be found, in the order of their rank.",
)

seen_posts = MemberKey(
    "seen_posts",
    String("a Bloom filter of status ids (`core/store/bloom/`)"),
    private=True,
    bound="the newest 1,000 to 2,000, in 2.8 KB; expires after two weeks without a visit",
    doc="The posts that a member was shown on Explore, to show others. Private.",
)

recently_shown = MemberKey(
    "recently_shown",
    ZSet("status id", "unix ms when it was first shown"),
    private=True,
    bound="the newest 200; expires after ten minutes",
    doc="The posts that a member was shown on Explore a moment ago. They do not count as seen yet.",
)
