"""What ann and ben can do that changes ben's home, in which ann's only post is."""

from collections.abc import Callable

from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.pages import post_status
from tests.support.statuses.filters import FORM

Act = Callable[[FlaskClient, FlaskClient, int], object]
ACTS: dict[str, Act] = {
    "a post": lambda author, reader, status: post_status(author, "another song"),
    "an edit": lambda author, reader, status: author.post(
        f"/@ann/{status}/edit", data={"text": "hush"}
    ),
    "a like of another": lambda author, reader, status: author.post(f"/statuses/{status}/like"),
    "a like": lambda author, reader, status: reader.post(f"/statuses/{status}/like"),
    "a bookmark": lambda author, reader, status: reader.post(f"/statuses/{status}/bookmark"),
    "a reply": lambda author, reader, status: post_status(author, "@ben hush", reply=str(status)),
    "a name": lambda author, reader, status: author.post(
        "/settings/profile", data={"name": "Anna"}
    ),
    "a filter": lambda author, reader, status: reader.post(
        "/settings/filters", data=FORM | {"words": "song"}
    ),
    "a block": lambda author, reader, status: author.post("/@ben/block"),
    "a deletion": lambda author, reader, status: author.post(f"/statuses/{status}/delete"),
    "a theme": lambda author, reader, status: reader.set_cookie("linnet_theme", "dark"),
    "hidden numbers": lambda author, reader, status: reader.set_cookie("linnet_counts", "off"),
    "a language": lambda author, reader, status: reader.set_cookie("linnet_lang", "zh"),
}
# Acts that change other pages of ben's, or not his home alone.
OTHER_ACTS: dict[str, Act] = {
    "a deletion of the account": lambda author, reader, status: author.post(
        "/settings/delete", data={"password": PASSWORD}
    ),
    "a protection": lambda author, reader, status: author.post(
        "/settings/privacy", data={"protected": "y"}
    ),
    "an unfollow": lambda author, reader, status: reader.post("/@ann/unfollow"),
    "a block by the reader": lambda author, reader, status: reader.post("/@ann/block"),
    "a mute for an hour": lambda author, reader, status: reader.post(
        "/@ann/mute", data={"time": "hour"}
    ),
    "hidden boosts": lambda author, reader, status: reader.post("/@ann/hide-boosts"),
    "a boost": lambda author, reader, status: author.post(f"/statuses/{status}/boost"),
    "a boost by the reader": lambda author, reader, status: reader.post(
        f"/statuses/{status}/boost"
    ),
    "a pin": lambda author, reader, status: author.post(f"/statuses/{status}/pin"),
    "a poll": lambda author, reader, status: post_status(
        author, "which song?", option1="Trill", option2="Chirp", poll_minutes="60"
    ),
    "a followed hashtag": lambda author, reader, status: reader.post("/tags/reeds/follow"),
    "a muted hashtag": lambda author, reader, status: reader.post("/tags/reeds/mute"),
    "a list as a tab": lambda author, reader, status: (
        reader.post("/lists", data={"name": "singers"}),
        reader.post("/lists/1/pin"),
    ),
    "a position": lambda author, reader, status: reader.post("/home/position", data={"id": status}),
    "first steps": lambda author, reader, status: reader.post("/welcome/finish"),
    "a username": lambda author, reader, status: author.post(
        "/settings/username", data={"login": "anna", "current": PASSWORD}
    ),
    "a message": lambda author, reader, status: author.post(
        "/chats/1-2/messages", data={"text": "hello"}
    ),
    "a note": lambda author, reader, status: reader.post("/@ann/note", data={"note": "sings"}),
    "a home without boosts": lambda author, reader, status: reader.post(
        "/settings/home", data={"hides_boosts": "y"}
    ),
}
