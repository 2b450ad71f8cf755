"""What the end of an account does to what it wrote."""

from __future__ import annotations

from collections.abc import Sequence

from .. import keys
from ..events import Context, Event
from ..ids import partition_of
from ..scripts import script
from .boost_projections import forget
from .drafts import discard
from .quote_projections import mirroring as quote_mirroring
from .replies import unpack
from .reply_projections import mirroring

ERASE = script("statuses/erase.lua")
BATCH = 200  # statuses one script erases


def erase(context: Context, events: Sequence[Event]) -> None:
    """Everything that deleted accounts wrote goes; what a stopped worker left is what the next one finds. In the group
    that mirrors replies, or one might be mirrored after this.
    """
    for event in events:
        uid = int(event.data["uid"])
        for listed in keys.written(uid):
            names = [keys.fences(keys.tag(uid)), keys.user(uid), listed, keys.status_prefix(uid)]
            names += [keys.likes_prefix(uid), keys.replies_prefix(uid), keys.thread_prefix(uid)]
            names += [keys.versions_prefix(uid), keys.pinned(uid), keys.limited_prefix(uid)]
            names += [keys.votes_prefix(uid), keys.quotes_prefix(uid), keys.detached_prefix(uid)]
            names.append(keys.ending(partition_of(uid)))
            _take_down(context, event, uid, listed)
            while context.db.run(ERASE(names, *event.fence, BATCH, uid)):
                context.beat()
                _take_down(context, event, uid, listed)
        for form in context.db.run(("ZRANGE", keys.drafts(uid), 0, -1)):
            discard(context.db, uid, form)


def _take_down(context: Context, event: Event, uid: int, listed: str) -> None:
    """The replies among those that are erased next are taken from what is above them, the quotes from what they quote,
    and all of them from those who boosted them. For that they must be gone before: who boosts one meanwhile then finds
    nothing to boost.
    """
    exists, entries = context.db.trip(("HEXISTS", keys.user(uid), "login"), ("ZRANGE", listed, 0, BATCH - 1))
    ids = [int(entry.partition(":")[0]) for entry in entries] if not exists else []
    found = context.db.trip(*(("HMGET", keys.status(status_id), "above", "quote") for status_id in ids))
    quotes = [(int(quote), (one, uid)) for one, (_, quote) in zip(ids, found, strict=True) if quote]
    context.db.trip(
        *(
            command
            for status_id, (stored, _) in zip(ids, found, strict=True)
            for command in mirroring(event, unpack(stored), (status_id, uid), 0, "")
        ),
        *(quote_mirroring(event, quoted, quote, 0, False) for quoted, quote in quotes),
    )
    if listed in (keys.profile(uid), keys.replied(uid)):  # nobody boosts what not everybody may see
        context.db.trip(*(("DEL", keys.status(status_id)) for status_id in ids))
        forget(context, event, ids, uid)
