"""Optional systems: what FEATURES switches off is gone, and the site works without their rooms."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import replace
from itertools import chain
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, long, make_app
from tests.support.pages import join, serving
from webapp.accounts import projections as accounts
from webapp.config import BadSetting, Config, load
from webapp.core.events.bulk_consumer import name_of
from webapp.features import FEATURES, Feature, feature_modules, parse_features
from webapp.notifications.kinds import KINDS
from webapp.notifications.push import devices
from webapp.notifications.store import preferences
from webapp.registry import REGISTRY
from webapp.registry.optional_rooms import feature_pages

ROOT = Path(__file__).parents[2]
INSTALLED = [one for one in FEATURES if ROOT.joinpath("webapp", *one.room.split(".")).exists()]
SMOKE = """
from webapp import create_app
settings = {"TESTING": True, "WTF_CSRF_ENABLED": False, "inline_projections": True}
client = create_app(settings).test_client()
sent = client.post("/signup", data={"login": "ann", "name": "Ann", "password": "a long password"})
assert sent.status_code == 303, sent.status_code
assert client.post("/statuses", data={"text": "Hello #birds"}).status_code == 303
for path in ("/home", "/public", "/@ann", "/explore", "/notifications", "/more", "/settings"):
    assert client.get(path).status_code == 200, path
"""


@pytest.mark.parametrize("text", ["chekin", "drops", "checkin,,drops,x", "none,checkin"])
def test_features_that_cannot_be_used_are_refused_at_the_start(text: str) -> None:
    with pytest.raises(BadSetting, match="FEATURES="):
        load({"features": text})


def test_features_are_read_as_a_list() -> None:
    assert parse_features(" checkin , drops ") == {"checkin", "drops"}
    assert parse_features("none") == frozenset()


@pytest.mark.parametrize("feature", INSTALLED, ids=lambda one: one.name)
def test_pages_of_a_feature_that_is_off_do_not_exist(feature: Feature, settings: Config) -> None:
    app = make_app(replace(settings, features="none"))
    blueprints = {bp.name for bp in feature_pages()[feature.name].blueprints}
    rules = [rule for rule in app.url_map.iter_rules() if rule.endpoint.split(".")[0] in blueprints]
    assert rules
    ann = app.test_client()
    ann.post("/signup", data={"login": "ann", "name": "Ann", "password": PASSWORD})
    for client in (app.test_client(), ann):
        assert "More" not in client.get("/explore").text
        for rule in rules:
            values = dict.fromkeys(rule.arguments, "1")
            path = app.url_map.bind("localhost").build(rule.endpoint, values)
            for method in (rule.methods or set()) - {"OPTIONS"}:
                assert client.open(path, method=method).status_code == 404, (method, path)


def test_choices_about_notifications_of_a_feature_that_is_off_are_kept(settings: Config) -> None:
    page, title = "/settings/notifications", "Invitations to groups"
    chosen = {name: "everyone" for name, kind in KINDS.items() if not kind.about_own}
    with serving(settings) as app:
        sent = chosen | {"invited": "followed", "push_job": "y"}
        assert join(app, "ann").post(page, data=sent).status_code == 303
    with serving(replace(settings, features="none")) as app:
        ann = app.test_client()
        ann.post("/login", data={"login": "ann", "password": PASSWORD})
        text = ann.get(page).text
        assert title not in text and "Mentions" in text
        hidden = dict(re.findall(r'<input type="hidden" name="(\w+)" value="(\w+)">', text))
        assert hidden.items() >= {("invited", "followed"), ("push_job", "True")}
        assert "push_trade" not in hidden
        assert ann.post(page, data=chosen | hidden).status_code == 303
    with serving(settings) as app:
        found = app.extensions["linnet.db"].fetch(preferences(1), devices.preferences(1))
    assert found[0]["invited"] == "followed" and found[1].kinds == {"job"}


def test_features_erase_their_part_of_an_account_before_its_private_keys() -> None:
    row = [name_of(one) for one in REGISTRY.bulk["account_deleted"]]
    private_keys = row.index(name_of(accounts.purge_private_keys))
    rows = [module.WORK.bulk.get("account_deleted", ()) for _, module in feature_modules("work")]
    assert any(rows)
    assert all(row.index(name_of(one)) < private_keys for one in chain(*rows))


def test_a_member_hides_more_from_the_navigation(ann: FlaskClient) -> None:
    page = ann.get("/more").text
    titles = [str(one.menu.title) for one in feature_pages().values() if one.menu]
    assert all(title in page for title in titles)
    assert ('href="/more"' in ann.get("/home").text) == bool(titles)
    assert ann.post("/preferences", data={"more_menu": "off"}).status_code == 303
    home = ann.get("/home").text
    assert 'href="/more"' not in home
    assert home.count('href="/groups"') == 2 * ("groups" in feature_pages()), "beside the lists"
    assert "Show “More”" in ann.get("/more").text
    assert ann.post("/preferences", data={"more_menu": "perhaps"}).status_code == 422


@pytest.mark.parametrize(
    "feature", [INSTALLED[0], *map(long, INSTALLED[1:])], ids=lambda one: one.name
)
def test_the_site_works_without_the_room_of_a_feature(feature: Feature, tmp_path: Path) -> None:
    for folder in ("webapp", "templates", "static"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.rmtree(tmp_path.joinpath("webapp", *feature.room.split(".")))
    names = [one.name for one in FEATURES if feature.name not in (one.name, *one.needs)]
    environ = {"PATH": os.environ["PATH"], "FEATURES": ",".join(names), "DATA_DIR": "var"}
    smoke = subprocess.run(
        [sys.executable, "-c", SMOKE], cwd=tmp_path, env=environ, capture_output=True, text=True
    )
    assert smoke.returncode == 0, smoke.stderr[-2000:]
