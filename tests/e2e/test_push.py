"""Notifications on devices, in a browser: turning them on, and the service worker that shows them.

The browser's own push service is on the network. So the page's PushManager is replaced, and the
messages are handed to the service worker by the browser's debugger.
"""

import json
from typing import Any

import pytest
from playwright.sync_api import Page, Worker, expect

from tests.e2e.conftest import OpenPage, sign_up, write_post
from tests.support.processes import until

ENDPOINT = "https://push.example/device"
POINT = "BNNvMqdaEEFzXLUzgbqGNFNWe4R-IQVI1imh_JRTGvVSemkS94XwVncLRnqcoz9UMrm065Wch7b3poRGVJU6fpY"
KEYS = {"p256dh": POINT, "auth": "MDEyMzQ1Njc4OWFiY2RlZg"}
# A browser that keeps its subscription from page to page.
PUSH_MANAGER = f"""
const subscription = () => localStorage.endpoint && {{
  toJSON: () => ({{ endpoint: localStorage.endpoint, keys: {json.dumps(KEYS)} }}),
  unsubscribe: async () => delete localStorage.endpoint,
}}
PushManager.prototype.getSubscription = async () => subscription() || null
PushManager.prototype.subscribe = async options => {{
  localStorage.options = JSON.stringify(options)
  localStorage.endpoint = "{ENDPOINT}" + Math.random()
  return subscription()
}}
"""
# A browser without windows shows no notifications. So the worker notes what it would show.
NOTED = """
() => {
  self.shown = []
  ServiceWorkerRegistration.prototype.showNotification = async function (title, options) {
    self.shown = self.shown.filter(({ tag }) => tag !== options.tag)
    self.shown.push({ title, ...options })
  }
}
"""
CLICK = """
() => {
  const [{ data }] = self.shown
  const close = () => (self.shown = [])
  const event = new ExtendableEvent("notificationclick")
  self.dispatchEvent(Object.assign(event, { notification: { data, close } }))
}
"""


@pytest.fixture
def ann(open_page: OpenPage) -> Page:
    """A member's page that may show notifications, with the service worker at work."""
    page = open_page(service_workers="allow", permissions=["notifications"])
    page.add_init_script(PUSH_MANAGER)
    sign_up(page, "ann")
    page.wait_for_function("() => navigator.serviceWorker.ready")  # the next page has it then
    page.goto("/settings/notifications")
    page.wait_for_function("() => navigator.serviceWorker.controller?.state === 'activated'")
    return page


def deliver(page: Page, message: dict[str, str]) -> None:
    """Hand a decrypted message to the page's service worker."""
    debugger = page.context.new_cdp_session(page)
    registrations: list[dict[str, Any]] = []
    debugger.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: registrations.extend(event["registrations"]),
    )
    debugger.send("ServiceWorker.enable")
    while not registrations:
        page.wait_for_timeout(20)
    debugger.send(
        "ServiceWorker.deliverPushMessage",
        {
            "origin": page.evaluate("location.origin"),
            "registrationId": registrations[-1]["registrationId"],
            "data": json.dumps(message),
        },
    )


def shown(worker: Worker) -> list[dict[str, Any]]:
    """Return the notifications that the browser would show."""
    found: list[dict[str, Any]] = worker.evaluate("self.shown")
    return found


def test_device_is_turned_on_tested_and_removed(ann: Page) -> None:
    ann.get_by_role("button", name="Turn on for this device").click()
    expect(ann.locator(".notices")).to_have_text("Notifications are on for this device.")
    options = json.loads(ann.evaluate("localStorage.options"))
    assert options == {
        "userVisibleOnly": True,
        "applicationServerKey": ann.locator(".push").get_attribute("data-key"),
    }
    entry = ann.locator(".push .entry")
    expect(entry).to_contain_text("This device")
    expect(ann.get_by_role("button", name="Turn on for this device")).to_have_count(0)
    entry.get_by_role("button", name="Send a test").click()
    expect(ann.locator(".notices")).to_contain_text("A test is on its way")
    entry.get_by_role("button", name="Remove").click()
    expect(entry).to_have_count(0)
    expect(ann.get_by_role("button", name="Turn on for this device")).to_be_visible()
    ann.wait_for_function("() => !localStorage.endpoint")  # nobody sends to it any longer


@pytest.mark.long
def test_page_says_what_keeps_a_device_from_being_turned_on(
    open_page: OpenPage, expected_errors: list[str]
) -> None:
    refused = open_page(service_workers="allow")
    refused.add_init_script("Notification.requestPermission = async () => 'denied'")
    sign_up(refused, "ben", "/settings/notifications")
    refused.get_by_role("button", name="Turn on for this device").click()
    expect(refused.locator(".push-note")).to_contain_text("blocks notifications")
    old = open_page()
    old.add_init_script("delete window.PushManager")
    sign_up(old, "cid", "/settings/notifications")
    expect(old.locator(".push-note")).to_contain_text("can’t show notifications")
    expect(old.get_by_role("button", name="Turn on for this device")).to_be_hidden()
    plain = sign_up(open_page(scripts=False), "dan", "/settings/notifications")
    expect(plain.locator(".push-note")).to_contain_text("needs JavaScript")
    plain.get_by_role("checkbox", name="Likes Push").uncheck()
    plain.locator("form:has(.matrix)").get_by_role("button", name="Save").click()
    expect(plain.locator(".notices")).to_have_text("Settings saved.")


def test_service_worker_shows_a_message_and_opens_its_page(ann: Page) -> None:
    write_post(ann, "a song")
    path = ann.locator(".status-time").first.get_attribute("href") or ""
    message = {"title": "Ben liked your post", "body": "a song", "url": path, "lang": "en"}
    worker = ann.context.service_workers[0]
    worker.evaluate(NOTED)
    for title in ("Ben liked your post", "Cid and Ben liked your post"):
        deliver(ann, {**message, "title": title, "tag": "like"})
    until(lambda: [one["title"] for one in shown(worker)] == ["Cid and Ben liked your post"])
    [notification] = shown(worker)
    assert (notification["body"], notification["data"]) == ("a song", {"url": path})
    assert not notification.get("renotify"), "the later one replaces the first in silence"
    assert ann.request.get(notification["icon"]).ok
    ann.goto("/home")
    worker.evaluate(CLICK)
    ann.wait_for_url(f"**{path}")
    assert shown(worker) == []


def test_renewed_subscription_is_sent_to_the_site(ann: Page) -> None:
    ann.get_by_role("button", name="Turn on for this device").click()
    expect(ann.locator(".push .entry")).to_have_count(1)
    worker = ann.context.service_workers[0]
    with ann.context.expect_event("response", lambda one: "renew" in one.url) as response:
        worker.evaluate(
            """([endpoint, keys]) => {
              const event = new ExtendableEvent("pushsubscriptionchange")
              event.newSubscription = { toJSON: () => ({ endpoint, keys }) }
              self.dispatchEvent(event)
            }""",
            [f"{ENDPOINT}-renewed", KEYS],
        )
    assert response.value.status == 204
