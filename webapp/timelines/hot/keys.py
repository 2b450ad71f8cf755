"""The keys of hot posts."""

from __future__ import annotations

from webapp.core.store.schema import PARTITION_TAGS, Key, SiteKey, ZSet
from webapp.timelines.keys import PUBLIC_TAG, hashtag_partition

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

LANGUAGE_PREFIX = f"hot_language:{{{PUBLIC_TAG}}}:"  # of the keys of all languages


def _hot_in_language(language: str) -> str:
    return f"{LANGUAGE_PREFIX}{language}"


hot_in_language = Key(
    "hot_language:{public}:<language>",
    _hot_in_language,
    ZSet("`id:author`", SCORE),
    bound="HOT_GROUP_MAX",
    doc="The same of one language (its primary subtag, such as `en`).",
)


def _hot_tagged(name: str) -> str:
    return f"hot_tag:{{{PARTITION_TAGS[hashtag_partition(name)]}}}:{name}"


hot_tagged = Key(
    "hot_tag:{<tag>}:<name>",
    _hot_tagged,
    ZSet("`id:author`", SCORE),
    by=hashtag_partition,
    bound="HOT_GROUP_MAX",
    doc="The public statuses with a hashtag, by how popular they are.",
)
