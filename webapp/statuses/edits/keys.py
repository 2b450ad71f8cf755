"""The keys of edits and pins."""

from webapp.core.store.schema import List, MemberKey, StatusKey, ZSet

status_versions = StatusKey(
    "status_versions",
    List(),
    bound="EDITS_MAX; goes with the status",
    doc="""What a status said before it was edited, the oldest first: JSON of its `text`,
    `entities`, `lang` and `cw`, and `at`, when it began to say so (unix ms, nothing for the first);
    `described`, how often its pictures had been described anew, and `placed`, 1 if it had a place.
    Neither is kept itself: whoever removed it wants it gone.""",
)

pinned_statuses = MemberKey(
    "pinned",
    ZSet("status id", "unix ms, made unique"),
    bound="PINNED_MAX",
    doc="Which of their own statuses a member has pinned to the profile.",
)
