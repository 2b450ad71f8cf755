"""Create chats that are hard to lay out: long names, long messages, and many of them."""

from typing import NamedTuple

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.chat import draft, key, send_messages
from tests.support.long_content import LOGIN, LONG_TEXT, noise
from webapp.accounts import registration
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.members import group_chats
from webapp.chat.messages import sending
from webapp.chat.models import Card, Picture
from webapp.core.media import storage as media
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.statuses.store import post

UNKNOWN_STATUS = 4096
LIST_PATHS = "/chats /chats/requests /chats/archived /chats/new /chats/new-message".split()
GROUP_QUERIES = (
    *("", "?reply=1", "?edit=1", "?react=3", "?report=3", "?before=5"),
    *("/people", "/settings"),
)


class LongChats(NamedTuple):
    """The owner's uid, the path of a group with messages of every kind, and all paths."""

    uid: int
    group_path: str
    paths: list[str]


def create_long_chats(site: Site) -> LongChats:
    """Create wren's chats: a group, announcements, a direct chat and a request."""
    wren, member, stranger = (
        registration.sign_up(site, login, login * 3, PASSWORD).uid
        for login in ("wren", LOGIN, "far")
    )
    following.follow(site, wren, LOGIN)
    following.follow(site, member, "wren")
    following.follow(site, stranger, "wren")
    status = post(site, member, parse(LONG_TEXT, 280), "form-0001")
    worker.drain(site)
    group = _create_group(site, wren, member, status)
    news = group_chats.create(site, member, "announcement", "News", [wren], None, key())
    send_messages(site, member, news, *(f"note {number}" for number in range(60)))
    request, muted = direct_id(wren, stranger), direct_id(wren, member)
    sending.send(site, stranger, request, draft("a request"), key())
    sending.send(site, member, muted, draft("hello"), key())
    worker.drain(site)
    chat_state.mute(site.db, wren, muted)
    group_path = f"/chats/{group}"
    paths = [
        *LIST_PATHS,
        f"/chats/forward?status={status}",
        *(f"{group_path}{query}" for query in GROUP_QUERIES),
        f"{group_path}/search?q=-note+has:poll",
        "/chats/search?q=-note",
        "/chats/search",
        f"/chats/{news}",
        f"/chats/{news}?newest=1",
        f"/chats/{request}",
        "/chats/@far",
    ]
    return LongChats(wren, group_path, paths)


def _create_group(site: Site, wren: int, member: int, status: int) -> str:
    """Create a group with messages, pictures, cards, replies and reactions. Return its id."""
    opening, topic = draft("W" * 400), "W" * 200
    cid = group_chats.create(site, wren, "private", "W" * 60, [member], opening, key(), topic=topic)
    link = f"@wren https://example.com/{'w' * 200}"
    send_messages(site, member, cid, "one\n\ntwo", link, "שלום 世界 😀")
    saved = media.save_in_chat(site.config, media.new_in_chat(cid), noise(800, 1600))
    pictures = tuple(Picture(saved.name, saved.width, saved.height, "W" * 200) for _ in range(3))
    for attachment in (
        {"pictures": pictures},
        {"card": Card(status, member)},
        {"card": Card(UNKNOWN_STATUS, member)},
        {"reply_to": 1},
    ):
        sending.send(site, wren, cid, draft("see", **attachment), key())
    for emoji in ("👍", "🎉", "❤️"):
        sending.react(site, member, cid, 1, emoji, True)
    sending.delete(site, member, cid, 2)
    sending.edit(site, wren, cid, 1, "W" * 300, ())
    chat_state.mark_read(site.db, member, cid, 20)
    return cid
