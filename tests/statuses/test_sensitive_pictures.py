"""Pictures that their author marks as sensitive: covered everywhere, without a warning's words."""

from typing import Any

from flask.testing import FlaskClient

from tests.conftest import SignUp
from tests.support.full_site import picture_file

COVER = "<summary>Sensitive pictures</summary>"


def post_picture(client: FlaskClient, **fields: Any) -> str:
    """Post a picture. Return the path of the post."""
    sent = {"text": "look", "key": "form-key-1", "pictures": picture_file(), "alt": "a hat"}
    client.post("/statuses", data={**sent, **fields}, content_type="multipart/form-data")
    page = client.get("/@ann").text
    return page.partition('class="status-time" href="')[2].partition('"')[0]


def test_sensitive_pictures_are_covered_on_every_page(client: FlaskClient, member: SignUp) -> None:
    ann = member("ann")
    path = post_picture(ann, sensitive="y")
    for page in ("/home", "/@ann", path, "/public"):
        assert COVER in ann.get(page).text, page
    assert COVER in client.get(path).text
    assert "Sensitive pictures" in ann.get("/@ann/media").text
    tile = ann.get("/@ann/media").text.partition('class="tile')[2].partition("</a>")[0]
    assert "<img" not in tile
    assert "enclosure" not in client.get("/@ann/feed.atom").text
    shared = client.get(path).text
    assert 'property="og:image"' in shared and "a hat" not in shared.partition("</head>")[0]
    ann.post("/statuses", data={"text": "q", "key": "form-key-2", "quote": path.rpartition("/")[2]})
    quoted = ann.get("/home").text.partition("post-card-by")[2].partition("</a>")[0]
    assert "1 picture" in quoted and "<img" not in quoted.partition("post-card-text")[2]


def test_feeds_leave_out_pictures_that_readers_cannot_open(ann: FlaskClient) -> None:
    post_picture(ann, visibility="followers")
    address = ann.post("/settings/home/feed").text.partition("<code>")[2].partition("</code>")[0]
    feed = ann.get(address.removeprefix("http://localhost")).text
    assert "look" in feed and "enclosure" not in feed


def test_the_mark_is_changed_at_any_time_and_kept_in_drafts(ann: FlaskClient) -> None:
    path = post_picture(ann)
    assert COVER not in ann.get(path).text
    form = {"text": "look", "version": "0", "alt": "a hat", "focus": ""}
    ann.post(f"{path}/edit", data={**form, "sensitive": "y"})
    assert COVER in ann.get(path).text and "status-edited" not in ann.get(path).text
    assert 'name="sensitive" type="checkbox" value="y"' in ann.get(f"{path}/edit").text
    ann.post(f"{path}/edit", data=form)
    assert COVER not in ann.get(path).text
    draft = {"text": "later", "key": "draft-key-1", "sensitive": "y", "draft": "1"}
    ann.post("/drafts", data=draft)
    assert "checked" in ann.get("/drafts/draft-key-1").text.partition('name="sensitive"')[0][-60:]


def test_a_warning_covers_them_already(ann: FlaskClient) -> None:
    path = post_picture(ann, sensitive="y", cw="hats")
    page = ann.get(path).text
    assert COVER not in page and page.count('<details class="status-cw">') == 1
