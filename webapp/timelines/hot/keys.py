"""The keys of hot posts."""

from webapp.core.store.schema import Key, SiteKey, ZSet
from webapp.timelines.keys import hashtag_partition

SCORE = "the id, raised by its likes and boosts"

hot_statuses = SiteKey(
    "hot:{public}",
    ZSet("`id:author`", SCORE),
    bound="HOT_MAX",
    doc="The public timeline's statuses by how popular they are; those of the lowest score go.",
)

hot_languages = SiteKey(
    "hot_languages:{public}",
    ZSet("language", "score of what was placed there last"),
    bound="one for each language of a hot status",
    doc="The languages that have hot statuses.",
)

hot_in_language = Key(
    "hot_language:{public}:<language>",
    ZSet("`id:author`", SCORE),
    bound="HOT_GROUP_MAX",
    doc="The same of one language (its primary subtag, such as `en`).",
)

hot_tagged = Key(
    "hot_tag:{<tag>}:<name>",
    ZSet("`id:author`", SCORE),
    by=hashtag_partition,
    bound="HOT_GROUP_MAX",
    doc="The public statuses with a hashtag, by how popular they are.",
)
