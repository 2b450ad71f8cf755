"""The log of requests names no secret of a route."""

import re
from itertools import count
from types import SimpleNamespace

import pytest
from flask.testing import FlaskClient

from tests.support.world import Web
from webapp.chat.members import invitations
from webapp.core.logs import log
from webapp.core.metrics.recorder import RECORDER
from webapp.core.metrics.usual_times import KNOWN_MIN, UsualTimes
from webapp.core.web import request_log
from webapp.core.web.view_options import secret_rules

SECRET = "2.SecretOfARoute"
# They name things; who knows one may do nothing with it.
PUBLIC_ARGUMENTS = set(
    "act action banned cid day drop_id emoji file filename folder form_key gid group_key item_id "
    "job_id key login member message_id name number page quote_id sha slug status_id tab "
    "uid".split()
)
VARIANTS = ("/{}", "/{}/", "/{}/more", "/{}?more=1")


@pytest.fixture(autouse=True)
def log_reaches_caplog(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pass the lines of a site on, whose start has ended that."""
    monkeypatch.setattr(log, "propagate", True)


def test_every_argument_of_a_route_is_public_or_kept_out_of_the_log(web: Web) -> None:
    secrets = set(secret_rules(web.app).values())
    assert secrets == {"/chats/join/<token>", "/feeds/<key>/home.atom", "/groups/join/<token>"}
    for rule in web.app.url_map.iter_rules():
        assert rule.rule in secrets or rule.arguments <= PUBLIC_ARGUMENTS, rule


@pytest.mark.slow
@pytest.mark.parametrize("signed_in", [True, False])
def test_no_secret_of_a_route_is_logged(
    web: Web, caplog: pytest.LogCaptureFixture, signed_in: bool
) -> None:
    caplog.set_level("DEBUG", logger="linnet")
    browser = web.member("ann") if signed_in else web.app.test_client()
    for rule in secret_rules(web.app).values():
        path = rule.partition("<")[0] + SECRET
        for send in (browser.get, browser.post, browser.delete, browser.head):
            for variant in VARIANTS:
                for spelling in (path, path.upper(), path.replace("/", "//")):
                    send(variant.format(spelling.lstrip("/")))
        assert f"GET {rule} " in caplog.text
    for query in (f"invite={SECRET}", f"next={path}", f"signature={SECRET}", f"token={SECRET}"):
        for page in ("/", "/signup", "/login", "/media/posts/1/x", "/@ann/feed.atom", "/search"):
            browser.get(f"{page}?{query}")
    assert "SecretOfARoute".upper() not in caplog.text.upper()


def test_no_secret_of_a_route_is_logged_when_its_view_fails(
    ann: FlaskClient, web: Web, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.app.config["PROPAGATE_EXCEPTIONS"] = False
    monkeypatch.setattr(invitations, "invited_chat", lambda token: 1 // 0)
    assert ann.get(f"/chats/join/{SECRET}").status_code == 500
    assert "ZeroDivisionError" in caplog.text and "SecretOfARoute" not in caplog.text


def test_the_line_of_a_refused_request_says_why(web: Web, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="linnet")
    ann, visitor = web.member("ann"), web.client
    ann.get("/@ann/64")
    ann.post("/settings/filters", data={"words": "a secret", "expires_in": "never"})
    ann.post("/@nobody/follow")
    visitor.get("/api/v1/timelines/home")
    visitor.get("/api/chats")
    visitor.post("/api/v1/apps", data="{", content_type="application/json")
    ann.get("/nowhere")
    ann.get("/home")
    lines = re.findall(r"(?:GET|POST) (\S+) (\d+) \S+ trips=\d+(?: refused=(\S+))?", caplog.text)
    found = [(path, int(status), reason) for path, status, reason in lines[-8:]]
    assert found == [
        ("/@ann/64", 404, "no_status"),
        ("/settings/filters", 422, "invalid_form"),
        ("/@nobody/follow", 404, "no_member"),
        ("/api/v1/timelines/home", 401, "api_token"),
        ("/api/chats", 401, "who_are_you_here"),
        ("/api/v1/apps", 400, "bad_json"),
        ("/nowhere", 404, "NotFound"),
        ("/home", 200, ""),
    ]
    assert "a secret" not in caplog.text


def test_the_line_of_an_operators_page_says_who_read_it(
    web: Web, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", logger="linnet")
    web.member("cid")
    boss, jay = web.member("boss", "admin"), web.member("jay", "moderator")
    caplog.clear()
    boss.get("/admin/security?login=cid")
    jay.get("/moderation/@cid")
    jay.get("/admin/security")
    boss.get("/@cid")
    lines = re.findall(r"GET (\S+) (\d+) \S+ trips=\d+(?: by=(\S+))?", caplog.text)
    assert lines == [
        ("/admin/security", "200", "@boss"),
        ("/moderation/@cid", "200", "@jay"),
        ("/admin/security", "403", ""),
        ("/@cid", "200", ""),
    ]


def test_the_line_of_a_slow_request_is_a_warning_with_the_usual_time(
    web: Web, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level("INFO", logger="linnet")
    ann = web.member("ann")
    RECORDER.take()  # what other tests have left
    monkeypatch.setattr(RECORDER, "_usual_times", UsualTimes())
    for _ in range(KNOWN_MIN):
        RECORDER.time_route("/settings", 0.04)
    RECORDER.take()
    clock = count(step=3)  # a request looks at it twice
    monkeypatch.setattr(request_log, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    caplog.clear()
    ann.get("/settings")
    ann.get("/lists")
    lines = [(one.levelname, one.getMessage()) for one in caplog.records]
    (slow, line), (usual, other) = (one for one in lines if "GET" in one[1])
    assert slow == "WARNING" and re.search(r"GET /settings 200 \d+\.\dms trips=\d+ usual=\d", line)
    assert usual == "INFO" and "usual" not in other
