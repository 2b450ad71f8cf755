"""The OpenAPI document of the client API, written from the declarations of its endpoints."""

import re
from functools import cache
from inspect import cleandoc
from types import UnionType
from typing import Any, get_args, get_origin

import msgspec
from flask import Blueprint, Response

from webapp.core.web import storeless

from .declaration import ENDPOINTS, Endpoint
from .http import Listed, Paged, responses

bp = Blueprint("client_openapi", __name__)
PART = re.compile(r"<(?:(\w+):)?(\w+)>")
REFERENCE = "#/components/schemas/{name}"
ERROR = {
    "description": "An error, with a sentence.",
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "properties": {"error": {"type": "string"}},
                "required": ["error"],
            }
        }
    },
}


@bp.get("/api/openapi.json")
@storeless
def show() -> Response:
    """Describe the client API to programs."""
    return responses.json(document())


@cache
def document() -> dict[str, Any]:
    """Return the OpenAPI document."""
    types = [answer_type(one) for one in ENDPOINTS]
    types += [one.parameters for one in ENDPOINTS if one.parameters]
    schemas, components = msgspec.json.schema_components(types, ref_template=REFERENCE)
    answers = dict(zip((one.name for one in ENDPOINTS), schemas, strict=False))
    paths: dict[str, Any] = {}
    for one in ENDPOINTS:
        path = PART.sub(r"{\2}", one.path)
        described = _operation(one, answers[one.name], components)
        paths.setdefault(path, {})[one.method.lower()] = described
    bearer = {"bearer": {"type": "http", "scheme": "bearer"}}
    return {
        "openapi": "3.1.0",
        "info": {"title": "The client API of Linnet", "version": "1"},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": bearer},
    }


def _operation(one: Endpoint, answer: Any, components: dict[str, Any]) -> dict[str, Any]:
    summary, _, more = cleandoc(one.view.__doc__ or "").partition("\n\n")
    described: dict[str, Any] = {
        "operationId": one.name,
        "summary": summary,
        **({"description": more} if more else {}),
        "parameters": _path_parameters(one),
        "security": [{}, {"bearer": []}] if one.public else [{"bearer": []}],
        "responses": {
            "200": {
                "description": "The answer.",
                "content": {"application/json": {"schema": answer}},
            },
            "4XX": ERROR,
            "503": ERROR,
        },
    }
    if one.parameters is None:
        return described
    name = one.parameters.__name__
    if one.method == "GET":
        described["parameters"] += _query_parameters(components[name])
    else:
        schema = {"$ref": REFERENCE.format(name=name)}
        kinds = ("application/json", "application/x-www-form-urlencoded", "multipart/form-data")
        described["requestBody"] = {"content": {kind: {"schema": schema} for kind in kinds}}
    return described


def _path_parameters(one: Endpoint) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "integer" if kind == "id" else "string"},
        }
        for kind, name in PART.findall(one.path)
    ]


def _query_parameters(schema: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {
            "name": f"{name}[]" if field.get("type") == "array" else name,
            "in": "query",
            "schema": field,
        }
        for name, field in schema["properties"].items()
    ]


def answer_type(one: Endpoint) -> Any:
    """Return the type of what an endpoint answers: a page is a list of its entities."""
    if get_origin(one.entity) is Listed:
        return list[get_args(one.entity)[0]]  # type: ignore[misc]
    if get_origin(one.entity) is Paged:
        return get_args(one.entity)[0]
    is_open = one.entity in (None, type(None)) or get_origin(one.entity) is UnionType
    return dict[str, Any] if is_open else one.entity
