"""The composer begins with the audience that the member chose last."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient

from tests.support.pages import PASSWORD, join, page_text, post_status
from tests.support.world import Web, World
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.accounts.store import get_or_404
from webapp.core.errors import NotFound, Unavailable
from webapp.core.store import Site
from webapp.statuses import Visibility, keys as status_keys
from webapp.statuses.compose.remembered_audience import Audience, remember, remembered_audience
from webapp.statuses.drafts import keys as draft_keys, publishing
from webapp.statuses.drafts.schedule_forms import TIME_FORMAT
from webapp.statuses.values.reply_policy import ReplyPolicy
from webapp.statuses.values.visibility import WIDEST_FIRST

NARROW = {"visibility": "followers", "reply_policy": "mentioned", "quote_policy": "nobody"}
WIDE = {"visibility": "public", "reply_policy": "everybody", "quote_policy": "everyone"}


def chosen(client: FlaskClient, path: str = "/home") -> dict[str, str]:
    """Return the audience that the composer of a page begins with."""
    page = client.get(path, follow_redirects=True).text
    selects = re.findall(r'<select[^>]* name="(\w+)">(.*?)</select>', page, re.DOTALL)
    options = {name: re.search(r'selected value="(\w+)"', options) for name, options in selects}
    return {name: found[1] for name, found in options.items() if found and name in WIDE}


@pytest.mark.parametrize("visibility", WIDEST_FIRST)
def test_an_audience_is_remembered_for_the_account(world: World, visibility: Visibility) -> None:
    (ann,) = world.people("ann")
    audience = Audience(visibility, ReplyPolicy.FOLLOWED, QuotePolicy.FOLLOWERS)
    member = world.db.read(get_or_404(ann))
    assert remembered_audience(member) == Audience()
    for expected_trips in (1, 0):
        trips = world.db.trips
        remember(world.db, member, audience)
        assert world.db.trips - trips == expected_trips
        member = world.db.read(get_or_404(ann))
        assert remembered_audience(member) == audience
    world.delete_account(ann, None)
    with pytest.raises(NotFound):
        remember(world.db, member, Audience())


def test_the_next_post_begins_with_the_last_audience_on_all_devices(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    other_device = web.app.test_client()
    other_device.post("/login", data={"login": "ann", "password": PASSWORD})
    assert chosen(ann) == chosen(ben) == WIDE
    ann.post("/statuses", data={"text": "hello", **NARROW})
    for path in ("/home", "/statuses/new"):
        assert chosen(ann, path) == chosen(other_device, path) == NARROW
    assert "My followers · Who can reply: Only people I mention" in page_text(ann.get("/home"))
    assert chosen(ben) == WIDE
    ann.post("/statuses", data={"text": "hello again", **WIDE})
    assert chosen(ann) == WIDE


def test_the_settings_show_the_same_quote_policy(ann: FlaskClient) -> None:
    ann.post("/statuses", data={"text": "hello", **NARROW})
    page = ann.get("/settings/privacy").text
    assert '<option selected value="nobody">' in page
    ann.post("/settings/privacy", data={"quote_policy": "followers"})
    assert chosen(ann) == {**NARROW, "quote_policy": "followers"}


def test_a_reply_has_the_audience_of_its_thread_and_is_not_remembered(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    ben.post("/statuses", data={"text": "hello", **NARROW})
    parent = post_status(ann, "public")
    link = f"/@ann/{parent}"
    assert chosen(ben, link)["visibility"] == "public"
    ben.post("/statuses", data={"text": "a reply", "reply": str(parent), **WIDE})
    assert chosen(ben) == NARROW


def test_a_refused_form_and_a_draft_are_not_remembered(ann: FlaskClient) -> None:
    assert ann.post("/statuses", data={"text": "x" * 281, **NARROW}).status_code == 422
    assert ann.post("/drafts", data={"text": "later", **NARROW}).status_code == 303
    assert ann.post("/statuses", data={"text": "a program", "quote_policy": "nobody"})
    assert chosen(ann) == WIDE


def test_a_scheduled_post_is_remembered_when_it_is_scheduled(ann: FlaskClient) -> None:
    at = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
    ann.post("/statuses", data={"text": "later", "at": at, **NARROW})
    assert chosen(ann) == NARROW


def test_a_post_is_acknowledged_when_its_audience_cannot_be_remembered(
    ann: FlaskClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise Unavailable("store_down")

    monkeypatch.setattr("webapp.statuses.compose.posting.remember", fail)
    assert ann.post("/statuses", data={"text": "hello", **NARROW}).status_code == 303
    assert chosen(ann) == WIDE


def test_a_program_that_names_no_audience_posts_to_everybody(ann: FlaskClient, web: Web) -> None:
    ann.post("/statuses", data={"text": "hello", **NARROW})
    ann.post("/statuses", data={"text": "from a program"})
    assert "from a program" in page_text(join(web.app, "ben").get("/@ann"))


def test_a_post_to_a_group_has_the_members_quote_policy_now_and_later(web: Web) -> None:
    """Its form shows no audience, so it sends none."""
    ann = web.member("ann")
    ann.post("/settings/privacy", data={"quote_policy": "nobody"})
    ann.post("/groups/new", data={"name": "Birders", "slug": "birders", "kind": "open"})
    assert "quote_policy" not in chosen(ann, "/statuses/new?group=1")
    at = f"{datetime.now(UTC) + timedelta(days=1):{TIME_FORMAT}}"
    ann.post("/statuses", data={"text": "now", "group": "1"})
    ann.post("/statuses", data={"text": "later", "group": "1", "key": "key-12345", "at": at})
    due = draft_keys.draft(1, "key-12345")
    web.db.run(("HSET", due, "due", 1))
    publishing.publish(Site(web.db, web.config), 1, "key-12345")
    posted = map(int, web.db.run(("ZRANGE", status_keys.profile_statuses(1), 0, -1)))
    stored = web.db.trip_all(("HGET", status_keys.status(one), "quote_policy") for one in posted)
    assert stored == [QuotePolicy.NOBODY.value] * 2
