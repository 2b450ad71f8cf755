"""Declare the endpoints of the client API.

One line above a function says its method, path and scope. Its annotations say the rest: its
parameters (a `Parameters`) and the entity that it answers with. The OpenAPI document and the
checks of tests come from the same declarations.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from inspect import Parameter, signature
from typing import Any, TypedDict, TypeGuard, TypeVar, Unpack

import msgspec
from flask import Blueprint, Response, g
from werkzeug.exceptions import HTTPException

from webapp.core.errors import NotFound, Refused
from webapp.core.events.status import wait_until_applied
from webapp.core.forms.csrf import csrf
from webapp.core.store import Read, constant, partition_of
from webapp.core.store.reads import failing
from webapp.core.web import Requester, accepts_uploads, anonymous, config, consume_for_viewer, db
from webapp.core.web.request_log import note_refusal

from .callers import load_caller
from .http import Parameters, Sized, responses
from .http.parameters import parse
from .status_reads.boosts import boosted_status

View = TypeVar("View", bound=Callable[..., Any])


# From whom a token names, who is not checked yet, and the parameters.
Prefetch = Callable[[Requester, Any], Read[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A declared endpoint.

    `parameters`: a Parameters with all that clients may send. `page`: whether the view gets it, as
    a page's are. `own`: the names of those that the view gets one by one.
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
    page: bool
    own: tuple[str, ...]
    limit: str = ""
    public: bool = False
    uploads: int = 0
    prefetch: Prefetch | None = None


class Options(TypedDict, total=False):
    """The options of a declaration besides its route and scope: see Endpoint."""

    limit: str
    public: bool
    uploads: int
    prefetch: Prefetch


ENDPOINTS: list[Endpoint] = []
CHANGES = ("PUT", "PATCH")  # clients send either
EMPTY = Parameter.empty  # for the default of an argument without one


class ApiBlueprint(Blueprint):
    """A blueprint of endpoints. Refusals are answered with the sentences that clients know."""

    def __init__(self, name: str) -> None:
        super().__init__(f"client_{name}", __name__)
        self.register_error_handler(Refused, _refused)
        self.register_error_handler(HTTPException, responses.http_error)

    def declare(
        self, route: str, scope: str, name: str = "", **options: Unpack[Options]
    ) -> Callable[[View], View]:
        """Declare a function as the endpoint of a route such as `GET /api/v1/timelines/home`.

        `scope`: "" for any token. `name`: of the endpoint, "" for the function's. The function gets
        a Parameters first, if it wants one, and the parts of the path by name; arguments with a
        default are parameters too. A `status_id` may be that of a boost: the function then gets the
        boosted status. Where a boost is something else, the path names the part otherwise.
        """
        method, _, path = route.partition(" ")

        def declared(view: View) -> View:
            hints, called_as = (
                typing.get_type_hints(view, include_extras=True),
                name or view.__name__,
            )
            base = next(filter(_is_parameters, hints.values()), None)
            taken = signature(view).parameters.items()
            own = [(key, hints[key], one.default) for key, one in taken if one.default is not EMPTY]
            found = Endpoint(
                name=f"{self.name}.{called_as}",
                method=method,
                path=path,
                scope=scope,
                view=view,
                parameters=_with_own(base, own, f"{self.name}_{called_as}") if own else base,
                entity=hints.get("return"),
                page=base is not None,
                own=tuple(key for key, *_ in own),
                **options,
            )
            ENDPOINTS.append(found)
            called = _called(found)
            methods = CHANGES if method in CHANGES else [method]
            self.add_url_rule(path, called_as, called, methods=methods, strict_slashes=False)
            return view

        return declared


def _with_own(
    base: type[Parameters] | None, own: Sequence[tuple[str, Any, Any]], name: str
) -> type[Parameters]:
    """Return a Parameters with more fields: (name, type, default). `name`: of its endpoint."""
    title = f"{name.title().replace('_', '')}Parameters"
    made = msgspec.defstruct(title, own, bases=(base or Parameters,), kw_only=True)
    return typing.cast(type[Parameters], made)


def _called(declared: Endpoint) -> Callable[..., Response]:
    """Return the view that checks the token and parses the parameters of an endpoint."""

    @csrf.exempt
    @accepts_uploads(declared.uploads)
    @anonymous
    @wraps(declared.view)
    def call(**path: Any) -> Response:
        load_caller(declared.scope, declared.public, partial(_early_read, declared))
        if declared.limit:
            consume_for_viewer(declared.limit)
        sent = parse(declared.parameters) if declared.parameters else None
        own = {name: getattr(sent, name) for name in declared.own}
        view = partial(declared.view, *([sent] if declared.page else []), **own)
        try:
            result = view(**path)
        except NotFound:
            if "status_id" not in path:
                raise
            path["status_id"] = boosted_status(path["status_id"])
            result = view(**path)
        if declared.method != "GET" and not config().inline_projections:
            wait_until_applied(db(), map(partition_of, _writers(path)))
        if isinstance(sent, Sized) and sent.wants_none:
            result = responses.without_entries(result)
        return responses.answer(result)

    return typing.cast(Callable[..., Response], call)


def _writers(path: Mapping[str, Any]) -> list[int]:
    """Return the ids in whose partitions a call may have written: the caller's, then the path's."""
    own = [g.viewer.uid] if g.viewer else []
    return own + [number for number in path.values() if isinstance(number, int)]


def _early_read(declared: Endpoint, requester: Requester) -> Read[Any]:
    """Return the read that travels with the token. Parameters that are wrong are refused later."""
    if not (declared.prefetch and declared.parameters and requester.uid):
        return constant(None)
    try:
        return declared.prefetch(requester, parse(declared.parameters))
    except Refused as refusal:
        return failing(refusal)


def _refused(refusal: Refused) -> Response:
    note_refusal(refusal.code)
    return responses.error(refusal)


def _is_parameters(kind: object) -> TypeGuard[type[Parameters]]:
    return isinstance(kind, type) and issubclass(kind, Parameters)
