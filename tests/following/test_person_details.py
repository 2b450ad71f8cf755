"""Bios in lists of people, and who follows the viewer."""

from flask.testing import FlaskClient

from tests.support.world import World
from webapp.accounts import profile
from webapp.following.profiles import NO_DETAILS, person_details
from webapp.following.store import follow


def test_details_have_bios_and_those_who_follow_the_viewer(world: World) -> None:
    ann, ben, cem = world.people("ann", "ben", "cem")
    profile.edit(world, ben, {"bio": "Sings at dawn"})
    world.do(follow, ben, "ann")
    found = world.db.read(person_details(ann, [ben, cem]))
    assert (found.bios, found.follows_viewer) == ({ben: "Sings at dawn"}, {ben})
    visitor = world.db.read(person_details(None, [ben, cem]))
    assert (visitor.bios, visitor.follows_viewer) == ({ben: "Sings at dawn"}, frozenset())
    assert world.db.read(person_details(ann, [])) == NO_DETAILS


def test_lists_of_people_show_bios(ann: FlaskClient, ben: FlaskClient) -> None:
    ben.post("/settings/profile", data={"name": "Ben", "bio": "Sings <at> dawn"})
    ben.post("/@ann/follow")
    own, other = ann.get("/@ann/followers").text, ben.get("/@ann/followers").text
    assert "Sings &lt;at&gt; dawn" in own and "Follows you" in own
    assert "Sings &lt;at&gt; dawn" in other and "Follows you" not in other
