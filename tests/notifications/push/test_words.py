"""The words of pushes: of posts without text, and on a site with a name of its own."""

from dataclasses import replace

from tests.support.push_scene import PushScene
from tests.support.statuses.pictures import NO_WORDS, Stage, stage as stage
from webapp.notifications.kinds import KINDS
from webapp.notifications.push import devices
from webapp.notifications.push.devices import PushPreferences
from webapp.statuses import store as statuses


def test_pictures_without_text_are_counted(scene: PushScene, stage: Stage) -> None:
    app, phone = scene.add_app(), scene.add_device()
    devices.set_preferences(scene.db, scene.ann, {}, PushPreferences(frozenset(KINDS), True))
    post = scene.post("hello", scene.ann)
    pictures = stage(scene.ben, "red", "blue")
    statuses.post(scene.site, scene.ben, NO_WORDS, "form-key-1", reply=post, pictures=pictures)
    scene.apply_events()
    scene.send()
    bodies = [message["body"] for message in (*app.app_messages, *phone.messages)]
    assert bodies == ["2 pictures"] * 2


def test_a_site_with_a_name_of_its_own_is_named(scene: PushScene) -> None:
    phone = scene.add_device()
    named = replace(scene.config, site_name="Birdhouse")
    scene.post("hello @ann")
    scene.send(named)
    for number in range(4):
        scene.post(f"hello {number} @ann")
    scene.send(named)
    devices.request_test(scene.db, scene.ann, scene.sha(phone))
    scene.send(named)
    assert [message["title"] for message in phone.messages] == ["Birdhouse"] * 3
