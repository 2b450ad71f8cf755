"""Projections: whom members mentioned or answered lately, and the hashtags they used."""

from collections.abc import Mapping, Sequence
from itertools import chain

from webapp.accounts import keys as account_keys, store as accounts
from webapp.core.events.outbox import Context, Event, in_steps, more_after
from webapp.core.store import (
    Command,
    Read,
    Steps,
    ask,
    collect,
    constant,
    created_at,
    gather,
    read,
    script,
    send,
    send_all,
)
from webapp.core.text.entity_codec import unpack_entities
from webapp.core.text.parser import tag_names
from webapp.statuses import keys as status_keys

from . import keys

ADD_CONTACTS = script("autocomplete/lua/add_contacts.lua")
SYNC_CONTACT_OF = script("autocomplete/lua/sync_contact_of.lua")
ADD_TAGS = script("autocomplete/lua/add_tags.lua")
CONTACTS_MAX = TAGS_MAX = 100
BATCH = 1_000  # members of one slice
Times = dict[int, int]  # uid → unix ms of the newest status


@in_steps
def note_posts(context: Context, events: Sequence[Event]) -> Steps[None]:
    """Note whom the authors mention and answer, and which hashtags they use.

    No trip for posts without either, up to five otherwise.
    """
    posts = yield from ask(collect(map(_post, events)))
    by_author: dict[int, tuple[Event, Times]] = {}
    tags: dict[int, tuple[Event, dict[str, int]]] = {}
    for event, (uids, names) in zip(events, posts, strict=True):
        author, status_id = event.number("author"), event.number("id")
        at_ms = int(created_at(status_id).timestamp() * 1000)
        by_author.setdefault(author, (event, {}))[1].update(dict.fromkeys(uids, at_ms))
        tags.setdefault(author, (event, {}))[1].update(dict.fromkeys(names, status_id))
    yield from send(*_tag_commands(tags))
    for author, (event, times) in by_author.items():
        times.pop(author, None)
        if times:
            yield from _add_contacts(context, event, author, times)


def purge_deleted_account(context: Context, event: Event, _cursor: str) -> str | None:
    """Remove a deleted account's lists, and the account from the contacts of some members."""
    uid, db = event.number("uid"), context.db
    own = db.run(("ZRANGE", keys.contacts(uid), 0, -1))
    db.trip_all(("SREM", keys.contact_of(int(other)), uid) for other in own)
    db.trip(("UNLINK", keys.contacts(uid)), ("UNLINK", keys.recent_tags(uid)))
    batch = db.run(("SRANDMEMBER", keys.contact_of(uid), BATCH))
    if batch:
        db.trip_all(("ZREM", keys.contacts(int(other)), uid) for other in batch)
        db.run(("SREM", keys.contact_of(uid), *batch))
    return more_after(batch, BATCH)


def _post(event: Event) -> Read[tuple[list[int], tuple[str, ...]]]:
    """Read the uids that a status mentions or answers, and its hashtags. None if it is gone."""
    status_id = event.number("id")
    answered = [event.number("reply_to_uid")] if event.data.get("reply_to_uid") else []
    entities: Read[tuple[str, ...]] = constant(())
    if "has_items" in event.data:  # hashtags or links
        entities = read(
            ("HGET", status_keys.status(status_id), "entities"),
            lambda packed: tag_names(unpack_entities(packed or "[]")),
        )
    mentioned = collect(map(accounts.claimed_uid, event.data.get("mentions", "").split()))
    return gather(mentioned, entities).map(
        lambda found: ([*answered, *filter(None, found[0])], found[1])
    )


def _tag_commands(tags: Mapping[int, tuple[Event, dict[str, int]]]) -> list[Command]:
    return [
        ADD_TAGS(
            event,
            author=author,
            limit=TAGS_MAX,
            entries=chain.from_iterable((status_id, name) for name, status_id in ids.items()),
        )
        for author, (event, ids) in tags.items()
        if ids
    ]


def _add_contacts(context: Context, event: Event, author: int, times: Times) -> Steps[None]:
    """Add contacts of an author. Three trips.

    The author is first noted with each contact, and each contact is checked again afterwards. So a
    contact who deletes the account in between is removed here or by the deletion.
    """
    uids = list(times)
    stored = yield from send_all(
        SYNC_CONTACT_OF(event, contact=uid, uid=author, is_one=1) for uid in uids
    )
    present = [uid for uid, is_stored in zip(uids, stored, strict=True) if is_stored]
    if not present:
        return
    command = ADD_CONTACTS(
        event,
        author=author,
        limit=CONTACTS_MAX,
        entries=chain.from_iterable((times[uid], uid) for uid in present),
    )
    [reply] = yield from send(command)
    dropped = [int(uid) for uid in reply]
    logins = [("HEXISTS", account_keys.user(uid), "login") for uid in present]
    forget = [SYNC_CONTACT_OF(event, contact=uid, uid=author, is_one="") for uid in dropped]
    exist = (yield from send(*logins, *forget))[: len(logins)]
    gone = [uid for uid, exists in zip(present, exist, strict=True) if not exists]
    if gone:
        yield from send(("ZREM", keys.contacts(author), *gone))
