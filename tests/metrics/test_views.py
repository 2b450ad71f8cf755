"""The figures on /admin and `/metrics`, and who may read them."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, make_app
from tests.support.world import Web
from webapp.admin.site_status import SILENCE
from webapp.cli import main
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.logs import log
from webapp.core.metrics import keys as metric_keys
from webapp.core.metrics.log_lines import LineHandler
from webapp.core.metrics.names import EVERY, Kind
from webapp.core.metrics.recorder import RECORDER
from webapp.core.reporter import Reporter
from webapp.core.store import Site
from webapp.core.store.connection import connect
from webapp.metrics.processes import processes
from webapp.metrics.series import SPANS


@pytest.fixture
def reporter(app: Flask, settings: Config) -> Reporter:
    """The reporter of a process that has recorded nothing yet."""
    RECORDER.take()
    return Reporter(Site(connect(settings), settings), "web")


@pytest.fixture
def operator(web: Web) -> FlaskClient:
    """A member with the right `admin`."""
    return web.member("ann", "admin")


def test_the_figures_are_those_of_the_requests(
    operator: FlaskClient, client: FlaskClient, reporter: Reporter
) -> None:
    for path in ("/public", "/no-such-page", "/login"):
        client.get(path)
    operator.post("/statuses", data={"text": "Hello"})
    operator.get("/api/v2/instance")
    reporter.flush()
    text = client.get("/metrics").text
    counts = dict(re.findall(r'^linnet_http_requests_total{kind="(\w+)"} (\d+)$', text, re.M))
    assert counts == {"page": "2", "form": "1", "api": "1", "cached": "1", "static": "0"}
    assert 'linnet_http_responses_total{status="4xx"} 1\n' in text
    assert 'linnet_http_refusals_total{status="403"} 0\n' in text
    assert "\nlinnet_posts_total 1\n" in text
    count = 'linnet_http_request_duration_seconds_count{route="/statuses"} 1\n'
    assert count in text and 'route="not found",le="+Inf"} 1\n' in text
    page = operator.get("/admin").text
    assert "/statuses" in page and "Running" in page


@pytest.mark.parametrize("span", [*SPANS, "forever", ""])
def test_the_page_shows_every_chart_in_every_span(
    operator: FlaskClient, reporter: Reporter, span: str
) -> None:
    reporter.flush()
    response = operator.get(f"/admin?span={span}")
    assert response.status_code == 200 and response.headers["Cache-Control"] == "no-store"
    assert response.text.count("<figure") == response.text.count('<details id="chart-') == 12
    assert "Results of linnet doctor" in response.text
    live = operator.get(f"/admin?span={span}&live=1").text
    assert live.count("<figure") == 12 and "Results of linnet doctor" not in live


def test_the_page_shows_warnings_without_secrets(operator: FlaskClient, reporter: Reporter) -> None:
    handler = LineHandler(RECORDER)
    log.addHandler(handler)
    log.warning("%s is not reached <b>", "https://hooks.example/secret")
    log.removeHandler(handler)
    reporter.flush()
    page = operator.get("/admin").text
    assert "https://[removed] is not reached &lt;b&gt;" in page
    assert "%s is not reached" in page and "hooks.example" not in page


def test_an_operator_searches_the_log(operator: FlaskClient, reporter: Reporter) -> None:
    assert "Nothing needs your attention." in operator.get("/admin/log").text
    handler = LineHandler(RECORDER)
    log.addHandler(handler)
    for number in range(3):
        log.warning("The owl <b> is %s", number)
    log.error("The heron is late")
    log.removeHandler(handler)
    reporter.flush()

    def found(query: str) -> list[str]:
        page = operator.get(f"/admin/log{query}")
        assert page.status_code == 200 and page.headers["Cache-Control"] == "no-store"
        return re.findall(r"<code>(The [^<]+)</code>", page.text)

    owls = [f"The owl &lt;b&gt; is {number}" for number in (2, 1, 0)]
    assert sorted(found("")) == sorted(["The heron is late", *owls])
    assert sorted(found("?q=OWL+the")) == sorted(owls) == sorted(found("?severity=warning"))
    assert found("?severity=error&q=") == ["The heron is late"] == found("?q=heron&severity=x")
    assert "No line that is kept fits." in operator.get("/admin/log?q=owl+heron").text
    assert 'value="&#34;x&#34;"' in operator.get('/admin/log?q="x"').text
    chinese = operator.get("/admin/log?severity=error", headers={"Accept-Language": "zh"}).text
    assert re.search(r'value="error"[^>]*selected[^>]*>\s*错误', chinese)


def test_the_command_lists_processes_and_fails_if_one_is_lost(
    app: Flask, settings: Config, reporter: Reporter
) -> None:
    def status() -> tuple[int, str]:
        env = {"REDIS_URL": settings.store_url}
        result = CliRunner().invoke(main, ["status"], env=env)
        return result.exit_code, result.output

    assert status() == (1, f"{SILENCE}\n")
    reporter.flush()
    code, text = status()
    assert code == 0 and re.match(r"web +\S+:\d+  running, heard \d s ago  version ", text)
    db = app.extensions["linnet.db"]
    db.run(("ZINCRBY", metric_keys.processes(), -60_000, text.split()[1]))
    code, text = status()
    assert code == 1 and re.search(r"  lost, heard 6\d s ago  ", text) and SILENCE in text


def test_a_lost_process_is_replaced_by_one_that_started_later(
    app: Flask, settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = app.extensions["linnet.db"]
    for pid, states in ((1, ["lost"]), (2, ["lost", "lost"]), (3, ["lost", "replaced"])):
        monkeypatch.setattr("os.getpid", lambda pid=pid: pid)
        reporter = Reporter(Site(connect(settings), settings), "web")
        reporter.flush()
        if pid < 3:
            db.run(("ZINCRBY", metric_keys.processes(), -60_000, reporter.id))
        found = db.read(processes())
        lost = [one for one in found if one.is_lost]
        assert sorted("replaced" if one.is_replaced else "lost" for one in lost) == states
    env = {"REDIS_URL": settings.store_url}
    assert CliRunner().invoke(main, ["status"], env=env).exit_code == 1
    monkeypatch.setattr("os.getpid", lambda: 4)
    Reporter(Site(connect(settings), settings), "web").flush()
    shown = CliRunner().invoke(main, ["status"], env=env)
    assert shown.exit_code == 0 and shown.output.count("  replaced, heard 6") == 2


def test_an_operator_retries_parked_events(operator: FlaskClient, settings: Config) -> None:
    db = connect(settings)
    event = ("type", "reply_shown", "uid", "1", "group", "log", "error", "KeyError('x')")
    db.run(("XADD", event_keys.parked_events(1), "*", *event))
    assert "KeyError(&#39;x&#39;)" in operator.get("/admin").text
    assert "1 event is back in line." in operator.post("/admin/retry", follow_redirects=True).text
    assert db.run(("XLEN", event_keys.parked_events(1))) == 0
    db.close()


def test_an_operator_drops_one_parked_event_once(
    operator: FlaskClient, settings: Config, caplog: pytest.LogCaptureFixture
) -> None:
    db = connect(settings)
    for number in (1, 2):
        event = ("type", "reply_shown", "group", "log", "error", f"KeyError({number})")
        db.run(("XADD", event_keys.parked_events(number), "7-7", *event))
    page = operator.get("/admin").text
    assert 'value="1:7-7"' in page and 'value="2:7-7"' in page
    for said in (True, False):  # the second press finds nothing
        answer = operator.post("/admin/drop", data={"event": "2:7-7"}, follow_redirects=True)
        assert ("The event is dropped." in answer.text) is said
        assert "KeyError(1)" in answer.text and "KeyError(2)" not in answer.text
    assert caplog.messages.count("parked log reply_shown was dropped by @ann: KeyError(2)") == 1
    db.close()


@pytest.mark.parametrize(
    ("headers", "address", "status"),
    [
        ({}, "127.0.0.1", 200),
        ({}, "::1", 200),
        ({}, "203.0.113.9", 404),
        ({"X-Forwarded-For": "127.0.0.1"}, "127.0.0.1", 404),
        ({"X-Forwarded-Proto": "https"}, "127.0.0.1", 404),
        ({"Host": "linnet.example"}, "127.0.0.1", 404),
        ({"Host": "127.0.0.1.example:8000"}, "127.0.0.1", 404),
        ({"Host": "[::1]:8000"}, "127.0.0.1", 200),
        ({"Host": "linnet.example", "Authorization": "Bearer s3cret-token"}, "127.0.0.1", 200),
        ({"Authorization": "Bearer s3cret-token"}, "203.0.113.9", 200),
        ({"Authorization": "Bearer wrong"}, "203.0.113.9", 404),
        ({"Authorization": "Bearer é"}, "203.0.113.9", 404),
        ({"Authorization": ""}, "203.0.113.9", 404),
    ],
)
def test_metrics_are_for_this_machine_or_a_token(
    settings: Config, headers: dict[str, str], address: str, status: int
) -> None:
    app = make_app(replace(settings, metrics_token="s3cret-token"))
    found = app.test_client().get(
        "/metrics", headers=headers, environ_overrides={"REMOTE_ADDR": address}
    )
    assert found.status_code == status


def test_a_proxy_that_speaks_an_old_http_is_no_program_of_this_machine(client: FlaskClient) -> None:
    old = {"SERVER_PROTOCOL": "HTTP/1.0"}
    assert client.get("/metrics", environ_overrides=old).status_code == 404
    assert "Setup code" in client.get("/setup", environ_overrides=old).text
    assert "Setup code" not in client.get("/setup").text


def test_an_open_page_is_renewed_in_five_trips(app: Flask, operator: FlaskClient) -> None:
    operator.get("/admin")
    db = app.extensions["linnet.db"]
    before = db.trips
    assert operator.get("/admin?live=1").status_code == 200
    assert db.trips - before <= 5


def test_people_who_look_at_posts_are_counted_unless_they_ask_not_to_be(
    operator: FlaskClient, client: FlaskClient, reporter: Reporter
) -> None:
    browser = {"User-Agent": "Mozilla/5.0", "Accept-Language": "en"}
    looks = [
        (operator, "198.51.100.1", {}),
        (client, "198.51.100.1", {}),
        (client, "203.0.113.9", {"DNT": "1"}),
        (client, "203.0.113.9", {"Sec-GPC": "1"}),
        (client, "203.0.113.9", {"User-Agent": "curl/8"}),
    ]
    for visitor, address, headers in looks * 2:
        sent = visitor.post(
            "/statuses/views",
            data={"ids": "123456789012345"},
            headers={**browser, **headers},
            environ_overrides={"REMOTE_ADDR": address},
        )
        assert sent.status_code == 204
    reporter.flush()
    assert operator.get("/admin").text.count("2 (0 before)") == 3


def test_without_the_feature_the_page_keeps_its_other_parts(
    settings: Config, operator: FlaskClient
) -> None:
    plain = make_app(replace(settings, features="none")).test_client()
    plain.post("/login", data={"login": "ann", "password": PASSWORD})
    page = plain.get("/admin").text
    assert "Parked events" in page and "Results of linnet doctor" in page
    assert "<figure" not in page and "refresh" not in page


@pytest.mark.tables
def test_the_operators_page_of_the_docs_names_every_metric() -> None:
    page = (Path(__file__).parents[2] / "docs/operations.md").read_text()
    for metric in EVERY.values():
        name = f"{metric.family}_total" if metric.kind is Kind.SUM else metric.family
        assert f"`{name}" in page, f"name it in docs/operations.md: {name}"
