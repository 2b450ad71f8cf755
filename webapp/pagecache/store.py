"""Cached pages in the store: a hash for each path, in it a field for each variant, and leases.

A reader who finds no page takes the lease of its variant and renders it. An event removes the pages
of the paths that it changes, with all leases on them, in one step. So a page that was read before
an event is never stored after it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from webapp.core.store import PARTITIONS, Read, Site, constant, read, script
from webapp.core.store.client import RawReply

from . import keys
from .cached_page import CachedPage
from .member_versions import MemberVersions
from .popularity import PageViews, is_popular
from .variant import CacheKey

LOOKUP = script("pagecache/lua/lookup.lua")
RELEASE = script("pagecache/lua/release.lua")
STORE = script("pagecache/lua/store.lua")
LEASE_MS = 3_000  # to render a page
UNCACHEABLE_MS = 1_000  # everybody renders a page for themselves that could not be cached
STALE_MS = 30_000  # an expired page may be shown while another is rendered
VARIANTS_MAX = 64  # of one path, and leases

Prefetched = Callable[[], Any] | None  # returns the view's prefetched result
NO_PREFETCH: Read[Prefetched] = constant(None)


class LookupState(StrEnum):
    """The outcome of a lookup, as `lookup.lua` names it."""

    FRESH = "fresh"  # the page is there
    LEASED = "leased"  # the caller renders it
    RENDERING = "rendering"  # another process renders it
    UNCACHEABLE = "uncacheable"  # for a moment everybody renders their own


@dataclass(frozen=True, slots=True)
class Lookup:
    """The result of a lookup: unless the state is FRESH, `page` has expired, or is None."""

    state: LookupState
    page: CachedPage | None
    popular: bool = True  # the path is viewed enough to be cached
    prefetched: Prefetched = None


class PageStore:
    """This process's access to the cached pages."""

    def __init__(self, site: Site) -> None:
        self._site = site
        self.member_versions = MemberVersions()
        self.views = PageViews(site.config.page_views_max)

    def lookup(self, key: CacheKey, token: str, prefetch: Read[Prefetched] = NO_PREFETCH) -> Lookup:
        """Read a page, or take the lease to render it as `token`. `prefetch` travels along.

        One trip; two if a member on the page has changed.
        """
        found, _, popular, _, prefetched = self._site.db.fetch(
            _lookup(key, token),
            self.member_versions.refresh(),
            is_popular(key.path, self._site.config.page_cache_paths),
            self.views.flush(),
            prefetch,
        )
        if found.page and self.member_versions.is_outdated(found.page.version, found.page.uids):
            state = found.state
            if state is LookupState.FRESH:
                state = self._site.db.read(_lookup(key, token, outdated=True)).state
            found = Lookup(state, page=None)
        return replace(found, popular=popular, prefetched=prefetched)

    def store(
        self, key: CacheKey, token: str, page: CachedPage, seconds: int | None = None
    ) -> bool:
        """Store a rendered page and return True; False if the lease is gone. One trip.

        `seconds`: how long, if less than `page_cache_seconds`.
        """
        longest = self._site.config.page_cache_seconds
        partition = keys.page_partition(key.path)
        command = STORE(
            partition=partition,
            variant=key.variant,
            token=token,
            path=key.path,
            body=page.to_bytes(),
            ttl_ms=min(longest, seconds or longest) * 1000,
            stale_ms=STALE_MS,
            bytes_max=self._site.config.page_cache_bytes // PARTITIONS,
            page_prefix=keys.cached_page_prefix(partition),
        )
        return bool(self._site.db.run(command))

    def release(self, key: CacheKey, token: str) -> None:
        """Give the lease back without a page: this one cannot be cached. One trip."""
        command = RELEASE(path=key.path, variant=key.variant, token=token, moment_ms=UNCACHEABLE_MS)
        self._site.db.run(command)


def _lookup(key: CacheKey, token: str, outdated: bool = False) -> Read[Lookup]:
    """Read a page or take its lease. `outdated`: the page that is there counts as expired."""
    command = LOOKUP(
        path=key.path,
        variant=key.variant,
        token=token,
        lease_ms=LEASE_MS,
        fields_max=VARIANTS_MAX,
        outdated=int(outdated),
    )

    def parse(reply: Sequence[bytes]) -> Lookup:
        state, stored = reply
        page = CachedPage.from_bytes(stored) if stored else None
        return Lookup(LookupState(state.decode()), page)

    return read(RawReply(command), parse)
