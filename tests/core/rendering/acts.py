"""What ann and ben can do that changes ben's home, in which ann's only post is."""

from collections.abc import Callable

from flask.testing import FlaskClient

from tests.support.pages import post_status
from tests.support.statuses.filters import FORM

Act = Callable[[FlaskClient, FlaskClient, int], object]
ACTS: dict[str, Act] = {
    "a post": lambda ann, ben, status: post_status(ann, "another song"),
    "an edit": lambda ann, ben, status: ann.post(f"/@ann/{status}/edit", data={"text": "hush"}),
    "a like of another": lambda ann, ben, status: ann.post(f"/statuses/{status}/like"),
    "a like": lambda ann, ben, status: ben.post(f"/statuses/{status}/like"),
    "a bookmark": lambda ann, ben, status: ben.post(f"/statuses/{status}/bookmark"),
    "a reply": lambda ann, ben, status: post_status(ann, "@ben hush", reply=str(status)),
    "a name": lambda ann, ben, status: ann.post("/settings/profile", data={"name": "Anna"}),
    "a filter": lambda ann, ben, status: ben.post(
        "/settings/filters", data=FORM | {"words": "song"}
    ),
    "a block": lambda ann, ben, status: ann.post("/@ben/block"),
    "a deletion": lambda ann, ben, status: ann.post(f"/statuses/{status}/delete"),
    "a theme": lambda ann, ben, status: ben.set_cookie("linnet_theme", "dark"),
    "hidden numbers": lambda ann, ben, status: ben.set_cookie("linnet_counts", "off"),
    "a language": lambda ann, ben, status: ben.set_cookie("linnet_lang", "zh"),
}
