"""Every metric of the site. No other names reach the store."""

from dataclasses import dataclass
from enum import StrEnum

PRECISIONS = {10: 360, 60: 1_440, 600: 4_320, 86_400: 0}  # seconds -> samples kept; 0: all


class Kind(StrEnum):
    """How the values of one sample become one."""

    SUM = "sum"
    LAST = "last"
    PEAK = "peak"


@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """A declared metric. `family` and `label` are its name in Prometheus' format.

    `scale`: what one of our units is in Prometheus' base unit. Metrics of a family have labels.
    """

    name: str
    help: str
    family: str
    kind: Kind = Kind.SUM
    label: tuple[str, str] | None = None
    scale: float = 1


EVERY: dict[str, Metric] = {}


def _declare(metric: Metric) -> Metric:
    EVERY[metric.name] = metric
    return metric


def _sum(name: str, help: str, family: str = "", label: tuple[str, str] | None = None) -> Metric:
    return _declare(Metric(name, help, family or name.replace(".", "_"), label=label))


def _last(name: str, help: str, family: str) -> Metric:
    return _declare(Metric(name, help, family, Kind.LAST))


REQUESTS = {
    kind: _sum(f"requests.{kind}", "Requests answered.", "http_requests", ("kind", kind))
    for kind in ("page", "form", "api", "cached", "static")
}
RESPONSES = {
    digit: _sum(f"responses.{digit}xx", "Responses.", "http_responses", ("status", f"{digit}xx"))
    for digit in "12345"
}
REFUSALS = {
    status: _sum(f"refusals.{status}", "Requests refused.", "http_refusals", ("status", status))
    for status in ("401", "403", "429")  # without a sign-in, without the right, too many
}
STORE_TRIPS = _sum("store.trips", "Round trips to the store.")
STORE_ERRORS = _sum("store.errors", "Round trips that the store did not answer.")
POSTS = _sum("posts", "Posts published.")
SIGNUPS = _sum("signups", "Accounts created.")
SIGNINS = _sum("signins", "Sign-ins, by any means.")
MESSAGES = _sum("messages", "Chat messages sent.")
FOLLOWS = _sum("follows", "Members followed.")
LIKES = _sum("likes", "Posts liked.")
DELIVERIES = _sum("deliveries", "Posts and boosts delivered to homes.")
SEARCHES = _sum("searches", "Searches for posts, members or hashtags.")
PUSHES = _sum("pushes", "Notifications pushed to devices.")
WEBHOOKS = _sum("webhooks", "Requests to the webhooks of bots.")
CACHE_HITS = _sum("cache.hits", "Visitors' pages found in the cache.", "page_cache_hits")
CACHE_MISSES = _sum("cache.misses", "Visitors' pages that were rendered.", "page_cache_misses")
STREAMS_SENT = _sum("streams.sent", "Messages sent to open streams.", "stream_messages_sent")
STREAMS_CUT = _sum("streams.cut", "Streams ended because their client lagged.")
LINES_DROPPED = _sum("log.dropped", "Log lines that were not kept.", "log_lines_dropped")
EVENTS_LAG = _declare(
    Metric(
        *("events.lag_ms", "Longest time from an event to its first consequence."),
        *("events_lag_seconds", Kind.PEAK),
        scale=0.001,
    )
)
EVENTS_BULK = _last("events.bulk", "Events whose work is done in slices.", "events_bulk")
OUTBOX_LONGEST = _last("outbox.longest", "Events in the longest outbox.", "outbox_longest_events")
EVENTS_PARKED = _last("events.parked", "Events that failed too often.", "events_parked")
STREAMS_OPEN = _last("streams.open", "Open streams.", "streams_open")
STORE_MEMORY = _last("store.memory", "Memory used by the store.", "store_memory_bytes")
STORE_CLIENTS = _last("store.clients", "Connections to the store.", "store_clients")
STORE_KEYS = _last("store.keys", "Keys in the store.", "store_keys")

# What the group `log` of the workers applies, once for each event.
OF_EVENT = {
    "posted": POSTS,
    "joined": SIGNUPS,
    "message_sent": MESSAGES,
    "followed": FOLLOWS,
    "liked": LIKES,
}
