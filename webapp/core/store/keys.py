"""The keys about the store itself."""

from .schema import Hash, Set, SiteKey, String

schema_version = SiteKey(
    "schema",
    String(),
    bound="no bound: one value",
    doc="The kind of data in this store, `linnet:<version>`; anything else is refused.",
)

outages = SiteKey(
    "store_outages",
    Hash("`count`, `last_ended_at` (unix seconds), `last_seconds`"),
    bound="three fields",
    doc="How often processes found a server of the store silent.",
)

upgrades = SiteKey(
    "upgrades",
    Hash("name of an upgrade", "`done`, or how far it is"),
    bound="a field an upgrade, and two",
    doc="""The upgrades of the data of older versions. `revision`: of the version that made the
    store, which knew all up to it. `lease`: who does a slice, and until when (unix ms).""",
)

drill_writes = SiteKey(
    "drill_writes",
    Set("number"),
    bound="expires a day after the drill",
    doc="What `linnet doctor --drill` wrote, until it has counted what a failover lost.",
)
