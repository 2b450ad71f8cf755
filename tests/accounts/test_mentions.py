"""Mentions of usernames that nobody has are plain text, wherever members write."""

import re
from collections.abc import Callable

from flask.testing import FlaskClient

from tests.conftest import SignUp
from tests.support.chat_pages import create_group, send_message
from tests.support.pages import post_status
from webapp.accounts import lifecycle
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing

TEXT = "to @Ben and @nobody of #reeds"
LINK = re.compile(r'<a[^>]*href="/@(\w+)"[^>]*>\s*@\1</a>')


def mentions(client: FlaskClient, path: str) -> set[str]:
    """Return the linked mentions of a page that says TEXT."""
    page = client.get(path).text
    assert "and @nobody of" in page, path
    return {"Ben", "nobody"} & set(LINK.findall(page))


def test_only_usernames_that_somebody_has_are_links(member: SignUp) -> None:
    ann, _ = member("ann"), member("ben")
    post = post_status(ann, TEXT, more1=f"{TEXT} again")
    edited = post_status(ann, "nothing yet")
    ann.post(f"/@ann/{edited}/edit", data={"text": TEXT, "version": "0"})
    cid = create_group(ann, text=TEXT)
    send_message(ann, cid, TEXT)
    send_message(ann, cid, "nothing yet")
    ann.post(f"/chats/{cid}/messages/3/edit", data={"text": TEXT})
    assert ann.get(f"/chats/{cid}").text.count("and @nobody of") >= 3
    for path in (f"/@ann/{post}", f"/@ann/{post + 64}", f"/@ann/{edited}", f"/chats/{cid}"):
        assert mentions(ann, path) == {"Ben"}, path
    ann.post("/settings/profile", data={"name": "Ann", "bio": TEXT})
    ann.post(f"/statuses/{edited}/delete")
    assert mentions(ann, "/@ann") == {"Ben"}


def test_what_a_mention_is_depends_on_when_it_was_written(
    site: Site, people: Callable[..., list[int]], apply_events: Callable[[], None]
) -> None:
    (ann, ben) = people("ann", "ben")

    def mentioned(number: int) -> list[str]:
        """Return whom a status mentions that is posted now."""
        found = statuses.get(site.db, statuses.post(site, ann, parse(TEXT), f"form-{number}"))
        return [entity.text for entity in found.entities if entity.kind == "mention"]

    before = statuses.post(site, ann, parse(TEXT), "before")
    assert mentioned(1) == ["Ben"]
    people("nobody")
    assert mentioned(2) == ["Ben", "nobody"]
    lifecycle.delete_account(site, ben, None)
    assert mentioned(3) == ["nobody"]
    apply_events()
    assert mentioned(4) == ["nobody"]
    assert [one.text for one in statuses.get(site.db, before).entities] == ["Ben", "reeds"]
    editing.edit(site, ann, before, parse(f"{TEXT} today"), "", "0")
    assert [one.text for one in statuses.get(site.db, before).entities] == ["nobody", "reeds"]


def test_mentions_of_nobody_cost_the_trips_of_one_look(
    site: Site, people: Callable[..., list[int]]
) -> None:
    (ann,) = people("ann")
    trips = []
    for number, text in enumerate(("none", "@ann @ben @cid @nobody")):
        before = site.db.trips
        statuses.post(site, ann, parse(text), f"form-{number}")
        trips.append(site.db.trips - before)
    assert trips[0] == 1 and trips[1] <= 3
