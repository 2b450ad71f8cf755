"""/admin/settings, maintenance, read-only mode, the announcement and a site of one's own."""

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.operators import Linnet, linnet as linnet
from tests.support.world import Web
from webapp.core.settings import store
from webapp.core.settings.live import LiveSettings
from webapp.core.store import Db

HERE = {"Origin": "http://localhost"}


@pytest.fixture
def db(web: Web) -> Db:
    """The store of the app."""
    return web.db


@pytest.fixture
def live(web: Web) -> LiveSettings:
    """The settings of the app."""
    found: LiveSettings = web.app.extensions["linnet.settings"]
    return found


def test_an_admin_changes_settings_and_undoes_it(
    admin: FlaskClient, live: LiveSettings, web: Web
) -> None:
    form = {"signup": "closed", "status_max": "500", "reason": "too  many", "version": live.version}
    assert admin.post("/admin/settings", data=form).status_code == 303
    assert live.current.status_max == 500 and web.client.get("/signup").status_code == 403
    page = admin.get("/admin/settings").text
    assert "@ada" in page and "too many" in page and "Saved." in page
    assert '<option value="closed" selected>' in page
    [last, first] = admin.application.extensions["linnet.db"].read(store.history())
    undone = [one for one in (last, first) if one.name == "signup"]
    stale = {"id": undone[0].id, "version": form["version"]}
    answer = admin.post("/admin/settings/undo", data=stale)
    assert answer.status_code == 409 and "Someone else changed" in answer.text
    undo_form = page[page.index('action="/admin/settings/undo"') :].partition("</form>")[0]
    assert f'name="version" value="{live.version}"' in undo_form
    assert admin.post("/admin/settings/undo", data={"id": undone[0].id}).status_code == 303
    assert web.client.get("/signup").status_code == 200 and live.current.status_max == 500
    for bad in ("", "1-1", "x-y", "9" * 20 + "-1", "9" * 50 + "-1"):
        assert admin.post("/admin/settings/undo", data={"id": bad}).status_code == 404


def test_the_group_that_was_saved_stays_open(admin: FlaskClient, live: LiveSettings) -> None:
    form = {"status_max": "500", "version": live.version}
    page = admin.post("/admin/settings", data=form, follow_redirects=True).text
    [opened] = [
        part for part in page.split("<details")[1:] if part.partition(">")[0].endswith("open")
    ]
    assert 'name="status_max"' in opened


def test_bad_values_come_back_and_nothing_is_saved(admin: FlaskClient, live: LiveSettings) -> None:
    form = {"site_name": "A&B", "accent": "#08504a", "secret_key": "mine"}
    answer = admin.post("/admin/settings", data=form)
    assert answer.status_code == 422 and "Use: 1 to 40 characters" in answer.text
    assert 'value="A&amp;B"' in answer.text and 'value="#08504a"' in answer.text
    assert live.version == "0"
    admin.set_cookie("linnet_lang", "zh")
    assert "可以填写：1 至 40 个字符" in admin.post("/admin/settings", data=form).text


def test_an_older_value_that_would_no_longer_do_does_not_come_back(
    admin: FlaskClient, db: Db, live: LiveSettings
) -> None:
    store.change(db, LiveSettings(live.base), {"contact_email": "a@b.example\nTo: c@d.example"})
    store.change(db, live, {"contact_email": "ada@b.example"})
    [last, _] = db.read(store.history())
    answer = admin.post("/admin/settings/undo", data={"id": last.id}, follow_redirects=True)
    assert answer.status_code == 200 and "in one line" in answer.text
    assert live.current.contact_email == "ada@b.example"


def test_the_second_of_two_admins_gets_409_and_the_others_value(
    admin: FlaskClient, db: Db, live: LiveSettings
) -> None:
    version = live.version
    store.change(db, LiveSettings(live.base), {"site_name": "Finch"}, "ben")
    form = {"site_name": "Wren", "version": version}
    answer = admin.post("/admin/settings", data=form)
    assert answer.status_code == 409 and "It is now: Finch" in answer.text
    assert 'value="Wren"' in answer.text and live.current.site_name == "Finch"


def test_maintenance_lets_only_admins_in(admin: FlaskClient, web: Web, db: Db) -> None:
    ann = web.member("ann")
    assert web.client.get("/public").status_code == 200
    form = {"maintenance": "yes", "version": ""}
    refused = admin.post("/admin/settings", data=form)
    assert refused.status_code == 422 and refused.text.count(" autofocus") == 1
    assert refused.text.count('<details class="settings-group" open>') == 1
    assert admin.post("/admin/settings", data=form | {"confirmed": "1"}).status_code == 303
    trips = db.trips
    for path in ("/", "/public", "/@ada", "/nothing", "/api/v1/instance"):
        answer = web.client.get(path)
        assert answer.status_code == 503 and answer.headers["Retry-After"], path
    assert db.trips == trips
    assert ann.get("/home").status_code == 503 and admin.get("/home").status_code == 200
    for path in ("/healthz", "/login", "/robots.txt", "/readyz", "/metrics"):
        assert web.client.get(path).status_code == 200, path
    assert web.client.post("/login/code", data={"code": "123456"}).status_code == 422
    form = {"login": "ada", "password": PASSWORD}
    assert web.client.post("/login", data=form).status_code == 303
    assert web.client.get("/home").status_code == 200


def test_a_read_only_site_is_read_and_keeps_what_was_written(
    admin: FlaskClient, web: Web, live: LiveSettings, db: Db
) -> None:
    ann = web.member("ann")
    store.change(db, live, {"read_only": "yes"})
    assert ann.get("/home").status_code == 200
    refused = ann.post("/statuses", data={"text": "my long words"}, headers=HERE)
    assert refused.status_code == 503 and "my long words" in refused.text
    assert admin.post("/statuses", data={"text": "from an admin"}).status_code == 303
    assert ann.post("/logout").status_code == 303


def test_an_announcement_is_shown_to_all_until_it_is_closed(
    web: Web, live: LiveSettings, db: Db
) -> None:
    ann = web.member("ann")
    for reader in (ann, web.client):
        assert "We move" not in reader.get("/public").text
    store.change(db, live, {"announcement_en": "We move <tonight>"})
    for reader in (ann, web.client):
        page = reader.get("/public").text
        assert "We move &lt;tonight&gt;" in page
        form = {"announcement": live.current.announcement_id, "next": "/public"}
        assert reader.post("/preferences", data=form).headers["Location"] == "/public"
        assert "We move" not in reader.get("/public").text
    store.change(db, live, {"announcement_en": "We moved"})
    assert "We moved" in ann.get("/public").text and "We moved" in web.client.get("/public").text
    store.change(db, live, {"announcement_until": "2020-01-01 00:00"})
    assert "We moved" not in web.client.get("/public").text


def test_the_sites_name_colour_words_and_rules_show_everywhere(
    admin: FlaskClient, web: Web, live: LiveSettings
) -> None:
    def pages() -> str:
        paths = "/", "/public", "/about", "/signup", "/manifest.webmanifest", "/api/v1/instance"
        return "".join(web.client.get(path).text for path in paths) + admin.get("/home").text

    assert "Rookery" not in pages()
    form = {
        "site_name": "Rookery",
        "accent": "#7a1f5c",
        "rules": "Be kind.\nNo spam.",
        "contact_email": "ada@example.org",
        "page_about_en": "# Our nest\n\nWe *sing*.",
    }
    preview = admin.post("/admin/settings", data=form | {"preview": "1"})
    assert "<em>sing</em>" in preview.text and live.version == "0"
    assert admin.post("/admin/settings", data=form).status_code == 303
    text = pages()
    for word in ("· Rookery</title>", "Join Rookery", '"name":"Rookery"', "<em>sing</em>"):
        assert word in text, word
    assert "Linnet" not in web.client.get("/").text
    assert "<li>No spam.</li>" in web.client.get("/terms").text
    assert "ada@example.org" in web.client.get("/contact").text
    assert web.client.get("/api/v2/instance").json["rules"][1]["text"] == "No spam."
    sheet = web.client.get("/accent.css?colour=7a1f5c")
    assert "#7a1f5c" in sheet.text and "/accent.css?colour=7a1f5c" in web.client.get("/").text
    assert web.client.get("/accent.css?colour=red;}").status_code == 404


def test_the_command_line_changes_settings_too(linnet: Linnet, web: Web) -> None:
    assert linnet("config", "set", "signup", "closed", "--because", "spam").exit_code == 0
    assert linnet("config", "get", "signup").output == "closed\n"
    assert "SIGNUP → 'closed'  the command line: spam" in linnet("config", "history").output
    assert linnet("config", "set", "signup", "nobody").exit_code == 1
    for command in (("get", "port"), ("set", "port", "1")):
        refused = linnet("config", *command)
        assert refused.exit_code == 1 and "All that do: linnet config get" in refused.output
    assert linnet("config", "set", "maintenance", "yes", input="n\n").exit_code == 1
    assert linnet("config", "set", "signup", "--reset").exit_code == 0
    assert linnet("config", "get", "signup").output == "open\n"
    for name in ("port", "singup"):
        unknown = linnet("config", "get", name)
        assert unknown.exit_code == 1 and "while the site runs" in unknown.output


def test_pages_that_were_shown_already_say_who_may_join(admin: FlaskClient, web: Web) -> None:
    hint = "You need an invitation to join."
    assert hint not in web.client.get("/login").text
    form = {"signup": "invite", "version": "0"}
    page = admin.post("/admin/settings", data=form, follow_redirects=True).text
    assert "Without a change here: Everyone" in page and "– → People with an invitation" in page
    assert hint in web.client.get("/login").text and hint in web.client.get("/").text
