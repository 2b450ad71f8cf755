"""What programs read of a post says and hides what its page does.

Programs read feeds, link previews, structured data, oEmbed, frames, drawn pictures and site maps.
"""

import re
from collections.abc import Callable
from html import unescape

import pytest
from flask.testing import FlaskClient

from tests.support import pagecache
from tests.support.chat_pages import png_file
from tests.support.pages import post_status, status_ids
from tests.support.world import Web
from webapp.accounts import lifecycle
from webapp.core.store import Site

Read = Callable[[FlaskClient, int], str]
FEEDS = ("/@ann/feed.atom", "/public.atom", "/tags/marsh.atom", "/search.atom?q=reeds")
EMPTY = ""


def read_page(path: str) -> Read:
    """Return a function that reads a page, "" if it is not for visitors."""

    def read(client: FlaskClient, status_id: int) -> str:
        response = client.get(path.format(status_id))
        return response.text if response.status_code == 200 else EMPTY

    return read


def head(client: FlaskClient, status_id: int) -> str:
    return read_page("/@ann/{}")(client, status_id).partition("</head>")[0]


def drawn_picture(client: FlaskClient, status_id: int) -> str:
    """Return the name of the picture, which changes with what is on it."""
    return client.get(f"/@ann/{status_id}/card.png").headers.get("ETag", EMPTY)


TEXTS: dict[str, Read] = {
    **{path: read_page(path) for path in FEEDS},
    "head": head,
    "frame": read_page("/@ann/{}/embed"),
}
VIEWS: dict[str, Read] = {
    **TEXTS,
    "oembed": read_page("/oembed?url=http://localhost/@ann/{}"),
    "picture": drawn_picture,
    "site map": read_page("/sitemap-posts-1.xml"),
}


def names(view: str, status_id: int, read: Read, client: FlaskClient) -> bool:
    """Return True if a view still has anything of a post."""
    content = read(client, status_id)
    return bool(content) if view == "picture" else str(status_id) in content


@pytest.mark.parametrize("view", TEXTS)
def test_a_warning_is_labelled_and_hides_text_and_pictures(view: str, web: Web) -> None:
    ann = web.member("ann")
    form = {"text": "reeds in #marsh", "cw": "spiders", "alt": "a reed"}
    ann.post("/statuses", data={**form, "pictures": (png_file(), "a.png")})
    content = TEXTS[view](web.client, status_ids(ann.get("/@ann"))[0])
    if view == "frame":
        content, _, behind = content.partition("</summary>")
        assert "reeds in" in behind and "a reed" in behind
        content = re.sub("</?(span|bdi)[^>]*>", "", content)
    assert "Warning: spiders" in unescape(content)
    assert "reeds in" not in content
    assert "a reed" not in content and "/media/posts/" not in content


@pytest.mark.parametrize("view", VIEWS)
def test_an_edit_changes_what_programs_read(view: str, web: Web) -> None:
    ann, read = web.member("ann"), VIEWS[view]
    posted = post_status(ann, "reeds in #marsh")
    before = read(web.client, posted)
    assert view not in TEXTS or "reeds in" in before
    text = "wings over reeds #marsh\n" + "and more\n" * 5
    edit = {"text": text, "version": "0"}
    assert ann.post(f"/@ann/{posted}/edit", data=edit).status_code == 303
    after = read(web.client, posted)
    assert after and after != before
    if view in TEXTS:
        assert "wings over" in after and "reeds in" not in after


def test_feeds_and_structured_data_agree_on_when_a_post_was_edited(web: Web) -> None:
    ann = web.member("ann")
    older, newer = post_status(ann, "reeds #marsh"), post_status(ann, "more reeds #marsh")
    ann.post(f"/@ann/{older}/edit", data={"text": "wings, reeds #marsh", "version": "0"})
    [edited] = re.findall('"dateModified": "([^"]+)"', head(web.client, older))
    for path in FEEDS:
        content = web.client.get(path).text
        feed, *entries = re.findall("<updated>([^<]+)</updated>", content)
        published = re.findall("<published>([^<]+)</published>", content)
        assert [entries[0], feed[:19]] == [published[0], edited[:19]]
        assert (entries[1][:19], published[1] < entries[1]) == (edited[:19], True), newer


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("change", ["deleted", "protected", "suspended", "account deleted"])
def test_nothing_is_read_of_a_post_that_visitors_may_not_see(
    view: str, change: str, web: Web
) -> None:
    ann, db, read = web.member("ann"), web.db, VIEWS[view]
    posted = post_status(ann, "reeds in #marsh")
    assert names(view, posted, read, web.client)
    if change == "deleted":
        ann.post(f"/statuses/{posted}/delete")
    elif change == "account deleted":
        lifecycle.delete_account(Site(db, web.config), 1, None)
    else:
        do = lifecycle.protect if change == "protected" else lifecycle.suspend
        do(Site(db, web.config), 1, True)
    web.app.test_client().get("/")  # applies the event
    if view == "site map":
        pagecache.delete_pages(db)  # it has addresses only, and is some minutes old
    assert not names(view, posted, read, web.client)


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("visibility", ["followers", "mentioned"])
def test_a_restricted_post_was_never_there(view: str, visibility: str, web: Web) -> None:
    posted = post_status(web.member("ann"), "reeds in #marsh", visibility=visibility)
    assert not names(view, posted, VIEWS[view], web.client)


@pytest.mark.parametrize(
    "view", sorted({*TEXTS} - {"/public.atom"})
)  # which has the quoted post too
def test_a_detached_quote_is_not_shown(view: str, web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    quoted = post_status(ben, "bens secret")
    posted = post_status(ann, "look, reeds #marsh", quote=str(quoted))
    before = TEXTS[view](web.client, posted)
    assert ("bens secret" in before) == (view == "frame")
    assert ben.post(f"/statuses/{posted}/detach").status_code == 303
    after = TEXTS[view](web.client, posted)
    assert "bens secret" not in after and "look, reeds" in after
