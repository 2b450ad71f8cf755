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


def views_that_name(web: Web, status_id: int) -> list[str]:
    """Return the views in which visitors find anything of a post."""
    contents = {view: read(web.client, status_id) for view, read in VIEWS.items()}
    return [
        view
        for view, content in contents.items()
        if (content if view == "picture" else str(status_id) in content)
    ]


def test_a_warning_is_labelled_and_hides_text_and_pictures(web: Web) -> None:
    ann = web.member("ann")
    form = {"text": "reeds in #marsh", "cw": "spiders", "alt": "a reed"}
    ann.post("/statuses", data={**form, "pictures": (png_file(), "a.png")})
    [posted] = status_ids(ann.get("/@ann"))
    for view, read in TEXTS.items():
        content = read(web.client, posted)
        if view == "frame":
            content, _, behind = content.partition("</summary>")
            assert "reeds in" in behind and "a reed" in behind
            content = re.sub("</?(span|bdi)[^>]*>", "", content)
        assert "Warning: spiders" in unescape(content), view
        assert "reeds in" not in content, view
        assert "a reed" not in content and "/media/posts/" not in content, view


def test_an_edit_changes_what_programs_read(web: Web) -> None:
    ann = web.member("ann")
    posted = post_status(ann, "reeds in #marsh")
    before = {view: read(web.client, posted) for view, read in VIEWS.items()}
    assert all("reeds in" in before[view] for view in TEXTS)
    text = "wings over reeds #marsh\n" + "and more\n" * 5
    edit = {"text": text, "version": "0"}
    assert ann.post(f"/@ann/{posted}/edit", data=edit).status_code == 303
    for view, read in VIEWS.items():
        after = read(web.client, posted)
        assert after and after != before[view], view
        if view in TEXTS:
            assert "wings over" in after and "reeds in" not in after, view


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


@pytest.mark.parametrize("change", ["deleted", "protected", "suspended", "account deleted"])
def test_nothing_is_read_of_a_post_that_visitors_may_not_see(change: str, web: Web) -> None:
    ann = web.member("ann")
    posted = post_status(ann, "reeds in #marsh")
    assert views_that_name(web, posted) == [*VIEWS]
    if change == "deleted":
        ann.post(f"/statuses/{posted}/delete")
    elif change == "account deleted":
        lifecycle.delete_account(web, 1, None)
    else:
        do = lifecycle.protect if change == "protected" else lifecycle.suspend
        do(web, 1, True)
    web.app.test_client().get("/")  # applies the event
    assert set(views_that_name(web, posted)) <= {"site map"}
    pagecache.delete_pages(web.db)  # the site map has addresses only, and is some minutes old
    assert views_that_name(web, posted) == []


def test_a_restricted_post_was_never_there(web: Web) -> None:
    ann = web.member("ann")
    for visibility in ("followers", "mentioned"):
        posted = post_status(ann, "reeds in #marsh", visibility=visibility)
        assert views_that_name(web, posted) == [], visibility


def test_a_detached_quote_is_not_shown(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    quoted = post_status(ben, "bens secret")
    posted = post_status(ann, "look, reeds #marsh", quote=str(quoted))
    reads = {view: read for view, read in TEXTS.items() if view != "/public.atom"}  # has both posts
    for view, read in reads.items():
        assert ("bens secret" in read(web.client, posted)) == (view == "frame"), view
    assert ben.post(f"/statuses/{posted}/detach").status_code == 303
    for view, read in reads.items():
        after = read(web.client, posted)
        assert "bens secret" not in after and "look, reeds" in after, view
