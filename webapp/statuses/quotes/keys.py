"""The keys of quotes."""

from webapp.core.store.schema import StatusKey, ZSet

quotes = StatusKey(
    "quotes",
    ZSet("`id:author`", "id"),
    bound="no bound: as many as choose to quote it; goes with the status",
    doc="The quotes of a status that everybody may see.",
)

detached_quotes = StatusKey(
    "detached",
    ZSet("id of the quote", "unix ms"),
    bound="DETACHED_MAX; a quote that is deleted goes",
    doc="The quotes in which a status is not shown, as its author wishes: the truth about that.",
)
