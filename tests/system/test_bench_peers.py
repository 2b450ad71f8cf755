"""The parts of `bench/peers` that need neither wrk nor the environment of the peers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs
from xml.etree import ElementTree

import pytest

from bench.peers import chart, load, plan, references, report
from bench.peers.data import FULL, QUICK, Community, login
from tests.conftest import PASSWORD
from webapp.accounts import registration
from webapp.config import Config
from webapp.core.store.connection import connect
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses

SAID = """Running 2s test @ http://127.0.0.1:1
  1 threads and 4 connections
FIGURES {"seconds": 2.0, "requests": 500, "bytes": 9000, "p50": 1.5, "p99": 9.25, "errors": 3}
"""
SVG = "{http://www.w3.org/2000/svg}"


class Forum(BaseHTTPRequestHandler):
    """A page with a form whose token is that of the cookie which comes with it, and what was posted."""

    posted: list[str] = []  # noqa: RUF012  # made anew by the fixture

    def do_GET(self) -> None:
        self._answer(
            200, f'<input name="token" value="t0k&n">{"".join(self.posted)}', "pass=open; Path=/"
        )

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        known = "who=me" in self.headers["Cookie"] and "pass=open" in self.headers["Cookie"]
        if form.get("token") != ["t0k&n"] or not known:
            return self._answer(403, "no")
        self.posted.append(form["text"][0])
        self._answer(303, "", place="/home")

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def _answer(self, status: int, text: str, cookie: str = "", place: str = "") -> None:
        self.send_response(status)
        for name, value in (
            ("Set-Cookie", cookie),
            ("Location", place),
            ("Content-Length", str(len(text))),
        ):
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


def a_post(**changes: Any) -> dict[str, Any]:
    """A request that posts to a Forum."""
    token = {"path": "/", "pattern": 'name="token" value="([^"]+)"'}
    form = {"text": "chirp {unique}", "token": "{token}"}
    made = {
        "path": "/",
        "method": "POST",
        "headers": {"Cookie": "who=me; pass=shut"},
        "form": form,
        "token": token,
    }
    return made | {"expect": {"status": 303, "location": "/home"}} | changes


def found() -> dict[str, Any]:
    """Two rounds of all servers: ours answers twice as often as the book's, four times as often as SQLAlchemy's."""

    def one(name: str, rate: float) -> dict[str, Any]:
        if name in report.MOMENTS:
            return {"name": name, "times": [rate], "p50": rate, "errors": 0}
        return {
            "name": name,
            "rate": rate,
            "p50": 10.0,
            "p99": 30.0,
            "errors": 0,
            "bytes": 5_000,
            "requests": 10,
        }

    names = [*report.TITLES, *report.MOMENTS]
    rates = {
        report.OURS: 1_000.0,
        report.BOOK: 500.0,
        report.SQL: 250.0,
        report.LEAST: 1_250.0,
        report.IDLE: 1_100.0,
    }
    return {
        server: [[one(name, rate * slow) for name in names] for slow in (1, 0.5)]
        for server, rate in rates.items()
    }


def test_what_wrk_has_printed_is_read() -> None:
    figures = load.figures(SAID)
    assert figures == {
        "seconds": 2.0,
        "requests": 500,
        "bytes": 9_000,
        "p50": 1.5,
        "p99": 9.25,
        "errors": 3,
    }


def test_a_wrk_that_fails_is_no_figure() -> None:
    with pytest.raises(load.Wrong, match="unable to connect"):
        load.figures("", "unable to connect to 127.0.0.1")


def test_a_form_is_posted_with_the_token_and_the_cookies_of_its_page(forum: str) -> None:
    load.tried(forum, load.prepared(forum, a_post()))
    assert len(Forum.posted) == 1 and re.fullmatch("chirp u[0-9a-f]+", Forum.posted[0])


def test_a_page_without_a_token_is_said(forum: str) -> None:
    with pytest.raises(load.Wrong, match="no token in it"):
        load.prepared(forum, a_post(token={"path": "/", "pattern": "nothing like (it)"}))


def test_an_answer_that_was_not_expected_is_said(forum: str) -> None:
    with pytest.raises(load.Wrong, match="POST / answers 303 /home"):
        load.tried(
            forum, load.prepared(forum, a_post(expect={"status": 303, "location": "/login"}))
        )


def test_nobody_there_is_said() -> None:
    with pytest.raises(load.Wrong, match="does not answer"):
        load.tried("http://127.0.0.1:9", load.prepared("http://127.0.0.1:9", {"path": "/"}))


def test_the_time_until_a_post_is_shown_needs_no_wrk(forum: str) -> None:
    workload = {
        "name": "seen",
        "times": 3,
        "post": a_post(),
        "watch": [{"path": "/"}, {"path": "/again"}],
    }
    [figures] = load.run({"base": forum, "workloads": [workload]})
    assert figures["name"] == "seen" and len(figures["times"]) == 3 == len(Forum.posted)


def test_a_plan_is_written_in_lua() -> None:
    assert (
        load.lua({"a": ['say "é"\n', 7], "b": True})
        == '{["a"] = {"say \\034\\195\\169\\034\\010", 7}, ["b"] = true}'
    )


def test_requests_are_sent_as_often_as_they_weigh() -> None:
    requests = [
        {"path": "/a", "method": "GET", "headers": {}, "weight": 3, "expect": {}},
        {"path": "/b", "method": "POST", "headers": {}, "weight": 1, "expect": {"status": 303}},
    ]
    table = load.table(requests)
    assert sorted(table["order"]) == [1, 1, 1, 2] and table["check"]
    assert table["accepted"] == {200: True, 303: True}
    assert load.table(requests)["order"] == table["order"]


def test_the_mixed_load_is_nine_reads_to_one_write() -> None:
    community = Community(FULL)
    known = plan.facts(
        community,
        dict.fromkeys(plan.signed_in(community), "who=me"),
        dict(enumerate(range(30_000))),
    )
    mixed = plan.workloads(community, known, plan.Seconds())[-1]
    share: dict[str, int] = {"GET": 0, "POST": 0}
    for request in mixed["requests"]:
        share[request.get("method", "GET")] += request["weight"]
    assert share["GET"] == 9 * share["POST"] and mixed["connections"] == 64


def test_a_plan_is_json() -> None:
    community = Community(QUICK)
    known = plan.facts(
        community,
        dict.fromkeys(plan.signed_in(community), "who=me"),
        dict(enumerate(range(30_000))),
    )
    workloads = plan.workloads(community, known, plan.Seconds())
    assert json.loads(json.dumps(workloads)) == workloads


def test_the_community_is_the_same_each_time_and_as_large_as_asked() -> None:
    one, other = Community(QUICK), Community(QUICK)
    assert one.statuses == other.statuses and one.follows == other.follows
    assert len(one.statuses) == QUICK.statuses + 20
    assert all(len(set(one.follows[uid]) - {uid}) == QUICK.follows for uid in one.members)
    assert sum(one.star in followed for followed in one.follows.values()) == QUICK.fans
    assert all(len(status.text) <= 280 for status in one.statuses)
    assert len({login(uid) for uid in one.everybody}) == len(one.everybody)


def test_a_home_is_the_newest_of_what_its_member_follows() -> None:
    community = Community(QUICK)
    uid, home, more = next(community.homes(100))
    newest = [
        status for status in community.statuses if status.author in (uid, *community.follows[uid])
    ]
    assert home == newest[:-101:-1] and more


def test_each_target_is_said_to_be_met_or_missed() -> None:
    wanted = {target.name: target for target in report.targets(found())}
    assert wanted["home: to SQLAlchemy's"].ratio == 4 and wanted["home: to SQLAlchemy's"].met
    assert wanted["post: to a Flask view that runs one EVALSHA"].ratio == pytest.approx(0.88)
    assert wanted["mixed: p99 to p50"].ratio == 3 and wanted["mixed: p99 to p50"].met
    slow = found()
    for round_ in slow[report.OURS]:
        round_[3]["rate"] /= 2
        round_[6]["errors"] = 1
    said = "Missed: home: to SQLAlchemy's; home: to the book's, a far smaller page; mixed: errors. The load of the machine"
    assert said in report.text(slow, 0.2)


def test_the_tables_go_between_their_marks_again_and_again(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Before\n\n{report.BEGIN}\nold\n{report.END}\n\n## After\n")
    report.write(found(), 0.2, page)
    once = page.read_text()
    report.write(found(), 0.2, page)
    assert page.read_text() == once and "old" not in once
    assert once.startswith("# Before\n") and once.endswith("\n\n## After\n")
    assert (
        "| home of 30 statuses | 750 a second | 375 a second | 188 a second | 2.00 | 4.00 |" in once
    )


def test_the_page_of_figures_has_the_marks() -> None:
    page = report.PAGE.read_text()
    assert page.count(report.BEGIN) == 1 == page.count(report.END)
    assert page.index(report.BEGIN) < page.index(report.END) and "](peers.svg)" in page


def test_the_chart_shows_each_figure_in_words_and_bars() -> None:
    root = ElementTree.fromstring(chart.svg(report.medians(found())))
    title, words = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None and words is not None and root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {words.get('id')}"
    bars = [bar for bar in root.iter(f"{SVG}rect") if bar.get("class") != "back"]
    assert len(bars) == 3 * (len(report.TITLES) + 2)
    assert float(bars[0].get("width") or 0) == pytest.approx(
        2 * float(bars[1].get("width") or 0), rel=0.01
    )
    assert "home of 30 statuses: Linnet 750 /s, the book's 375 /s, SQLAlchemy 188 /s" in (
        words.text or ""
    )


def test_the_script_beside_which_a_post_is_put_writes_what_a_post_writes(settings: Config) -> None:
    db = connect(settings)
    uid = registration.sign_up(db, settings, "wren", "Wren", PASSWORD).uid
    made = int(db.run(references._posting(settings, uid, "form-1")))
    same = statuses.post(db, settings, uid, references.PARSED, "form-2")
    reference, ours = db.trip(*(("HGETALL", status_keys.status(one)) for one in (made, same)))
    assert reference == ours and made != same
    db.close()
