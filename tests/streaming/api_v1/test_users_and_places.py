"""Users and places in the messages of the streaming API."""

from tests.support.streaming.api_client import Stage
from tests.support.streaming.client import PROCESSES, Scene
from tests.support.streaming.statuses import post_status
from webapp.statuses import Place
from webapp.statuses.interactions import likes

pytestmark = PROCESSES


def test_user_and_place_are_whole(scene: Scene, stage: Stage) -> None:
    whinchat = scene.join("whinchat")
    site = scene.site
    likes.like(site, whinchat, post_status(scene, "liked"))
    client = stage.open(form={"track": "heath"})
    post_status(scene, "heath", Place(50.5, -5.25, "A heath"), author=whinchat)
    [status] = client.next_messages(1)
    user, place = status["user"], status["place"]
    assert (user["favourites_count"], user["geo_enabled"]) == (1, True)
    assert user["default_profile_image"]
    assert user["profile_image_url"].startswith("http")
    assert user["profile_image_url"] == user["profile_image_url_https"]
    assert isinstance(place["id"], str) and place["id"]
    point = [-5.25, 50.5]
    assert place["bounding_box"] == {"type": "Polygon", "coordinates": [[point] * 4]}


def test_a_place_without_coordinates_is_sent_by_its_name_and_is_in_no_box(
    scene: Scene, stage: Stage
) -> None:
    everywhere = stage.open(form={"locations": "-180,-90,180,90"})
    words = stage.open(form={"track": "fen"})
    post_status(scene, "a fen", Place(name="The reeds"))
    post_status(scene, "a moor", Place(1, 2))
    assert everywhere.next_messages(1)[0]["text"] == "a moor"
    [status] = words.next_messages(1)
    assert status["coordinates"] is status["geo"] is None
    assert status["place"]["full_name"] == "The reeds"
    assert status["place"]["bounding_box"] is None
