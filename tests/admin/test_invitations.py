"""/admin/invitations: made, listed page by page, and cancelled."""

import re

from flask.testing import FlaskClient

from tests.support.pages import page_text
from webapp.accounts.invitations import invites
from webapp.core.store import Site

PATH = "/admin/invitations"


def test_an_admin_makes_one_and_cancels_it(admin: FlaskClient) -> None:
    good = {"places": "2", "days": "30", "note": "for the club"}
    for bad in (
        {"places": "0"},
        {"places": "1001"},
        {"days": "366"},
        {"days": "x"},
        {"places": ""},
    ):
        answer = admin.post(PATH, data=good | bad)
        assert answer.status_code == 422 and 'value="for the club"' in answer.text
    assert admin.post(PATH, data=good).status_code == 303
    page = admin.get(PATH)
    assert "for the club" in page_text(page) and "0 of 2 used" in page_text(page)
    assert "@ada" in page_text(page)
    [code] = re.findall(r'name="code" value="([\w-]+)"', page.text)
    assert admin.post(f"{PATH}/cancel", data={"code": code}).status_code == 303
    for gone in (code, "", "é", "x" * 16):
        assert admin.post(f"{PATH}/cancel", data={"code": gone}).status_code == 404
    assert "No invitations yet." in page_text(admin.get(PATH))


def test_pages_hold_each_invitation_once(app_site: Site, admin: FlaskClient) -> None:
    made = {invites.create(app_site.db, 1, 3600 + n).code for n in range(50)}
    assert invites.create(app_site.db, 1, 60)
    seen: list[str] = []
    path = PATH
    while path:
        page = admin.get(path).text
        seen += re.findall(r'name="code" value="([\w-]+)"', page)
        older = re.search(r'rel="next"\s+href="([^"]+)"', page)
        path = older[1] if older else ""
    assert made < set(seen) and len(seen) == 51


def test_a_command_notes_what_it_is_for(app_site: Site) -> None:
    invite = invites.create(app_site.db, 1, 60, "a note")
    assert [(one.note, one.by) for one in invites.list_invites(app_site.db)] == [("a note", 0)]
    assert invites.cancel(app_site.db, invite.code)
