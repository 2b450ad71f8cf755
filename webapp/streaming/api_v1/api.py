"""The streaming API, version 1.1: `sample.json`, `filter.json` and `firehose.json` under `/1.1/statuses/`: what a
request asks for, and whether it may have it. After Redis in Action, 8.5, with the semantics of Twitter's API.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any
from urllib.parse import parse_qs

from webapp.accounts.store import get_many_by_login
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.errors import Invalid, Refused
from webapp.streaming.hub.subscriptions import SAMPLE_SHARES, Topic
from webapp.streaming.pages.credentials import load_hidden_until
from webapp.streaming.pages.framing import API_LENGTH_DELIMITED, API_LINES, API_SSE, SseEncoder

from . import callers
from .callers import Caller, StreamRequest
from .parameters import BadParameters, Parameters, parse

PATH = re.compile(r"/(?:1\.1/)?statuses/(sample|filter|firehose)\.json\Z")
FIREHOSE = "firehose"
PERCENT_MAX = 10.0  # of a sample
ANONYMOUS_PERCENT = 1.0
FIELDS_MAX = 10_000
NOT_ACCEPTABLE = 406  # how version 1.1 answers a value that cannot be used
RETRY_SECONDS = 5


@dataclass(frozen=True, slots=True)
class StreamGrant:
    """A stream that may be had: what is sent, to whom, and how it is written."""

    kind: str
    caller: Caller
    topic: Topic
    parameters: Parameters
    encoder: SseEncoder
    slot: str  # an id of its own, for the semaphore
    hidden_until: Mapping[
        int, float
    ]  # authors whose statuses are not sent to this caller, until when

    @property
    def required_rights(self) -> frozenset[str]:
        """The rights that it takes."""
        return (
            frozenset({FIREHOSE}) if self.kind == FIREHOSE or self.parameters.count else frozenset()
        )


class Forbidden(Refused):
    """A stream that this caller may not have."""

    status = 403


def authorize(db: Db, config: Config, kind: str, request: StreamRequest) -> StreamGrant:
    """The stream that a request asks for, once its caller may have it. Raises Refused (401, 403, 429, 503) and
    BadParameters.
    """
    caller = callers.identify(db, config, request, allow_anonymous=kind == "sample")
    parameters = parse(raw_parameters(request), filtering=kind == "filter")
    if FIREHOSE not in caller.rights:
        if kind == FIREHOSE:
            raise Forbidden("firehose", "The firehose is for those who were given the right to it.")
        if parameters.count:
            raise BadParameters(
                416, "To go back with count is for those who were given the right to the firehose."
            )
    callers.consume_rate_limit(db, config, caller)
    topic = _topic(db, kind, caller, parameters)
    return StreamGrant(
        kind,
        caller,
        topic,
        parameters,
        _encoder_for(request, parameters),
        secrets.token_hex(8),
        load_hidden_until(db, caller.uid, topic),
    )


def raw_parameters(request: StreamRequest) -> Mapping[str, Sequence[str]]:
    """The parameters of a request: its query's and its form's, of which the form's win. Raises BadParameters."""
    try:
        query = parse_qs(request.url_parts.query, keep_blank_values=True, max_num_fields=FIELDS_MAX)
        form = parse_qs(
            request.form.decode("utf-8", "replace"),
            keep_blank_values=True,
            max_num_fields=FIELDS_MAX,
        )
    except ValueError:
        raise BadParameters(413, "That is more parameters than we read.") from None
    return {**query, **form}


def _topic(db: Db, kind: str, caller: Caller, parameters: Parameters) -> Topic:
    narrowing = (
        parameters.predicate() if parameters.languages or parameters.level != "none" else None
    )
    if kind == FIREHOSE:
        return Topic(FIREHOSE, predicate=narrowing)
    if kind == "sample":
        max_percent = PERCENT_MAX if caller.uid else ANONYMOUS_PERCENT
        return Topic(
            "sample",
            0,
            _shares(caller.name, min(parameters.percent or max_percent, max_percent)),
            narrowing,
        )
    members = [
        member.uid
        for member in get_many_by_login(db, parameters.logins).values()
        if not member.suspended
    ]
    predicate = parameters.predicate(members)
    if predicate.empty:
        raise BadParameters(406, "None of the names in follow is a member's.")
    return Topic("filter", predicate=predicate)


def _shares(name: str, percent: float) -> frozenset[int]:
    """Which parts of all statuses a client is sent: always the same ones for the same name."""
    return frozenset(
        Random(name).sample(range(SAMPLE_SHARES), max(1, round(SAMPLE_SHARES * percent / 100)))
    )


def _encoder_for(request: StreamRequest, parameters: Parameters) -> SseEncoder:
    if "text/event-stream" in request.headers.get("accept", ""):
        return API_SSE
    return API_LENGTH_DELIMITED if parameters.delimited else API_LINES


def error_response(error: Refused | BadParameters) -> tuple[int, dict[str, Any], dict[str, str]]:
    """The status, body and headers of a request that gets no stream."""
    if isinstance(error, BadParameters):
        return error.status, {"errors": [{"code": error.status, "message": error.sentence}]}, {}
    status = NOT_ACCEPTABLE if isinstance(error, Invalid) else error.status
    retry_after = error.retry_after or (RETRY_SECONDS if status == 503 else 0)
    headers = {"Retry-After": str(retry_after)} if retry_after else {}
    if status == 401:
        headers["WWW-Authenticate"] = 'OAuth realm="Linnet", Bearer realm="Linnet"'
    return status, {"errors": [{"code": status, "message": str(error.sentence)}]}, headers
