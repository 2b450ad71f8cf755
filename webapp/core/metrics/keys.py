"""The keys of metrics, of the log lines kept for operators, and of live processes."""

from webapp.core.store.schema import Hash, Key, List, SiteKey, String, ZSet

metric = Key(
    "metric:{metrics}:<name>:<precision>",
    Hash("start of the sample, unix seconds; `total`", "number"),
    bound="360 samples of 10 s, 1,440 of 60 s, 4,320 of 600 s; one a day without end",
    doc="""A metric (names: `core/metrics/names.py`) by time. `total` is the sum of all days.
    Samples that are too old wait for the cleaner.""",
)

timing = Key(
    "timing:{metrics}:<route>:<period>",
    Hash("`n`, `sum`, `sumsq`, `min`, `max`; number of a bucket", "ms; requests in the bucket"),
    bound="at most 36",
    doc="""How long requests took, by rule. Periods: `h` and the hour, kept for 26 hours; `d` and
    the day, kept for 33 days; `all`. Buckets: `core/metrics/timing.py`.""",
)

slow = Key(
    "slow:{metrics}:<period>",
    ZSet("route", "mean, ms"),
    bound="at most 301",
    doc="The routes with times in a period, kept as long as these.",
)

log_recent = Key(
    "log_recent:{metrics}:<severity>",
    List(),
    bound="the newest 1,000",
    doc="Log lines as JSON, newest first, without addresses and secrets.",
)

log_common = Key(
    "log_common:{metrics}:<severity>:<hour>",
    ZSet("message without its arguments", "lines in this hour"),
    bound="at most 500; expires after a day",
    doc="The log lines of an hour by message; the rarest are dropped.",
)

hot_keys = Key(
    "hot_keys:{metrics}:<period>",
    ZSet("noun, partition and number of a key", "commands, of one trip in 101"),
    bound="at most 1,000; expires after 15 minutes",
    doc="The keys that most commands of five minutes asked for, as the processes counted them.",
)

visitors = Key(
    "visitors:{metrics}:<period>",
    String("HyperLogLog"),
    bound="12 KB; expires after 400 days",
    doc="""About how many people looked at posts in a day, a week or four weeks (`d`, `w` or `m`,
    and the number of the period). It holds nobody's name or address.""",
)

visitor_salt = Key(
    "visitor_salt:{metrics}:<period>",
    String(),
    bound="expires with the period",
    doc="The salt of a period's visitors, so that periods cannot be compared.",
)

countries = Key(
    "countries:{metrics}:<day>",
    Hash("`visitors:` or `signups:` and two letters, none if unknown", "number"),
    bound="two for each country; expires after 400 days",
    doc="About how many people looked at posts on a day (days since 1970), and how many joined.",
)

active_members = Key(
    "came:{metrics}:<week>:<block>",
    String("bitmap of 2^20 uids, the first of which is block × 2^20"),
    bound="128 KB for a million members; expires after 70 days",
    doc="Which members came in a week (Monday to Sunday, UTC; weeks since 1970).",
)

first_members = SiteKey(
    "first_members:{metrics}",
    Hash("week", "the last uid of the week before"),
    bound="one field a week",
    doc="Where the uids of members who joined in a week begin.",
)

process = Key(
    "process:{metrics}:<host>:<pid>",
    Hash("`kind`, `started`, `version`, `streams`, `batch` (its last batch)"),
    bound="expires an hour after the last heartbeat",
    doc="A process of the site.",
)

processes = SiteKey(
    "processes:{metrics}",
    ZSet("`host:pid`", "last heartbeat, unix ms"),
    bound="silent ones are removed after an hour",
    doc="The processes of the site. One that stops removes itself.",
)
