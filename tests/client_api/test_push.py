"""The subscription of an app: made, changed and ended by calls, and what is refused."""

from dataclasses import replace
from typing import Any

import pytest
from flask import Flask

from tests.conftest import SignUp
from tests.support.client_api import ApiClient, allowed_code, connected, exchange, register_app
from tests.support.push_service import Browser, encode
from tests.support.webhook_receiver import Receiver
from webapp.client_api.oauth import codes
from webapp.config import Config
from webapp.core.net import vapid
from webapp.core.store import Db
from webapp.notifications.push import devices

PATH = "v1/push/subscription"


@pytest.fixture
def sent(settings: Config) -> dict[str, str]:
    """What an app sends that has an address at a public push service."""
    browser = Browser(vapid.public_key(settings), Receiver("https://push.example"))
    return {
        "subscription[endpoint]": browser.subscription.endpoint,
        "subscription[keys][p256dh]": browser.subscription.p256dh,
        "subscription[keys][auth]": browser.subscription.auth,
        "data[alerts][mention]": "true",
        "data[alerts][follow]": "1",
        "data[alerts][favourite]": "false",
        "data[alerts][admin.sign_up]": "true",
        "data[policy]": "followed",
    }


@pytest.mark.parametrize(
    ("switch", "is_on"), [("on", True), ("T", True), ("off", False), ("", False)]
)
def test_switches_within_a_subscription_are_those_of_other_parameters(
    app: Flask, member: SignUp, sent: dict[str, str], switch: str, is_on: bool
) -> None:
    switches = {"subscription[standard]": switch, "data[alerts][poll]": switch, "data[policy]": ""}
    made = connected(app, member("ann")).post(PATH, **sent | switches)
    assert (made["standard"], made["alerts"]["poll"], made["policy"]) == (is_on, is_on, "all")


def test_subscription_is_made_shown_changed_and_ended(
    app: Flask, member: SignUp, sent: dict[str, str], settings: Config
) -> None:
    ann = connected(app, member("ann"))
    assert ann.call(f"GET /api/{PATH}").status_code == 404
    assert ann.call(f"PUT /api/{PATH}", data=sent).status_code == 404
    made = ann.post(PATH, **sent)
    assert 0 < made.pop("id") < 2**31  # apps read it as such a number
    assert {name for name, is_on in made.pop("alerts").items() if is_on} == {
        *("mention", "follow", "admin.sign_up")
    }
    assert made == {
        "endpoint": "https://push.example/device",
        "standard": False,
        "policy": "followed",
        "server_key": vapid.public_key(settings),
    }
    changed = ann.call(f"PUT /api/{PATH}", json={"data": {"alerts": {"poll": True}}}).json
    assert [name for name, is_on in changed["alerts"].items() if is_on] == ["poll"]
    assert (changed["policy"], changed["endpoint"]) == ("all", made["endpoint"])
    assert ann.get(PATH) == changed
    assert ann.call(f"DELETE /api/{PATH}").json == {}
    assert ann.call(f"GET /api/{PATH}").status_code == 404
    assert ann.call(f"DELETE /api/{PATH}").status_code == 200


def test_parameters_may_lie_in_the_query(app: Flask, member: SignUp, sent: dict[str, str]) -> None:
    ann = connected(app, member("ann"))
    query = {**sent, "subscription[standard]": "true"}
    made = ann.call(f"POST /api/{PATH}", query_string=query).json
    assert made["standard"] and made["alerts"]["mention"]


def test_each_token_has_one_subscription_of_its_own(
    app: Flask, member: SignUp, sent: dict[str, str]
) -> None:
    browser = member("ann")
    ann, other, ben = (
        connected(app, browser),
        connected(app, browser),
        connected(app, member("ben")),
    )
    first = ann.post(PATH, **sent)
    again = ann.post(PATH, **{**sent, "subscription[endpoint]": "https://push.example/new"})
    assert again["id"] != first["id"] and ann.get(PATH) == again
    for client in (other, ben):
        assert client.call(f"GET /api/{PATH}").status_code == 404
        client.call(f"DELETE /api/{PATH}")
    assert ann.get(PATH) == again
    assert browser.get("/settings/tokens").text.count("Gets your notifications") == 1
    assert "push.example" not in browser.get("/settings/notifications").text


def test_a_token_that_makes_room_for_another_takes_its_subscription_along(
    app: Flask, member: SignUp, sent: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(codes, "APP_DEVICES_MAX", 1)
    browser, registered = member("ann"), register_app(app)
    given = exchange(app, registered, allowed_code(browser, registered)).json
    ApiClient(app, given["access_token"]).post(PATH, **sent)
    db: Db = app.extensions["linnet.db"]
    assert len(db.read(devices.device_shas(1))) == 1
    exchange(app, registered, allowed_code(browser, registered))
    assert db.read(devices.device_shas(1)) == []


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("[endpoint]", "http://push.example/x", "Endpoint must be a public https address"),
        ("[endpoint]", "https://push.example:8443/x", "Endpoint must be a public https address"),
        ("[endpoint]", "https://10.0.0.7/x", "Endpoint must be a public https address"),
        ("[endpoint]", "https://[::1]/x", "Endpoint must be a public https address"),
        ("[endpoint]", "https://localhost/x", "Endpoint must be a public https address"),
        ("[endpoint]", "", "Endpoint must be a public https address"),
        ("[keys][p256dh]", "no key", "Keys are not valid"),
        ("[keys][p256dh]", encode(b"\x04" + b"\x01" * 64), "Keys are not valid"),
        ("[keys][auth]", "short", "Keys are not valid"),
        ("[keys]", "none", "subscription.keys is invalid"),
        ("[standard]", "perhaps", "subscription.standard is invalid"),
    ],
)
def test_bad_subscription_is_refused_with_the_reason(
    app: Flask, member: SignUp, sent: dict[str, str], name: str, value: str, reason: str
) -> None:
    ann = connected(app, member("ann"))
    fields = {key: one for key, one in sent.items() if not key.startswith(f"subscription{name}")}
    answer = ann.call(f"POST /api/{PATH}", data=fields | {f"subscription{name}": value})
    assert (answer.status_code, answer.json) == (422, {"error": f"Validation failed: {reason}"})
    assert ann.call(f"GET /api/{PATH}").status_code == 404


def test_bad_choices_are_refused(app: Flask, member: SignUp, sent: dict[str, str]) -> None:
    ann = connected(app, member("ann"))
    for bad in ({"data[policy]": "some"}, {"data[alerts][mention]": "perhaps"}):
        assert ann.call(f"POST /api/{PATH}", data=sent | bad).status_code == 422
    body: Any = {"subscription": [1], "data": "x"}
    assert ann.call(f"POST /api/{PATH}", json=body).status_code == 422


def test_a_site_without_pushes_says_so(app: Flask, member: SignUp, sent: dict[str, str]) -> None:
    ann = connected(app, member("ann"))
    app.extensions["linnet.config"] = replace(app.extensions["linnet.config"], web_push="off")
    answer = ann.call(f"POST /api/{PATH}", data=sent)
    assert answer.json == {"error": "Validation failed: This site sends no push notifications"}
