"""The keys of metrics, of the log lines kept for operators, and of live processes."""

from __future__ import annotations

from webapp.core.store.schema import Hash, Key, List, SiteKey, String, Type, ZSet

TAG = "metrics"


class MetricsKey(Key):
    """A key `noun:{metrics}:…`: all of them lie together, so that one script can add a batch."""

    def __init__(self, noun: str, facets: str, type: Type, *, bound: str, doc: str) -> None:
        self._start = f"{noun}:{{{TAG}}}:"
        super().__init__(self._start + facets, type, bound=bound, doc=doc)

    def prefix(self) -> str:
        """Return the prefix of these keys."""
        return self._start


metric = MetricsKey(
    "metric",
    "<name>:<precision>",
    Hash("start of the sample, unix seconds; `total`", "number"),
    bound="360 samples of 10 s, 1,440 of 60 s, 4,320 of 600 s; one a day without end",
    doc=(
        "A metric (names: `core/metrics/names.py`) by time. `total` is the sum of all days."
        " Samples that are too old wait for the cleaner."
    ),
)


timing = MetricsKey(
    "timing",
    "<route>:<period>",
    Hash("`n`, `sum`, `sumsq`, `min`, `max`; number of a bucket", "ms; requests in the bucket"),
    bound="at most 36",
    doc=(
        "How long requests took, by rule. Periods: `h` and the hour, kept for 26 hours; `d` and the"
        " day, kept for 33 days; `all`. Buckets: `core/metrics/timing.py`."
    ),
)


slow = MetricsKey(
    "slow",
    "<period>",
    ZSet("route", "mean, ms"),
    bound="at most 301",
    doc="The routes with times in a period, kept as long as these.",
)


log_recent = MetricsKey(
    "log_recent",
    "<severity>",
    List(),
    bound="the newest 1,000",
    doc="Log lines as JSON, newest first, without addresses and secrets.",
)


log_common = MetricsKey(
    "log_common",
    "<severity>:<hour>",
    ZSet("message without its arguments", "lines in this hour"),
    bound="at most 500; expires after a day",
    doc="The log lines of an hour by message; the rarest are dropped.",
)


hot_keys = MetricsKey(
    "hot_keys",
    "<period>",
    ZSet("noun, partition and number of a key", "commands, of one trip in 101"),
    bound="at most 1,000; expires after 15 minutes",
    doc="The keys that most commands of five minutes asked for, as the processes counted them.",
)


visitors = MetricsKey(
    "visitors",
    "<period>",
    String("HyperLogLog"),
    bound="12 KB; expires after 400 days",
    doc=(
        "About how many people looked at posts in a day, a week or four weeks (`d`, `w` or `m`, and"
        " the number of the period). It holds nobody's name or address."
    ),
)


visitor_salt = MetricsKey(
    "visitor_salt",
    "<period>",
    String(),
    bound="expires with the period",
    doc="The salt of a period's visitors, so that periods cannot be compared.",
)


countries = MetricsKey(
    "countries",
    "<day>",
    Hash("`visitors:` or `signups:` and two letters, none if unknown", "number"),
    bound="two for each country; expires after 400 days",
    doc="About how many people looked at posts on a day (days since 1970), and how many joined.",
)


active_members = MetricsKey(
    "came",
    "<week>:<block>",
    String("bitmap of 2^20 uids, the first of which is block × 2^20"),
    bound="128 KB for a million members; expires after 70 days",
    doc="Which members came in a week (Monday to Sunday, UTC; weeks since 1970).",
)


first_members = SiteKey(
    f"first_members:{{{TAG}}}",
    Hash("week", "the last uid of the week before"),
    bound="one field a week",
    doc="Where the uids of members who joined in a week begin.",
)


process = MetricsKey(
    "process",
    "<host>:<pid>",
    Hash("`kind`, `started`, `version`, `streams`, `batch` (its last batch)"),
    bound="expires an hour after the last heartbeat",
    doc="A process of the site.",
)


processes = SiteKey(
    f"processes:{{{TAG}}}",
    ZSet("`host:pid`", "last heartbeat, unix ms"),
    bound="silent ones are removed after an hour",
    doc="The processes of the site. One that stops removes itself.",
)
