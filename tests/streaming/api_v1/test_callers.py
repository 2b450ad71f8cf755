"""Callers of the API: tokens, OAuth 1.0a signatures of real clients, sessions and visitors."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import flask
import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from oauthlib.oauth1 import (
    SIGNATURE_HMAC_SHA256,
    SIGNATURE_PLAINTEXT,
    SIGNATURE_TYPE_BODY,
    SIGNATURE_TYPE_QUERY,
    Client,
)
from werkzeug.middleware.proxy_fix import ProxyFix

from tests.support.schema import live_keys
from webapp.accounts import lifecycle
from webapp.accounts.sessions import store as sessions
from webapp.accounts.tokens import apps, oauth
from webapp.accounts.tokens import store as tokens
from webapp.accounts.tokens.apps import AppCredentials
from webapp.config import Config, Rate
from webapp.core.store.client import Db
from webapp.core.web import keys as limit_keys
from webapp.errors import Invalid, RateLimited, Refused, Unauthorized
from webapp.streaming.api_v1 import callers
from webapp.streaming.api_v1.stream_request import StreamRequest, request_from_scope
from webapp.streaming.http.wsgi import scope_of

People = Callable[..., list[int]]
HOST = "http://linnet.example:8001"
FILTER, SAMPLE = f"{HOST}/1.1/statuses/filter.json", f"{HOST}/1.1/statuses/sample.json"
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
HARD = {
    "a plain word": [("track", "twitter")],
    "special characters": [("track", "a b&c=d+e%f,#g @h~i-j._k*l'(m)!n/o?p:q;r\"s")],
    "many scripts": [("track", "麻雀,Güldfinch,הציפור,\U0001f426")],
    "one name twice": [("track", "b"), ("track", "a"), ("track", "b"), ("Track", "a")],
    "empty values": [("track", ""), ("stall_warnings", "")],
    "a long list": [("follow", ",".join(map(str, range(1_000)))), ("delimited", "length")],
    "names like ours": [("oauth", "x"), ("realms", "y"), ("o-auth_token", "z")],
}


def client(pair: AppCredentials, **changes: Any) -> Client:
    """A v1.1 client with these keys."""
    secrets = {"client_secret": pair.consumer_secret, "resource_owner_secret": pair.token_secret}
    return Client(pair.consumer_key, **{**secrets, "resource_owner_key": pair.token, **changes})


def signed(
    client: Client, url: str, method: str = "GET", form: list[tuple[str, str]] | None = None
) -> StreamRequest:
    """The request as the client sends it."""
    body = urlencode(form) if form is not None else None
    url, headers, body = client.sign(url, method, body, FORM if form is not None else {})
    return asked(method, url, headers, (body or "").encode())


def asked(
    method: str, url: str, headers: Mapping[str, str] = {}, body: bytes = b"", **changes: str
) -> StreamRequest:
    """A request."""
    return StreamRequest(
        method, url, {name.lower(): value for name, value in headers.items()}, body, **changes
    )


def refused(db: Db, config: Config, request: StreamRequest, sample: bool = False) -> str:
    """Why nobody is found behind a request."""
    with pytest.raises(Unauthorized) as caught:
        callers.identify(db, config, request, sample)
    assert caught.value.status == 401 and caught.value.challenge == 'OAuth realm="Linnet"'
    assert str(caught.value.sentence)
    return caught.value.code


@pytest.fixture
def ann(people: People) -> int:
    """A member."""
    return people("wren", "ann")[1]


@pytest.fixture
def pair(db: Db, config: Config, ann: int) -> AppCredentials:
    """Her app."""
    return apps.create(db, config, ann, "reader")


@pytest.mark.parametrize("parameters", HARD.values(), ids=HARD)
def test_what_a_client_signs_verifies(
    parameters: list[tuple[str, str]], db: Db, config: Config, ann: int, pair: AppCredentials
) -> None:
    in_query = f"{FILTER}?{urlencode(parameters)}"
    for request in (
        signed(client(pair), in_query),
        signed(client(pair), FILTER, "POST", parameters),
        signed(client(pair), in_query, "POST", [("delimited", "length")]),
        signed(client(pair, signature_type=SIGNATURE_TYPE_QUERY), in_query),
        signed(client(pair, signature_type=SIGNATURE_TYPE_BODY), FILTER, "POST", parameters),
        signed(client(pair, realm="Linnet"), in_query),
    ):
        before = db.trips
        caller = callers.identify(db, config, request)
        assert db.trips - before == 3
        assert (caller.uid, caller.kind, caller.holder, caller.name) == (
            ann,
            "oauth",
            ann,
            str(ann),
        )


@pytest.mark.parametrize(
    "changed",
    ["method", "path", "query", "form", "header", "host", "scheme", "port", "more", "less"],
)
def test_a_request_that_is_changed_on_its_way_is_refused(
    changed: str, db: Db, config: Config, ann: int, pair: AppCredentials
) -> None:
    form = [("track", "wren"), ("delimited", "length")]
    request = signed(client(pair), f"{FILTER}?language=en", "POST", form)
    asked = {
        "method": replace(request, method="PUT"),
        "path": replace(request, url=request.url.replace("filter", "filten")),
        "query": replace(request, url=request.url.replace("=en", "=em")),
        "form": replace(request, body=request.body.replace(b"wren", b"wrem")),
        "header": replace(
            request,
            headers=request.headers
            | {"authorization": request.headers["authorization"].replace('nonce="', 'nonce="0')},
        ),
        "host": replace(request, url=request.url.replace("linnet.", "linmet.")),
        "scheme": replace(request, url=request.url.replace("http:", "https:")),
        "port": replace(request, url=request.url.replace(":8001", ":8002")),
        "more": replace(request, body=request.body + b"&follow=1"),
        "less": replace(request, body=request.body.replace(b"&delimited=length", b"")),
    }[changed]
    assert refused(db, config, asked) == "oauth_signature"
    assert callers.identify(db, config, request).uid == ann  # which the refused one has not used up


@pytest.mark.parametrize(
    "part", ["client_secret", "resource_owner_secret", "resource_owner_key", "client_key"]
)
def test_keys_that_are_one_character_off_are_refused(
    part: str, db: Db, config: Config, pair: AppCredentials
) -> None:
    off = client(pair)
    setattr(off, part, _next(getattr(off, part)))
    assert refused(db, config, signed(off, SAMPLE)) == "oauth_signature"


def test_a_token_fits_its_own_app_only(
    db: Db, config: Config, ann: int, pair: AppCredentials
) -> None:
    other = apps.create(db, config, ann, "another")
    mixed = client(pair, resource_owner_key=other.token, resource_owner_secret=other.token_secret)
    assert refused(db, config, signed(mixed, SAMPLE)) == "oauth_signature"
    alone = client(pair, resource_owner_key=None, resource_owner_secret=None)
    assert isinstance(refused(db, config, signed(alone, SAMPLE)), str)


def test_a_body_that_no_signature_covers_is_refused(
    db: Db, config: Config, pair: AppCredentials
) -> None:
    bare = signed(client(pair), FILTER, "POST")
    for kind in (
        "text/plain",
        "multipart/form-data; boundary=x",
        "",
        "application/x-www-form-urlencoded-not",
    ):
        sent = replace(bare, headers=bare.headers | {"content-type": kind}, body=b"track=wren")
        assert refused(db, config, sent) == "oauth_body"
    # What oauthlib takes for no form it leaves out of the signature.
    for body in (b'track=wren"', "track=麻雀".encode(), b"track=%zz", b"\xff"):
        sent = replace(
            bare, headers=bare.headers | {"content-type": FORM["Content-Type"]}, body=body
        )
        assert refused(db, config, sent) == "oauth_malformed"


def test_a_request_counts_once_however_many_send_it(
    db: Db, config: Config, ann: int, pair: AppCredentials
) -> None:
    request = signed(client(pair), SAMPLE)

    def attempt(_: int) -> str:
        try:
            return callers.identify(db, config, request).kind
        except Unauthorized as error:
            return error.code

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(attempt, range(16)))
    assert sorted(answers) == ["oauth", *["oauth_replayed"] * 15]
    assert callers.identify(db, config, signed(client(pair), SAMPLE)).uid == ann


@pytest.mark.parametrize(
    ("off", "code"), [(-310, "oauth_clock"), (310, "oauth_clock"), (-290, ""), (290, "")]
)
def test_a_clock_may_be_five_minutes_off(
    off: int, code: str, db: Db, config: Config, ann: int, pair: AppCredentials
) -> None:
    request = signed(client(pair, timestamp=str(int(time.time()) + off)), SAMPLE)
    if code:
        assert refused(db, config, request) == code
        return
    assert callers.identify(db, config, request).uid == ann
    (nonce,) = [key for key in live_keys(db) if key.startswith("nonce:")]
    # It is remembered for longer than the timestamp is believed.
    assert oauth.MAX_CLOCK_SKEW + off < db.run(("TTL", nonce)) <= oauth.NONCE_TTL


@pytest.mark.parametrize("method", [SIGNATURE_PLAINTEXT, SIGNATURE_HMAC_SHA256])
def test_other_signature_methods_are_refused_with_the_reason(
    method: str, db: Db, config: Config, pair: AppCredentials
) -> None:
    assert (
        refused(db, config, signed(client(pair, signature_method=method), SAMPLE)) == "oauth_method"
    )


@pytest.mark.parametrize("end", ["revoked", "suspended", "removed"])
def test_keys_of_who_is_gone_are_refused_and_doubts_are_confirmed(
    end: str, db: Db, config: Config, ann: int, pair: AppCredentials
) -> None:
    caller = callers.identify(db, config, signed(client(pair), SAMPLE))
    assert caller.recheck()
    if end == "revoked":
        assert apps.revoke(db, config, ann, pair.consumer_key)
    elif end == "suspended":
        lifecycle.suspend(db, config, ann)
    else:
        lifecycle.delete_account(db, config, ann, None)
    assert not caller.recheck()
    assert refused(db, config, signed(client(pair), SAMPLE)) == "oauth_signature"


def test_behind_a_proxy_clients_sign_for_the_public_address(
    db: Db, config: Config, ann: int, pair: AppCredentials
) -> None:
    public = replace(
        config, site_url="https://linnet.example", stream_url="https://stream.linnet.example"
    )
    inside = "http://10.0.0.5:8001/1.1/statuses/filter.json?track=a"
    for origin in ("https://linnet.example", "https://stream.linnet.example"):
        request = signed(client(pair), inside.replace("http://10.0.0.5:8001", origin))
        assert refused(db, config, replace(request, url=inside)) == "oauth_signature"
        assert callers.identify(db, public, replace(request, url=inside)).uid == ann
    assert (
        callers.identify(db, public, signed(client(pair), FILTER)).uid == ann
    )  # our own name, another port


def test_who_lures_a_member_elsewhere_cannot_pass_the_request_on(
    db: Db, config: Config, pair: AppCredentials
) -> None:
    public = replace(config, site_url="https://linnet.example")
    lured = signed(client(pair), "http://elsewhere.example/1.1/statuses/filter.json")
    assert refused(db, public, lured) == "oauth_signature"


WORDS = "OAuth oauth_ consumer_key signature nonce timestamp token version realm HMAC-SHA1 %41 1.0".split()
PIECES = st.sampled_from([*WORDS, *'=",&%\\1٣é麻\x00 \udcff'])
NOISE = st.lists(PIECES, max_size=25).map("".join)


@pytest.fixture
def one_server(server: str, settings: Config) -> Config:
    """The settings of one server, for tests that try much."""
    return settings


def test_whatever_comes_is_answered_with_a_refusal(one_server: Config) -> None:
    from webapp.core.store.connection import connect

    db = connect(one_server)

    @given(NOISE, NOISE, NOISE, st.sampled_from(["", FORM["Content-Type"], "text/plain"]))
    @settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
    def attempt(header: str, query: str, body: str, kind: str) -> None:
        named = {"authorization": f"OAuth {header}", "content-type": kind}
        for headers in (named, {"content-type": kind}):
            sent = StreamRequest(
                "POST",
                f"{FILTER}?oauth_signature=x&{query}",
                headers,
                body.encode("utf-8", "surrogateescape"),
            )
            with pytest.raises(Refused):
                callers.identify(db, one_server, sent)

    attempt()
    db.close()


def test_well_formed_nonsense_is_refused(db: Db, config: Config, pair: AppCredentials) -> None:
    right = signed(client(pair), SAMPLE).headers["authorization"]
    for old, new in (
        ('oauth_version="1.0"', 'oauth_version="2.0"'),
        ('oauth_nonce="', f'oauth_nonce="{"x" * 300}'),
        ('oauth_timestamp="', 'oauth_timestamp="-'),
        ('oauth_timestamp="', 'oauth_timestamp="9'),
        ("oauth_signature=", "oauth_signatur="),
        ('oauth_consumer_key="', f'oauth_consumer_key="{"x" * 300}'),
        ('oauth_signature="', 'oauth_signature="%C3%A9'),
        ("OAuth ", "OAuth"),
    ):
        assert old in right
        assert refused(db, config, asked("GET", SAMPLE, {"Authorization": right.replace(old, new)}))
    assert (
        refused(db, config, asked("GET", f"{SAMPLE}?oauth_token=x", {"Authorization": right}))
        == "oauth_malformed"
    )
    for url in ("http:///x", "//x/y", "http://linnet.example:0/"):
        assert refused(db, config, asked("GET", url, {"Authorization": right}))
    for url in (
        "http://[::1/1.1/statuses/sample.json",
        "http://linnet.example:99999/",
        "http://a:b/",
    ):
        for headers in ({"Authorization": right}, {"Cookie": "linnet=1.x"}):
            with pytest.raises(Invalid):
                callers.identify(db, config, asked("GET", url, headers))
    assert not [key for key in live_keys(db) if key.startswith("nonce:")]


# Tokens, sessions, visitors


def test_an_access_token_is_its_owner_while_it_holds(db: Db, config: Config, ann: int) -> None:
    token = tokens.create(db, config, ann, "script")
    for scheme in ("Bearer", "bearer", "BEARER "):
        caller = callers.identify(
            db, config, asked("GET", SAMPLE, {"Authorization": f"{scheme} {token}"})
        )
        assert (caller.uid, caller.kind, caller.rights) == (ann, "token", frozenset())
    tokens.revoke(db, config, ann, tokens.list_tokens(db, ann)[0].sha)
    assert not caller.recheck()
    for header in (f"Bearer {token}", "Bearer", "Bearer ", "Bearer linnet_1_é"):
        assert refused(db, config, asked("GET", SAMPLE, {"Authorization": header})) == "bad_token"
    assert (
        refused(db, config, asked("GET", SAMPLE, {"Authorization": "Basic YTpi"}), sample=True)
        == "who_are_you"
    )


def test_rights_come_and_go(db: Db, config: Config, ann: int) -> None:
    header = {"Authorization": f"Bearer {tokens.create(db, config, ann, 'script')}"}
    firehose = frozenset({"firehose"})
    lifecycle.grant(db, ann, "firehose")
    caller = callers.identify(db, config, asked("GET", SAMPLE, header))
    assert caller.rights == firehose and caller.recheck(firehose)
    lifecycle.grant(db, ann, "firehose", granted=False)
    assert caller.recheck() and not caller.recheck(firehose)


def test_a_session_counts_for_pages_of_this_site_only(db: Db, config: Config, ann: int) -> None:
    here = replace(config, site_url="https://linnet.example")
    cookie = sessions.start(db, config, ann)
    headers = {"Cookie": f"linnet={cookie}"}
    url = "https://linnet.example/1.1/statuses/filter.json?track=a"
    own = {"Origin": "https://linnet.example"}
    for extra in ({}, own):
        caller = callers.identify(db, here, asked("GET", url, headers | extra))
        assert (caller.uid, caller.kind) == (ann, "session")
    for origin in (
        "https://elsewhere.example",
        "null",
        "http://linnet.example",
        "https://linnet.example.org",
    ):
        assert refused(db, here, asked("GET", url, headers | {"Origin": origin})) == "who_are_you"
    assert refused(db, here, asked("GET", url, {"Cookie": "linnet=1.x"})) == "who_are_you"
    sessions.end(db, config, cookie)
    assert not caller.recheck()


def test_a_visitor_with_an_identifier_may_sample_where_that_is_allowed(
    db: Db, config: Config
) -> None:
    request = asked("GET", f"{SAMPLE}?identifier=wren", address="192.0.2.1")
    before = db.trips
    caller = callers.identify(db, config, request, allow_anonymous=True)
    assert db.trips == before
    assert (caller.uid, caller.name, caller.kind, caller.holder) == (
        0,
        "wren",
        "anonymous",
        "192.0.2.1",
    )
    assert (
        caller.rights == frozenset()
        and caller.recheck()
        and not caller.recheck(frozenset({"firehose"}))
    )
    assert refused(db, config, request) == "who_are_you"
    assert (
        refused(db, replace(config, anonymous_sample=False), request, sample=True) == "who_are_you"
    )
    assert refused(db, config, asked("GET", SAMPLE), sample=True) == "who_are_you"
    for name in ("", "x" * 101):
        with pytest.raises(Invalid):
            callers.identify(
                db, config, asked("GET", f"{SAMPLE}?identifier={name}"), allow_anonymous=True
            )
    both = asked("POST", f"{SAMPLE}?identifier=query", FORM, b"identifier=%E9%BA%BB%E9%9B%80")
    assert callers.identify(db, config, both, allow_anonymous=True).name == "麻雀"


def test_coming_back_too_often_is_told_to_wait(db: Db, config: Config, ann: int) -> None:
    strict = replace(config, limit_stream=Rate(2, 60))
    header = {"Authorization": f"Bearer {tokens.create(db, config, ann, 'script')}"}
    member = callers.identify(db, strict, asked("GET", SAMPLE, header))
    visitor = callers.identify(
        db,
        strict,
        asked("GET", f"{SAMPLE}?identifier=a", address="192.0.2.1"),
        allow_anonymous=True,
    )
    for caller in (member, visitor):
        callers.consume_rate_limit(db, strict, caller)
        callers.consume_rate_limit(db, strict, caller)
        with pytest.raises(RateLimited) as caught:
            callers.consume_rate_limit(db, strict, caller)
        assert caught.value.status == 429 and 0 < (caught.value.retry_after or 0) <= 60
    renamed = callers.identify(
        db,
        strict,
        asked("GET", f"{SAMPLE}?identifier=b", address="192.0.2.1"),
        allow_anonymous=True,
    )
    with pytest.raises(RateLimited):
        callers.consume_rate_limit(db, strict, renamed)
    assert db.run(("EXISTS", limit_keys.rate_limit("stream", str(ann))))


@pytest.mark.parametrize("parameters", HARD.values(), ids=HARD)
def test_what_a_client_signs_verifies_in_a_flask_view(
    parameters: list[tuple[str, str]], db: Db, config: Config, ann: int, pair: AppCredentials
) -> None:
    app = Flask(__name__)
    app.testing = True

    @app.route("/1.1/statuses/<name>", methods=["GET", "POST"])
    def view(name: str) -> str:
        scope = scope_of(flask.request.environ)
        request = request_from_scope(config, scope, flask.request.get_data())
        assert callers.identify(db, config, request).uid == ann
        return f"{request.address} {flask.request.form.to_dict(flat=False)}"

    app.wsgi_app = ProxyFix(app.wsgi_app)  # type: ignore[method-assign]
    public = FILTER.replace("http:", "https:")
    for request in (
        signed(client(pair), f"{public}?{urlencode(parameters)}"),
        signed(client(pair), f"{public}?x=~%27!()*", "POST", parameters),
    ):
        url, headers = (
            request.url_parts,
            {**request.headers, "X-Forwarded-For": "192.0.2.9", "X-Forwarded-Proto": "https"},
        )
        answer = app.test_client().open(
            url.path,
            base_url=HOST,
            query_string=url.query,
            method=request.method,
            headers=headers,
            data=request.body,
        )
        assert answer.status_code == 200 and answer.text.startswith("192.0.2.9 ")
        assert ("track" in answer.text) == (b"track" in request.body)


def test_a_request_is_read_from_a_server_as_its_proxies_saw_it(
    db: Db, config: Config, ann: int, pair: AppCredentials
) -> None:
    scope = {
        "type": "http",
        "method": "POST",
        "scheme": "http",
        "path": "/1.1/statuses/filter é.json",
        "raw_path": b"/1.1/statuses/filter%20%C3%A9.json",
        "query_string": b"track=a%20b",
        "client": ("2001:db8::1", 5),
        "headers": [
            (b"Host", b"10.0.0.5:8001"),
            (b"X-Forwarded-Proto", b"gopher, https"),
            (b"X-Forwarded-For", b"6.6.6.6"),
            (b"X-Forwarded-For", b"192.0.2.9"),
            (b"X-Forwarded-Host", b"linnet.example"),
        ],
    }
    direct = request_from_scope(config, scope, b"x=1")
    assert direct.url == "http://10.0.0.5:8001/1.1/statuses/filter%20%C3%A9.json?track=a%20b"
    assert (direct.method, direct.body, direct.address) == ("POST", b"x=1", "2001.db8..")
    behind = request_from_scope(replace(config, trusted_proxies=1), scope, b"")
    assert behind.url == "https://linnet.example/1.1/statuses/filter%20%C3%A9.json?track=a%20b"
    assert behind.address == "192.0.2.9"


def _next(text: str) -> str:
    """The text with one letter or digit of its middle changed."""
    at = next(at for at in range(len(text) // 2, len(text)) if text[at].isalnum())
    return text[:at] + ("0" if text[at] != "0" else "1") + text[at + 1 :]
