"""Forms refuse hostile fields and bodies with a page, and change nothing."""

import io
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import cycle, islice, repeat
from typing import Any
from urllib.parse import quote_from_bytes, urlencode

import pytest
from PIL import Image

from tests.conftest import long
from tests.support.hostile.pages import check_response
from tests.support.hostile.site import AttackedSite, snapshot, write_count
from tests.support.hostile.values import RAW_VALUES, VALID_FIELDS
from tests.support.loops import in_loop
from tests.support.multipart import BOUNDARY, multipart
from webapp.accounts import keys as account_keys
from webapp.core.forms.body_limits import body_limit
from webapp.core.web.view_options import view_options
from webapp.server.bridge.asgi_bridge import AsgiBridge

URLENCODED = "application/x-www-form-urlencoded"
MEGABYTE = 1_048_576
# Fields that are sent to routes of which no page has a form.
UNKNOWN_FIELDS = ["next", "text"]


def bodies(
    fields: dict[str, str], hostile: Sequence[str], value: bytes
) -> Iterator[tuple[bytes, dict[str, str]]]:
    """Yield bodies of a form with a hostile value in one field, or several.

    In the first field of each form, a value that is more than plain text comes in both encodings.
    """
    others = {name: text for name, text in fields.items() if name not in hostile}
    quoted = "".join(f"&{name}={quote_from_bytes(value, '')}" for name in hostile)
    yield f"{urlencode(others)}{quoted}".encode(), {"Content-Type": URLENCODED}
    is_plain = value.isascii() and value.decode().isprintable()
    if is_plain or min(fields, default=hostile[0]) not in hostile:
        return
    body, headers = multipart({**others, **dict.fromkeys(hostile, "\x01")})
    body = body.replace(b"\x01", value)
    yield body, {**headers, "Content-Length": str(len(body))}


def hostile_bodies(
    names: Sequence[str], hostile: Sequence[str], titles: Sequence[str]
) -> Iterator[tuple[str, bytes, dict[str, str]]]:
    """Yield bodies of a form with these hostile values in some fields: title, body, headers."""
    fields = {name: VALID_FIELDS.get(name, "") for name in names}
    for title in titles:
        value = RAW_VALUES[title]
        for body, headers in bodies(fields, hostile, value):
            yield title, body, headers


# With a step of 28, every field gets one or two values, and its neighbour the next ones.
@pytest.mark.parametrize("step", [28, long(1)])
def test_hostile_values_of_any_form_field_are_refused_or_cleaned(
    site: AttackedSite, step: int
) -> None:
    starts = cycle(range(step))
    before = snapshot(site.db)
    writes = write_count(site.db)
    fields_by_route = site.form_fields()
    assert len(fields_by_route) >= 12
    password = site.db.run(("GET", account_keys.password(1)))
    for rule, method, path in site.write_routes():
        signs_in = rule.endpoint in ("accounts.login", "accounts.signup")
        names = sorted(fields_by_route.get(rule.endpoint, UNKNOWN_FIELDS))
        has_form = rule.endpoint in fields_by_route
        field_groups = [[name] for name in names or ["unknown"]] if has_form else [UNKNOWN_FIELDS]
        for hostile in field_groups:
            titles = list(RAW_VALUES)[next(starts) :: step]
            for title, body, headers in hostile_bodies(names, hostile, titles):
                client = site.app.test_client() if signs_in else site.ann
                response = client.open(path, method=method, data=body, headers=headers)
                where = (method, path, hostile, title, headers, response.status_code)
                check_response(response, where)
                if response.status_code < 400:  # accepted
                    site.db.run(("SET", account_keys.password(1), password))
                    site.sign_in_again(site.ann)
                    before = snapshot(site.db)
                    writes = write_count(site.db)
                elif write_count(site.db) > writes:
                    assert snapshot(site.db) == before, where
                    writes = write_count(site.db)


def malformed_bodies(names: set[str]) -> Iterator[tuple[bytes, str]]:
    """Yield bodies that are no form with these fields, and their content types."""
    png = io.BytesIO()
    Image.new("RGB", (40, 40)).save(png, "PNG")
    multipart_type = multipart({})[1]["Content-Type"]
    lists = {f"{name}{suffix}": "x" for name in names for suffix in ("[]", "[0]")}
    json = b'{"text": ["x"], "name": {"a": null}, "login": 1, "password": true}'
    entity = b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'
    unfinished = b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nno end'
    nameless = b"--x\r\nContent-Disposition: form-data\r\n\r\nx\r\n--x--"
    yield from ((body, "application/json") for body in (json, b"[" * 20_000, b"{"))
    yield entity + b"<text>&a;</text>", "text/xml"
    yield urlencode(lists).encode(), URLENCODED
    yield b"text=" + b"%ZZ%" * 500 + b"&&&=&==&text[", f"{URLENCODED}; charset=utf-7"
    yield b"a=1&" * 9_000, URLENCODED
    yield from (
        (b"text=hello&name=Wren", kind) for kind in ("text/plain", "", "multipart/form-data")
    )
    yield b"--\r\n\r\n----", "multipart/form-data; boundary="
    for body in (b"--x\r\n" * 3_000, unfinished, nameless):
        yield body, "multipart/form-data; boundary=x"
    yield b"\x1f\x8b\x08\0", URLENCODED
    yield multipart(dict.fromkeys(("text", "old", "login"), png.getvalue()))[0], multipart_type
    yield b"text=" + b"x" * 100_000, URLENCODED
    yield multipart(dict.fromkeys(names, "x" * 9_000))[0], multipart_type


# Of the bodies for a form, a visitor sends two in five, and of those for the next form others.
@pytest.mark.parametrize("senders", ["in turn", long("both")])
def test_malformed_bodies_change_nothing(site: AttackedSite, senders: str) -> None:
    turns = cycle([[True], [False], [True], [True], [False]])
    fields_by_route = site.form_fields()
    malformed = list(malformed_bodies(set().union(*fields_by_route.values())))
    before = snapshot(site.db)
    writes = write_count(site.db)
    for rule, method, path in site.write_routes():
        if not fields_by_route.get(rule.endpoint):  # a button, which ignores the body
            continue
        for body, content_type in malformed:
            headers = {"Content-Type": content_type} if content_type else {}
            for is_ann in (True, False) if senders == "both" else next(turns):
                client = site.ann if is_ann else site.app.test_client()
                response = client.open(path, method=method, data=body, headers=headers)
                where = (method, path, content_type, body[:40], response.status_code)
                check_response(response, where)
                if write_count(site.db) > writes:
                    after = snapshot(site.db)
                    assert after == before or response.status_code < 400, where
                    before, writes = after, write_count(site.db)


@pytest.mark.parametrize("disposition", [long("form-data"), 'form-data; filename="x.png"'])
@pytest.mark.parametrize("guarded", [True, long(False)])
def test_a_part_without_a_name_is_ignored_by_every_form(
    site: AttackedSite, disposition: str, guarded: bool
) -> None:
    site.app.config["WTF_CSRF_ENABLED"] = guarded
    fields_by_route = site.form_fields()
    for rule, method, path in site.write_routes():
        body, headers = multipart(dict.fromkeys(fields_by_route.get(rule.endpoint, ()), ""))
        unnamed = f"--{BOUNDARY}\r\nContent-Disposition: {disposition}\r\n\r\nx\r\n".encode()
        responses = []
        for sent in (body, unnamed + body):
            sized = {**headers, "Content-Length": str(len(sent))}
            site.sign_in_again(site.ann)
            responses.append(site.ann.open(path, method=method, data=sent, headers=sized))
            check_response(responses[-1], (method, path, sent[:80]))
        # Without a token nothing changes between the two, so the part alone could.
        assert not guarded or responses[0].status_code == responses[1].status_code, path


# Each route gets one of the lengths, and the next route another.
@pytest.mark.parametrize("count", [1, long(3)])
def test_ten_megabytes_are_refused_with_and_without_a_content_length(
    site: AttackedSite, count: int
) -> None:
    lengths = cycle((None, b"10485760", b"9" * 30))
    site.app.config["WTF_CSRF_ENABLED"] = True  # as in production, so that every form is read
    before = snapshot(site.db)
    statuses = {}
    for rule, method, path in site.write_routes():
        takes_pictures = view_options(site.app.view_functions[rule.endpoint]).pictures_max
        for length in islice(lengths, count):
            if takes_pictures and length == b"10485760":
                continue  # two pictures may be as large
            statuses[method, path, length] = in_loop(send_large_body(site, method, path, length))
    # Apps may be asked for their token first.
    refusals = {request: {413, 401} if "/api/v" in request[1] else {413} for request in statuses}
    assert {
        request: status for request, status in statuses.items() if status not in refusals[request]
    } == {}
    assert snapshot(site.db) == before


async def send_large_body(site: AttackedSite, method: str, path: str, length: bytes | None) -> int:
    """Send ten megabytes with this content length, None for none. Return the status."""
    cookie = site.ann.get_cookie("linnet")
    assert cookie
    headers = [
        (b"host", b"localhost"),
        (b"cookie", f"linnet={cookie.value}".encode()),
        (b"content-type", URLENCODED.encode()),
        (b"sec-fetch-site", b"same-origin"),
        (b"content-length", length) if length else (b"transfer-encoding", b"chunked"),
    ]
    scope = {
        "type": "http",
        "method": method,
        "http_version": "1.1",
        "scheme": "http",
        "path": path,
        "query_string": b"",
        "headers": headers,
    }
    piece = b"text=" + b"x" * (MEGABYTE - 5)
    pieces = iter([*repeat(piece, 10), b""])
    statuses = []

    async def receive() -> dict[str, Any]:
        body = next(pieces)
        return {"type": "http.request", "body": body, "more_body": bool(body)}

    async def respond(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    gateway = AsgiBridge(site.app, site.config, partial(body_limit, site.app, site.config))
    await gateway(scope, receive, respond)
    [status] = statuses
    return status
