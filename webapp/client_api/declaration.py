"""Declare the endpoints of the client API.

One line above a function says its method, path and scope. Its annotations say the rest: its
parameters (a `Parameters`) and the entity that it answers with. The OpenAPI document and the
checks of tests come from the same declarations.
"""

from __future__ import annotations

import typing
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, TypedDict, TypeVar, Unpack

from flask import Blueprint, Response

from webapp.core.errors import NotFound, Refused
from webapp.core.forms.csrf import csrf
from webapp.core.store.reads import Read, constant, failing
from webapp.core.web.prefetch import Requester
from webapp.core.web.rate_limits import consume_for_viewer
from webapp.core.web.view_options import accepts_uploads, anonymous

from .callers import load_caller
from .http.parameters import Parameters, parse
from .http.responses import answer
from .status_reads.boosts import boosted_status

View = TypeVar("View", bound=Callable[..., Any])


# From whom a token names, who is not checked yet, and the parameters.
Prefetch = Callable[[Requester, Any], Read[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A declared endpoint.

    `limit`: the member's limit that a call counts against, "" for none. `public`: answers without
    a token too. `uploads`: how many pictures it takes.
    `prefetch`: makes a read that travels with the token, whose result `g.prefetched()` is.
    """

    name: str
    method: str
    path: str
    scope: str
    view: Callable[..., Any]
    parameters: type[Parameters] | None
    entity: Any
    limit: str = ""
    public: bool = False
    uploads: int = 0
    prefetch: Prefetch | None = None


class Options(TypedDict, total=False):
    """What a declaration may say besides its route and scope: see Endpoint."""

    limit: str
    public: bool
    uploads: int
    prefetch: Prefetch


ENDPOINTS: list[Endpoint] = []


def endpoint(
    bp: Blueprint, route: str, scope: str, **options: Unpack[Options]
) -> Callable[[View], View]:
    """Declare a function as the endpoint of a route such as `GET /api/v1/timelines/home`.

    `scope`: "" for any token. The function gets its parameters first, if it has any, and the
    parts of the path by name. A `status_id` may be that of a boost: the function then gets the
    boosted status. Where a boost is something else, the path names the part otherwise.
    """
    method, _, path = route.partition(" ")

    def declare(view: View) -> View:
        hints = typing.get_type_hints(view)
        kinds = [kind for kind in hints.values() if _is_parameters(kind)]
        declared = Endpoint(
            name=f"{bp.name}.{view.__name__}",
            method=method,
            path=path,
            scope=scope,
            view=view,
            parameters=kinds[0] if kinds else None,
            entity=hints.get("return"),
            **options,
        )
        ENDPOINTS.append(declared)
        called = _called(declared)
        bp.add_url_rule(path, view.__name__, called, methods=[method], strict_slashes=False)
        return view

    return declare


def _called(declared: Endpoint) -> Callable[..., Response]:
    """Return the view that checks the token and parses the parameters of an endpoint."""

    @csrf.exempt  # type: ignore[untyped-decorator]
    @accepts_uploads(declared.uploads)
    @anonymous
    @wraps(declared.view)
    def call(**path: Any) -> Response:
        load_caller(declared.scope, declared.public, partial(_early_read, declared))
        if declared.limit:
            consume_for_viewer(declared.limit)
        parameters = [parse(declared.parameters)] if declared.parameters else []
        try:
            return answer(declared.view(*parameters, **path))
        except NotFound:
            path["status_id"] = boosted_status(path.get("status_id"))
        return answer(declared.view(*parameters, **path))

    return typing.cast(Callable[..., Response], call)


def _early_read(declared: Endpoint, requester: Requester) -> Read[Any]:
    """Return the read that travels with the token. Parameters that are wrong are refused later."""
    if not (declared.prefetch and declared.parameters and requester.uid):
        return constant(None)
    try:
        return declared.prefetch(requester, parse(declared.parameters))
    except Refused as refusal:
        return failing(refusal)


def _is_parameters(kind: object) -> bool:
    return isinstance(kind, type) and issubclass(kind, Parameters)
