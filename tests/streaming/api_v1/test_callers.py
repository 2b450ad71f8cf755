"""Access tokens, sessions and visitors of the streaming API."""

from dataclasses import replace

import pytest

from tests.support.settings import with_settings
from tests.support.streaming.api_client import FORM, SAMPLE
from tests.support.streaming.api_requests import make_request, refusal_code
from tests.support.world import World
from webapp.accounts import lifecycle
from webapp.accounts.sessions import store as sessions
from webapp.accounts.tokens import store as tokens
from webapp.config import Rate
from webapp.core.errors import Invalid, RateLimited
from webapp.core.web import keys as limit_keys
from webapp.streaming.api_v1 import callers
from webapp.streaming.api_v1.stream_request import request_from_scope


def test_access_token_identifies_its_owner_until_revoked(world: World, ann: int) -> None:
    token = tokens.create(world, ann, "script")
    for scheme in ("Bearer", "bearer", "BEARER "):
        caller = callers.identify(
            world, make_request("GET", SAMPLE, {"Authorization": f"{scheme} {token}"})
        )
        assert (caller.uid, caller.kind, caller.rights) == (ann, "token", frozenset())
    tokens.revoke(world, ann, tokens.list_tokens(world.db, ann)[0].id)
    assert not caller.recheck()
    for header in (f"Bearer {token}", "Bearer", "Bearer ", "Bearer linnet_1_é"):
        found = refusal_code(world, make_request("GET", SAMPLE, {"Authorization": header}))
        assert found == "bad_token"
    basic = make_request("GET", SAMPLE, {"Authorization": "Basic YTpi"})
    assert refusal_code(world, basic, sample=True) == "who_are_you"


def test_rights_are_granted_and_revoked(world: World, ann: int) -> None:
    header = {"Authorization": f"Bearer {tokens.create(world, ann, 'script')}"}
    firehose = frozenset({"firehose"})
    lifecycle.grant(world.db, ann, "firehose")
    caller = callers.identify(world, make_request("GET", SAMPLE, header))
    assert caller.rights == firehose and caller.recheck(firehose)
    lifecycle.grant(world.db, ann, "firehose", granted=False)
    assert caller.recheck() and not caller.recheck(firehose)


def test_session_is_accepted_from_pages_of_this_site_only(world: World, ann: int) -> None:
    here = with_settings(world, site_url="https://linnet.example")
    cookie = sessions.start(world, ann)
    headers = {"Cookie": f"__Host-linnet={cookie}"}
    url = "https://linnet.example/1.1/statuses/filter.json?track=a"
    own = {"Origin": "https://linnet.example"}
    unprefixed = {"Cookie": f"linnet={cookie}"}
    assert refusal_code(here, make_request("GET", url, unprefixed)) == "who_are_you"
    for extra in ({}, own):
        caller = callers.identify(here, make_request("GET", url, headers | extra))
        assert (caller.uid, caller.kind) == (ann, "session")
    for origin in (
        "https://elsewhere.example",
        "null",
        "http://linnet.example",
        "https://linnet.example.org",
    ):
        found = refusal_code(here, make_request("GET", url, headers | {"Origin": origin}))
        assert found == "who_are_you"
    for bad_cookie in ("__Host-linnet=1.x", "other=\xff", "__Host-linnet=\xe4"):
        found = refusal_code(here, make_request("GET", url, {"Cookie": bad_cookie}))
        assert found == "who_are_you"
    beside = {"Cookie": f"other=\xff; __Host-linnet={cookie}"}
    assert callers.identify(here, make_request("GET", url, beside)).uid == ann
    sessions.end(world, cookie)
    assert not caller.recheck()


def test_visitor_may_sample_with_an_identifier_if_allowed(world: World) -> None:
    request = make_request("GET", f"{SAMPLE}?identifier=wren", address="192.0.2.1")
    before = world.db.trips
    caller = callers.identify(world, request, allow_anonymous=True)
    assert world.db.trips == before
    assert (caller.uid, caller.name) == (0, "wren")
    assert (caller.kind, caller.holder) == ("anonymous", "192.0.2.1")
    assert caller.rights == frozenset() and caller.recheck()
    assert not caller.recheck(frozenset({"firehose"}))
    assert refusal_code(world, request) == "who_are_you"
    found = refusal_code(with_settings(world, anonymous_sample=False), request, sample=True)
    assert found == "who_are_you"
    assert refusal_code(world, make_request("GET", SAMPLE), sample=True) == "who_are_you"
    for name in ("", "x" * 101):
        world.refuses(
            Invalid,
            callers.identify,
            make_request("GET", f"{SAMPLE}?identifier={name}"),
            allow_anonymous=True,
        )
    both = make_request(
        "POST", f"{SAMPLE}?identifier=query", FORM, b"identifier=%E9%BA%BB%E9%9B%80"
    )
    assert callers.identify(world, both, allow_anonymous=True).name == "麻雀"


def test_frequent_connections_are_rate_limited(world: World, ann: int) -> None:
    strict = with_settings(world, limit_stream=Rate(2, 60))
    header = {"Authorization": f"Bearer {tokens.create(world, ann, 'script')}"}
    member = callers.identify(strict, make_request("GET", SAMPLE, header))
    visitor = callers.identify(
        strict,
        make_request("GET", f"{SAMPLE}?identifier=a", address="192.0.2.1"),
        allow_anonymous=True,
    )
    for caller in (member, visitor):
        callers.consume_rate_limit(strict, caller)
        callers.consume_rate_limit(strict, caller)
        with pytest.raises(RateLimited) as caught:
            callers.consume_rate_limit(strict, caller)
        assert caught.value.status == 429 and 0 < (caught.value.retry_after or 0) <= 60
    renamed = callers.identify(
        strict,
        make_request("GET", f"{SAMPLE}?identifier=b", address="192.0.2.1"),
        allow_anonymous=True,
    )
    strict.refuses(RateLimited, callers.consume_rate_limit, renamed)
    assert world.db.run(("EXISTS", limit_keys.rate_limit("stream", str(ann))))


def test_request_from_scope_respects_trusted_proxies(world: World) -> None:
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
    direct = request_from_scope(world.config, scope, b"x=1")
    assert direct.url == "http://10.0.0.5:8001/1.1/statuses/filter%20%C3%A9.json?track=a%20b"
    assert (direct.method, direct.body, direct.address) == ("POST", b"x=1", "2001.db8..")
    behind = request_from_scope(replace(world.config, trusted_proxies=1), scope, b"")
    assert behind.url == "https://linnet.example/1.1/statuses/filter%20%C3%A9.json?track=a%20b"
    assert behind.address == "192.0.2.9"
