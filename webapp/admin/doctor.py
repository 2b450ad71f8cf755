"""`linnet doctor`: report on the store, the events and the page cache, with remedies."""

import time
from collections.abc import Iterator
from importlib.metadata import version

from webapp.about.documents import OWN_FOLDER, is_written
from webapp.config import Config
from webapp.core.events import status as events
from webapp.core.events.leased_work import waiting
from webapp.core.events.outbox import OUTBOX_GROUPS
from webapp.core.events.schedule import scheduled
from webapp.core.settings.live import LiveSettings
from webapp.core.settings.store import refresh
from webapp.core.store import PARTITIONS, Db, Site, first_id_at
from webapp.core.store.connection import DATA_VERSION, connect
from webapp.features import feature_modules
from webapp.mail import keys as mail_keys, queue as mail_queue
from webapp.notifications.push import keys as push_keys
from webapp.pagecache import popularity
from webapp.registry import REGISTRY
from webapp.search.index.layout import search_state
from webapp.server.data_dir import is_open_to_others
from webapp.statuses.keys import last_status_id
from webapp.statuses.link_cards import keys as card_keys
from webapp.timelines.keys import public_timeline

from .directory.store import staff_without_factor
from .settings.countries import countries_finding
from .setup import surroundings
from .site_status import RECENT, access_log_finding, modes_finding, outages_finding, with_writes
from .store_findings import (
    Finding,
    disk_findings,
    scripts_finding,
    server_findings,
)
from .upgrade_commands import old_secrets, upgrades_finding

MEBIBYTE = 1_048_576
CLOCK_TOLERANCE = 300  # seconds, as in core/store/lua/includes/ids.lua


def report(config: Config) -> Iterator[Finding]:
    """Yield the findings, the most basic first. Raises StoreError if the store will not do."""
    yield from machine_findings(config)
    db, live = connect(config), LiveSettings(config)
    refresh(db, live)
    site = Site(db, live.current)
    yield from site_findings(site)
    yield staff_finding(site)
    if site.config.secret_key_previous:
        yield previous_key_finding(site)
    if site.config.site_url:
        yield surroundings.proxy_finding(site.config)
    db.close()


def findings(site: Site) -> Iterator[Finding]:
    """Yield the findings that take a few trips, for pages too."""
    yield from machine_findings(site.config)
    yield from site_findings(site)


def machine_findings(config: Config) -> Iterator[Finding]:
    """Yield the findings that need no store."""
    yield Finding(True, f"version: Linnet {version('linnet')}, data version {DATA_VERSION}")
    yield from disk_findings(config)
    yield _folders_finding(config)
    yield from surroundings.findings(config)


def site_findings(site: Site) -> Iterator[Finding]:
    """Yield the findings about the store and the site. A few trips."""
    return with_writes(site.db, _site_findings(site))


def _site_findings(site: Site) -> Iterator[Finding]:
    yield modes_finding(site.config)
    yield from server_findings(site.db, site.config)
    yield surroundings.default_user_finding(site.db)
    yield _clock_finding(site.db)
    yield scripts_finding(site.db)
    yield _contact_finding(site.config)
    yield countries_finding(site.config)
    yield from _event_findings(site)
    yield _scheduled_finding(site)
    yield from _due_findings(site)
    if site.config.has_mail:
        yield _mail_finding(site)
    yield upgrades_finding(site)
    yield _search_finding(site)
    yield outages_finding(site.db)
    yield access_log_finding(site)
    yield _page_cache_finding(site)
    for feature, module in feature_modules("work"):
        if feature in site.config.enabled_features and hasattr(module, "findings"):
            yield from (Finding(*one) for one in module.findings(site))


def previous_key_finding(site: Site) -> Finding:
    """Return whether SECRET_KEY_PREVIOUS can go. Walks over the store's keys."""
    secrets, devices = old_secrets(site)
    return Finding(
        not secrets and not devices,
        f"SECRET_KEY_PREVIOUS: {secrets} secrets and {devices} devices for notifications need it",
        "Run `linnet reseal` for the secrets. Devices need it until their members turn"
        " notifications on again; without it they get none.",
    )


def staff_finding(site: Site) -> Finding:
    """Return whether all moderators and admins have a second factor. Walks over the members."""
    names = [f"@{login}" for login in staff_without_factor(site.db)]
    shown = f" ({' '.join(names[:10])})" if names else ""
    return Finding(
        not names,
        f"moderators and admins without a second factor: {len(names)}{shown}",
        "Ask them to set up two-step login or a passkey at /settings/security, or set"
        " REQUIRE_FACTORS, which closes their pages to them until they do.",
    )


def _clock_finding(db: Db) -> Finding:
    """Return whether the clocks agree, and no post is dated ahead. Two trips."""
    now = time.time()
    clocks = [int(one) + int(rest) / 1e6 for one, rest in db.on_every_primary("TIME")]
    ahead = first_id_at(round((now + CLOCK_TOLERANCE) * 1000))
    public, *last_ids = db.trip(
        ("ZCOUNT", public_timeline(), ahead, "+inf"),
        *(("GET", last_status_id(partition)) for partition in range(PARTITIONS)),
    )
    count = sum(int(last_id or 0) > ahead for last_id in last_ids)
    skew = max(abs(clock - now) for clock in clocks)
    return Finding(
        skew < CLOCK_TOLERANCE and not public and not count,
        f"clocks: the store's and this machine's differ by {skew:.0f} s; dated ahead: {public}"
        f" public posts, the last post of {count} partitions",
        "Set the clocks by NTP. New posts get the right time; those that are dated ahead stay on"
        " top until then, unless their authors delete them.",
    )


def _event_findings(site: Site) -> Iterator[Finding]:
    status, backlog = site.db.fetch(events.status(), events.backlog())
    unread_max = site.config.outbox_max * len(OUTBOX_GROUPS) / 2
    yield Finding(
        status.longest_outbox < site.config.outbox_max / 2 and backlog.unread < unread_max,
        f"outbox: {backlog.unread} events waiting, {backlog.pending} in progress;"
        f" the longest holds {status.longest_outbox} of {site.config.outbox_max}",
        "Start more workers: linnet worker. At OUTBOX_MAX, writes are refused with 503.",
    )
    yield Finding(
        status.longest_bulk < site.config.outbox_max / 2,
        f"bulk: {status.bulk} events that are applied in slices",
        "Start more workers: linnet worker. What must be hidden is hidden already.",
    )
    yield Finding(
        status.leases_held == events.LEASES,
        f"leases: {status.leases_held} of {events.LEASES} held by {status.owners} worker(s)",
        "Start a worker: linnet worker. One that runs says in its log what it waits for.",
    )
    yield Finding(
        not status.parked,
        f"parked events: {status.parked}",
        "Find the cause in the worker's log, fix it, then run: linnet retry. One that can never be"
        " applied is dropped on /admin.",
    )


def _scheduled_finding(site: Site) -> Finding:
    is_on_time, ages = scheduled.describe(site, REGISTRY.scheduled)
    remedy = "Start a worker: linnet worker. Its log names a row that fails."
    return Finding(is_on_time or site.config.is_closed, f"scheduled rows: {ages}", remedy)


def _mail_finding(site: Site) -> Finding:
    """Return the mails that wait, and those that were given up in the last day. One trip."""
    since_ms = int((time.time() - RECENT.total_seconds()) * 1000)
    count, parked = site.db.fetch(waiting(mail_keys.mails), mail_queue.parked(since_ms))
    names = f" ({', '.join(parked[:5])})" if parked else ""
    return Finding(
        not parked,
        f"mails: {count} waiting, {len(parked)} given up in the last day{names}",
        "Check SMTP_URL and MAIL_FROM, and the log of the worker.",
    )


def _folders_finding(config: Config) -> Finding:
    folders = {config.media_path, *([config.data_dir] if config.embedded else [])}
    names = " ".join(map(str, sorted(filter(is_open_to_others, folders))))
    return Finding(
        not names,
        f"folders: {names or 'none'} open to other users of this machine",
        f"Run: chmod -R go= {names}",
    )


def _contact_finding(config: Config) -> Finding:
    is_own = is_written(config, "contact")
    return Finding(
        is_own,
        f"contact page: {'your own' if is_own else 'it does not say who you are'}",
        f"Write it at /admin/settings, or in {config.data_dir / OWN_FOLDER}/en/contact.md:"
        " members and push services need it.",
    )


def _due_findings(site: Site) -> Iterator[Finding]:
    """Yield the sizes of the queues of link cards and web push. One trip."""
    cards, devices = site.db.fetch(waiting(card_keys.due_cards), waiting(push_keys.due_pushes))
    yield Finding(True, f"link cards: {site.config.link_cards}, {cards} posts wait for one")
    yield Finding(
        True, f"web push: {site.config.web_push}, {devices} devices have something to get"
    )


def _search_finding(site: Site) -> Finding:
    shards, has_rebuild = search_state(site)
    rebuild = "a rebuild has begun and not ended" if has_rebuild else "no rebuild"
    return Finding(
        shards == site.config.search_shards and not has_rebuild,
        f"search: an index of {shards} shards, {rebuild}",
        "While the upgrade `search` goes on, wait. If it does not, run: linnet upgrade search."
        " Another number of shards is used once the worker has built them.",
    )


def _page_cache_finding(site: Site) -> Finding:
    stats = popularity.stats(site.db)
    lookups = stats.hits + stats.misses
    served = (
        f"{stats.hits / lookups:.0%} of {lookups:,} visitor requests served from the cache"
        f" ({stats.hits:,} hits, {stats.misses:,} misses)"
        if lookups
        else "no visitor request was counted"
    )
    size, capacity = stats.bytes / MEBIBYTE, site.config.page_cache_bytes / MEBIBYTE
    return Finding(
        True,
        f"page cache: {served}; {size:.1f} of {capacity:.1f} MiB used, {stats.paths:,} pages with"
        " view counts",
    )
