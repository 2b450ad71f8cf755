"""The requests of `bench/peers` and how they are measured. No test needs wrk."""

import json
import re
from collections.abc import Iterator
from contextlib import closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs

import pytest

from bench.peers import linnet, load, plan, references
from bench.peers.data import FULL, QUICK, Community, Size, login
from tests.conftest import PASSWORD
from tests.support.processes import RunningSite, free_port
from webapp.accounts import registration
from webapp.config import Config
from webapp.core.store import Site
from webapp.core.store.connection import connect
from webapp.statuses import keys as status_keys, store as statuses

WRK_OUTPUT = """Running 2s test @ http://127.0.0.1:1
  1 threads and 4 connections
FIGURES {"seconds": 2.0, "requests": 500, "bytes": 9000, "p50": 1.5, "p99": 9.25, "errors": 3}
"""
CLOSED_URL = "http://127.0.0.1:9"


class Forum(BaseHTTPRequestHandler):
    """Serve a form whose token matches the cookie of its response, and record posts."""

    posted: list[str] = []  # noqa: RUF012  # the fixture replaces it

    def do_GET(self) -> None:
        page = f'<input name="token" value="t0k&n">{"".join(self.posted)}'
        self._respond(200, page, cookie="pass=open; Path=/")

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        has_cookies = all(cookie in self.headers["Cookie"] for cookie in ("who=me", "pass=open"))
        if form.get("token") != ["t0k&n"] or not has_cookies:
            return self._respond(403, "no")
        self.posted.append(form["text"][0])
        self._respond(303, "", location="/home")

    def log_message(self, *_: Any) -> None:
        """Log nothing."""

    def _respond(self, status: int, text: str, cookie: str = "", location: str = "") -> None:
        headers = {"Set-Cookie": cookie, "Location": location, "Content-Length": str(len(text))}
        self.send_response(status)
        for name, value in headers.items():
            if value:
                self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())


@pytest.fixture
def forum() -> Iterator[str]:
    """The address of a Forum."""
    Forum.posted = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Forum)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def post_request(**changes: Any) -> dict[str, Any]:
    """Return a request that posts to a Forum."""
    return {
        "path": "/",
        "method": "POST",
        "headers": {"Cookie": "who=me; pass=shut"},
        "form": {"text": "chirp {unique}", "token": "{token}"},
        "token": {"path": "/", "pattern": 'name="token" value="([^"]+)"'},
        "expect": {"status": 303, "location": "/home"},
        **changes,
    }


def plan_for(community: Community) -> list[dict[str, Any]]:
    """Return the workloads of a community, each member with the same cookie."""
    cookies = dict.fromkeys(plan.signed_in(community), "who=me")
    facts = plan.facts(community, cookies, dict(enumerate(range(30_000))))
    return plan.workloads(community, facts, plan.Seconds())


def test_the_output_of_wrk_is_parsed() -> None:
    assert load.figures(WRK_OUTPUT) == {
        "seconds": 2.0,
        "requests": 500,
        "bytes": 9_000,
        "p50": 1.5,
        "p99": 9.25,
        "errors": 3,
    }


def test_a_failed_wrk_raises() -> None:
    with pytest.raises(load.Wrong, match="unable to connect"):
        load.figures("", "unable to connect to 127.0.0.1")


def test_a_form_is_posted_with_the_token_and_the_cookies_of_its_page(forum: str) -> None:
    load.tried(forum, load.prepared(forum, post_request()))
    assert len(Forum.posted) == 1
    assert re.fullmatch("chirp u[0-9a-f]+", Forum.posted[0])


def test_a_page_without_a_token_is_reported(forum: str) -> None:
    token = {"path": "/", "pattern": "nothing like (it)"}
    with pytest.raises(load.Wrong, match="no token in it"):
        load.prepared(forum, post_request(token=token))


def test_an_unexpected_status_is_reported(forum: str) -> None:
    request = load.prepared(forum, post_request(expect={"status": 303, "location": "/login"}))
    with pytest.raises(load.Wrong, match="POST / answers 303 /home"):
        load.tried(forum, request)


def test_a_server_that_does_not_respond_is_reported() -> None:
    with pytest.raises(load.Wrong, match="does not answer"):
        load.tried(CLOSED_URL, load.prepared(CLOSED_URL, {"path": "/"}))


def test_the_time_until_a_post_appears_is_measured_without_wrk(forum: str) -> None:
    workload = {
        "name": "seen",
        "times": 3,
        "post": post_request(),
        "watch": [{"path": "/"}, {"path": "/again"}],
    }
    [figures] = load.run({"base": forum, "workloads": [workload]})
    assert figures["name"] == "seen"
    assert len(figures["times"]) == 3 == len(Forum.posted)


def test_a_plan_is_written_in_lua() -> None:
    expected = '{["a"] = {"say \\034\\195\\169\\034\\010", 7}, ["b"] = true}'
    assert load.lua({"a": ['say "é"\n', 7], "b": True}) == expected


def test_requests_are_sent_by_weight() -> None:
    requests = [
        {"path": "/a", "method": "GET", "headers": {}, "weight": 3, "expect": {}},
        {"path": "/b", "method": "POST", "headers": {}, "weight": 1, "expect": {"status": 303}},
    ]
    table = load.table(requests)
    assert sorted(table["order"]) == [1, 1, 1, 2]
    assert table["check"]
    assert table["accepted"] == {200: True, 303: True}
    assert load.table(requests)["order"] == table["order"]


def test_the_mixed_load_is_nine_reads_to_one_write() -> None:
    mixed = plan_for(Community(FULL))[-1]
    weights = {"GET": 0, "POST": 0}
    for request in mixed["requests"]:
        weights[request.get("method", "GET")] += request["weight"]
    assert weights["GET"] == 9 * weights["POST"]
    assert mixed["connections"] == 64


def test_a_plan_is_json() -> None:
    workloads = plan_for(Community(QUICK))
    assert json.loads(json.dumps(workloads)) == workloads


def test_the_community_is_the_same_each_time_and_as_large_as_asked() -> None:
    community, again = Community(QUICK), Community(QUICK)
    follows = community.follows
    assert community.statuses == again.statuses
    assert follows == again.follows
    assert len(community.statuses) == QUICK.statuses + 20
    assert all(len(set(follows[uid]) - {uid}) == QUICK.follows for uid in community.members)
    assert sum(community.star in followed for followed in follows.values()) == QUICK.fans
    assert all(len(status.text) <= 280 for status in community.statuses)
    assert len({login(uid) for uid in community.everybody}) == len(community.everybody)


def test_a_home_is_the_newest_of_what_its_member_follows() -> None:
    community = Community(QUICK)
    uid, home, has_more = next(community.homes(100))
    authors = (uid, *community.follows[uid])
    newest = [status for status in community.statuses if status.author in authors]
    assert home == newest[:-101:-1]
    assert has_more


@pytest.mark.slow
def test_the_site_answers_each_kind_of_request_as_the_plan_expects(tmp_path: Path) -> None:
    community = Community(Size(members=12, follows=4, statuses=60, fans=20))
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    with closing(RunningSite(tmp_path)) as site:
        facts = linnet.fill(site, community)
        site.serve(port)
        for workload in plan.workloads(community, facts, plan.Seconds()):
            requests = workload.get("requests") or [workload["post"], *workload["watch"]]
            load.tried(address, load.prepared(address, requests[0]))


def test_the_compared_script_writes_what_a_post_writes(settings: Config) -> None:
    db = connect(settings)
    uid = registration.sign_up(Site(db, settings), "wren", "Wren", PASSWORD).uid
    reference_id = int(db.run(references._posting(settings, uid, "form-1")))
    status_id = statuses.post(Site(db, settings), uid, references.PARSED, "form-2")
    assert reference_id != status_id
    reference, status = db.trip(
        ("HGETALL", status_keys.status(reference_id)), ("HGETALL", status_keys.status(status_id))
    )
    assert reference == status
    db.close()
