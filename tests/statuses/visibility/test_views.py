"""Visibility on pages: the form, drafts, explanations, and the page cache of visitors."""

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.pagecache import stored_pages as cached_pages
from tests.support.pages import post_status
from tests.support.schema import live_keys
from tests.support.world import Web
from webapp.accounts.store import get_many_by_login, get_or_404
from webapp.core.store import Db
from webapp.core.text.parser import parse
from webapp.statuses import Visibility, store as statuses
from webapp.statuses.drafts import store as drafts
from webapp.timelines.profile import ProfileQuery, profile_page


def uid_of(db: Db, login: str) -> int:
    return get_many_by_login(db, [login])[login].uid


def test_the_form_offers_visibilities_and_refuses_unknown_ones(web: Web) -> None:
    wren, finch = web.member("wren"), web.member("finch")
    response = wren.post("/statuses", data={"text": "a nest", "visibility": "followers"})
    assert response.status_code == 303
    home = wren.get("/home").text
    assert "Followers only" in home
    status = int(re.findall(r'id="status-(\d+)"', home)[0])
    assert finch.get(f"/@wren/{status}").status_code == 404
    page = wren.get(f"/@wren/{status}").text
    options = re.findall(r'<option [^>]*value="(\w+)"', page.partition("data-composer")[2])
    assert options[:2] == ["followers", "mentioned"]
    assert "/chats/forward" not in page
    for word in ("everybody", "PUBLIC", "f"):
        response = wren.post("/statuses", data={"text": "an egg", "visibility": word})
        assert response.status_code == 422
        assert "an egg" in response.text
    form = {"text": "wide", "reply": status, "visibility": "public"}
    response = wren.post("/statuses", data=form)
    assert response.status_code == 403
    assert "A reply can’t reach more people" in response.text


def test_a_draft_is_published_with_its_visibility(web: Web) -> None:
    wren, db = web.member("wren"), web.db
    uid = uid_of(db, "wren")
    wren.post("/drafts", data={"text": "a nest", "visibility": "mentioned", "key": "form-of-nest"})
    assert '<option selected value="mentioned">' in wren.get("/drafts/form-of-nest").text
    for form, word in (("form-of-nest", "mentioned"), ("form-of-noise", "noise")):
        draft = {"text": "a nest", "visibility": word}
        drafts.save(web, uid, form, draft, datetime.now(UTC))
    worker.publish_due(web)
    items = profile_page(web, ProfileQuery("wren", db.read(get_or_404(uid)))).timeline.items
    assert [item.visibility for item in items] == [Visibility.MENTIONED]
    assert [draft.error_code for draft in drafts.list_all(db, uid)[1]] == ["draft_invalid"]
    assert wren.get("/drafts/form-of-noise").status_code == 200


def test_pages_explain_a_block_in_both_directions(web: Web) -> None:
    finch, wren = web.member("finch"), web.member("wren")
    status = post_status(wren, "a wren sings")
    finch.post("/@wren/block")
    profile = finch.get("/@wren").text
    assert "You’ve blocked @wren" in profile
    assert 'action="/@wren/unblock"' in profile
    assert 'action="/@wren/follow"' not in profile
    assert "data-live" not in profile
    assert "You’ve blocked this member" in finch.get(f"/@wren/{status}").text
    blocker_profile = wren.get("/@finch").text
    assert "@finch doesn’t share their posts with you." in blocker_profile
    assert 'action="/@finch/follow"' not in blocker_profile
    finch.post("/@wren/unblock")
    assert "a wren sings" in finch.get("/@wren").text
    wren.post("/@finch/block")
    response = finch.get(f"/@wren/{status}")
    assert response.status_code == 403
    assert "This member doesn’t share their posts with you." in response.text
    assert finch.post(f"/statuses/{status}/bookmark").status_code == 403


def test_cached_pages_hold_no_restricted_status(web: Web) -> None:
    wren, visitor, db = web.member("wren"), web.app.test_client(), web.db
    status = web.post(uid_of(db, "wren"), "a hidden nest", visibility=Visibility.FOLLOWERS)
    web.apply_events()
    paths = [
        f"/@wren/{status}",
        "/@wren",
        f"/statuses?ids={status}",
        "/@wren/replies",
        f"/@wren/{status}/likes",
    ]
    for path in paths * 2:
        assert wren.get(path).status_code == 200
        assert "a hidden nest" not in visitor.get(path).text
    pages = [key for key in live_keys(db) if key.startswith("page:") and str(status) in key]
    fields = [field for page in pages for field in db.run(("HKEYS", page))]
    assert not [field for field in fields if not field.startswith("=")]


@pytest.mark.parametrize("action", ["protect", "delete", "suspend", "remove"])
def test_hiding_a_member_invalidates_cached_pages(web: Web, action: str) -> None:
    visitor, db = web.app.test_client(), web.db
    for login in ("wren", "ibis"):
        web.member(login)
    wren, ibis = uid_of(db, "wren"), uid_of(db, "ibis")
    parent = web.post(ibis, "an ibis wades")
    text = parse("a wren sings #song")
    reply = statuses.post(web, wren, text, "form-reply", reply=parent)
    text = parse("a wren quips #song")
    quote = statuses.post(web, wren, text, "form-quote", quote=parent)
    web.boost(ibis, quote)
    web.apply_events()
    paths = [
        f"/@wren/{reply}",
        f"/@wren/{reply}/history",
        f"/@wren/{quote}",
        f"/@wren/{quote}/history",
        "/@wren",
        "/@wren/replies",
        "/@wren/feed.atom",
        f"/statuses?ids={reply}",
        f"/statuses?ids={reply},{quote}",
        "/",
        "/public",
        "/public.atom",
        "/tags/song",
        "/tags/song.atom",
        f"/@ibis/{parent}",
        "/@ibis",
        f"/@ibis/{parent}/quotes",
    ]
    for path in paths:
        assert "a wren " in visitor.get(path).text, path
    assert len([page for page in cached_pages(db) if b"a wren " in page.text]) >= len(paths)
    actions: dict[str, Callable[[], object]] = {
        "protect": lambda: web.protect(wren),
        "delete": lambda: [statuses.delete(web, wren, status) for status in (reply, quote)],
        "suspend": lambda: web.suspend(wren),
        "remove": lambda: web.delete_account(wren, PASSWORD),
    }
    actions[action]()
    web.apply_events()
    assert [path for path in paths if "a wren " in visitor.get(path).text] == []
