"""The first visit to a new site: who may make the owner, and that there is one."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import count

import pytest

from tests.conftest import PASSWORD, close_app, make_app
from tests.support.concurrently import concurrently, result_or_code
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.operators import Linnet, linnet as linnet
from tests.support.pages import page_text
from tests.support.world import Web, World
from webapp.accounts import keys, lifecycle, owner, store as accounts
from webapp.accounts.member import Member
from webapp.admin.setup.notice import setup_notice
from webapp.admin.setup.store import make_owner
from webapp.config import Config
from webapp.core.store import Site

FORM = {
    "login": "ada",
    "name": "Ada",
    "password": PASSWORD,
    "site_name": "Marsh",
    "signup": "invite",
    "default_language": "zh",
    "contact_email": "ada@example.org",
    "rules": "Be kind.\nNo spam.",
}
ELSEWHERE = {"REMOTE_ADDR": "203.0.113.9"}


def test_the_first_visitor_on_this_machine_becomes_the_owner(web: Web) -> None:
    assert "This site is new." in page_text(web.client.get("/"))
    page = web.client.get("/setup")
    assert "Set up your site" in page.text and "Setup code" not in page.text
    assert web.client.post("/setup", data=FORM).status_code == 303
    assert web.app.extensions["linnet.settings"].current.site_name == "Marsh"
    assert web.app.extensions["linnet.settings"].current.rule_list == ["Be kind.", "No spam."]
    member = accounts.get_by_login(web.db, "ada")
    assert member.rights == ("admin",)
    assert "Marsh" in page_text(web.client.get("/admin/settings"))
    assert 'href="/admin"' in web.client.get("/home").text
    visitor = web.app.test_client()
    for accepted, tag in {"fr, *;q=0.5": "zh-Hans", "fr, en;q=0.1": "en", "": "zh-Hans"}.items():
        page = visitor.get("/public", headers={"Accept-Language": accepted}).text
        assert f'<html lang="{tag}"' in page
    assert visitor.get("/setup").location == visitor.post("/setup", data=FORM).location == "/"
    page = visitor.get("/", headers={"Accept-Language": "en"})
    assert "This site is new." not in page_text(page)


@pytest.mark.parametrize(
    ("headers", "environ"),
    [
        ({}, ELSEWHERE),
        ({}, {"REMOTE_ADDR": "::ffff:203.0.113.9"}),
        ({"Host": "linnet.example"}, {}),
        ({"Host": "127.0.0.1.example"}, {}),
        ({"X-Forwarded-For": "127.0.0.1"}, {}),
        ({"Via": "1.1 proxy"}, {}),
    ],
)
def test_others_need_the_code(
    web: Web, headers: Mapping[str, str], environ: Mapping[str, str]
) -> None:
    options = {"headers": headers, "environ_base": environ}
    assert "Setup code" in web.client.get("/setup", **options).text
    for bad in ("", "x", "é", "a" * 24):
        answer = web.client.post("/setup", data=FORM | {"code": bad}, **options)
        assert answer.status_code == 422 and "isn’t the code" in page_text(answer)
        assert 'value="Marsh"' in answer.text
    code = owner.setup_code(web.config)
    assert f'value="{code}"' in web.client.get(f"/setup?code={code}", **options).text
    sent = web.client.post("/setup", data=FORM | {"code": f" {code.upper()} "}, **options)
    assert sent.status_code == 303


def test_a_site_with_a_public_address_asks_everybody_for_the_code(settings: Config) -> None:
    app = make_app(replace(settings, site_url="https://linnet.example"))
    assert "Setup code" in app.test_client().get("/setup").text
    close_app(app)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8000", "[::1]:8000", "[::1]"])
def test_names_of_this_machine_need_no_code(web: Web, host: str) -> None:
    assert "Setup code" not in web.client.get("/setup", headers={"Host": host}).text


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("login", "admin"),
        ("login", ""),
        ("name", ""),
        ("password", "short"),
        ("site_name", ""),
        ("site_name", "<b>"),
        ("site_name", "n" * 41),
        ("signup", "x"),
        ("default_language", "fr"),
        ("contact_email", "ask the owl"),
        ("rules", "r" * 20_001),
    ],
)
def test_a_refused_form_comes_back_as_it_was(web: Web, name: str, value: str) -> None:
    answer = web.client.post("/setup", data=FORM | {name: value})
    assert (answer.status_code == 422 and 'aria-invalid="true"' in answer.text) or name in (
        "signup",
        "default_language",
    )
    assert "Be kind." in answer.text or name == "rules"
    assert owner.is_fresh(web.db)


def test_visitors_may_sign_up_before_there_is_an_owner(web: Web) -> None:
    web.member("ann")
    assert web.client.get("/setup").location == "/"
    assert "This site is new." not in page_text(web.client.get("/"))


def test_of_fifty_at_once_one_becomes_the_owner(world: World) -> None:
    made = concurrently(lambda n: make_owner(world, f"bird{n}", "Bird", PASSWORD), 50)
    owners = [one for one in made if isinstance(one, Member)]
    assert len(owners) == 1 and made.count("has_members") == 49
    assert lifecycle.rights(world.db, owners[0].uid) == ("admin",)


def test_a_crash_leaves_the_site_to_its_owner(world: World) -> None:
    for trips in count():
        db = CrashingDb(world.db, trips)
        try:
            make_owner(Site(db, world.config), "ada", "Ada", PASSWORD)
        except Crashed:
            if not owner.is_fresh(world.db):  # it was all done but for the answer
                break
            for key in (keys.owner(), keys.login("ada")):
                claim = world.db.run(("GET", key))
                if claim:  # as a minute later
                    world.db.run(("SET", key, claim.split(":")[0] + ":1000"))
        if db.survived:
            break
    assert trips >= 4
    assert accounts.get_by_login(world.db, "ada").rights == ("admin",)
    code = result_or_code(lambda: make_owner(world, "eve", "Eve", PASSWORD))
    assert code == "has_members"


def test_a_login_taken_meanwhile_leaves_the_claim_to_nobody(world: World) -> None:
    world.db.run(("SET", keys.login("ada"), "7:9999999999999"))
    assert result_or_code(lambda: make_owner(world, "ada", "Ada", PASSWORD)) == "taken"
    assert make_owner(world, "eve", "Eve", PASSWORD).login == "eve"


def test_the_command_makes_the_owner(linnet: Linnet, web: Web) -> None:
    link = linnet("setup")
    assert f"/setup?code={owner.setup_code(web.config)}" in link.output
    assert link.output.strip() in setup_notice(web.config)
    assert "The username admin is reserved" in linnet("setup", "admin").output
    refused = linnet("setup", "ada", "--contact-email", "ask the owl")
    assert refused.exit_code == 1 and "an https:// page would do" in refused.output
    assert linnet("setup", "ada", "--site-name", "<").exit_code == 1
    for name in ("x" * 51, "\u200b", "@ admin"):
        assert "--name has 1 to 50 characters" in linnet("setup", "ada", "--name", name).output
    assert owner.is_fresh(web.db)
    made = linnet("setup", "@ada", "--site-name", "Marsh", "--signup", "invite")
    assert "@ada owns this site" in made.output
    assert accounts.get_by_login(web.db, "ada").rights == ("admin",)
    assert "Marsh" in linnet("config", "get", "site_name").output
    assert "linnet grant" in linnet("setup", "eve").output and setup_notice(web.config) == ""
