"""Commands that write the index: one document in its shard, fenced by the worker's lease."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.outbox import Event
from webapp.core.store.reads import Command
from webapp.core.store.scripts import script
from webapp.search import keys
from webapp.statuses.status import Status

from .documents import Document, is_searchable, status_document

WRITE_DOCUMENT = script("search/index/lua/write_document.lua")
PURGE_COLLECTION = script("search/index/lua/purge_collection.lua")
WRITE_NUMBERS = script("search/index/lua/write_numbers.lua")


def shard_keys(config: Config, number: int) -> dict[str, str]:
    """Return the keys of a shard, by a member id, a status id or a partition in it."""
    shards = config.search_shards
    shard = keys.shard_of(number, shards)
    return {
        "generation": keys.generation(shard, shards),
        "prefix": keys.index_prefix(shard, shards),
    }


def write_status(
    config: Config, event: Event, entry: tuple[int, int], status: Status | None
) -> Command:
    """Return the command that indexes a post as it is now; gone (None), it is taken out.

    `entry`: the post's id and its author's uid.
    """
    status_id, author = entry
    own = keys.own_posts(author)
    if status is None:
        return remove(config, event, status_id, author, (keys.POSTS, own))
    document = status_document(status)
    if is_searchable(status):
        return put(config, event, document, keys.POSTS, own)
    return put(config, event, document, own, keys.POSTS)


def put(
    config: Config,
    event: Event,
    document: Document,
    collection: str,
    *others: str,
    owner: int = 0,
) -> Command:
    """Return the command that indexes a document in one collection, and takes it out of others.

    `owner`: the uid in whose shard it is, if that is not its author's.
    """
    return WRITE_DOCUMENT(
        id=document.id,
        collection=collection,
        others=" ".join(others),
        limit=collection_limit(config, collection),
        record=document.record,
        terms=sorted(document.terms),
        **_arguments(config, event, owner or document.author),
    )


def remove(
    config: Config, event: Event, number: int, owner: int, collections: tuple[str, ...]
) -> Command:
    """Return the command that takes a document out of collections of a member's shard."""
    return WRITE_DOCUMENT(
        id=number,
        collection="",
        others=" ".join(collections),
        limit=0,
        record="",
        **_arguments(config, event, owner),
    )


def purge_collection(
    config: Config, event: Event, collection: str, owner: int, limit: int
) -> Command:
    """Return the command that removes `limit` documents of a collection. Its reply counts them."""
    return PURGE_COLLECTION(collection=collection, limit=limit, **_arguments(config, event, owner))


def write_numbers(
    config: Config, event: Event, number: int, author: int, collection: str, **values: int
) -> Command:
    """Return the command that notes what a document is ranked by, if it is indexed."""
    return WRITE_NUMBERS(
        id=number,
        collection=collection,
        numbers=chain.from_iterable(_ordered(values)),
        **_arguments(config, event, author),
    )


def _ordered(values: Mapping[str, int]) -> list[tuple[str, int]]:
    return sorted(values.items())


def _arguments(config: Config, event: Event, author: int) -> dict[str, Any]:
    source, token = event.fence
    shards = config.search_shards
    tag = keys.shard_tag(keys.shard_of(author, shards), shards)
    return {
        "fences": event_keys.fences(tag),
        "source": source,
        "token": token,
        **shard_keys(config, author),
    }


def collection_limit(config: Config, collection: str) -> int:
    """Return how many documents of a collection one shard keeps."""
    if collection == keys.POSTS:
        return max(config.search_max // config.search_shards, 1)
    if collection == keys.PEOPLE:
        return 2**31  # one an account
    return config.search_own_max
