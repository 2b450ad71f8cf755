"""The settings of pushes, and what strangers send to their routes."""

import re
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import make_app
from tests.support.pages import join
from tests.support.push_service import Browser
from tests.support.webhook_receiver import Receiver
from tests.support.world import Web
from webapp.config import Config
from webapp.core.net import vapid
from webapp.notifications.kinds import KINDS
from webapp.notifications.push import devices

PAGE = "/settings/notifications"
DEVICES = f"{PAGE}/devices"
CHROME = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 "
    "Safari/537.36"
)
WITH_A_SOURCE = sum(not kind.about_own for kind in KINDS.values())  # others cause these kinds


@pytest.fixture
def form(settings: Config) -> dict[str, str]:
    """What a browser sends that has subscribed at a public push service."""
    browser = Browser(vapid.public_key(settings), Receiver("https://push.example"))
    return browser.form


def table(page: TestResponse) -> str:
    """Return the HTML of the preferences."""
    return page.text.partition("<table")[2].partition("</table>")[0]


def subscribe(client: FlaskClient, form: dict[str, str]) -> str:
    """Subscribe a browser and return the path of its device."""
    assert client.post(DEVICES, data=form).status_code == 303
    [path] = re.findall(rf'action="({DEVICES}/\w+)/test"', client.get(PAGE).text)
    return str(path)


def test_member_turns_a_device_on_tests_it_and_removes_it(web: Web, form: dict[str, str]) -> None:
    ann = web.member("ann")
    ann.environ_base["HTTP_USER_AGENT"] = CHROME
    page = ann.get(PAGE).text
    assert f'data-key="{vapid.public_key(web.config)}"' in page
    assert "needs JavaScript" in page and "Turn on for this device" in page
    device = subscribe(ann, form)
    page = ann.get(PAGE).text
    assert "Notifications are on for this device." not in page, "it was said once"
    assert "Turn on for this device" not in page and "This device" in page
    assert "Nothing delivered yet" in page
    assert ann.post(f"{device}/test").status_code == 303
    assert "A test is on its way" in ann.get(PAGE).text
    assert ann.post(f"{device}/remove").status_code == 303
    page = ann.get(PAGE).text
    assert "Notifications are off" in page and "Turn on for this device" in page
    assert ann.post(f"{device}/test").status_code == 404
    assert ann.post(f"{device}/remove").status_code == 303


def test_choices_are_saved_and_shown(ann: FlaskClient) -> None:
    sources = dict.fromkeys(KINDS, "everyone")
    chosen = {"push_reply": "y", "push_like": "y", "content": "shown", **sources}
    assert ann.post(PAGE, data=chosen).status_code == 303
    page = ann.get(PAGE).text
    boxes = re.findall(r"<input[^>]*type=\"checkbox\"[^>]*>", page)
    checked = {box for box in boxes if "checked" in box}
    assert len(boxes) == len(KINDS)
    assert {re.findall(r'name="(\w+)"', box)[0] for box in checked} == {"push_reply", "push_like"}
    assert re.search(r'checked[^>]*value="shown"', page)
    refused = ann.post(PAGE, data={"push_poll": "y", "content": "all of it", **sources})
    assert refused.status_code == 422
    assert re.search(r'checked id="push_poll"', refused.text), "as it was left"


def test_a_refused_form_changes_nothing(ann: FlaskClient) -> None:
    sources = dict.fromkeys(KINDS, "nobody")
    assert ann.post(PAGE, data={**sources, "push_reply": "y"}).status_code == 303
    assert "Settings saved." in ann.get(PAGE).text
    saved = table(ann.get(PAGE))
    for wrong in ({**sources, "content": "all of it"}, dict.fromkeys(KINDS, "anyone"), {}):
        assert ann.post(PAGE, data=wrong).status_code == 422
    assert saved.count('selected value="nobody"') == WITH_A_SOURCE
    assert table(ann.get(PAGE)) == saved


@pytest.mark.parametrize(
    "change",
    [
        {"endpoint": ""},
        {"endpoint": "http://push.example/x"},
        {"endpoint": "https://push.example:22/x"},
        {"endpoint": "https://[/"},
        {"endpoint": "https://push.example/\x00\ud800"},
        {"endpoint": "https://push.example/" + "x" * 5_000},
        {"p256dh": "{}"},
        {"p256dh": "\x00" * 87},
        {"auth": "*" * 22},
        {"auth": "A" * 30_000},
    ],
    ids=str,
)
def test_subscription_that_cannot_be_used_is_refused_in_words(
    ann: FlaskClient, form: dict[str, str], change: dict[str, str]
) -> None:
    encoded = {
        name: value.encode("utf-8", "surrogatepass") for name, value in {**form, **change}.items()
    }
    response = ann.post(DEVICES, data=encoded)
    assert response.status_code == 422
    assert "notifications can’t be used here" in response.text
    renewal = ann.post(f"{DEVICES}/renew", data=encoded, headers={"Sec-Fetch-Site": "same-origin"})
    assert renewal.status_code == 422
    assert f"{DEVICES}/" not in ann.get(PAGE).text


def test_missing_or_odd_forms_are_refused(ann: FlaskClient) -> None:
    for data, kind in (
        (b"", "application/x-www-form-urlencoded"),
        (b'{"endpoint": ["x"]}', "application/json"),
        (b"\xff\xfe", "text/plain"),
    ):
        assert ann.post(DEVICES, data=data, content_type=kind).status_code in (400, 415, 422)


def test_service_worker_renews_the_subscription_of_its_session_only(
    ann: FlaskClient, ben: FlaskClient, form: dict[str, str]
) -> None:
    own = {"Sec-Fetch-Site": "same-origin"}
    assert ann.post(f"{DEVICES}/renew", data=form, headers=own).status_code == 404
    subscribe(ann, form)
    assert ann.post(f"{DEVICES}/renew", data=form, headers=own).status_code == 204
    for site in ("cross-site", "same-site"):
        headers = {"Sec-Fetch-Site": site}
        assert ann.post(f"{DEVICES}/renew", data=form, headers=headers).status_code == 403
    assert ann.post(f"{DEVICES}/renew", data=form).status_code == 403, "no word of where from"
    assert ben.post(f"{DEVICES}/renew", data=form, headers=own).status_code == 404


def test_site_without_pushes_offers_none(settings: Config, form: dict[str, str]) -> None:
    app = make_app(replace(settings, web_push="off"))
    ann = join(app, "ann")
    page = ann.get(PAGE).text
    assert "push-devices" not in page and 'name="push_reply"' not in page
    assert page.count("<select") == WITH_A_SOURCE
    assert ann.post(PAGE, data=dict.fromkeys(KINDS, "nobody")).status_code == 303
    db = app.extensions["linnet.db"]
    assert db.read(devices.preferences(1)).kinds == set(KINDS), "they come back as they were"
    assert ann.post(DEVICES, data=form).status_code == 422
    app.extensions["linnet.db"].close()


def test_changes_are_limited(settings: Config, form: dict[str, str]) -> None:
    app = make_app(replace(settings, limit_edit=replace(settings.limit_edit, burst=3, period=9999)))
    ann = join(app, "ann")
    statuses = [ann.post(DEVICES, data=form).status_code for _ in range(5)]
    assert statuses == [303, 303, 303, 429, 429]
    app.extensions["linnet.db"].close()
