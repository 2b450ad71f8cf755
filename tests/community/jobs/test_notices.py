"""Notifications of new offers that fit: who gets one, once a day at most."""

import pytest

from tests.support.push_scene import PushScene
from tests.support.settings import with_settings
from tests.support.webhook_receiver import receiving, status
from tests.support.world import Web, World
from webapp.community.jobs import keys, store, work
from webapp.community.jobs.skills import Skill
from webapp.community.jobs.store import Candidate, Offer
from webapp.core.store import Site
from webapp.notifications import keys as notification_keys
from webapp.notifications.push.devices import PushPreferences, set_preferences
from webapp.notifications.store import entries_of

GO, LUA = Skill("Go", 2, 3), Skill("Lua")


def days(site: Site, uid: int) -> list[str]:
    """Return the days of a member's notifications of offers."""
    return [one.own for one in site.db.read(entries_of(uid)) if one.kind.name == "job"]


def offer(world: World, uid: int, title: str, *skills: Skill) -> int:
    """Post an offer, and do what the workers do about it."""
    job_id = store.save(world, uid, Offer(title, "All day", "", True, skills or (GO,)))
    work.announce_new(world)
    world.apply_events()
    return job_id


def show_skills(site: Site, *uids: int, skill: Skill = GO) -> None:
    """Let members show a skill."""
    for uid in uids:
        store.save_skills(site, uid, Candidate((skill,), shown=True))


def test_members_who_show_fitting_skills_are_notified_once_a_day(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "EXAMINED_MAX", 2)
    ann, *fitting = world.people("ann", "ben", "cid", "dot", "eve", "fay")
    hidden, blocker, blocked, junior = world.people("hid", "ida", "joe", "kim")
    show_skills(world, ann, *fitting, blocker, blocked)
    show_skills(world, junior, skill=Skill("Go", 1, 9))
    store.save_skills(world, hidden, Candidate((GO,)))
    world.do(World.block, blocker, "ann")
    world.do(World.block, ann, "joe")
    first = offer(world, ann, "Count the terns")
    told = {uid: days(world, uid) for uid in (*fitting, ann, hidden, blocker, blocked, junior)}
    assert {uid for uid, found in told.items() if found} == set(fitting)
    assert all(len(told[uid]) == 1 for uid in fitting)
    world.db.run(("ZADD", keys.unannounced_jobs(), first, first))  # a worker died before this
    offer(world, ann, "Count the gulls")
    assert {uid: days(world, uid) for uid in told} == told
    offer(world, fitting[0], "Count the ducks")
    assert len(days(world, blocker)) == len(days(world, ann)) == 1, "Ben is another author"
    entries = notification_keys.notifications(fitting[1])
    day = told[fitting[1]][0]
    world.db.trip(
        ("ZREM", entries, f"job:{fitting[1]}:{day}"),
        ("ZADD", entries, 1, f"job:{fitting[1]}:{int(day) - 1}"),
    )
    offer(world, ann, "Count the geese")
    assert days(world, fitting[1]) == [day, str(int(day) - 1)]


def test_nobody_is_notified_of_offers_that_end_or_change_or_while_jobs_are_off(
    world: World,
) -> None:
    ann, ben = world.people("ann", "ben")
    show_skills(world, ben)
    job_id = store.save(world, ann, Offer("Closed at once", "", "", True, (GO,)))
    store.close(world, ann, job_id)
    job_id = offer(world, ann, "For others", LUA)
    store.save(world, ann, Offer("Changed", "", "", True, (GO,)), job_id)
    work.announce_new(world)
    store.save(world, ann, Offer("Rests", "", "", True, (GO,)))
    work.announce_new(world)
    World.apply_events(with_settings(world, features="none"))
    assert days(world, ben) == []
    assert world.db.run(("EXISTS", keys.unannounced_jobs())) == 0


def test_an_author_who_is_suspended_or_gone_notifies_nobody(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    show_skills(world, ben)
    world.do(World.suspend, ann)
    offer(world, ann, "Not now")
    store.save(world, cid, Offer("Gone", "", "", True, (GO,)))
    world.delete_account(cid, None)
    work.announce_new(world)
    world.apply_events()
    assert days(world, ben) == []


def test_the_notification_leads_to_the_offers_that_fit(web: Web) -> None:
    ann = web.member("ann")
    form = {"title": "x", "text": "y", "remote": "y", "skills-0-name": "go", "skills-0-level": "1"}
    ben = web.member("ben")
    ben.post("/jobs/skills", data={"shown": "y", **form})
    ann.post("/jobs/new", data=form)
    work.announce_new(web)
    web.apply_events()
    page = ben.get("/notifications").text
    assert "A new job offer fits your skills" in page
    assert '<a href="/jobs/mine">See the jobs that fit you</a>' in page


def test_devices_get_the_notification(world: World) -> None:
    with receiving() as service:
        service.responders = [status(201)]
        scene = PushScene(
            with_settings(world, web_push="private"), world.people, world.apply_events, service
        )
        phone = scene.add_device()
        set_preferences(scene.db, scene.ann, {}, PushPreferences(frozenset({"job"}), False))
        show_skills(scene.site, scene.ann)
        offer(with_settings(world, web_push="private"), scene.ben, "Count the terns")
        scene.send()
    [message] = phone.messages
    assert (message["body"], message["url"]) == ("A new job offer fits your skills", "/jobs/mine")
