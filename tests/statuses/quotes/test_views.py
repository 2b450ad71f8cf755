"""Quotes on pages: posting, cards, refusals, detaching, cached pages, settings, streams."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import make_app
from tests.support import worker
from tests.support.cached_site import CachedSite, cached_page_keys, comparable
from tests.support.page_parts import articles, fragment_cache
from tests.support.pages import check_error, post_status, status_ids
from tests.support.world import Web
from webapp.accounts import lifecycle, profile
from webapp.accounts.store import uid_by_login
from webapp.core.text.parser import parse
from webapp.following.blocks import store as blocks
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.filters import filter_set, store as filters
from webapp.statuses.quotes import store as quotes
from webapp.streaming.serializers.statuses import status_json
from webapp.streaming.translation.related_reads import load_related

NOT_AVAILABLE = "This post isn’t available."


@pytest.fixture
def site(web: Web) -> CachedSite:
    """Return a site where Ben follows Ann, with one status of each."""
    return CachedSite(web.app, web.member)


def first_card(page: str) -> str:
    """Return the text of the first quote card on a page."""
    found = re.search(r'<(a|p) class="post-card.*?</\1>', page, re.DOTALL)
    assert found
    return " ".join(re.sub("<svg.*?</svg>|<[^>]+>", " ", found[0]).split())


def select_options(page: str, name: str) -> tuple[list[str], str]:
    """Return the options of a select, and the selected one."""
    found = re.search(rf'<select [^>]*name="{name}".*?</select>', page, re.DOTALL)
    assert found
    options = re.findall(r'<option( selected)? value="(\w+)"', found[0])
    return [value for _, value in options], next(value for selected, value in options if selected)


def post_quote(client: FlaskClient, quoted: int, text: str = "look", **form: str) -> TestResponse:
    return client.post("/statuses", data={"text": text, "quote": str(quoted), **form})


def test_a_member_quotes_through_the_form_and_everybody_sees_the_card(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    quoted = post_status(ann, "a song <b>")
    link = f'href="/statuses/new?quote={quoted}"'
    assert all(
        link in viewer.get(path).text
        for viewer in (ann, ben)
        for path in ("/public", f"/@ann/{quoted}")
    )
    assert link not in web.client.get("/public").text
    form = ben.get(f"/statuses/new?quote={quoted}")
    assert form.status_code == 200
    assert f'name="quote" value="{quoted}" checked' in form.text
    assert "a song &lt;b&gt;" in first_card(form.text)
    assert "<title>Quote post" in form.text
    assert post_quote(ben, quoted).status_code == 303
    quote_id = status_ids(ben.get("/@ben"))[0]
    for path in (
        "/public",
        "/@ben",
        f"/@ben/{quote_id}",
        f"/statuses?ids={quote_id}",
        f"/@ann/{quoted}/quotes",
    ):
        for viewer in (web.client, ann, ben):
            assert "a song &lt;b&gt;" in first_card(articles(viewer, path)[quote_id]), path
    assert "a song &lt;b&gt;" in first_card(articles(ben, "/home")[quote_id])
    assert "<b>1</b> quote" in web.client.get(f"/@ann/{quoted}").text
    assert f'href="/@ann/{quoted}/quotes"' in web.client.get(f"/@ann/{quoted}").text
    assert "</svg> <b>1<" in articles(ann, "/public")[quoted].partition("action-quote")[2]
    assert status_ids(ann.get("/@ann"))
    assert post_quote(ann, quote_id, "see").status_code == 303
    outer_id = status_ids(ann.get("/@ann"))[0]
    page = articles(web.client, "/@ann")[outer_id]
    # One card, without a nested one.
    assert "look Quotes another post" in first_card(page) and "a song" not in page
    found = web.client.get(f"/@ann/{quoted}/quotes", headers={"Accept-Language": "zh"}).status_code
    assert found == 200
    assert web.client.get(f"/@ANN/{quoted}/quotes").location == f"/@ann/{quoted}/quotes"
    assert (
        web.client.get(f"/@ben/{quoted}/quotes").status_code
        == web.client.get("/@ann/1/quotes").status_code
        == 404
    )


def test_a_refused_quote_comes_back_with_its_text_and_the_reason(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    refusals = {
        "nobody": "The author doesn’t let others",
        "followers": "Only the author’s followers",
    }
    for policy, why in refusals.items():
        ann.post("/statuses", data={"text": f"for {policy}", "quote_policy": policy})
        quoted = status_ids(ann.get("/@ann"))[0]
        # The link does not check follows.
        assert (f"new?quote={quoted}" in ben.get("/@ann").text) == (policy == "followers")
        assert f"new?quote={quoted}" in ann.get("/@ann").text
        form = ben.get(f"/statuses/new?quote={quoted}")
        assert form.status_code == 403
        assert why in form.text
        assert 'name="quote"' not in form.text
        response = post_quote(ben, quoted, "my words")
        assert response.status_code == 403 and why in response.text
        assert ">my words</textarea>" in response.text.replace("\r\n", "")
        assert f'value="{quoted}" checked' in response.text
    ben.post("/@ann/follow")
    assert post_quote(ben, quoted, "my words").status_code == 303
    for other, status in ((quoted + 64_000, 404), ("x", 422), (0, 422)):
        response = ben.post("/statuses", data={"text": "my words", "quote": str(other)})
        assert response.status_code == status, other
        assert "my words</textarea>" in response.text, other
    assert ben.get("/statuses/new?quote=1").status_code == 404
    assert ben.get("/statuses/new?quote=x").status_code == 200
    response = ben.post("/statuses", data={"text": "hm", "quote_policy": "noise"})
    assert response.status_code == 422
    response = ben.post(
        "/statuses", data={"text": "x" * 281, "quote": str(quoted), "quote_policy": "nobody"}
    )
    assert select_options(response.text, "quote_policy")[1] == "nobody"


def test_the_quoted_author_detaches_and_reattaches(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("ben"), web.member("cid")
    quoted = post_status(ann, "a song")
    post_quote(ben, quoted)
    quote_id = status_ids(ben.get("/@ben"))[0]
    places = (f"/@ann/{quoted}/quotes", f"/@ben/{quote_id}")
    for path in places:
        assert f'formaction="/statuses/{quote_id}/detach"' in ann.get(path).text
        assert all(
            f"/statuses/{quote_id}/detach" not in viewer.get(path).text
            for viewer in (web.client, ben, cid)
        )
    for other in (ben, cid):
        assert other.post(f"/statuses/{quote_id}/detach").status_code == 404
    response = ann.post(f"/statuses/{quote_id}/detach", data={"next": places[0]})
    assert (response.status_code, response.location) == (303, f"{places[0]}#status-{quote_id}")
    assert ann.post(f"/statuses/{quote_id}/detach").status_code == 303
    for path in places:
        assert f'formaction="/statuses/{quote_id}/reattach"' in ann.get(path).text
        for viewer in (web.client, ann, ben):
            assert first_card(articles(viewer, path)[quote_id]) == NOT_AVAILABLE
    for way in ({"method": "DELETE", "path": "detach"}, {"method": "POST", "path": "reattach"}):
        found = ann.open(f"/statuses/{quote_id}/{way['path']}", method=way["method"]).status_code
        assert found == 303
        assert "a song" in first_card(articles(web.client, places[1])[quote_id])
    assert ann.post("/statuses/x/detach").status_code == 404
    assert web.client.post(f"/statuses/{quote_id}/detach").status_code in (303, 401)


GONE: dict[str, Callable[[CachedSite], object]] = {
    "detaching": lambda s: quotes.detach(s, s.ann, s.quote),
    "deleting": lambda s: statuses.delete(s, s.ann, s.anns_status),
    "suspending": lambda s: lifecycle.suspend(s, s.ann),
    "removing": lambda s: lifecycle.delete_account(s, s.ann, None),
    "editing": lambda s: editing.edit(s, s.ann, s.anns_status, parse("other words"), "", "0"),
}
SHOWS: dict[str, Callable[[CachedSite], object]] = {
    "another name": lambda s: profile.edit(s, s.ann, {"name": "Queen Ann"}),
    "blocking": lambda s: blocks.block(s, s.ann, "ben"),
}


@pytest.mark.slow
@pytest.mark.parametrize("action", [*GONE, *SHOWS])
def test_changes_to_the_quoted_status_invalidate_cached_pages(
    site: CachedSite, action: str
) -> None:
    site.quote = statuses.post(site, site.ben, parse("look"), "form-quote", quote=site.anns_status)
    site.apply_events()
    paths = [
        "/",
        "/public",
        "/@ben",
        "/@ben/replies",
        f"/@ben/{site.quote}",
        f"/statuses?ids={site.quote}",
    ]
    paths.append(f"/@ann/{site.anns_status}/quotes")
    for path in paths:
        assert "from Ann" in first_card(articles(site.app.test_client(), path)[site.quote]), path
    assert len(cached_page_keys(site.db)) >= len(paths)
    (GONE | SHOWS)[action](site)
    site.apply_events()
    plain = make_app(replace(site.config, page_cache_bytes=0))
    for path in paths:
        html = site.view(path)
        assert comparable(html) == comparable(plain.test_client().get(path).text), path
        if action in GONE and f'id="status-{site.quote}"' in html:
            assert "from Ann" not in first_card(
                articles(site.app.test_client(), path)[site.quote]
            ), path
    if action == "detaching":
        quotes.reattach(site, site.ann, site.quote)
        site.apply_events()
        assert "from Ann" in first_card(site.view(f"/@ben/{site.quote}"))
    plain.extensions["linnet.db"].close()


def test_deletion_invalidates_pages_cached_before_projections_ran(site: CachedSite) -> None:
    quote_id = statuses.post(site, site.ben, parse("look"), "form-quote", quote=site.anns_status)
    path = f"/@ben/{quote_id}"
    assert "from Ann" in first_card(articles(site.app.test_client(), path)[quote_id])
    assert any(path in key for key in cached_page_keys(site.db))
    statuses.delete(site, site.ann, site.anns_status)
    worker.drain(site)
    assert first_card(site.view(path)) == NOT_AVAILABLE


def test_a_warning_hides_the_card_with_the_text(ann: FlaskClient, ben: FlaskClient) -> None:
    quoted = post_status(ann, "a song")
    post_quote(ben, quoted, cw="spiders")
    page = articles(ann, "/@ben")[status_ids(ben.get("/@ben"))[0]]
    inside = re.search("<details class=.status-cw.*?</details>", page, re.DOTALL)
    assert inside
    assert "look" in inside[0]
    assert "a song" in inside[0]
    assert page.count("a song") == 1
    ann.post("/statuses", data={"text": "eight legs", "cw": "spiders"})
    post_quote(ben, status_ids(ann.get("/@ann"))[0], "see")
    assert "Warning: spiders" in ben.get("/@ben").text
    assert "eight legs" not in ben.get("/@ben").text


def test_cached_fragments_do_not_depend_on_the_viewer(web: Web) -> None:
    ann, ben, cid = web.member("ann"), web.member("ben"), web.member("cid")
    quoted = post_status(ann, "a song")
    post_quote(ben, quoted)
    quote_id = status_ids(ben.get("/@ben"))[0]
    assert "a song" in articles(cid, "/@ben")[quote_id]
    before = len(fragment_cache(web.app).cache)
    assert (
        "a song" in articles(ann, "/@ben")[quote_id]
        and len(fragment_cache(web.app).cache) <= before + 1
    )  # her own menu
    cid.post("/@ann/block")
    assert first_card(articles(cid, "/@ben")[quote_id]) == NOT_AVAILABLE
    assert "a song" in articles(web.app.test_client(), "/@ben")[quote_id]
    cid.post("/@ann/unblock")
    cid.post("/@ann/mute", data={"hours": "0"})
    assert (
        "a song" not in articles(cid, "/@ben")[quote_id]
        or "@ann. You’ve muted them" in articles(cid, "/@ben")[quote_id]
    )


def test_the_settings_offer_a_default_quote_policy(ann: FlaskClient, ben: FlaskClient) -> None:
    for page in ("/home", "/statuses/new"):
        expected = (["everyone", "followers", "nobody"], "everyone")
        assert select_options(ann.get(page).text, "quote_policy") == expected
    assert ann.post("/settings/privacy", data={"quote_policy": "nobody"}).status_code == 303
    assert ann.post("/settings/privacy", data={"quote_policy": "noise"}).status_code == 422
    ann.post("/settings/privacy", data={"protected": ""})
    assert select_options(ann.get("/settings/privacy").text, "quote_policy")[1] == "nobody"
    for page in ("/home", "/statuses/new", "/settings/privacy"):
        assert select_options(ann.get(page).text, "quote_policy")[1] == "nobody", page
        assert (
            page == "/settings/privacy"
            or select_options(ben.get(page).text, "quote_policy")[1] == "everyone"
        ), page
    for chosen in ({}, {"quote_policy": "everyone"}):
        ann.post("/statuses", data={"text": f"a song {chosen}", **chosen})
        quoted = status_ids(ann.get("/@ann"))[0]
        assert post_quote(ben, quoted).status_code == (303 if chosen else 403)


def offered_policies(client: FlaskClient, page: str) -> tuple[list[str], list[str]]:
    """Return the policies in the menu of a status, and the one that holds."""
    menu = client.get(f"{page}/menu").text
    buttons = re.findall(r'name="quote_policy"\s+value="(\w+)"\s+aria-pressed="(\w+)"', menu)
    return [value for value, _ in buttons], [value for value, on in buttons if on == "true"]


def test_the_author_changes_the_quote_policy_in_the_menu(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    quoted = post_status(ann, "a song")
    page, action = f"/@ann/{quoted}", f"/statuses/{quoted}/quote-policy"
    for viewer in (ben, web.client):
        assert action not in viewer.get(f"{page}/menu").text
    expected = {
        "nobody": "No one else can quote",
        "followers": "Your followers can",
        "everyone": "Everyone can quote",
    }
    for policy, sentence in expected.items():
        response = ann.post(action, data={"quote_policy": policy, "next": page})
        assert response.status_code == 303
        assert response.location == f"{page}#status-{quoted}"
        assert sentence in ann.get(page).text
        assert offered_policies(ann, page) == (["everyone", "followers", "nobody"], [policy])
        for path in ("/@ann", "/public", page):
            assert (f"new?quote={quoted}" in ben.get(path).text) == (policy != "nobody"), path
    for wrong in ({"quote_policy": "noise"}, {}):
        answer = ann.post(action, data=wrong)
        check_error(answer, 422, "Choose from the list who can quote this post.")
    answer = ben.post(action, data={"quote_policy": "nobody"})
    check_error(answer, 403, "Only the author can do that.")
    check_error(ann.post("/statuses/1/quote-policy", data={"quote_policy": "nobody"}), 404)
    check_error(ann.post("/statuses/x/quote-policy", data={"quote_policy": "nobody"}), 404)
    assert offered_policies(ann, page)[1] == ["everyone"]
    ann.post("/statuses", data={"text": "for few", "visibility": "followers"})
    few = status_ids(ann.get("/@ann"))[0]
    assert f"/statuses/{few}/quote-policy" not in ann.get(f"/@ann/{few}/menu").text, (
        "a restricted status offers no quote policy"
    )
    check_error(ben.post(f"/statuses/{few}/quote-policy", data={"quote_policy": "nobody"}), 404)


def test_a_draft_keeps_its_quote_and_quote_policy(ann: FlaskClient, ben: FlaskClient) -> None:
    quoted = post_status(ann, "a song")
    fields = {
        "text": "look",
        "quote": str(quoted),
        "quote_policy": "followers",
        "key": "form-of-draft",
    }
    assert ben.post("/drafts", data=fields).status_code == 303
    page = ben.get("/drafts/form-of-draft").text
    assert "a song" in first_card(page)
    assert f'name="quote" value="{quoted}" checked' in page
    assert select_options(page, "quote_policy")[1] == "followers"
    ann.post(f"/statuses/{quoted}/delete")
    page = ben.get("/drafts/form-of-draft").text
    assert first_card(page) == NOT_AVAILABLE and "look" in page
    without = {name: value for name, value in fields.items() if name != "quote"}
    assert ben.post("/statuses", data=without).status_code == 303  # the mark taken away


def test_a_quote_notifies_the_author_and_streams_name_the_quoted_status(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    quoted = post_status(ann, "a song")
    post_quote(ben, quoted, "look what a song")
    quote_id = status_ids(ben.get("/@ben"))[0]
    for tab in ("", "/mentions"):
        page = ann.get(f"/notifications{tab}").text
        assert "quoted you" in page and f'href="/@ben/{quote_id}"' in page
    assert "quoted you" not in ann.get("/notifications/likes").text
    entries = [
        (quoted, web.db.read(uid_by_login("ann"))),
        (quote_id, web.db.read(uid_by_login("ben"))),
    ]
    related = load_related(web.db, entries)
    bodies = [
        status_json(related.statuses[status_id], related, "https://bird.example")
        for status_id, uid in entries
    ]
    assert [body["is_quote_status"] for body in bodies] == [False, True]
    assert "quoted_status_id" not in bodies[0]
    expected = (quoted, str(quoted))
    assert (bodies[1]["quoted_status_id"], bodies[1]["quoted_status_id_str"]) == expected


def test_a_filter_matches_the_text_of_a_card(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    post_quote(ben, post_status(ann, "eight hairy legs"))
    quote_id, db = status_ids(ben.get("/@ben"))[0], web.db
    assert "filtered" not in articles(ann, "/@ben")[quote_id]
    cid = web.member("cid")
    filters.save(web, db.read(uid_by_login("cid")), filter_set.Filter("hairy"))
    page = articles(cid, "/@ben")[quote_id]
    warned = re.search('<details class="filtered">.*?</details>', page, re.DOTALL)
    assert warned
    assert "eight hairy legs" in warned[0]
    assert page.count("eight hairy legs") == 1


def test_the_quoted_author_can_open_a_filtered_quote(ann: FlaskClient, ben: FlaskClient) -> None:
    quoted = post_status(ann, "a song")
    assert post_quote(ben, quoted, "seeds").status_code == 303
    quote_id = status_ids(ben.get("/@ben"))[0]
    form = {"words": "seeds", "thread": "y", "filter_action": "hide", "expires_in": "always"}
    ann.post("/settings/filters", data=form)
    page = ann.get(f"/@ben/{quote_id}")
    assert page.status_code == 200
    assert "a song" in first_card(page.text)
    assert "Remove my post from this quote" in page.text


def test_the_page_of_quotes_follows_filters_of_threads(
    ann: FlaskClient, ben: FlaskClient, web: Web
) -> None:
    quoted = post_status(ann, "a song")
    post_quote(ben, quoted, "hairy legs")
    cid, path = web.member("cid"), f"/@ann/{quoted}/quotes"
    form = {"words": "hairy", "thread": "y", "filter_action": "warn", "expires_in": "always"}
    cid.post("/settings/filters", data=form)
    assert '<details class="filtered">' in cid.get(path).text
    cid.post("/settings/filters", data={**form, "words": "legs", "filter_action": "hide"})
    assert status_ids(cid.get(path)) == [] and len(status_ids(ann.get(path))) == 1
