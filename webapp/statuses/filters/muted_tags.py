"""Muted hashtags: each is a filter that hides the hashtag and nothing else."""

from __future__ import annotations

from collections.abc import Iterable

from webapp.core.site import Site
from webapp.core.store.client import Db

from . import store
from .filter_set import Filter

MUTED_IN = ("home", "public", "profile")  # contexts of the filter


def is_muted(filters: Iterable[Filter], name: str) -> bool:
    """Return True if a member's filters mute a hashtag, by its folded name."""
    return any(one.mutes_tag(name) for one in filters)


def mute(site: Site, uid: int, name: str, filters: Iterable[Filter]) -> None:
    """Mute a hashtag. Doing it again changes nothing. One trip. Raises as `store.save`."""
    if not is_muted(filters, name):
        store.save(site, uid, Filter(f"#{name}", contexts=MUTED_IN, hide=True))


def unmute(db: Db, uid: int, name: str, filters: Iterable[Filter]) -> None:
    """Delete the filters that mute a hashtag. One trip."""
    store.delete(db, uid, *(one.number for one in filters if one.mutes_tag(name)))
