"""The topics, parameters and format of a request for a stream."""

from werkzeug.datastructures import LanguageAccept, MIMEAccept
from werkzeug.http import parse_accept_header
from werkzeug.sansio.http import parse_cookie

from webapp.chat.ids import parse_cid
from webapp.chat.live.hints import PAST_END, Position, parse_position
from webapp.config import Config
from webapp.core.i18n.preferences import LANGUAGE_COOKIE, negotiate_language
from webapp.core.search.syntax import QUERY_MAX
from webapp.core.store import Site, parse_id
from webapp.core.text.parser import tag_name
from webapp.streaming.delivery.encoders import API_LINES, API_SSE, PAGE_SSE, SSE_TYPE, SseEncoder
from webapp.streaming.http.requests import Request
from webapp.streaming.hub.followed_topics import Home, List
from webapp.streaming.hub.page_topics import Chats, Group, Profile, Public, Search, Tag, Thread
from webapp.streaming.hub.topics import Topic

PREFIX = "/stream/"
OWN_HOME = Home(0)  # the home of the member who asks
WITHOUT_ID: dict[str, Topic] = {"public": Public(), "home": OWN_HOME, "chats": Chats()}
SSE = SSE_TYPE.decode().partition(";")[0]
LINES = ("application/json", "application/x-ndjson")


def topic_of(path: str, query: str) -> Topic | None:
    """Return the topic that a path names, or None. `query`: the query of a search."""
    if not path.startswith(PREFIX):
        return None
    kind, *rest = path.removeprefix(PREFIX).split("/")
    if kind == "search" and not rest:
        # Cut as the parser cuts it: equal searches share a channel, and no long text stays.
        return Search(" ".join(query.split())[:QUERY_MAX])
    if not rest:
        return WITHOUT_ID.get(kind)
    if kind == "tag" and len(rest) == 1:
        name = tag_name(rest[0])
        return Tag(name) if name else None
    numbers = [number for number in map(parse_id, rest) if number]
    if len(numbers) != len(rest):
        return None
    return _topic_with_ids(kind, numbers)


def _topic_with_ids(kind: str, numbers: list[int]) -> Topic | None:
    match kind, numbers:
        case "profile", [uid]:
            return Profile(uid)
        case "group", [gid]:
            return Group(gid)
        case "thread", [status_id]:
            return Thread(status_id)
        case "list", [uid, list_id]:
            return List(uid, list_id)
    return None


def open_chat(request: Request) -> tuple[str, Position | None] | None:
    """Return the chat that a page shows, and the page's position in it; None if it shows none.

    The id is empty if the page names something that cannot be a chat. The position is None if the
    page gave no position, and PAST_END if it cannot be read.
    """
    name = request.parameter("chat")
    if name is None:
        return None
    cid = parse_cid(name) or ""
    texts = [request.headers.get("last-event-id"), *request.query.get("since", ())]
    given = [text for text in texts if text]
    positions = [position for text in given if (position := parse_position(text, cid))]
    if positions:
        return cid, positions[0]
    return cid, PAST_END if given else None


def page_language(request: Request, site: Site) -> str:
    """Return the code of the page's language."""
    chosen = parse_cookie(request.headers.get("cookie", "")).get(LANGUAGE_COOKIE, "")
    accepted = parse_accept_header(request.headers.get("accept-language", ""), LanguageAccept)
    return negotiate_language(chosen, accepted, site.config.default_language).code


def encoder_for(request: Request) -> SseEncoder:
    """Return the encoder of a stream: programs get the format of the streaming API.

    A program sends an access token, or accepts JSON but no events.
    """
    accepted = parse_accept_header(request.headers.get("accept", ""), MIMEAccept)
    if accepted and accepted.best_match([SSE, *LINES]) in LINES:
        return API_LINES
    return PAGE_SSE if request.token is None else API_SSE


def public_address(config: Config) -> str:
    """Return the address of the pages, as links in messages have it."""
    return config.site_url.rstrip("/") or f"http://{config.host}:{config.port}"
