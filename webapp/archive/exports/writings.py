"""Readers of what a member wrote: posts of every visibility, and messages in chats."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import orjson

from webapp.accounts import store as accounts
from webapp.accounts.member import Member
from webapp.chat import keys as chat_keys
from webapp.chat.codec import parse_message
from webapp.chat.inbox import keys as inbox_keys
from webapp.chat.models import Message
from webapp.core.store import Db, collect, constant, gather, read
from webapp.statuses import Status, keys as status_keys, statuses
from webapp.statuses.edits import keys as edit_keys
from webapp.timelines.page_invalidation.paths import status_path

from .own_things import picture_rows
from .sources import SLICE, Owner, Row, Slice

Versions = Mapping[int, Sequence[str]]  # of edited posts, as they are stored


def read_posts(owner: Owner, cursor: str) -> Slice:
    """Read the member's own posts and replies, newest first. Three trips."""
    first = f"({cursor}" if cursor else "+inf"
    bounds = (first, "-inf", "BYSCORE", "REV", "LIMIT", 0, SLICE)
    lists = status_keys.authored_lists(owner.uid)
    found = owner.site.db.trip_all(("ZRANGE", key, *bounds) for key in lists)
    every_id = {int(entry.partition(":")[0]) for entries in found for entry in entries}
    ids = sorted(every_id, reverse=True)[:SLICE]
    if not ids:
        return Slice([])
    read_statuses = statuses([(status_id, owner.uid) for status_id in ids])
    posts = [one for one in owner.site.db.read(read_statuses) if one]
    versions, members = _related(owner.site.db, posts)
    rows = [_post_row(owner, one, versions, members) for one in posts]
    return Slice(rows, str(ids[-1]) if len(every_id) >= SLICE else None)


def _related(db: Db, posts: Sequence[Status]) -> tuple[Versions, Mapping[int, Member]]:
    """Return earlier versions of posts, and the authors whom they quote. One trip, or none."""
    edited = [one.id for one in posts if one.version]
    quoted = {one.quote[1] for one in posts if one.quote}
    reads = (read(("LRANGE", edit_keys.status_versions(one), 0, -1), list) for one in edited)
    versions = collect(reads) if edited else constant([])
    found, members = db.read(gather(versions, accounts.get_many(quoted)))
    return dict(zip(edited, found, strict=True)), members


def _post_row(owner: Owner, post: Status, versions: Versions, members: Mapping[int, Member]) -> Row:
    """Return a post as the archive has it, without the parts that are empty."""
    answered, quote, poll = post.in_reply_to, post.quote, post.poll
    quoted = members.get(quote[1]) if quote else None
    texts = map(orjson.loads, versions.get(post.id, ()))
    row = {
        "id": str(post.id),
        "url": owner.link(status_path(post.author.login, post.id)),
        "at": _iso(post.created),
        "text": post.text,
        "visibility": post.visibility.slug,
        "content_warning": post.cw,
        "language": post.lang,
        "in_reply_to": owner.link(status_path(answered.login, answered.id)) if answered else "",
        "quotes": owner.link(status_path(quoted.login, quote[0])) if quote and quoted else "",
        "pictures": picture_rows(post.pictures),
        "poll": {"options": poll.options, "votes": post.tally} if poll else None,
        "place": post.place.name if post.place else "",
        "edited_at": _iso(post.edited) if post.edited else "",
        "earlier_versions": [{"text": one["text"], "cw": one.get("cw", "")} for one in texts],
        "likes": post.likes,
        "boosts": post.boosts,
        "replies": post.replies,
    }
    return {name: value for name, value in row.items() if value or name in ("text", "id")}


def read_messages(owner: Owner, cursor: str) -> Slice:
    """Read the member's own messages in one chat, oldest first. Three trips."""
    cid, _, position = cursor.partition(" ")
    db, uid = owner.site.db, owner.uid
    chats = sorted(db.run(("ZRANGE", inbox_keys.member_chats(uid), 0, -1)))
    remaining = [one for one in chats if one >= cid]
    if not remaining:
        return Slice([])
    current, *later = remaining
    (name, first, last), visible = db.trip(
        ("HMGET", chat_keys.chat(current), "name", "first", "last"),
        ("HGET", chat_keys.chat_visible_from(current), uid),
    )
    following = f"{later[0]} " if later else None
    if visible is None or last is None:  # it ended meanwhile, or the member has left
        return Slice([], following)
    continued = int(position or 0) if current == cid else 0
    start = max(int(first), int(visible.split()[0]), continued, 1)
    ids = range(start, min(start + SLICE, int(last) + 1))
    if not ids:
        return Slice([], following)
    stored = db.run(("HMGET", chat_keys.chat_messages(current), *ids))
    messages = [parse_message(one, raw) for one, raw in zip(ids, stored, strict=True) if raw]
    rows = [
        _message_row(current, name, one)
        for one in messages
        if one.author_uid == uid and not one.deleted
    ]
    return Slice(rows, f"{current} {ids.stop}" if ids.stop <= int(last) else following)


def _message_row(cid: str, name: str | None, message: Message) -> Row:
    row: Row = {
        "chat": cid,
        "chat_name": name or "",
        "at": _iso(message.sent_at),
        "text": message.text,
        "edited_at": _iso(message.edited) if message.edited else "",
        "pictures": [
            {"file": f"media/{one.name}.webp", "description": one.alt} for one in message.pictures
        ],
    }
    return {field: value for field, value in row.items() if value}


def _iso(time: datetime) -> str:
    return time.isoformat(timespec="seconds")
