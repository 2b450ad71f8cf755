"""What pages, docs and decisions promise in numbers is what the site does.

Each number is written here again: a change of one alone, in the code or in a text, fails.
"""

from functools import cache, reduce
from importlib import import_module
from pathlib import Path

import pytest

from webapp.config import Config

ROOT = Path(__file__).parents[2]
MINUTE, HOUR, DAY = 60, 3_600, 86_400
README, OPERATIONS = "README.md", "docs/operations.md"
CHATS, STREAMS, LAYOUT = "docs/chat-api.md", "docs/streaming-api.md", "docs/data-layout.md"
APPS = "docs/client-api.md"
PRIVACY, CHINESE_PRIVACY = (f"templates/about/pages/{one}/privacy.md" for one in ("en", "zh"))
DECISION = "docs/decisions/0{}-*.md"
PROMISES: dict[str, list[tuple[str, str, object]]] = {
    README: [
        ("Write 280 characters", "Config:status_max", 280),
        ("Edit within an hour", "Config:edit_minutes", 60),
        ("Pin up to five posts", "Config:pinned_max", 5),
        ("Ask for five minutes to a week", "statuses.values.poll:DURATIONS_MINUTES.0", 5),
        (
            "Ask for five minutes to a week",
            "statuses.values.poll:DURATIONS_MINUTES.-1",
            7 * 24 * 60,
        ),
        ("Up to 50 lists", "Config:lists_max", 50),
        ("of up to 500 members", "Config:list_members_max", 500),
        ("At least five people have to share", "timelines.trends.ranking:MEMBERS_MIN", 5),
        ("from more than one network", "timelines.trends.ranking:NETWORKS_MIN", 2),
        ("fewer than a thousand", "explore.suggestions.checks:DISMISSED.capacity", 1_000),
    ],
    OPERATIONS: [
        (
            "none has the change within a second",
            "core.store.servers.replication:WAIT_MILLISECONDS",
            1_000,
        ),
        ("reports to its parent once a second", "server.liveness.heartbeats:BEAT_SECONDS", 1),
        ("silent for 15 seconds is killed", "server.liveness.heartbeats:HANG_SECONDS", 15),
        (
            "no heartbeat in the store for 15 seconds",
            "server.liveness.worker_watch:CHECK_SECONDS",
            5,
        ),
        (
            "no heartbeat in the store for 15 seconds",
            "server.liveness.worker_watch:SILENT_CHECKS",
            3,
        ),
        ("`/readyz` for `DRAIN_SECONDS` (0)", "Config:drain_seconds", 0),
        ("It waits half a second", "server.child_process:RESTART_DELAY_MIN", 0.5),
        ("up to 30 seconds, for the store", "server.child_process:RESTART_DELAY_MAX", 30),
        ("for the store up to 4", "server.child_process:STORE_DELAY_MAX", 4),
        ("checks ten times a second", "server.child_process:POLL_SECONDS", 0.1),
        ("below 32 MB free", "server.liveness.disk_watch:LOW", 32),
        ("until 64 MB are free", "server.liveness.disk_watch:ENOUGH", 64),
        ("once a minute in each process", "core.logs:LOG_SECONDS", MINUTE),
        ("`STORE_TIMEOUT` seconds (2)", "Config:store_timeout", 2),
        ("asks the store twice a second", "core.store.servers.circuit_breaker:PROBE_SECONDS", 0.5),
        ("up to a minute old", "pagecache.local:SILENT_TTL_SECONDS", MINUTE),
        ("four times a second", "core.store.servers.heartbeat:HEARTBEAT_SECONDS", 0.25),
        (
            "half a second without an answer",
            "core.store.servers.circuit_breaker:SILENT_SECONDS",
            0.5,
        ),
        ("at most 200 streams of apps", "streaming.on_demand:WEB_STREAMS_MAX", 200),
    ],
    CHATS: [
        ("at most 2,000 messages", "chat.api.fetch:FETCH_TOTAL_MAX", 2_000),
        ("at most 100 of one chat", "chat.api.fetch:FETCH_MAX", 100),
        ("up to 60 characters", "chat.members.forms:NAME_MAX", 60),
        ("up to 200 characters", "chat.members.forms:TOPIC_MAX", 200),
        ("any 2xx within 10 seconds", "chat.bots.webhook_delivery:TIMEOUT_SECONDS", 10),
        (
            "10 s, 30 s, 2 min, 10 min, 30 min, 1 h and 2 h",
            "chat.bots.webhook_delivery:RETRY_DELAYS",
            (10, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR),
        ),
        ("up to 5 minutes", "chat.bots.deliveries:PAUSE_MAX_MS", 5 * MINUTE * 1_000),
        (
            "one request at a time for each bot, and two",
            "chat.bots.webhook_worker:REQUESTS_PER_OWNER",
            2,
        ),
        ("Remember the ids for a day", "chat.bots.webhook_delivery:AGE_MAX_SECONDS", DAY),
        ("at most 32 KB", "chat.bots.webhook_answers:ANSWER_MAX", 32 * 1024),
    ],
    STREAMS: [
        ("members (up to 10%)", "streaming.api_v1.api:PERCENT_MAX", 10),
        ("visitors with `identifier` (1%)", "streaming.api_v1.api:ANONYMOUS_PERCENT", 1),
        ("at most 256 KB", "streaming.api_v1.endpoint:BODY_MAX", 256 * 1024),
        ("at most 400, each 1 to 60 bytes", "streaming.api_v1.parameters:PHRASES_MAX", 400),
        ("at most 400, each 1 to 60 bytes", "streaming.api_v1.parameters:PHRASE_BYTES", 60),
        ("id or login: at most 5,000", "streaming.api_v1.parameters:FOLLOW_MAX", 5_000),
        ("one of them: at most 100", "streaming.api_v1.parameters:LANGUAGES_MAX", 100),
        ("in degrees: at most 25", "streaming.api_v1.parameter_values:BOXES_MAX", 25),
        ("may be 5 minutes off", "accounts.tokens.oauth:MAX_CLOCK_SKEW", 5 * MINUTE),
        ("after 30 seconds of silence", "streaming.delivery.encoders:LineEncoder.heartbeat", 30),
        ("open for one to two hours", "core.media.signatures:HOURS_VALID", 2),
        ("at most every 5 minutes", "streaming.delivery.delivery:WARN_SECONDS", 5 * MINUTE),
        ("(`LIMIT_STREAM`, 20 times a minute)", "Config:limit_stream.burst", 20),
        ("(`LIMIT_STREAM`, 20 times a minute)", "Config:limit_stream.period", MINUTE),
        ("`STREAMS_PER_MEMBER` (2)", "Config:streams_per_member", 2),
        ("ends within 10 seconds", "streaming.api_v1.connection_slots:REFRESH_SECONDS", 10),
        ("nothing for 5 seconds after", "streaming.hub.connection:CLOSE_GRACE_SECONDS", 5),
        ("(30 seconds after 4 and 12)", "streaming.hub.connection:LAG_GRACE_SECONDS", 30),
    ],
    APPS: [
        ("may have 16 sockets and responses", "Config:app_streams_per_member", 16),
        ("up to 20 on one socket", "streaming.apps.app_session:STREAMS_MAX", 20),
    ],
    DECISION.format(48): [
        ("up to 500 readers", "streaming.apps.status_batches:READERS_MAX", 500),
        ("TCP keepalive (30 s)", "server.granian:STREAM_IDLE_SECONDS", 30),
    ],
    PRIVACY: [
        ("kept for 90 days after the post", "Config:view_days", 90),
        ("14 days after your last visit", "explore.seen:TTL_SECONDS", 14 * DAY),
        ("removed after a week", "sharing.pictures:AGE_MAX_SECONDS", 7 * DAY),
    ],
    CHINESE_PRIVACY: [
        ("90 天", "Config:view_days", 90),
        ("14 天", "explore.seen:TTL_SECONDS", 14 * DAY),
    ],
    "templates/about/pages/en/terms.md": [
        ("deleted after 30 days", "moderation.history:KEPT.days", 30)
    ],
    "templates/about/pages/zh/terms.md": [("30 天后删除", "moderation.history:KEPT.days", 30)],
    DECISION.format(14): [
        ("once a second for a poll", "streaming.log.projections:TALLY_INTERVAL_MS", 1_000),
        ("for ten minutes", "core.media.removal:IN_FLIGHT_SECONDS", 10 * MINUTE),
    ],
    DECISION.format(22): [
        ("copies of up to a minute", "pagecache.local:SILENT_TTL_SECONDS", MINUTE),
        ("halved every five minutes", "pagecache.popularity:HALVE_SECONDS", 5 * MINUTE),
    ],
    DECISION.format(23): [
        ("in the last ten minutes", "accounts.sessions.password_proof:PROOF_SECONDS", 10 * MINUTE),
    ],
    DECISION.format(31): [
        (
            "after 1, 10 and 60 minutes",
            "statuses.link_cards.linked_pages:RETRY_PAUSES.0",
            MINUTE * 1_000,
        ),
        (
            "after 1, 10 and 60 minutes",
            "statuses.link_cards.linked_pages:RETRY_PAUSES.-1",
            HOUR * 1_000,
        ),
    ],
    DECISION.format(34): [
        ("once a second a post", "statuses.live_counts.changes:DELAY_MS", 1_000),
    ],
    DECISION.format(36): [
        ("are sent after 3 s", "notifications.notices:PUSH_DELAYS_MS.prompt", 3_000),
        ("gathered for a minute", "notifications.notices:PUSH_DELAYS_MS.gathered", 60_000),
    ],
    DECISION.format(37): [
        ("live 15 seconds", "timelines.hot.store:HOT_PAGE_SECONDS", 15),
        ("fifty at most", "statuses.view_counts.views:IDS_MAX", 50),
        ("collects for three seconds", "statuses.view_counts.store:FLUSH_SECONDS", 3),
    ],
    DECISION.format(39): [
        ("for everybody for ten minutes", "explore.suggestions.popular:SECONDS", 10 * MINUTE),
        ("three members a minute", "explore.suggestions.jobs:BATCH", 3),
    ],
    LAYOUT: [
        ("the newest 200; expires after ten", "explore.seen:RECENT_MAX", 200),
        ("the newest 200; expires after ten", "explore.seen:GRACE_SECONDS", 10 * MINUTE),
        ("three days after they were", "explore.suggestions.jobs:TTL_SECONDS", 3 * DAY),
    ],
}


@cache
def text_of(pattern: str) -> str:
    """Return a file as one line, without the marks of Markdown for bold."""
    [path] = ROOT.glob(pattern)
    return " ".join(path.read_text().replace("**", "").split())


def value_of(place: str) -> object:
    """Return what a place such as `module:NAME.attribute` or `Config:setting` holds."""
    module, _, names = place.partition(":")
    start: object = Config() if module == "Config" else import_module(f"webapp.{module}")
    return reduce(_part, names.split("."), start)


def _part(value: object, name: str) -> object:
    if isinstance(value, tuple):
        return value[int(name)]
    return value[name] if isinstance(value, dict) else getattr(value, name)


@pytest.mark.parametrize(
    ("document", "words", "place", "number"),
    [(document, *promise) for document, promises in PROMISES.items() for promise in promises],
)
def test_a_promised_number_is_that_of_the_site(
    document: str, words: str, place: str, number: object
) -> None:
    assert words in text_of(document)
    assert value_of(place) == number
