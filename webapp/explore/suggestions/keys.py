"""The keys of suggestions."""

from webapp.core.store.schema import MemberKey, PartitionKey, SiteKey, String, ZSet

suggestions = MemberKey(
    "suggestions",
    ZSet("`uid:reason`", "its rank, the best first"),
    private=True,
    bound="50; expires three days after they were computed",
    doc="""Whom a member may want to follow, with the reason (`explore/suggestions/reasons.py`).
    Private.""",
)

dismissed = MemberKey(
    "dismissed_suggestions",
    String("a Bloom filter of uids (`core/store/bloom/`)"),
    private=True,
    bound="the newest 1,000 to 2,000, in 2.8 KB",
    doc="Whom a member does not want to have suggested again. Private.",
)

due = PartitionKey(
    "suggestions_due",
    ZSet("uid", "when to compute their suggestions again, unix seconds"),
    bound="one entry a member who came within a week or so",
    doc="The members with suggestions, for the job of the partition.",
)

popular = SiteKey(
    "popular_members",
    ZSet("`uid:reason`", "its rank, the best first"),
    bound="50; expires after ten minutes",
    doc="Public members with many followers, or active lately, for those with few suggestions.",
)
