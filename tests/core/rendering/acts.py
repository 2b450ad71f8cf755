"""What ann and ben can do that changes ben's home, in which ann's only post is."""

from collections.abc import Callable

from flask.testing import FlaskClient

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
