"""Bodies of every kind, sent to every endpoint: an answer is never a fault of the site."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from io import BytesIO
from typing import Any, NamedTuple
from urllib.parse import urlencode

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tests.client_api.access.table import rows
from tests.conftest import long
from tests.support.client_api import ApiClient, connected
from tests.support.full_site import picture_file
from tests.support.pages import join, serving_alone
from webapp.client_api.declaration import Endpoint
from webapp.client_api.endpoints import ENDPOINTS
from webapp.client_api.openapi import answer_type

LATER = (datetime.now(UTC) + timedelta(hours=3)).isoformat()
# Values with which calls succeed, by parameter; some are replaced by odd ones.
GOOD: dict[str, Any] = {
    "client_name": "Siskin",
    "redirect_uris": "siskin://in",
    "username": "newcomer",
    "password": "correct horse battery",
    "agreement": "true",
    "status": "hm",
    "title": "hm",
    "phrase": "hm",
    "keyword": "hm",
    "context": ["home"],
    "q": "hm",
    "acct": "ann",
    "account_id": "2",
    "account_ids": ["2"],
    "choices": ["0"],
    "timeline": ["home"],
    "id": ["1", "2"],
}
ODD = [
    *("", " ", "0", "-1", "9" * 30, "NaN", "nan,nan", "inf,0", "1e400", "0.5,7", "\0", "a\0b"),
    *("9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "2026-02-30", LATER, "true"),
    *("\u202e", "\ufffd", "\ufeff", "😀" * 60, "@ann #hm http://x.example", "x" * 70_000),
    *("%00", "../../etc", "<b>", "a][", "null", "public", "direct", "hide", "spam", "statuses"),
    *(None, True, 1.5, -1, 0, 10**30, 2**63, -(2**63), 1e308, [], [[]], [None], ["0", "0"], {}),
    *({"a": {"b": [1]}}, {"0": "x"}, {"options": ["a", "b"], "expires_in": 10**30}),
    *({"options": "a"}, {"last_read_id": "7"}, {"last_read_id": [1]}, [{"id": [1]}]),
    *([{"keyword": "\0", "_destroy": "1"}], [{"name": "website", "value": "\0"}], ["\ud800"]),
    *("\ud800", {"\ud800": "\udfff"}),
]
ODD_TIMES = ["9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", "2100-01-01", "x", ""]
OF_NAME = {  # odd values of parameters that are parsed further
    "focus": ["nan,0", "inf,0", "0,-inf", "1e400,1", "0.5", "a,b", "2,2", "-1,1"],
    "scheduled_at": ODD_TIMES,
    "expires_in": [10**30, -(10**30), 2**53, 2**31, 1e308, -1, 0, "", "x"],
    "duration": [10**30, -(10**30), 2**53, 2**31, -1, 0, ""],
    "offset": [10**30, -(10**30), 2**53, 2**31, -1],
    "limit": [10**30, -(10**30), 2**53, 2**31, -1, 0],
    "poll": [{"options": ["a", "b"], "expires_in": at} for at in (10**30, -1, 0, 1e308, "", None)],
}
PART, PLAIN = re.compile(r"<(?:\w+:)?\w+>"), re.compile("[<>]")
KIND_OF = {row.route: row.kind for row in rows()}
PARTS = "keyword options expires_in name value last_read_id id description a".split()
SUFFIXES = ["", "[]", "[0]", "[", "]", "[[]]", "[a][b][c][d][e]", "[options]", "[options][]"]
SUFFIXES += [f"{start}[{part}]" for start in ("", "[]", "[0]") for part in PARTS]
KINDS = "json form multipart query text broken bytes".split()
Value = st.sampled_from(ODD) | st.text(max_size=20) | st.integers()


class OddSite(NamedTuple):
    """A site, an app on it, and numbers of things that its member may name, by kind.

    `spared`: one more of some kinds, which no other request names.
    """

    client: ApiClient
    numbers: dict[str, list[str]]
    spared: dict[str, str]


@pytest.fixture(scope="module")
def odd_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OddSite]:
    """The site that gets all requests."""
    with serving_alone(tmp_path_factory.mktemp("odd")) as app:
        ann, ben = connected(app, join(app, "ann")), connected(app, join(app, "ben"))
        poll = {"options": ["yes", "no"], "expires_in": 3600}
        posts = [
            one.call("POST /api/v1/statuses", json={"status": "hm", "poll": poll}).json["id"]
            for one in (ann, ben)
        ]
        ben.post("v1/accounts/1/follow")
        phrase = {"context[]": "home", "keywords_attributes[0][keyword]": "gull"}
        kept = [ann.post("v2/filters", title="gulls", **phrase) for _ in range(9)]
        notification = ann.get("v1/notifications")[0]["id"]
        ann.post("v1/statuses", status="a note", visibility="direct")
        numbers = {
            "status": [*posts, "64", str(2**53)],
            "member": ["1", "2", "3"],
            "list": [ann.post("v1/lists", title=f"birds {at}")["id"] for at in range(9)],
            "filter": [one["id"] for one in kept],
            "phrase": [one["keywords"][0]["id"] for one in kept],
            "notification": [notification],
            "group": [f"ungrouped-{notification}"],
            "conversation": [ann.get("v1/conversations")[0]["id"]],
            "media": [ann.post("v2/media", file=picture_file())["id"] for _ in range(2)],
        }
        later = [ann.post("v1/statuses", status="later", scheduled_at=LATER) for _ in range(9)]
        numbers["scheduled"] = [one["id"] for one in later]
        names = {"act": "status", "author": "status", "person": "member"}
        spared = {kind: numbers[kind].pop() for kind in ("filter", "media", "scheduled")}
        yield OddSite(ann, numbers | {name: numbers[kind] for name, kind in names.items()}, spared)


@pytest.mark.slow
@pytest.mark.parametrize("examples", [120, long(400)])
def test_no_body_is_a_fault_of_the_site(odd_site: OddSite, examples: int) -> None:
    @given(data=st.data())
    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    def check(data: st.DataObject) -> None:
        check_request(odd_site, data)

    check()


def check_request(odd_site: OddSite, data: st.DataObject) -> None:
    """Draw a request, and check its answer."""
    endpoint = data.draw(st.sampled_from(ENDPOINTS))
    kind = KIND_OF[f"{endpoint.method} {PLAIN.sub('', endpoint.path)}"]
    numbers = st.sampled_from(odd_site.numbers.get(kind, odd_site.numbers["status"]))
    path = PART.sub(lambda _: data.draw(numbers), endpoint.path)
    options = data.draw(requests(endpoint))
    answer = odd_site.client.call(f"{endpoint.method} {path}", **options)
    case = (endpoint.method, path, options, answer.text[:300])
    assert answer.status_code < 500, case
    if answer.status_code == 200:
        msgspec.json.decode(answer.data, type=answer_type(endpoint))
    else:
        assert answer.json["error"], case


def requests(endpoint: Endpoint) -> st.SearchStrategy[dict[str, Any]]:
    """Return requests to an endpoint, as options of a test client."""
    kind = endpoint.parameters
    names = [field.encode_name for field in msgspec.structs.fields(kind)] if kind else ["a"]
    good = {name: GOOD[name] for name in names if name in GOOD}
    odd = st.fixed_dictionaries({}, optional={name: _values_of(name) for name in names})
    values = odd.map(lambda some: good | some)
    suffixed = st.dictionaries(
        st.builds(str.__add__, st.sampled_from(names), st.sampled_from(SUFFIXES)), Value, max_size=3
    )
    return st.builds(_request, st.sampled_from(KINDS), values, suffixed)


def _values_of(name: str) -> st.SearchStrategy[Any]:
    return st.sampled_from(OF_NAME[name]) if name in OF_NAME else Value


def _request(kind: str, values: dict[str, Any], suffixed: dict[str, Any]) -> dict[str, Any]:
    """Return a request with values, sent as a kind of body. Escapes make halves of surrogates."""
    if kind == "json":
        return {"data": json.dumps(values), "content_type": "application/json"}
    flat = [(name, _text(value)) for name, value in {**values, **suffixed}.items()]
    if kind == "form":
        return {"data": urlencode(flat, errors="surrogatepass"), "content_type": FORM}
    if kind == "multipart":
        file = (BytesIO(b"\x89PNG\r\n\0"), "a\0.png")
        fields = {name: text.encode("utf-8", "replace").decode() for name, text in flat}
        return {"data": {**fields, "file": file, "avatar": (BytesIO(), "")}}
    if kind == "query":
        return {"query_string": urlencode(flat, errors="surrogatepass")}
    if kind == "text":
        return {"data": json.dumps(values), "content_type": "text/plain"}
    broken = json.dumps(values)[:-1] if kind == "broken" else b"\xff\xfe\0{"
    return {"data": broken, "content_type": "application/json"}


FORM = "application/x-www-form-urlencoded"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


@pytest.mark.parametrize(
    ("route", "field", "values"),
    [
        ("PUT /api/v1/media/{media}", "focus", ("inf,0", "0,-inf", "nan,0", "1e400,1")),
        ("PUT /api/v2/filters/{filter}", "expires_in", (2**53, 10**30, -1)),
        ("POST /api/v1/accounts/2/mute", "duration", (2**53, 10**30, -1)),
        ("PUT /api/v1/scheduled_statuses/{scheduled}", "scheduled_at", ODD_TIMES),
    ],
)
def test_numbers_beyond_all_bounds_are_refused(
    odd_site: OddSite, route: str, field: str, values: tuple[object, ...]
) -> None:
    path = route.format(**odd_site.spared)
    for value in values:
        answer = odd_site.client.call(path, json={field: value})
        assert answer.status_code == 422, (value, answer.text)
        assert answer.json["error"].startswith("Validation failed: "), answer.text
