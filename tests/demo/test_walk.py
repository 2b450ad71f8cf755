"""The walk of `linnet demo` shows every feature that the README names."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.support.demo import SMALL, silent
from tests.support.settings import with_settings
from webapp.accounts.sessions import store as sessions
from webapp.admin.key_report.command import problems
from webapp.admin.key_report.walk import walk as walk_keys
from webapp.config import Config
from webapp.core.errors import LeaseLost, StoreError
from webapp.core.events import keys as event_keys
from webapp.core.store import PARTITIONS, Site
from webapp.demo import command
from webapp.demo.community import Plan, generate_community, plan_people
from webapp.demo.fill import fill
from webapp.demo.walk.context import Stop
from webapp.demo.walk.walk import FEATURES, Walk, run_walk
from webapp.demo.walk.walk_members import MEMBERS_MIN, choose_members

README = Path(__file__).parents[2] / "README.md"
PLAN = replace(SMALL, members=MEMBERS_MIN, statuses=40)


@pytest.mark.tables
def test_the_walk_covers_the_features_of_the_readme() -> None:
    _, _, features = README.read_text().partition("## What it does")
    features, _, _ = features.partition("\n## ")
    assert tuple(re.findall(r"^- \*\*(.+?)\*\*:", features, re.M)) == tuple(FEATURES)


def test_the_members_of_a_large_community_suit_their_parts() -> None:
    plan = Plan("1", 1_800_000_000_000)
    community = generate_community(plan, plan_people(plan))
    members = choose_members(community, first_uid=1)
    languages = [community.people[friend.uid - 1].languages for friend in members.friends]
    assert languages == [("en",)] * len(members.friends)
    assert "zh" in community.people[members.chinese.uid - 1].languages
    others = (
        members.quiet,
        members.loud,
        members.newcomer,
        members.stranger,
        members.reserved,
        members.rude,
    )
    uids = {member.uid for member in (members.me, members.chinese, *members.friends, *others)}
    assert len(uids) == MEMBERS_MIN


def test_every_address_of_the_walk_shows_what_it_promises(site: Site) -> None:
    client, walk = walked(site)
    assert tuple(walk) == tuple(FEATURES) and all(walk.values())
    stops = [stop for stops in walk.values() for stop in stops]
    assert [stop for stop in stops if not shows(client, stop)] == []
    assert "your bot’s tokens and webhook" in [stop.summary for stop in walk["Interfaces"]]
    outboxes = site.db.trip(*(("XLEN", event_keys.outbox(p)) for p in range(PARTITIONS)))
    assert not any(outboxes)
    *_, report = walk_keys(site.db, site.config, pause=0)
    assert [line for line in problems(report) if "never expire" in line or "declared" in line] == []


def test_a_part_ends_at_what_the_settings_refuse(site: Site) -> None:
    filled = fill(site, replace(PLAN, statuses=0), False, silent)
    frozen = with_settings(site, edit_minutes=-1)
    walk = run_walk(frozen, choose_members(filled.community, filled.first_uid), silent)
    assert "a content warning" in (shown := [stop.summary for stop in walk["Posting"]])
    assert "a post that you pinned" not in shown and all(walk.values())


def test_a_walk_that_a_worker_cut_short_says_so(
    settings: Config, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def lose(*_: object) -> Walk:
        raise LeaseLost

    monkeypatch.setattr(command, "run_walk", lose)
    config = replace(settings, media_dir=str(tmp_path))
    with pytest.raises(StoreError, match="ended early: a worker took over"):
        command.demo(config, False, seed="1", members=MEMBERS_MIN, statuses=0, days=1)


def shows(client: FlaskClient, stop: Stop) -> bool:
    """Return True if the page of a stop has its text."""
    response = client.get(stop.path)
    return response.status_code == 200 and stop.text in unescape(response.get_data(as_text=True))


def walked(site: Site) -> tuple[FlaskClient, Walk]:
    """Fill a store twice, run both walks, and return the second featured member's browser."""
    for add in (False, True):
        filled = fill(site, PLAN, add, silent)
        members = choose_members(filled.community, filled.first_uid)
        walk = run_walk(site, members, silent)
    client = make_app(site.config).test_client()
    client.set_cookie("linnet", sessions.start(site, members.me.uid))
    return client, walk
