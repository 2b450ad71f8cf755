"""Commands that write the index, fenced by the worker's lease."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from webapp.config import Config
from webapp.core.events.outbox import Event
from webapp.core.store import Command, script
from webapp.search import keys
from webapp.statuses import Status, StoredStatus

from .documents import Document, is_searchable, status_document, stored_document

WRITE_DOCUMENTS = script("search/index/lua/write_documents.lua")
PURGE_COLLECTION = script("search/index/lua/purge_collection.lua")
WRITE_NUMBERS = script("search/index/lua/write_numbers.lua")
DOCUMENTS_MAX = 20  # of one call, which keeps the store for some two milliseconds


def shard_values(config: Config, number: int) -> dict[str, int]:
    """Return the values that name a shard's keys, given a uid, status id or partition in it."""
    shards = config.search_shards
    return {"shard": keys.shard_of(number, shards), "shards": shards}


class DocumentWrite(NamedTuple):
    """A document to write to the shard of `owner` (uid): into `collection`, and out of `others`.

    Without a `collection` it is only taken out.
    """

    event: Event
    owner: int
    id: int
    collection: str = ""
    others: tuple[str, ...] = ()
    document: Document | None = None


def status_write(event: Event, entry: tuple[int, int], status: Status | None) -> DocumentWrite:
    """Return the write of a post as it is now; gone (None), it is taken out.

    `entry`: the post's id and its author's uid.
    """
    status_id, author = entry
    own = keys.own_posts(author)
    if status is None:
        return DocumentWrite(event, author, status_id, others=(keys.POSTS, own))
    collection, other = (keys.POSTS, own) if is_searchable(status) else (own, keys.POSTS)
    return DocumentWrite(event, author, status_id, collection, (other,), status_document(status))


def new_status_write(event: Event, stored: StoredStatus) -> DocumentWrite:
    """Return the write of a status that was just posted; gone, it is taken out.

    The event has its author's name, and says whether others may find it. Later changes of either
    have events of their own, which index the post again.
    """
    author = event.number("author")
    own = keys.own_posts(author)
    document = stored_document(stored, author, event.data["login"])
    if document is None:
        return DocumentWrite(event, author, stored.id, others=(keys.POSTS, own))
    collection = keys.POSTS if "searchable" in event.data else own
    return DocumentWrite(event, author, stored.id, collection, document=document)


def write_commands(config: Config, writes: Iterable[DocumentWrite]) -> list[Command]:
    """Return the commands that write documents: one for DOCUMENTS_MAX of a shard's collection."""
    groups: dict[tuple[int, str, tuple[str, int]], list[DocumentWrite]] = defaultdict(list)
    for write in writes:
        shard = keys.shard_of(write.owner, config.search_shards)
        groups[shard, write.collection, write.event.fence].append(write)
    return [
        _write_command(config, group[start : start + DOCUMENTS_MAX])
        for group in groups.values()
        for start in range(0, len(group), DOCUMENTS_MAX)
    ]


def _write_command(config: Config, writes: Sequence[DocumentWrite]) -> Command:
    """Return the command that writes documents of one shard, collection and event source."""
    first = writes[0]
    return WRITE_DOCUMENTS(
        first.event,
        removed=" ".join(f"{other}:{write.id}" for write in writes for other in write.others),
        collection=first.collection,
        limit=collection_limit(config, first.collection),
        documents=chain.from_iterable(map(_document_values, writes)),
        **shard_values(config, first.owner),
    )


def _document_values(write: DocumentWrite) -> tuple[int, str, str] | tuple[()]:
    """Return the script's arguments for a document, none if it is only removed."""
    document = write.document
    return (write.id, document.record, " ".join(document.terms)) if document else ()


def purge_collection(
    config: Config, event: Event, collection: str, owner: int, limit: int
) -> Command:
    """Return the command that removes `limit` documents of a collection. Its reply counts them."""
    return PURGE_COLLECTION(
        event, collection=collection, limit=limit, **shard_values(config, owner)
    )


def write_numbers(
    config: Config, event: Event, number: int, author: int, collection: str, **values: int
) -> Command:
    """Return the command that notes the numbers that rank a document, if it is indexed."""
    return WRITE_NUMBERS(
        event,
        id=number,
        collection=collection,
        numbers=values,
        **shard_values(config, author),
    )


def collection_limit(config: Config, collection: str) -> int:
    """Return how many documents of a collection one shard keeps."""
    if collection == keys.POSTS:
        return max(config.search_max // config.search_shards, 1)
    if collection == keys.PEOPLE:
        return 2**31  # one an account
    return config.search_own_max
