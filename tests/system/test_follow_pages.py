"""Follow buttons, and what profiles and homes show of follows."""

import re
from dataclasses import replace
from typing import Any

from flask.testing import FlaskClient

from tests.support import paging
from tests.support.pages import (
    check_error,
    join,
    listed_logins,
    page_text,
    post_status,
    serving,
    status_ids,
)
from tests.support.world import Web, World
from webapp.accounts import store as accounts
from webapp.config import Config
from webapp.following.follow_lists import load_familiar_page


def test_following_and_unfollowing_change_the_button_the_lists_and_home(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    status_id = post_status(ann, "hello")
    for _ in range(2):
        response = ben.post("/@ANN/follow")
        assert (response.status_code, response.location) == (303, "/@ann")
    assert 'action="/@ann/unfollow"' in ben.get("/@ann").text
    assert status_ids(ben.get("/home")) == [status_id]
    assert listed_logins(ben.get("/@ann/followers")) == ["ben"]
    assert listed_logins(ben.get("/@ben/following")) == ["ann"]
    for _ in range(2):
        response = ben.post("/@ann/unfollow", data={"next": "/public"})
        assert (response.status_code, response.location) == (303, "/public")
    assert 'action="/@ann/follow"' in ben.get("/@ann").text
    assert status_ids(ben.get("/home")) == []
    assert listed_logins(ben.get("/@ann/followers")) == []
    assert listed_logins(ben.get("/@ben/following")) == []
    ben.post("/@ann/follow")
    assert ben.delete("/@ann/follow").status_code == 303
    assert listed_logins(ben.get("/@ben/following")) == []


def test_who_is_blocked_sees_no_list_of_people(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("ben"), web.member("cid")
    cid.post("/@ann/follow")
    ann.post("/@cid/follow")
    ben.post("/@cid/follow")
    ann.post("/@ben/block")
    for kind in ("followers", "following", "mutuals", "familiar-followers", "common-follows"):
        page = ben.get(f"/@ann/{kind}")
        assert listed_logins(page) == [] and "@ann doesn’t share it with you." in page_text(page)
        assert listed_logins(cid.get(f"/@ann/{kind}")) or "-" in kind
    assert listed_logins(ann.get("/@ann/mutuals")) == ["cid"]


def test_following_oneself_or_an_unknown_member_is_refused(ann: FlaskClient) -> None:
    check_error(ann.post("/@Ann/follow"), 422, "You can’t follow yourself.")
    for verb in ("follow", "unfollow"):
        check_error(ann.post(f"/@nobody/{verb}"), 404, "This member doesn’t exist.")
        answer = ann.post(f"/@not-a-login/{verb}")
        check_error(answer, 404, "This page doesn’t exist or was removed.")
    assert listed_logins(ann.get("/@ann/following")) == []
    assert "follow" not in re.findall(r'action="/@ann/(\w+)"', ann.get("/@ann").text)


def test_a_suspended_member_is_not_followed_and_listed_only_to_who_may_unfollow(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("ben"), web.member("cid")
    ann.post("/@ben/follow")
    ben.post("/@ann/follow")
    web.suspend(accounts.get_by_login(web.db, "ben").uid)
    check_error(cid.post("/@ben/follow"), 403, "suspended")
    check_error(cid.get("/@ben/followers"), 403, "suspended")
    lists = [(client, kind) for client in (ann, cid) for kind in ("followers", "following")]
    assert [listed_logins(client.get(f"/@ann/{kind}")) for client, kind in lists] == [
        [],
        ["ben"],
        [],
        [],
    ]


def test_the_number_of_followed_members_is_limited(settings: Config) -> None:
    with serving(replace(settings, following_max=1)) as app:
        ann, _, _ = (join(app, login) for login in ("ann", "ben", "cat"))
        assert ann.post("/@ben/follow").status_code == 303
        check_error(ann.post("/@cat/follow"), 409, "limit for follows")
        assert listed_logins(ann.get("/@ann/following")) == ["ben"]


def test_a_profile_shows_its_relationship_to_the_viewer(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    assert "Follows you" not in page_text(ann.get("/@ben"))
    ben.post("/@ann/follow")
    assert "Follows you" in page_text(ann.get("/@ben"))
    for viewer, path in ((ben, "/@ann"), (ann, "/@ann"), (web.client, "/@ben")):
        assert "Follows you" not in page_text(viewer.get(path))
    ann.post("/@ben/follow")
    assert "You follow each other" in page_text(ann.get("/@ben"))
    ben.post("/@ann/unfollow")
    assert not re.search("Follows you|follow each other", page_text(ann.get("/@ben")))


def test_a_profile_names_three_known_followers_and_counts_the_rest(web: Web) -> None:
    ann, *known = (web.member(login) for login in ("ann", "ben", "cat", "dan", "eve"))
    web.member("star")
    profiles = []
    for login, follower in zip(("ben", "cat", "dan", "eve"), known, strict=True):
        follower.post("/@star/follow")
        for viewer in (ann, web.client):
            assert f"{login.title()} " not in page_text(viewer.get("/@star"))
        ann.post(f"/@{login}/follow")
        profiles.append(page_text(ann.get("/@star")))
    assert re.search(r"Followed by Ben(?! and|,)", profiles[0])
    assert re.search(r"Followed by Cat and Ben(?! and|,)", profiles[1])
    assert re.search(r"Followed by Dan, Cat and Ben(?! and|,)", profiles[2])
    assert "Followed by Eve, Dan and 2 others you follow" in profiles[3]
    assert "Followed by" not in page_text(known[0].get("/@ben"))
    listed = listed_logins(ann.get("/@star/familiar-followers"))
    assert listed == ["eve", "dan", "cat", "ben"]
    assert listed_logins(known[0].get("/@star/familiar-followers")) == []
    assert "No one you follow" in page_text(known[0].get("/@star/familiar-followers"))
    assert ann.get("/@STAR/familiar-followers").location == "/@star/familiar-followers"


def test_people_whom_both_follow_are_listed_and_hidden_as_follow_lists_are(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    for login in ("cat", "dan", "eve"):
        web.member(login)
    for follower, logins in ((ann, ("cat", "dan", "ben")), (ben, ("dan", "eve", "cat"))):
        for login in logins:
            follower.post(f"/@{login}/follow")
    assert listed_logins(ann.get("/@ben/common-follows")) == ["dan", "cat"]
    assert "Both follow" in page_text(ann.get("/@ben/following"))
    assert "Both follow" not in page_text(web.client.get("/@ben/following"))
    assert "No one in common" in page_text(ann.get("/@eve/common-follows"))
    ben.post("/settings/privacy", data={"protected": "y"})
    ben.post("/@ann/remove-follower")
    assert "This list is protected" in page_text(ann.get("/@ben/common-follows"))


def test_the_list_of_known_followers_has_pages_and_leads_on_past_other_follows(
    world: World,
) -> None:
    ann, star, *birds = world.people("ann", "star", *(f"bird{number}" for number in range(12)))
    for number in range(12):
        world.follow(ann, f"bird{number}")
        if number % 3 == 0:
            world.follow(birds[number], "star")
    world.apply_events()

    def read(before: int | None) -> Any:
        found = load_familiar_page(world.db, "followers", star, ann, before, size=2, sample=5)
        assert found
        return found.page

    assert [member.uid for member in paging.items(read)] == [birds[9], birds[6], birds[3], birds[0]]
    world.follow(ann, "star")
    world.protect(star)
    assert [member.uid for member in read(None).items] == [birds[9]], "ann follows star"
    world.unfollow(ann, "star")
    hidden = load_familiar_page(world.db, "followers", star, ann, None, size=2, sample=5)
    assert hidden and hidden.restricted and not hidden.page.items
