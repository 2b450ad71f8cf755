"""Decide which stream a request of the API gets.

The streams are `sample.json`, `filter.json` and `firehose.json` under `/1.1/statuses/`, after Redis
in Action, 8.5, with the semantics of Twitter's API, version 1.1.
"""

import re
from dataclasses import dataclass
from random import Random
from typing import Any

from webapp.accounts.store import get_many_by_login
from webapp.core.errors import Forbidden, Invalid, Refused
from webapp.core.store import Db, Site
from webapp.streaming.delivery.encoders import API_LENGTH_DELIMITED, API_LINES, API_SSE, SseEncoder
from webapp.streaming.delivery.hidden_authors import HiddenAuthors, hidden_authors
from webapp.streaming.hub.api_topics import Filter, Firehose, Sample
from webapp.streaming.hub.topics import SAMPLE_SHARES, Topic

from . import callers
from .callers import Caller
from .connection_slots import slot_name
from .parameter_values import BadParameters
from .parameters import Parameters, parse
from .stream_request import StreamRequest

KINDS = ("sample", "filter", "firehose")
PATH = re.compile(
    rf"/(?:1\.1/)?statuses/({'|'.join(KINDS)})\.json(?:&[^/]*)?\Z"
)  # tweepy puts count there
FIREHOSE = "firehose"  # a stream, and the right to it
PERCENT_MAX = 10.0  # of a member's sample
ANONYMOUS_PERCENT = 1.0  # of a visitor's
NOT_ACCEPTABLE = 406  # how version 1.1 answers a bad value
RETRY_SECONDS = 5


@dataclass(frozen=True, slots=True)
class StreamGrant:
    """A stream that a caller may have."""

    kind: str
    caller: Caller
    topic: Topic
    parameters: Parameters
    encoder: SseEncoder
    slot: str  # its id among the connection slots
    hidden: HiddenAuthors  # the authors hidden from the caller

    @property
    def required_rights(self) -> frozenset[str]:
        """Return the rights that the stream takes."""
        needs_firehose = self.kind == FIREHOSE or self.parameters.count
        return frozenset({FIREHOSE}) if needs_firehose else frozenset()


def authorize(site: Site, kind: str, request: StreamRequest) -> StreamGrant:
    """Return the stream that a request gets. Six trips at most.

    Raises Refused: 401, 403, 406, 413, 416, 429 or 503.
    """
    caller = callers.identify(site, request, allow_anonymous=kind == "sample")
    parameters = parse(request.parameters(), filtering=kind == "filter")
    _require_rights(kind, caller, parameters)
    callers.consume_rate_limit(site, caller)
    topic = _topic(site.db, kind, caller, parameters)
    return StreamGrant(
        kind,
        caller,
        topic,
        parameters,
        _encoder_for(request, parameters),
        slot_name(topic),
        site.db.read(hidden_authors(caller.uid, topic)),
    )


def error_response(error: Refused) -> tuple[int, dict[str, Any], dict[str, str]]:
    """Return the status, body and headers that answer a refused request."""
    status = NOT_ACCEPTABLE if isinstance(error, Invalid) else error.status
    headers = {}
    retry_after = error.retry_after or (RETRY_SECONDS if status == 503 else 0)
    if retry_after:
        headers["Retry-After"] = str(retry_after)
    if status == 401:
        headers["WWW-Authenticate"] = 'OAuth realm="Linnet", Bearer realm="Linnet"'
    return status, {"errors": [{"code": status, "message": str(error.sentence)}]}, headers


def _require_rights(kind: str, caller: Caller, parameters: Parameters) -> None:
    if FIREHOSE in caller.rights:
        return
    if kind == FIREHOSE:
        raise Forbidden("firehose", "The firehose is for those who were given the right to it.")
    if parameters.count:
        sentence = "To go back with count is for those who were given the right to the firehose."
        raise BadParameters(416, sentence)


def _topic(db: Db, kind: str, caller: Caller, parameters: Parameters) -> Topic:
    """Return the topic of a stream. One trip for a filter that follows logins."""
    if kind == "filter":
        members = get_many_by_login(db, parameters.logins).values()
        uids = [member.uid for member in members if not member.suspended]
        predicate = parameters.predicate(uids)
        if predicate.empty:
            raise BadParameters(406, "None of the names in follow is a member's.")
        return Filter(predicate)
    is_narrowed = parameters.languages or parameters.level != "none"
    narrowing = parameters.predicate() if is_narrowed else None
    if kind == FIREHOSE:
        return Firehose(narrowing)
    max_percent = PERCENT_MAX if caller.uid else ANONYMOUS_PERCENT
    percent = min(parameters.percent or max_percent, max_percent)
    return Sample(_shares(caller.name, percent), narrowing)


def _shares(name: str, percent: float) -> frozenset[int]:
    """Return the parts of all statuses that a caller is sent, the same ones for the same name."""
    count = max(1, round(SAMPLE_SHARES * percent / 100))
    return frozenset(Random(name).sample(range(SAMPLE_SHARES), count))


def _encoder_for(request: StreamRequest, parameters: Parameters) -> SseEncoder:
    if "text/event-stream" in request.headers.get("accept", ""):
        return API_SSE
    return API_LENGTH_DELIMITED if parameters.delimited else API_LINES
