"""What search engines are told of posts and profiles."""

import json
import re
from datetime import datetime
from typing import Any

from flask.testing import FlaskClient

from tests.support.chat_pages import png_file
from tests.support.pages import post_status, status_ids
from tests.support.world import Web
from webapp.accounts.store import get_by_login

SCRIPT = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)


def data_of(client: FlaskClient, path: str) -> list[dict[str, Any]]:
    """Return what a page tells search engines, as they read it."""
    return [json.loads(content) for content in SCRIPT.findall(client.get(path).text)]


def counts(data: dict[str, Any], name: str = "interactionStatistic") -> dict[str, int]:
    """Return the counts of a thing by the kind of action."""
    return {
        one["interactionType"].removeprefix("https://schema.org/"): one["userInteractionCount"]
        for one in data[name]
    }


def test_a_post_tells_its_author_time_text_and_counts(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    text = "</script><b>&'\" 鸟"
    posted = post_status(ann, text)
    ben.post(f"/statuses/{posted}/like")
    ben.post("/statuses", data={"text": "hm", "reply": str(posted)})
    [data] = data_of(web.client, f"/@ann/{posted}")
    assert data["@context"] == "https://schema.org" and data["@type"] == "SocialMediaPosting"
    assert data["text"] == text
    assert data["url"] == data["@id"] == f"http://localhost/@ann/{posted}"
    assert data["author"]["name"] == "Ann"
    assert data["author"]["url"] == "http://localhost/@ann"
    assert datetime.fromisoformat(data["datePublished"]).tzinfo and "dateModified" not in data
    assert counts(data) == {"LikeAction": 1, "ShareAction": 0, "CommentAction": 1}
    assert "image" not in data and "image" not in data["author"]
    ann.post(f"/@ann/{posted}/edit", data={"text": "another", "version": "0"})
    [data] = data_of(web.client, f"/@ann/{posted}")
    assert data["text"] == "another" and data["dateModified"] >= data["datePublished"]


def test_pictures_are_told_with_their_words_unless_there_is_a_warning(web: Web) -> None:
    ann = web.member("ann")
    for warning in ("", "spiders"):
        form = {"text": "", "cw": warning, "alt": "a reed"}
        ann.post("/statuses", data={**form, "pictures": (png_file(), "a.png")})
    warned, plain = (data_of(web.client, f"/@ann/{one}")[0] for one in status_ids(ann.get("/@ann")))
    [picture] = plain["image"]
    assert picture["caption"] == "a reed" and "text" not in plain
    path = picture["contentUrl"].removeprefix("http://localhost")
    assert web.client.get(path).status_code == 200
    assert warned["text"] == "Warning: spiders" and "image" not in warned


def test_a_profile_tells_the_member_and_counts(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    post_status(ann, "a song")
    form = {"name": "Ann", "bio": "Reeds </script>", "avatar": (png_file((400, 400)), "a.png")}
    ann.post("/settings/profile", data=form)
    ben.post("/@ann/follow")
    [data] = data_of(web.client, "/@ann")
    person = data["mainEntity"]
    assert data["@type"] == "ProfilePage" and datetime.fromisoformat(data["dateCreated"])
    assert (person["name"], person["alternateName"]) == ("Ann", "@ann")
    assert person["description"] == "Reeds </script>"
    assert web.client.get(person["image"].removeprefix("http://localhost")).status_code == 200
    assert counts(person) == {"FollowAction": 1}
    assert counts(person, "agentInteractionStatistic") == {"WriteAction": 1}


def test_search_engines_leave_out_members_who_hide_from_search(web: Web) -> None:
    ann = web.member("ann")
    paths = ("/@ann", "/@ann/media", f"/@ann/{post_status(ann, 'a song')}")
    for hides, is_left_out in (({"hidden_from_search": "y"}, True), ({}, False)):
        ann.post("/settings/privacy", data={"quote_policy": "everyone", **hides})
        for path in paths:
            assert ('content="noindex"' in web.client.get(path).text) is is_left_out, path


def test_what_is_not_for_everybody_is_not_told(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    public = post_status(ann, "a song")
    ann.post("/statuses", data={"text": "only mine", "visibility": "followers"})
    restricted = status_ids(ann.get("/@ann"))[0]
    assert data_of(ann, f"/@ann/{restricted}") == data_of(web.client, f"/@ann/{restricted}") == []
    assert data_of(ann, f"/@ann/{public}") == [], "members search in the site"
    web.protect(get_by_login(db, "ann").uid)
    for path in ("/@ann", f"/@ann/{public}"):
        assert data_of(web.client, path) == data_of(ann, path) == []
