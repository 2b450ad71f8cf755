"""Every setting and limit of the site, with its unit, read once from the environment."""

from __future__ import annotations

import logging
import os
import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import quote

from .server.data_dir import socket_path

MAY_BE_ZERO = {
    "trusted_proxies",
    "home_slack",
    "merged_seconds",
    "status_seconds",
    "page_cache_bytes",
}
SIGNUP_MODES = ("open", "invite", "closed")


class BadSetting(ValueError):
    """A setting that cannot be used; the text names it and says what would do."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate limit: `burst` acts at once, refilled evenly over `period` seconds. Written `30/300`."""

    burst: int
    period: int

    @classmethod
    def parse(cls, text: str) -> Rate:
        burst, _, period = text.partition("/")
        rate = cls(int(burst), int(period))
        if rate.burst < 1 or rate.period < 1:
            raise ValueError(text)
        return rate


@dataclass(frozen=True, slots=True)
class Config:
    """One field a setting; the environment variable is the field's name in capitals."""

    # Where things are
    redis_url: str = ""  # empty: the embedded Valkey under `data_dir`
    data_dir: Path = Path("var")  # folder of the embedded store, its log and the secret key
    host: str = "127.0.0.1"  # address the web process listens on
    port: int = 8000  # port of the web process
    stream_port: int = 8001  # port of the stream process
    secret_key: str = (
        ""  # signs the form tokens, seals secrets; made and kept in `data_dir` in embedded mode
    )
    trusted_proxies: int = 0  # proxies in front whose X-Forwarded-* headers are believed
    log_level: str = "INFO"
    site_url: str = ""  # public address of the pages; empty: as each request names it
    stream_url: str = ""  # public address of the streams; empty: the pages' own behind a proxy, else at STREAM_PORT
    media_dir: str = ""  # folder of uploaded pictures; empty: media in `data_dir`

    # Processes
    web_workers: int = 2  # web processes
    web_threads: int = 4  # threads of each, in which the app runs
    web_pinned: bool = (
        True  # each keeps to a CPU, where there are at least as many processes as CPUs
    )
    web_streams: bool = False  # serve the streaming API here too; never under `linnet serve`
    inline_projections: bool = (
        False  # apply events after each request: no worker (tests, `flask run`)
    )

    # Requests
    body_max: int = 64 * 1024  # bytes
    body_deadline: float = 10.0  # seconds to send a whole body
    upload_max: int = 8 * 1024 * 1024  # bytes of one uploaded picture
    upload_pixels: int = 40_000_000  # pixels of one uploaded picture
    upload_deadline: float = 60.0  # seconds to send a form with pictures
    page_size: int = 30  # statuses or people a page
    pieces_max: int = 32 * 1024 * 1024  # bytes of rendered pieces of pages one web process keeps

    # Pages kept for visitors
    page_cache_bytes: int = (
        67_108_864  # bytes of pages the store keeps; each of the 64 partitions its share; 0: none
    )
    page_cache_seconds: int = 300  # seconds a page is kept at most
    page_cache_paths: int = 10_000  # the most viewed addresses, whose pages are kept
    page_views_max: int = 20_000  # addresses whose views are counted

    # Members
    signup: str = "open"  # who may sign up: open, invite (with a link) or closed
    session_days: int = 30  # days a session lasts after it was last seen
    session_touch: int = 60  # seconds between two writes of "last seen"
    sessions_max: int = 1_000_000  # sessions in all; each of the 64 partitions keeps its share
    member_sessions_max: int = 50  # sessions of one member; the least recent goes
    tokens_max: int = 25  # access tokens of one member
    apps_max: int = 25  # apps (OAuth 1.0a) of one member
    password_min: int = 8  # characters
    password_cost: str = "19456/2/1"  # argon2id: KiB of memory / passes / lanes
    name_max: int = 50  # characters of a display name
    bio_max: int = 160  # characters
    location_max: int = 30  # characters
    website_max: int = 100  # characters
    name_kept_days: int = 30  # days the login of a deleted account is kept from others

    # Statuses and timelines
    status_max: int = 280  # weight, as twitter-text counts it
    cw_max: int = 100  # characters of a content warning
    edit_minutes: int = 60  # minutes in which a status may be edited
    edits_max: int = 20  # edits of one status
    pinned_max: int = 5  # statuses that one member has pinned
    detached_max: int = 5_000  # quotes that one status is detached from
    status_pictures_max: int = 4  # pictures of one status, at most 4
    alt_max: int = 1_500  # characters of what a picture shows
    post_key_hours: int = 24  # hours a form key is remembered, so that a retried post is one status
    home_max: int = 800  # entries a home timeline keeps at least
    home_slack: int = 64  # entries above `home_max`, give or take a few, before it is trimmed
    home_days: int = 30  # days after the last visit that a home timeline is kept
    public_max: int = 4_000  # entries of the public timeline
    tagged_max: int = 2_000  # statuses kept under one hashtag
    followed_tags_max: int = 50  # hashtags one member may follow
    following_max: int = 5_000  # members one member may follow
    requests_max: int = (
        5_000  # requests to follow that one member may have made, and that may wait for one
    )
    blocks_max: int = 5_000  # members one member may block
    mutes_max: int = 5_000  # members one member may mute
    filters_max: int = 50  # filters of words of one member
    likes_max: int = 50_000  # likes on one member's list; with another one the oldest is taken back
    boosts_max: int = (
        50_000  # boosts on one member's list; with another one the oldest is taken back
    )
    bookmarks_max: int = 10_000  # bookmarks of one member
    voted_max: int = 1_000  # votes of one member in polls of the last days
    lists_max: int = 50  # lists of one member
    list_members_max: int = 500  # members of one list
    list_home_max: int = 400  # statuses kept of a list
    drafts_max: int = 100  # drafts and scheduled posts of one member
    notifications_max: int = 1_000  # notifications of one member; with another one the oldest goes
    familiar_sample: int = 200  # newest follows looked through for "followed by people you follow"
    status_seconds: float = (
        1.0  # how long a process keeps a status as it was read, for the timelines of others
    )
    push_max_followers: int = (
        50_000  # above this an author is merged at read time instead of pushed
    )
    merged_seconds: float = 1.0  # how long a process keeps the newest page of such an author
    fanout_batch: int = 2_000  # homes one delivery script writes, at most 4,000

    # Chat
    chat_members_max: int = 500  # members of one chat
    chats_max: int = 500  # chats of one member
    chat_requests_max: int = 100  # chats that wait for one member's answer
    chat_history: int = 10_000  # messages kept of a chat
    chat_message_max: int = 2_000  # characters of one message
    chat_edit_hours: int = 24  # hours in which a message may be edited
    chat_request_max: int = 3  # messages to somebody who has not answered yet
    chat_invites_max: int = 20  # invitations of one chat that are valid together
    chat_page: int = 50  # messages a page
    chat_reactions_max: int = 20  # different reactions to one message
    chat_pictures_max: int = 4  # pictures of one message
    reports_max: int = 10_000  # reports kept for the operator
    bots_max: int = 10  # bots of one member
    webhook_waiting: int = 1_000  # messages one bot is still to be told of; more are given up
    webhook_private: bool = False  # let webhooks lead to loopback and private addresses

    # Events
    outbox_max: int = 10_000  # events waiting in one partition before writes answer 503
    log_max: int = 100_000  # entries of the log kept for readers that reconnect
    parked_max: int = 10_000  # parked events kept a partition
    attempts_max: int = 5  # failures before an event is parked
    lease_seconds: float = 10.0  # how long a silent worker keeps its partitions
    poll_seconds: float = 0.25  # longest wait for an event whose wake-up was missed

    # Streaming
    streams_max: int = 5_000  # open streams of one stream process
    stream_queue: int = 1_048_576  # bytes one client may lag behind before it is cut
    stream_memory: int = (
        268_435_456  # bytes all clients of a stream process may lag behind, each counted alone
    )
    streams_per_member: int = (
        2  # open streams of one member, or of one address; a new one cuts the oldest
    )
    anonymous_sample: bool = True  # whether visitors may read a sample of the public statuses

    # Rate limits: acts / seconds
    limit_signin_address: Rate = Rate(30, 600)
    limit_signin_account: Rate = Rate(10, 600)
    limit_signup: Rate = Rate(10, 3600)
    limit_post: Rate = Rate(60, 1800)
    limit_follow: Rate = Rate(200, 3600)
    limit_like: Rate = Rate(300, 900)
    limit_edit: Rate = Rate(30, 3600)
    limit_draft: Rate = Rate(120, 3600)
    limit_token: Rate = Rate(20, 3600)
    limit_stream: Rate = Rate(20, 60)
    limit_chat: Rate = Rate(120, 60)
    limit_group: Rate = Rate(20, 3600)
    limit_pictures: Rate = Rate(60, 3600)
    limit_page_streams: Rate = Rate(120, 60)

    @property
    def embedded(self) -> bool:
        """True when the store is our own Valkey under `data_dir`."""
        return not self.redis_url

    @property
    def media_path(self) -> Path:
        """The folder of uploaded pictures."""
        return Path(self.media_dir) if self.media_dir else self.data_dir / "media"

    @property
    def store_url(self) -> str:
        """The address of the store, embedded or not."""
        return self.redis_url or f"unix://{quote(str(socket_path(self.data_dir)))}"


def load(
    overrides: Mapping[str, Any] | None = None, environ: Mapping[str, str] = os.environ
) -> Config:
    """The environment's settings, then `overrides` (names in either case, values typed or text).

    Names that are no setting of ours are left alone. Raises BadSetting for a value that cannot be used.
    """
    values: dict[str, Any] = {
        f.name: environ[f.name.upper()] for f in fields(Config) if environ.get(f.name.upper())
    }
    values.update(
        {name.lower(): value for name, value in (overrides or {}).items() if value is not None}
    )
    defaults = Config()
    changes = {
        f.name: _parse_value(f.name, values[f.name], getattr(defaults, f.name))
        for f in fields(Config)
        if f.name in values
    }
    config = replace(defaults, **changes)
    for field in fields(Config):
        value = getattr(config, field.name)
        # Not only numbers below 0 but "nan" too.
        if type(value) in (int, float) and field.name not in MAY_BE_ZERO and not value > 0:
            raise BadSetting(f"{field.name.upper()}={value} cannot be used; it must be above 0.")
    if not re.fullmatch(r"\d+/\d+/\d+", config.password_cost):
        raise BadSetting(
            f"PASSWORD_COST={config.password_cost!r} cannot be used; a value such as 19456/2/1 would do."
        )
    if config.signup not in SIGNUP_MODES:
        raise BadSetting(
            f"SIGNUP={config.signup!r} cannot be used; {', '.join(SIGNUP_MODES)} would do."
        )
    if config.log_level.upper() not in logging.getLevelNamesMapping():
        raise BadSetting(
            f"LOG_LEVEL={config.log_level!r} is no level; INFO, WARNING or DEBUG would do."
        )
    return config


def with_secret(config: Config) -> Config:
    """The configuration with a secret key: the given one or, in embedded mode only, one kept in `data_dir`."""
    if config.secret_key:
        return config
    if not config.embedded:
        raise BadSetting(
            "SECRET_KEY is not set. Give the site a long random one, the same for every web process."
        )
    path = config.data_dir / "secret_key"
    if not path.exists():
        config.data_dir.mkdir(parents=True, exist_ok=True)
        # Written whole, then linked: of several processes starting at once all read the first one's key.
        with NamedTemporaryFile("w", dir=config.data_dir) as temp_file:
            temp_file.write(secrets.token_hex(32))
            temp_file.flush()
            with suppress(FileExistsError):
                os.link(temp_file.name, path)
    return replace(config, secret_key=path.read_text())


def _parse_value(name: str, value: Any, default: Any) -> Any:
    kind = type(default)
    if not isinstance(value, str) or kind is str:
        return value
    try:
        if kind is bool:
            return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[
                value.lower()
            ]
        return Rate.parse(value) if kind is Rate else kind(value)
    except (ValueError, KeyError):
        example = f"{default.burst}/{default.period}" if kind is Rate else default
        raise BadSetting(
            f"{name.upper()}={value!r} cannot be used; a value such as {example} would do."
        ) from None
