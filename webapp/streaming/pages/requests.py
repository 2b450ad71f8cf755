"""What a client asks for: which stream, from where in the log, and which pages may read the answer."""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qs, urlsplit

from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header, parse_cookie

from webapp.chat.live.updates import PAST_END, Position, parse_position
from webapp.chat.store import parse_cid
from webapp.config import Config
from webapp.core.i18n.preferences import LANGUAGE_COOKIE, negotiate_language
from webapp.core.store.ids import parse_id
from webapp.core.text.parser import tag_name
from webapp.streaming.hub.subscriptions import Topic
from webapp.streaming.log.messages import LogPosition, parse_log_id

LOG_ID_PATTERN = re.compile(r"(\d{1,15})-(\d{1,10})\Z", re.ASCII)
PREFIX = "/stream/"
MEMBER_STREAMS = ("home", "chats")  # the streams that are a member's own


class Resume(NamedTuple):
    """Where a client was. `at`: the last log id it saw, None when what it gave is none; `page`: the id is the one that
    a page was rendered at, which may lack statuses of the seconds before.
    """

    position: LogPosition | None
    from_page: bool


class Request:
    """A request for a stream."""

    def __init__(self, scope: dict[str, Any]) -> None:
        self.method: str = scope["method"]
        self.topic = _topic(scope["path"])
        self.headers: dict[str, str] = {}
        for raw, value in scope["headers"]:
            name, text = raw.decode("latin-1").lower(), value.decode("latin-1")
            separator = "; " if name == "cookie" else ","
            self.headers[name] = (
                f"{self.headers[name]}{separator}{text}" if name in self.headers else text
            )
        self._query = scope.get("query_string", b"").decode("latin-1")
        self.resume = _resume(self.headers, self._query)

    @property
    def chat(self) -> tuple[str, Position | None] | None:
        """Which chat is open, an empty id where that is none, and where in it its page is, if that is told."""
        params = parse_qs(self._query, keep_blank_values=True)
        if "chat" not in params:
            return None
        cid = parse_cid(params["chat"][0]) or ""
        since_values = [
            text for text in (self.headers.get("last-event-id"), *params.get("since", ())) if text
        ]
        positions = [position for text in since_values if (position := parse_position(text, cid))]
        return cid, positions[0] if positions else PAST_END if since_values else None

    @property
    def language(self) -> str:
        """The code of the language of the page that asks."""
        chosen = parse_cookie(self.headers.get("cookie", "")).get(LANGUAGE_COOKIE, "")
        accepted = parse_accept_header(self.headers.get("accept-language", ""), LanguageAccept)
        return negotiate_language(chosen, accepted).code

    def is_same_origin(self, config: Config) -> bool:
        """Whether a page of this site asks, or no page at all."""
        origin = self.headers.get("origin")
        return origin is None or _is_own_origin(origin, self.headers.get("host", ""), config)

    def cors(self, config: Config) -> list[tuple[bytes, bytes]]:
        """The headers that let pages read the answer: ours with their cookies, others what is public."""
        headers, origin = [(b"vary", b"Origin")], self.headers.get("origin")
        if origin is not None and self.is_same_origin(config):
            headers.append((b"access-control-allow-origin", origin.encode("latin-1")))
            headers.append((b"access-control-allow-credentials", b"true"))
        elif origin is not None and self.topic and self.topic.kind not in MEMBER_STREAMS:
            headers.append((b"access-control-allow-origin", b"*"))
        return headers


def _topic(path: str) -> Topic | None:
    kind, *rest = path.removeprefix(PREFIX).split("/") if path.startswith(PREFIX) else ("",)
    if kind in ("public", *MEMBER_STREAMS) and not rest:
        return Topic(kind)
    if kind == "tag" and len(rest) == 1 and rest[0] and tag_name(rest[0]) == rest[0]:
        return Topic(kind, tag=rest[0])
    if kind == "list" and len(rest) == 2 and all(map(parse_id, rest)):
        return Topic(kind, int(rest[0]), object_id=int(rest[1]))
    if kind == "thread" and len(rest) == 1 and (number := parse_id(rest[0])):
        return Topic(kind, object_id=number)
    uid = parse_id(rest[0]) if kind == "profile" and len(rest) == 1 else None
    return Topic(kind, uid) if uid else None


def _resume(headers: dict[str, str], query: str) -> Resume | None:
    """A browser that opens the connection again by itself sends the header with the first address, so it goes first."""
    params = parse_qs(query, keep_blank_values=True)
    for from_page, text in (
        (False, headers.get("last-event-id")),
        (False, params.get("since", [None])[0]),
        (True, params.get("page", [None])[0]),
    ):
        if text:
            return Resume(parse_log_id(text) if LOG_ID_PATTERN.match(text) else None, from_page)
    return None


def _is_own_origin(origin: str, host: str, config: Config) -> bool:
    """An origin is ours when it is SITE_URL's or, without that, that of PORT beside us, or our own behind a proxy."""
    origin_url, own_url, site_url = (
        _split_url(origin),
        _split_url(f"//{host}"),
        _split_url(config.site_url),
    )
    if (
        not origin_url
        or not origin_url.hostname
        or not own_url
        or origin_url.scheme not in ("http", "https")
    ):
        return False
    if site_url and site_url.netloc:
        return (origin_url.scheme, origin_url.netloc.lower()) == (
            site_url.scheme,
            site_url.netloc.lower(),
        )
    if origin_url.netloc.lower() == own_url.netloc.lower():
        return True
    port = origin_url.port or {"http": 80, "https": 443}[origin_url.scheme]
    return origin_url.hostname == own_url.hostname and port == config.port


def _split_url(url: str) -> SplitResult | None:
    try:
        parts = urlsplit(url)
        _ = parts.port, parts.hostname
    except ValueError:
        return None
    return parts
