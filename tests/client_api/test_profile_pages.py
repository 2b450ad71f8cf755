"""Pages of a member's statuses through the client API."""

from typing import Any

from flask import Flask

from tests.support.client_api import ApiClient, Clients, ids, links
from tests.support.full_site import picture_file

PATH = "v1/accounts/1/statuses"


def post_each(client: ApiClient, *posts: dict[str, Any]) -> list[int]:
    """Post some statuses. Return their ids, newest first."""
    return ids([client.post("v1/statuses", **fields) for fields in posts])[::-1]


def with_picture(client: ApiClient, **fields: Any) -> dict[str, Any]:
    """Return the fields of a status with a picture."""
    return {"media_ids[]": client.post("v2/media", file=picture_file())["id"], **fields}


def test_a_gap_of_a_profile_is_filled_from_below(clients: Clients) -> None:
    ann, ben = clients
    boosted = ben.post("v1/statuses", status="by ben")["id"]
    posted = post_each(ann, *({"status": f"#birds {at}"} for at in range(4)))
    boost = int(ann.post(f"v1/statuses/{boosted}/reblog")["id"])
    posted = [*post_each(ann, *({"status": f"then {at}"} for at in range(3))), boost, *posted]
    assert ids(ben.get(PATH, min_id=posted[7], limit=2)) == posted[5:7]
    assert ids(ben.get(PATH, min_id=posted[5], limit=2)) == posted[3:5]
    unboosted = [number for number in posted if number != boost]
    assert ids(ben.get(PATH, min_id=posted[5], limit=2, exclude_reblogs="true")) == unboosted[2:4]
    assert ids(ben.get(PATH, min_id=posted[7], max_id=posted[5])) == posted[6:7]
    assert ids(ben.get(PATH, since_id=posted[7], limit=2)) == posted[:2]


def test_what_the_reader_may_not_see_leaves_no_gap_in_a_page(app: Flask, clients: Clients) -> None:
    ann, ben = clients
    shown = post_each(ann, *({"status": f"for all {at}"} for at in range(2)))
    hidden = post_each(ann, *({"status": f"@cid {at}", "visibility": "direct"} for at in range(3)))
    for_followers = post_each(ann, {"status": "for ben", "visibility": "private"})
    last = post_each(ann, {"status": "the last"})
    assert ids(ben.get(PATH, min_id=shown[1], limit=2)) == [*for_followers, shown[0]]
    assert ids(ApiClient(app).get(PATH, min_id=shown[1], limit=2)) == [*last, shown[0]]
    assert ids(ann.get(PATH, min_id=shown[1], limit=2)) == [hidden[2], shown[0]]


def test_a_gap_among_pictures_is_filled_from_below(clients: Clients) -> None:
    ann, ben = clients
    posts = (with_picture(ann, visibility=name) for name in ("public", "public", "direct"))
    posted = post_each(ann, *posts, with_picture(ann), with_picture(ann))
    found = ids(ben.get(PATH, min_id=posted[4], limit=2, only_media="true"))
    assert found == [posted[1], posted[3]]


def test_pictures_are_narrowed_as_other_statuses_are(clients: Clients) -> None:
    ann, ben = clients
    first = ben.post("v1/statuses", status="hm")["id"]
    reply, tagged, other = (
        with_picture(ann, status="look", in_reply_to_id=first),
        with_picture(ann, status="#Birds"),
        with_picture(ann, status="#fish"),
    )
    posted = post_each(ann, reply, tagged, other)
    assert ids(ben.get(PATH, only_media="true")) == posted
    assert ids(ben.get(PATH, only_media="true", exclude_replies="true")) == posted[:2]
    assert ids(ben.get(PATH, only_media="true", tagged="birds")) == posted[1:2]


def test_a_pinned_status_also_stands_where_it_was_posted(clients: Clients) -> None:
    ann, ben = clients
    posted = post_each(ann, *({"status": f"number {at}"} for at in range(3)))
    ann.post(f"v1/statuses/{posted[1]}/pin")
    assert ids(ben.get(PATH, pinned="true")) == posted[1:2]
    assert ids(ben.get(PATH)) == ids(ben.get(PATH, exclude_replies="true")) == posted


def test_pinned_statuses_are_paged(clients: Clients) -> None:
    ann, ben = clients
    newest, middle, oldest = post_each(ann, *({"status": f"number {at}"} for at in range(3)))
    for status_id in (newest, oldest, middle):
        ann.post(f"v1/statuses/{status_id}/pin")
    asked = {"pinned": "true", "limit": 2}
    assert ids(ben.get(PATH, pinned="true")) == [middle, oldest, newest], "pinned last first"
    assert ids(ben.get(PATH, **asked)) == [middle, newest]
    below = links(ben, PATH, **asked)["next"].removeprefix("http://localhost/api/")
    assert ids(ben.get(below)) == [oldest]
    assert "next" not in links(ben, below)
    assert ids(ben.get(PATH, **asked, min_id=oldest)) == [middle, newest]
