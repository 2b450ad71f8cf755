"""Read the posts in an uploaded archive: Mastodon's `outbox.json`, or X's `tweets.js`.

What cannot come along has a reason in place of its text.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from html import unescape
from typing import Annotated, NamedTuple

import msgspec

from webapp.core.errors import Invalid

ITEMS_MAX = 100_000  # posts and others of an archive
COMMAS_MAX = 2_000_000  # of JSON, where posts have one in 30 bytes
PUBLIC = ("https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public")
X_MARK = b"window.YTD.twe"
# The escape of one half of a surrogate pair. JSON that has one cannot be decoded.
LONE_SURROGATE = re.compile(
    rb"\\u(?<!\\\\u)(?:[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..\\u)[dD][c-fC-F]..)"
)
NOT_UTF8 = b"\xff"  # in its place: only the post that has it cannot be decoded
X_DATE = "%a %b %d %H:%M:%S %z %Y"
CONTENT_MAX = 50_000  # characters of HTML, or of a text with whole addresses
LINKS_MAX = 100  # of a post: more than fit into one

Source = Annotated[str, msgspec.Meta(max_length=500)]  # an id or address
Moment = Annotated[datetime, msgspec.Meta(tz=True)]


class OldPost(NamedTuple):
    """A post of another site. `reason`: why it does not fit, the code of a sentence, or ""."""

    source: str  # its id or address there
    at: int = 0  # unix ms
    text: str = ""
    cw: str = ""
    sensitive: bool = False
    visibility: str = ""  # as stored
    reply_to: str = ""  # `source` of the post it answers
    reason: str = ""


class _Activity(msgspec.Struct):
    type: str
    object: msgspec.Raw


class _Outbox(msgspec.Struct):
    items: list[msgspec.Raw] = msgspec.field(name="orderedItems")


class _Note(msgspec.Struct, rename="camel"):
    id: Source
    type: str
    published: Moment
    content: str = ""
    summary: str | None = None
    in_reply_to: str | None = None
    to: list[str] = []  # msgspec copies it
    cc: list[str] = []
    sensitive: bool | None = False


class _Link(msgspec.Struct):
    url: str
    expanded_url: str = ""


class _Entities(msgspec.Struct):
    urls: list[_Link] = []
    media: list[_Link] = []


class _Tweet(msgspec.Struct):
    id_str: Source
    full_text: str
    created_at: str
    in_reply_to_status_id_str: str | None = None
    in_reply_to_user_id_str: str | None = None
    entities: _Entities = msgspec.field(default_factory=_Entities)


def read_posts(content: bytes) -> list[OldPost]:
    """Return the posts of an archive, the oldest first.

    Raises Invalid if it cannot be read, or has more things than fit into the memory.
    """
    if content.count(b",") > COMMAS_MAX:
        raise Invalid("posts_long")
    content = LONE_SURROGATE.sub(NOT_UTF8, content, count=ITEMS_MAX)
    try:
        if content.lstrip().startswith(X_MARK):
            tweets = msgspec.json.decode(content.partition(b"=")[2], type=list[msgspec.Raw])
            posts = list(map(_tweet, _few(tweets)))
        else:
            outbox = msgspec.json.decode(content, type=_Outbox)
            posts = list(map(_activity, _few(outbox.items)))
    except (msgspec.DecodeError, RecursionError):
        raise Invalid("posts_bad") from None
    return sorted(
        _replies_checked(posts), key=lambda post: (post.at, len(post.source), post.source)
    )


def _few(items: list[msgspec.Raw]) -> list[msgspec.Raw]:
    if len(items) > ITEMS_MAX:
        raise Invalid("posts_long")
    return items


def _activity(raw: msgspec.Raw) -> OldPost:
    try:
        activity = msgspec.json.decode(raw, type=_Activity)
        if activity.type == "Announce":
            boosted = bytes(activity.object).decode("utf-8", "replace").strip('"')
            return OldPost(boosted[:500], reason="import_boost")
        note = msgspec.json.decode(activity.object, type=_Note)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return OldPost("", reason="import_broken")
    at, visibility = round(note.published.timestamp() * 1000), _visibility(note)
    if note.type != "Note" or visibility is None:
        kind = "import_private" if note.type == "Note" else "import_kind"
        return OldPost(note.id, at, reason=kind)
    text = _plain(note.content[:CONTENT_MAX])
    cw, is_covered = note.summary or "", bool(note.sensitive)
    return OldPost(note.id, at, text, cw, is_covered, visibility, note.in_reply_to or "")


def _tweet(raw: msgspec.Raw) -> OldPost:
    try:
        found = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
        tweet = msgspec.json.decode(found.get("tweet", raw), type=_Tweet)
        at = round(datetime.strptime(tweet.created_at, X_DATE).timestamp() * 1000)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return OldPost("", reason="import_broken")
    if tweet.full_text.startswith("RT @"):
        return OldPost(tweet.id_str, at, reason="import_boost")
    text = _with_whole_addresses(unescape(tweet.full_text[:CONTENT_MAX]), tweet.entities)
    reply_to = tweet.in_reply_to_status_id_str or tweet.in_reply_to_user_id_str or ""
    return OldPost(tweet.id_str, at, text, reply_to=reply_to)


def _with_whole_addresses(text: str, entities: _Entities) -> str:
    """Return a text with links in place of short ones, each once, and without those of pictures."""
    for link in filter(lambda one: one.url and one.expanded_url, entities.urls[:LINKS_MAX]):
        text = text.replace(link.url, link.expanded_url, 1)[:CONTENT_MAX]
    for picture in entities.media[:LINKS_MAX]:
        text = text.replace(picture.url, "")
    return text


def _replies_checked(posts: Sequence[OldPost]) -> Iterator[OldPost]:
    """Yield posts; those that answer others, or posts that do not fit, have a reason then."""
    own = {post.source for post in posts if not post.reason}
    for post in posts:
        is_lost = post.reply_to and post.reply_to not in own
        yield post._replace(reason="import_reply") if is_lost and not post.reason else post


def _visibility(note: _Note) -> str | None:
    """Return the visibility of a note as it is stored, None for a private message."""
    if any(one in PUBLIC for one in note.to):
        return ""
    if any(one in PUBLIC for one in note.cc):
        return "u"
    return "f" if any(one.endswith("/followers") for one in note.to) else None


def _plain(html: str) -> str:
    """Return the text of HTML as Mastodon writes it."""
    text = re.sub(r"<br\s?/?>", "\n", html)
    text = re.sub(r"</p>", "\n\n", text)
    return unescape(re.sub(r"<[^<>]*>", "", text)).strip()
