"""Show what members write as plain text."""

import re

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD, long
from tests.support.hostile.pages import PageReader, check_response
from tests.support.hostile.site import AttackedSite, snapshot
from tests.support.hostile.values import MARKUP
from webapp.statuses import keys as status_keys

NAMES = [
    *(" ".join(text.split())[:44] for text in MARKUP),
    "\u05d0\u200f\u202e<b>\u0627",
    "\u202eevil\u05d0",
]
TURNING_CHARACTERS = re.compile("[\u202a-\u202e]")  # they change the direction of a line
ANNS_PAGES = ("/settings/profile", "/settings/tokens", "/settings/sessions", "/home", "/@ann")
BENS_PAGES = ("/@ann", "/home", "/settings/sessions", "/settings/filters", "/settings/mutes")
VISITORS_PAGES = ("/", "/public", "/@ann", "/@ben/followers", "/@ben/following", "/@ben/replies")


@pytest.mark.parametrize(("language", "step"), [long("en", 1), ("zh", 2), long("zh", 1)])
def test_markup_is_escaped_wherever_it_appears(
    site: AttackedSite, language: str, step: int
) -> None:
    site.ben.post("/@ann/follow")
    site.ann.post("/@ben/follow")
    visitor = site.app.test_client()
    for client in (site.ann, site.ben, visitor):
        client.set_cookie("linnet_lang", language)
    for number, text in enumerate(NAMES[::step]):
        name = as_name(f"{text} {number}")
        status_id = write_everywhere(site, name, number, f"{text} {number}")
        responses = read_everywhere(site, visitor, name, number, status_id)
        responses["requests"] = requests_page(site, name)
        responses |= refused_forms(site, visitor, name)
        for where, response in responses.items():
            page = PageReader(response.text)
            assert (page.unsafe, page.loose) == ([], []), (where, text)
            check_response(response, where)
        # The name is shown whole, as it was typed, and in one piece.
        words = PageReader(responses["ann /@ann"].text).words
        assert TURNING_CHARACTERS.sub("", name) in words, name


def as_name(text: str) -> str:
    """Return a text as a name may have it: no word of a name begins with an @."""
    return text.replace("@", "a@")


def write_everywhere(site: AttackedSite, name: str, number: int, text: str) -> str:
    """Let members put a hostile text into everything they write. Return the id of a status.

    `name`: the text as a name.
    """
    agent = {"User-Agent": f"{name.encode('ascii', 'ignore').decode()} Firefox/1.0"}
    bio = f"{text} @ben https://a.example/?q='<b>"
    profile = {"name": name, "bio": bio, "location": name[:30]}
    status = {"text": f"{text}\n\u202eb", "option1": name, "option2": f"b{name}"[:50]}
    member = {"login": f"bird{number}", "name": name, "password": PASSWORD}
    keyword_filter = {"words": name, "home": "y", "filter_action": "warn", "expires_in": "always"}
    assert site.ann.post("/settings/profile", data=profile, headers=agent).status_code == 303, name
    assert site.ann.post("/statuses", data=status).status_code == 303
    site.ann.post("/settings/tokens", data={"name": name})
    assert site.app.test_client().post("/signup", data=member).status_code == 303
    login = {"login": "ben", "password": PASSWORD}
    site.app.test_client().post("/login", data=login, headers=agent)
    status_id = site.newest(1, status_keys.profile_statuses(1))
    site.ben.post("/login", data={"login": name, "password": name, "next": name})
    site.ben.post("/statuses", data={"text": f"@ann {text}", "reply": status_id})
    site.ben.post("/settings/filters", data=keyword_filter)
    site.ben.post(f"/@bird{number}/mute", data={"time": name if number % 2 else "day"})
    return status_id


def read_everywhere(
    site: AttackedSite, visitor: FlaskClient, name: str, number: int, status_id: str
) -> dict[str, TestResponse]:
    """Return the pages that show the text, by viewer and path."""
    status = f"/@ann/{status_id}"
    paths = {
        "ann": (site.ann, [*ANNS_PAGES, status]),
        "ben": (site.ben, [*BENS_PAGES, status, f"/@bird{number}"]),
        "visitor": (
            visitor,
            [
                *VISITORS_PAGES,
                status,
                f"/statuses?ids={status_id}",
                f"/login?next=/{name}",
                f"/{name}",
                f"/@bird{number}",
                f"/tags/{name}",
            ],
        ),
    }
    return {
        f"{viewer} {path}": client.get(path)
        for viewer, (client, viewers_paths) in paths.items()
        for path in viewers_paths
    }


def requests_page(site: AttackedSite, name: str) -> TestResponse:
    """Protect Ben, let Ann ask to follow him, and return his page of requests."""
    site.ben.post("/settings/privacy", data={"protected": name})
    for action in ("unfollow", "follow"):
        site.ann.post(f"/@ben/{action}")
    page = site.ben.get("/requests")
    assert "/@ann/accept" in page.text
    site.ben.post("/settings/privacy")
    return page


def refused_forms(site: AttackedSite, visitor: FlaskClient, name: str) -> dict[str, TestResponse]:
    """Return forms that come back with the text in them."""
    names = ("name", "login", "password", "website", "next", "invite", "old", "key", "language")
    form = {**dict.fromkeys(names, name), "bio": name * 9, "text": name * 9, "new": "x"}
    responses = {
        f"refused {path}": visitor.post(path, data=form)
        for path in ("/signup", "/login", "/preferences")
    }
    for path in ("/settings/profile", "/settings/password", "/statuses"):
        responses[f"refused {path}"] = site.ann.post(path, data={**form, "reply": name})
    return responses


@pytest.mark.parametrize(
    "website",
    """
    javascript:alert(1) javascript://a.example/%0aalert(1) data:text/html,x vbscript:x
    //evil.example /\\evil.example https://:x@evil.example https://@evil.example
    https://a.example:x@evil.example https://a.example\u200f.evil https://a\u200b.example
    https://a.example/"onclick=x https://a.example/<script> https:evil https://\u3000.a
    file://a.b/ https://paypal.example\uff0f.evil https://[::1].a https://a.b:99999
    blob:https://a.b/x feed:javascript:x
    """.split(),
)
def test_a_misleading_website_is_refused(unchanged_site: AttackedSite, website: str) -> None:
    db, form = unchanged_site.db, {"name": "Wren", "website": website}
    before = snapshot(db)
    response = unchanged_site.ann.post("/settings/profile", data=form)
    assert response.status_code == 422 and "website" in response.text
    assert snapshot(db) == before


@pytest.mark.parametrize(
    "page",
    [
        "<script>x</script>",
        "<script src=//a.example/x.js></script>",
        "<p onclick=x>",
        "<a href=javascript:x>",
        "<a href=' data:x'>",
        "<form action=//a.example>",
        "<p style=x>",
        "<svg/onload=x>",
        "<iframe>",
    ],
)
def test_the_page_reader_finds_unsafe_markup(page: str) -> None:
    assert PageReader(page).unsafe


def test_the_page_reader_finds_characters_that_turn_a_line() -> None:
    assert PageReader("<p><b>\u05d0</b></p>").loose
    assert PageReader("<p><bdi>x</bdi>\u202e</p>").loose
    assert not PageReader("<p><b dir=auto>\u05d0</b> x</p><title>\u202e</title>").loose
    assert not PageReader('<p class="x">&lt;script&gt; <a href="/x">javascript:</a></p>').unsafe
