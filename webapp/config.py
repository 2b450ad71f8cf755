"""The settings of the site, read from the environment when a process starts."""

import logging
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from math import inf
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from .features import all_features, parse_features
from .limits import Rate as Rate
from .site_settings import N_, STORED, SiteSettings, site_problem

MAY_BE_ZERO = (
    "trusted_proxies home_slack trend_member_hours merged_seconds status_seconds page_cache_bytes "
    "write_replicas drain_seconds picture_megabytes_max"
).split()
CHOICES = {
    "signup": ("open", "approval", "invite", "closed"),
    "default_language": ("en", "zh"),
    "inviters": ("admins", "members"),
    "show_views": ("author", "everyone"),
    "link_cards": ("on", "off", "private"),
    "web_push": ("on", "off", "private"),
}
BOOLEANS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}
SOCKET_NAME = "valkey.sock"
WEB_SCHEMES, SMTP_SCHEMES = ("http", "https"), ("smtp", "smtp+starttls", "smtps")
COST_PATTERN = re.compile(r"([1-9]\d{0,7})/[1-9]\d{0,3}/([1-9]\d{0,3})\Z", re.ASCII)
LANE_KIB_MIN = 8  # of memory, which argon2 needs for each lane


class BadSetting(ValueError):
    """A setting that cannot be used. The text names it and says which value would do."""

    remedy = ""  # that value alone, in English; its translation is in the catalogue


@dataclass(frozen=True, slots=True)
class Config(SiteSettings):
    """Settings that an operator chooses. A field's environment variable is its name in capitals."""

    # Data
    redis_url: str = ""  # address of the store; empty: the embedded Valkey under `data_dir`
    data_dir: Path = Path("var")  # folder of the embedded store, its log and the secret key
    media_dir: str = ""  # folder of uploaded pictures, for all processes; empty: in `data_dir`
    write_replicas: int = 0  # replicas that must have a write before it is acknowledged
    secret_key: str = ""  # signs forms, seals secrets; empty: a file in `data_dir` if embedded
    secret_key_previous: str = ""  # the SECRET_KEY before the present one: still read, not written

    # Addresses
    host: str = "127.0.0.1"  # address that the servers listen on
    port: int = 8000  # port of the pages
    stream_port: int = 8001  # port of the streams
    site_url: str = ""  # public address of the pages; empty: as each request names it
    stream_url: str = ""  # public address of the streams; empty: the pages' or `stream_port`
    trusted_proxies: int = 0  # proxies in front whose X-Forwarded-* headers are believed

    # Mail
    smtp_url: str = ""  # smtp://, smtp+starttls:// or smtps://user:password@host:port
    mail_from: str = ""  # address that mails come from
    mail_folder: str = ""  # folder for mails as .eml files, where SMTP_URL is empty

    # Optional systems
    features: str = all_features()  # those that are switched on, with commas; or none

    # Processes
    log_level: str = "INFO"  # lowest level of the log lines on standard error
    web_workers: int = 2  # web processes
    web_threads: int = 8  # threads of each web process, for views outside of its event loop
    web_pinned: bool = True  # pin each web process to a CPU, if there are enough for all CPUs
    web_streams: bool = False  # serve the streaming API from the app too (not in `linnet serve`)
    inline_projections: bool = False  # apply events after each request, without a worker

    # Pages
    page_size: int = 30  # statuses or members a page
    page_cache_bytes: int = 67_108_864  # bytes of visitors' pages in the store; 0: no cache
    page_cache_seconds: int = 300  # longest time that such a page is cached
    upload_max: int = 8 * 1024 * 1024  # bytes of one uploaded picture

    # Members
    session_days: int = 30  # days that a session lasts after its last use
    password_min: int = 8  # characters of a password at least
    password_cost: str = "19456/2/1"  # argon2id: KiB of memory / passes / lanes

    # Statuses
    status_max: int = 280  # weight of a status, as twitter-text counts it
    edit_minutes: int = 60  # minutes in which a status may be edited
    home_days: int = 30  # days after the last visit that a home timeline is kept
    push_max_followers: int = 50_000  # followers above which an author is pulled, not pushed
    link_cards: str = "on"  # cards of links: on, off, or private (of private addresses too)
    web_push: str = "on"  # notifications on devices: on, off, or private (any address)
    webhook_private: bool = False  # let webhooks reach loopback and private addresses
    # Streams
    streams_max: int = 5_000  # open streams of one stream process
    stream_memory: int = 268_435_456  # bytes that all its clients may lag behind, added up
    anonymous_sample: bool = True  # let visitors stream a sample of the public statuses

    @property
    def embedded(self) -> bool:
        """Return True if the store is the site's own Valkey under `data_dir`."""
        return not self.redis_url

    @property
    def media_path(self) -> Path:
        """Return the folder of uploaded pictures."""
        return Path(self.media_dir) if self.media_dir else self.data_dir / "media"

    @property
    def has_mail(self) -> bool:
        """Return True if the site sends mails."""
        return bool(self.smtp_url or self.mail_folder)

    @property
    def enabled_features(self) -> frozenset[str]:
        """Return the names of the optional systems that are switched on."""
        return parse_features(self.features)

    @property
    def store_url(self) -> str:
        """Return the address of the store, embedded or not."""
        return self.redis_url or f"unix://{quote(str(socket_path(self.data_dir)))}"


def load(
    overrides: Mapping[str, Any] | None = None, environ: Mapping[str, str] = os.environ
) -> Config:
    """Read the environment's settings, then `overrides` (names in either case, typed or text).

    A setting that is not there may be in the file that `<NAME>_FILE` names. Ignores names that are
    no setting. Raises BadSetting for a value that cannot be used.
    """
    names = [field.name for field in fields(Config) if field.name not in STORED]
    values: dict[str, Any] = {
        name: value for name in names if (value := _value(name.upper(), environ))
    }
    for name, value in (overrides or {}).items():
        if name.lower() in names and value is not None:
            values[name.lower()] = value
    if str(values.get("site_url", "")).startswith("https:"):  # a site that others can reach
        values.setdefault("require_factors", True)
    return changed(Config(), values)


def changed(config: Config, values: Mapping[str, Any]) -> Config:
    """Return settings with other values, by name: typed, or text. Raises BadSetting."""
    parsed = {name: _parse(name, value, getattr(config, name)) for name, value in values.items()}
    config = replace(config, **parsed)
    _check(config)
    return config


def socket_path(folder: Path) -> Path:
    """Return the socket of the store in a data folder.

    A folder whose path is too long for a socket has a link to the socket instead.
    """
    path = (folder / SOCKET_NAME).absolute()
    return Path(os.readlink(path)) if path.is_symlink() else path


def _value(variable: str, environ: Mapping[str, str]) -> str:
    """Return the text of a setting, "" if there is none. Raises BadSetting."""
    file = environ.get(f"{variable}_FILE")
    if environ.get(variable) or not file:
        return environ.get(variable, "")
    try:
        return Path(file).read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise BadSetting(f"{variable}_FILE={file!r} cannot be read: {error}.") from None


def _parse(name: str, value: Any, default: Any) -> Any:
    """Parse a setting's text as its default's type. Raises BadSetting."""
    kind = type(default)
    if not isinstance(value, str) or kind is str:
        return value
    try:
        if kind is bool:
            return BOOLEANS[value.lower()]
        return Rate.parse(value) if kind is Rate else kind(value)
    except (ValueError, KeyError):
        raise bad_setting(name, value, str(default)) from None


def _check(config: Config) -> None:
    """Raise BadSetting if a value is out of its range."""
    if problem := site_problem(config) or _problem(config):
        name, remedy = problem
        raise bad_setting(name, getattr(config, name), remedy)
    if config.smtp_url and not (_is_url(config.smtp_url, SMTP_SCHEMES) and "@" in config.mail_from):
        raise BadSetting(
            "SMTP_URL and MAIL_FROM cannot be used; smtps://user:password@host:465 and"
            " linnet@example.org would do. In a password, write # as %23, / as %2F and @ as %40."
        )
    try:
        parse_features(config.features)
    except ValueError as error:
        raise BadSetting(f"FEATURES={config.features!r} cannot be used: {error}.") from None


def _problem(config: Config) -> tuple[str, str] | None:
    """Return the name of a setting that cannot be used and what would do; None if all can."""
    for field in fields(config):
        value = getattr(config, field.name)
        if type(value) in (int, float) and not 0 < value < inf:  # nor is nan
            if field.name not in MAY_BE_ZERO:
                return field.name, N_("a number above 0")
            if value != 0:
                return field.name, N_("0 or more")
    for name, choices in CHOICES.items():
        if getattr(config, name) not in choices:
            return name, ", ".join(choices)
    if config.site_url and not _is_url(config.site_url, WEB_SCHEMES):
        return "site_url", "an address such as https://example.org"
    if config.stream_url and not _is_url(config.stream_url, WEB_SCHEMES, has_path=True):
        return "stream_url", "an address such as https://streams.example.org"
    cost = COST_PATTERN.match(config.password_cost)
    if not cost or int(cost[1]) < LANE_KIB_MIN * int(cost[2]):
        return "password_cost", "a value such as 19456/2/1"
    if config.log_level.upper() not in logging.getLevelNamesMapping():
        return "log_level", "INFO, WARNING or DEBUG"
    return None


def _is_url(text: str, schemes: Collection[str], has_path: bool = False) -> bool:
    """Return True for an address with a host and one of these schemes, and nothing after a path."""
    try:
        parts = urlsplit(text)
        is_place = bool(parts.hostname) and parts.port != 0
    except ValueError:  # also of a port that is no number
        return False
    is_bare = (has_path or parts.path in ("", "/")) and not (parts.query or parts.fragment)
    return parts.scheme in schemes and is_place and is_bare


def bad_setting(name: str, value: object, remedy: str) -> BadSetting:
    """Return the error for a value that cannot be used. `remedy`: what would do."""
    error = BadSetting(f"{name.upper()}={value!r} cannot be used; {remedy} would do.")
    error.remedy = remedy
    return error
