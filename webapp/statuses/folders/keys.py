"""The keys of bookmark folders."""

from webapp.core.store.schema import Hash, MemberKey, ZSet

folders = MemberKey(
    "folders",
    Hash("number", "name"),
    private=True,
    bound="FOLDERS_MAX",
    doc="A member's folders of bookmarks. Private. Their numbers are never used again.",
)

folder_statuses = MemberKey(
    "folder_statuses",
    ZSet("status id", "unix ms, each higher than the one before"),
    facets="<number>",
    bound="FOLDER_STATUSES_MAX",
    doc="The statuses in a folder, newest last: each of them is bookmarked too.",
)
