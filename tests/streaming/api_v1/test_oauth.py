"""OAuth 1.0a signatures of real clients."""

import time
from dataclasses import replace
from typing import Any
from urllib.parse import urlencode

import flask
import pytest
from flask import Flask
from hypothesis import HealthCheck, given, settings, strategies as st
from oauthlib.oauth1 import (
    SIGNATURE_HMAC_SHA256,
    SIGNATURE_PLAINTEXT,
    SIGNATURE_TYPE_BODY,
    SIGNATURE_TYPE_QUERY,
    Client,
)
from werkzeug.middleware.proxy_fix import ProxyFix

from tests.support.concurrently import concurrently
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.streaming.api_client import FILTER, FORM, HOST, SAMPLE
from tests.support.streaming.api_requests import make_request, refusal_code
from webapp.accounts import lifecycle
from webapp.accounts.tokens import apps, oauth
from webapp.accounts.tokens.apps import AppCredentials
from webapp.config import Config
from webapp.core.errors import Invalid, Refused
from webapp.core.store import Site
from webapp.streaming.api_v1 import callers
from webapp.streaming.api_v1.stream_request import StreamRequest, request_from_scope
from webapp.streaming.http.wsgi import scope_of

PARAMETERS = {
    "a plain word": [("track", "twitter")],
    "special characters": [("track", "a b&c=d+e%f,#g @h~i-j._k*l'(m)!n/o?p:q;r\"s")],
    "many scripts": [("track", "麻雀,Güldfinch,הציפור,\U0001f426")],
    "one name twice": [("track", "b"), ("track", "a"), ("track", "b"), ("Track", "a")],
    "empty values": [("track", ""), ("stall_warnings", "")],
    "a long list": [("follow", ",".join(map(str, range(1_000)))), ("delimited", "length")],
    "names like ours": [("oauth", "x"), ("realms", "y"), ("o-auth_token", "z")],
}


def client(pair: AppCredentials, **changes: Any) -> Client:
    """Return an OAuth 1.0a client with these credentials."""
    secrets = {"client_secret": pair.consumer_secret, "resource_owner_secret": pair.token_secret}
    return Client(pair.consumer_key, **{**secrets, "resource_owner_key": pair.token, **changes})


def signed_request(
    client: Client, url: str, method: str = "GET", form: list[tuple[str, str]] | None = None
) -> StreamRequest:
    """Return a request as the client signs it."""
    body = urlencode(form) if form is not None else None
    url, headers, body = client.sign(url, method, body, FORM if form is not None else {})
    return make_request(method, url, headers, (body or "").encode())


@pytest.mark.parametrize("parameters", PARAMETERS.values(), ids=PARAMETERS)
def test_signed_request_is_verified(
    parameters: list[tuple[str, str]], site: Site, ann: int, pair: AppCredentials
) -> None:
    in_query = f"{FILTER}?{urlencode(parameters)}"
    for request in (
        signed_request(client(pair), in_query),
        signed_request(client(pair), FILTER, "POST", parameters),
        signed_request(client(pair), in_query, "POST", [("delimited", "length")]),
        signed_request(client(pair, signature_type=SIGNATURE_TYPE_QUERY), in_query),
        signed_request(
            client(pair, signature_type=SIGNATURE_TYPE_BODY), FILTER, "POST", parameters
        ),
        signed_request(client(pair, realm="Linnet"), in_query),
    ):
        before = site.db.trips
        caller = callers.identify(site, request)
        assert site.db.trips - before == 3
        assert (caller.uid, caller.kind) == (ann, "oauth")
        assert (caller.holder, caller.name) == (ann, str(ann))


@pytest.mark.parametrize(
    "changed",
    ["method", "path", "query", "form", "header", "host", "scheme", "port", "more", "less"],
)
def test_tampered_request_is_refused(
    changed: str, site: Site, ann: int, pair: AppCredentials
) -> None:
    form = [("track", "wren"), ("delimited", "length")]
    request = signed_request(client(pair), f"{FILTER}?language=en", "POST", form)
    header = request.headers["authorization"].replace('nonce="', 'nonce="0')
    tampered = {
        "method": replace(request, method="PUT"),
        "path": replace(request, url=request.url.replace("filter", "filten")),
        "query": replace(request, url=request.url.replace("=en", "=em")),
        "form": replace(request, body=request.body.replace(b"wren", b"wrem")),
        "header": replace(request, headers=request.headers | {"authorization": header}),
        "host": replace(request, url=request.url.replace("linnet.", "linmet.")),
        "scheme": replace(request, url=request.url.replace("http:", "https:")),
        "port": replace(request, url=request.url.replace(":8001", ":8002")),
        "more": replace(request, body=request.body + b"&follow=1"),
        "less": replace(request, body=request.body.replace(b"&delimited=length", b"")),
    }[changed]
    assert refusal_code(site, tampered) == "oauth_signature"
    assert callers.identify(site, request).uid == ann  # its nonce is still unused


@pytest.mark.parametrize(
    "part", ["client_secret", "resource_owner_secret", "resource_owner_key", "client_key"]
)
def test_wrong_key_or_secret_is_refused(part: str, site: Site, pair: AppCredentials) -> None:
    wrong = client(pair)
    setattr(wrong, part, change_one_character(getattr(wrong, part)))
    assert refusal_code(site, signed_request(wrong, SAMPLE)) == "oauth_signature"


def test_token_is_valid_for_its_own_app_only(site: Site, ann: int, pair: AppCredentials) -> None:
    other = apps.create(site, ann, "another")
    mixed = client(pair, resource_owner_key=other.token, resource_owner_secret=other.token_secret)
    assert refusal_code(site, signed_request(mixed, SAMPLE)) == "oauth_signature"
    alone = client(pair, resource_owner_key=None, resource_owner_secret=None)
    assert isinstance(refusal_code(site, signed_request(alone, SAMPLE)), str)


def test_unsigned_body_is_refused(site: Site, pair: AppCredentials) -> None:
    bare = signed_request(client(pair), FILTER, "POST")
    multipart, almost = "multipart/form-data; boundary=x", "application/x-www-form-urlencoded-not"
    for content_type in ("text/plain", multipart, "", almost):
        headers = bare.headers | {"content-type": content_type}
        sent = replace(bare, headers=headers, body=b"track=wren")
        assert refusal_code(site, sent) == "oauth_body"
    # oauthlib leaves malformed forms out of the signature.
    headers = bare.headers | {"content-type": FORM["Content-Type"]}
    for body in (b'track=wren"', "track=麻雀".encode(), b"track=%zz", b"\xff"):
        sent = replace(bare, headers=headers, body=body)
        assert refusal_code(site, sent) == "oauth_malformed"


def test_concurrent_replays_are_refused(site: Site, ann: int, pair: AppCredentials) -> None:
    request = signed_request(client(pair), SAMPLE)
    results = concurrently(lambda _: callers.identify(site, request).kind, 16)
    assert sorted(results) == ["oauth", *["oauth_replayed"] * 15]
    assert callers.identify(site, signed_request(client(pair), SAMPLE)).uid == ann


@pytest.mark.parametrize(
    ("skew", "code"), [(-310, "oauth_clock"), (310, "oauth_clock"), (-290, ""), (290, "")]
)
def test_clock_may_be_five_minutes_off(
    skew: int, code: str, site: Site, ann: int, pair: AppCredentials
) -> None:
    request = signed_request(client(pair, timestamp=str(int(time.time()) + skew)), SAMPLE)
    if code:
        assert refusal_code(site, request) == code
        return
    assert callers.identify(site, request).uid == ann
    (nonce,) = [key for key in live_keys(site.db) if key.startswith("nonce:")]
    # The nonce outlives the timestamp.
    assert oauth.MAX_CLOCK_SKEW + skew < site.db.run(("TTL", nonce)) <= oauth.NONCE_TTL


@pytest.mark.parametrize("method", [SIGNATURE_PLAINTEXT, SIGNATURE_HMAC_SHA256])
def test_other_signature_methods_are_refused_with_a_reason(
    method: str, site: Site, pair: AppCredentials
) -> None:
    request = signed_request(client(pair, signature_method=method), SAMPLE)
    assert refusal_code(site, request) == "oauth_method"


@pytest.mark.parametrize("end", ["revoked", "suspended", "removed"])
def test_revoked_keys_and_inactive_members_are_refused(
    end: str, site: Site, ann: int, pair: AppCredentials
) -> None:
    caller = callers.identify(site, signed_request(client(pair), SAMPLE))
    assert caller.recheck()
    if end == "revoked":
        assert apps.revoke(site, ann, pair.consumer_key)
    elif end == "suspended":
        lifecycle.suspend(site, ann)
    else:
        lifecycle.delete_account(site, ann, None)
    assert not caller.recheck()
    assert refusal_code(site, signed_request(client(pair), SAMPLE)) == "oauth_signature"


def test_signature_covers_the_public_address_behind_a_proxy(
    site: Site, ann: int, pair: AppCredentials
) -> None:
    public = with_settings(
        site, site_url="https://linnet.example", stream_url="https://stream.linnet.example"
    )
    inside = "http://10.0.0.5:8001/1.1/statuses/filter.json?track=a"
    for origin in ("https://linnet.example", "https://stream.linnet.example"):
        request = signed_request(client(pair), inside.replace("http://10.0.0.5:8001", origin))
        assert refusal_code(site, replace(request, url=inside)) == "oauth_signature"
        assert callers.identify(public, replace(request, url=inside)).uid == ann
    # The configured host on another port counts as well.
    assert callers.identify(public, signed_request(client(pair), FILTER)).uid == ann


def test_request_signed_for_another_host_is_refused(site: Site, pair: AppCredentials) -> None:
    public = with_settings(site, site_url="https://linnet.example")
    lured = signed_request(client(pair), "http://elsewhere.example/1.1/statuses/filter.json")
    assert refusal_code(public, lured) == "oauth_signature"


WORDS = [
    *"OAuth oauth_ consumer_key signature nonce timestamp token version realm".split(),
    "HMAC-SHA1",
    "%41",
    "1.0",
]

PIECES = st.sampled_from([*WORDS, *'=",&%\\1٣é麻\x00 \udcff'])
NOISE = st.lists(PIECES, max_size=25).map("".join)


@pytest.fixture
def one_server(server: str, settings: Config) -> Config:
    """Settings of a single server, for a test with many examples."""
    return settings


def test_any_malformed_header_is_refused(one_server: Config) -> None:
    from webapp.core.store.connection import connect

    db = connect(one_server)

    @given(NOISE, NOISE, NOISE, st.sampled_from(["", FORM["Content-Type"], "text/plain"]))
    @settings(max_examples=300, suppress_health_check=list(HealthCheck))
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
                callers.identify(Site(db, one_server), sent)

    attempt()
    db.close()


def test_invalid_oauth_parameters_are_refused(site: Site, pair: AppCredentials) -> None:
    right = signed_request(client(pair), SAMPLE).headers["authorization"]
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
        assert refusal_code(
            site, make_request("GET", SAMPLE, {"Authorization": right.replace(old, new)})
        )
    assert (
        refusal_code(site, make_request("GET", f"{SAMPLE}?oauth_token=x", {"Authorization": right}))
        == "oauth_malformed"
    )
    for url in ("http:///x", "//x/y", "http://linnet.example:0/"):
        assert refusal_code(site, make_request("GET", url, {"Authorization": right}))
    for url in (
        "http://[::1/1.1/statuses/sample.json",
        "http://linnet.example:99999/",
        "http://a:b/",
    ):
        for headers in ({"Authorization": right}, {"Cookie": "linnet=1.x"}):
            with pytest.raises(Invalid):
                callers.identify(site, make_request("GET", url, headers))
    assert not [key for key in live_keys(site.db) if key.startswith("nonce:")]


@pytest.mark.parametrize("parameters", PARAMETERS.values(), ids=PARAMETERS)
def test_signed_request_is_verified_in_a_flask_view(
    parameters: list[tuple[str, str]], site: Site, ann: int, pair: AppCredentials
) -> None:
    app = Flask(__name__)
    app.testing = True

    @app.route("/1.1/statuses/<name>", methods=["GET", "POST"])
    def view(name: str) -> str:
        scope = scope_of(flask.request.environ)
        request = request_from_scope(site.config, scope, flask.request.get_data())
        assert callers.identify(site, request).uid == ann
        return f"{request.address} {flask.request.form.to_dict(flat=False)}"

    app.wsgi_app = ProxyFix(app.wsgi_app)  # type: ignore[method-assign]
    public = FILTER.replace("http:", "https:")
    for request in (
        signed_request(client(pair), f"{public}?{urlencode(parameters)}"),
        signed_request(client(pair), f"{public}?x=~%27!()*", "POST", parameters),
    ):
        url = request.url_parts
        forwarded = {"X-Forwarded-For": "192.0.2.9", "X-Forwarded-Proto": "https"}
        headers = {**request.headers, **forwarded}
        response = app.test_client().open(
            url.path,
            base_url=HOST,
            query_string=url.query,
            method=request.method,
            headers=headers,
            data=request.body,
        )
        assert response.status_code == 200 and response.text.startswith("192.0.2.9 ")
        assert ("track" in response.text) == (b"track" in request.body)


def change_one_character(text: str) -> str:
    """Change a letter or digit in the middle of a text."""
    index = next(index for index in range(len(text) // 2, len(text)) if text[index].isalnum())
    return text[:index] + ("0" if text[index] != "0" else "1") + text[index + 1 :]
