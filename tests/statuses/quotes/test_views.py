"""Quotes on pages: without a script, for visitors, in kept pages, in the settings, and in the streaming API."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import make_app
from tests.core.rendering.test_fragments import articles, pieces
from tests.pagecache.test_middleware import Site, kept_pages, reduced
from tests.support import worker
from tests.system.test_pages import check_error, shown, write
from webapp.accounts import lifecycle, profile
from webapp.accounts.store import uid_by_login
from webapp.config import Config
from webapp.core.text.parser import parse
from webapp.following.blocks import store as blocks
from webapp.statuses import store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.filters import store as filters
from webapp.statuses.quotes import store as quotes
from webapp.streaming.api_v1.serializers.statuses import status_json
from webapp.streaming.log.related import load_related

Join = Callable[[str], FlaskClient]
NOT_AVAILABLE = "This post is not available."


@pytest.fixture
def site(app: Flask, member: Join) -> Site:
    """Ann, whom Ben follows, with a status of hers and of his."""
    return Site(app, member)


def card(page: str) -> str:
    """The words of the first card on a page."""
    found = re.search(r'<(a|p) class="post-card.*?</\1>', page, re.DOTALL)
    assert found
    return " ".join(re.sub("<svg.*?</svg>|<[^>]+>", "", found[0]).split())


def choices(page: str, name: str) -> tuple[list[str], str]:
    """What a select offers, and what is chosen."""
    found = re.search(rf'<select [^>]*name="{name}".*?</select>', page, re.DOTALL)
    assert found
    options = re.findall(r'<option( selected)? value="(\w+)"', found[0])
    return [value for _, value in options], next(value for selected, value in options if selected)


def quote(client: FlaskClient, about: int, text: str = "look", **more: str) -> TestResponse:
    return client.post("/statuses", data={"text": text, "quote": str(about), **more})


def test_a_member_quotes_from_a_link_and_everybody_sees_the_card(
    client: FlaskClient, member: Join
) -> None:
    ann, ben = member("ann"), member("ben")
    about = write(ann, "a song <b>")
    link = f'href="/statuses/new?quote={about}"'
    assert all(
        link in one.get(path).text for one in (ann, ben) for path in ("/public", f"/@ann/{about}")
    )
    assert link not in client.get("/public").text
    form = ben.get(f"/statuses/new?quote={about}")
    assert form.status_code == 200 and f'name="quote" value="{about}" checked' in form.text
    assert "a song &lt;b&gt;" in card(form.text) and "<title>Write a quote" in form.text
    assert quote(ben, about).status_code == 303
    made = shown(ben.get("/@ben"))[0]
    for path in (
        "/public",
        "/@ben",
        f"/@ben/{made}",
        f"/statuses?ids={made}",
        f"/@ann/{about}/quotes",
    ):
        for reader in (client, ann, ben):
            assert "a song &lt;b&gt;" in card(articles(reader, path)[made]), path
    assert "a song &lt;b&gt;" in card(articles(ben, "/home")[made])
    assert "<b>1</b> quote" in client.get(f"/@ann/{about}").text
    assert f'href="/@ann/{about}/quotes"' in client.get(f"/@ann/{about}").text
    assert "</svg> 1<" in articles(ann, "/public")[about].partition("act-quote")[2]
    again = shown(ann.get("/@ann")) and quote(ann, made, "see")
    assert again.status_code == 303
    outer = shown(ann.get("/@ann"))[0]
    page = articles(client, "/@ann")[outer]
    assert (
        "look Quotes another post" in card(page) and "a song" not in page
    )  # one card, and none in it
    assert client.get(f"/@ann/{about}/quotes", headers={"Accept-Language": "zh"}).status_code == 200
    assert client.get(f"/@ANN/{about}/quotes").location == f"/@ann/{about}/quotes"
    assert (
        client.get(f"/@ben/{about}/quotes").status_code
        == client.get("/@ann/1/quotes").status_code
        == 404
    )


def test_what_may_not_be_quoted_comes_back_with_the_text_and_why(member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    closed = {
        "nobody": "The author doesn’t let others",
        "followers": "Only the author’s followers",
    }
    for word, why in closed.items():
        ann.post("/statuses", data={"text": f"for {word}", "quoting": word})
        about = shown(ann.get("/@ann"))[0]
        assert (f"new?quote={about}" in ben.get("/@ann").text) == (
            word == "followers"
        )  # whom he follows is not asked
        assert f"new?quote={about}" in ann.get("/@ann").text
        asked = ben.get(f"/statuses/new?quote={about}")
        assert asked.status_code == 403 and why in asked.text and 'name="quote"' not in asked.text
        answer = quote(ben, about, "my words")
        assert answer.status_code == 403 and why in answer.text
        assert (
            ">my words</textarea>" in answer.text.replace("\r\n", "")
            and f'value="{about}" checked' in answer.text
        )
    ben.post("/@ann/follow")
    assert quote(ben, about, "my words").status_code == 303
    for other, status in ((about + 64_000, 404), ("x", 422), (0, 422)):
        answer = ben.post("/statuses", data={"text": "my words", "quote": str(other)})
        assert answer.status_code == status and "my words</textarea>" in answer.text, other
    assert (
        ben.get("/statuses/new?quote=1").status_code == 404
        and ben.get("/statuses/new?quote=x").status_code == 200
    )
    answer = ben.post("/statuses", data={"text": "hm", "quoting": "noise"})
    assert answer.status_code == 422
    answer = ben.post(
        "/statuses", data={"text": "x" * 281, "quote": str(about), "quoting": "nobody"}
    )
    assert choices(answer.text, "quoting")[1] == "nobody"


def test_its_author_takes_a_post_out_of_a_quote_and_back(client: FlaskClient, member: Join) -> None:
    ann, ben, cid = member("ann"), member("ben"), member("cid")
    about = write(ann, "a song")
    quote(ben, about)
    made = shown(ben.get("/@ben"))[0]
    places = (f"/@ann/{about}/quotes", f"/@ben/{made}")
    for path in places:
        assert f'formaction="/statuses/{made}/detach"' in ann.get(path).text
        assert all(
            f"/statuses/{made}/detach" not in one.get(path).text for one in (client, ben, cid)
        )
    for other in (ben, cid):
        assert other.post(f"/statuses/{made}/detach").status_code == 404
    answer = ann.post(f"/statuses/{made}/detach", data={"next": places[0]})
    assert (answer.status_code, answer.location) == (303, f"{places[0]}#status-{made}")
    assert ann.post(f"/statuses/{made}/detach").status_code == 303
    for path in places:
        assert f'formaction="/statuses/{made}/reattach"' in ann.get(path).text
        for reader in (client, ann, ben):
            assert card(articles(reader, path)[made]) == NOT_AVAILABLE
    for way in ({"method": "DELETE", "path": "detach"}, {"method": "POST", "path": "reattach"}):
        assert ann.open(f"/statuses/{made}/{way['path']}", method=way["method"]).status_code == 303
        assert "a song" in card(articles(client, places[1])[made])
    assert ann.post("/statuses/x/detach").status_code == 404
    assert client.post(f"/statuses/{made}/detach").status_code in (303, 401)


GONE: dict[str, Callable[[Site], object]] = {
    "detaching": lambda s: quotes.detach(s.db, s.config, s.ann, s.quote),
    "deleting": lambda s: statuses.delete(s.db, s.config, s.ann, s.hers),
    "suspending": lambda s: lifecycle.suspend(s.db, s.config, s.ann),
    "removing": lambda s: lifecycle.delete_account(s.db, s.config, s.ann, None),
    "editing": lambda s: editing.edit(s.db, s.config, s.ann, s.hers, parse("other words"), "", "0"),
}
SHOWS: dict[str, Callable[[Site], object]] = {
    "another name": lambda s: profile.edit(s.db, s.config, s.ann, {"name": "Queen Ann"}),
    "blocking": lambda s: blocks.block(s.db, s.config, s.ann, "ben"),
}


@pytest.mark.parametrize("act", [*GONE, *SHOWS])
def test_no_kept_page_shows_what_is_not_to_be_seen_in_a_quote_any_more(
    site: Site, act: str
) -> None:
    site.quote = statuses.post(
        site.db, site.config, site.ben, parse("look"), "form-quote", quote=site.hers
    )
    site.settle()
    paths = [
        "/",
        "/public",
        "/@ben",
        "/@ben/replies",
        f"/@ben/{site.quote}",
        f"/statuses?ids={site.quote}",
    ]
    paths.append(f"/@ann/{site.hers}/quotes")
    for path in paths:
        assert "by Ann" in card(articles(site.app.test_client(), path)[site.quote]), path
    assert len(kept_pages(site.db)) >= len(paths)
    (GONE | SHOWS)[act](site)
    site.settle()
    plain = make_app(replace(site.config, page_cache_bytes=0))
    for path in paths:
        now = site.look(path)
        assert reduced(now) == reduced(plain.test_client().get(path).text), path
        if act in GONE and f'id="status-{site.quote}"' in now:
            assert "by Ann" not in card(articles(site.app.test_client(), path)[site.quote]), path
    if act == "detaching":
        quotes.reattach(site.db, site.config, site.ann, site.quote)
        site.settle()
        assert "by Ann" in card(site.look(f"/@ben/{site.quote}"))
    plain.extensions["linnet.db"].close()


def test_a_page_kept_before_the_quote_was_mirrored_goes_when_the_quoted_status_does(
    site: Site,
) -> None:
    made = statuses.post(
        site.db, site.config, site.ben, parse("look"), "form-quote", quote=site.hers
    )
    path = f"/@ben/{made}"
    assert "by Ann" in card(articles(site.app.test_client(), path)[made])
    assert any(path in key for key in kept_pages(site.db))
    statuses.delete(site.db, site.config, site.ann, site.hers)
    worker.drain(site.db, site.config)
    assert card(site.look(path)) == NOT_AVAILABLE


def test_a_warning_stands_before_the_card_as_before_the_words(member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    about = write(ann, "a song")
    quote(ben, about, cw="spiders")
    page = articles(ann, "/@ben")[shown(ben.get("/@ben"))[0]]
    inside = re.search("<details class=.status-cw.*?</details>", page, re.DOTALL)
    assert inside and "look" in inside[0] and "a song" in inside[0] and page.count("a song") == 1
    ann.post("/statuses", data={"text": "eight legs", "cw": "spiders"})
    quote(ben, shown(ann.get("/@ann"))[0], "see")
    assert "Warning: spiders" in ben.get("/@ben").text and "eight legs" not in ben.get("/@ben").text


def test_who_reads_it_gets_into_no_kept_piece(app: Flask, member: Join) -> None:
    ann, ben, cid = member("ann"), member("ben"), member("cid")
    about = write(ann, "a song")
    quote(ben, about)
    made = shown(ben.get("/@ben"))[0]
    assert "a song" in articles(cid, "/@ben")[made]
    before = len(pieces(app).cache)
    assert (
        "a song" in articles(ann, "/@ben")[made] and len(pieces(app).cache) <= before + 1
    )  # her own menu
    cid.post("/@ann/block")
    assert card(articles(cid, "/@ben")[made]) == NOT_AVAILABLE
    assert "a song" in articles(app.test_client(), "/@ben")[made]
    cid.post("/@ann/unblock")
    cid.post("/@ann/mute", data={"hours": "0"})
    assert (
        "a song" not in articles(cid, "/@ben")[made]
        or "@ann, whom you mute" in articles(cid, "/@ben")[made]
    )


def test_the_settings_say_who_may_quote_what_one_will_write(app: Flask, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    for page in ("/home", "/statuses/new"):
        assert choices(ann.get(page).text, "quoting") == (
            ["everyone", "followers", "nobody"],
            "everyone",
        )
    assert ann.post("/settings/privacy", data={"quoting": "nobody"}).status_code == 303
    assert ann.post("/settings/privacy", data={"quoting": "noise"}).status_code == 422
    ann.post("/settings/privacy", data={"protected": ""})
    assert choices(ann.get("/settings/privacy").text, "quoting")[1] == "nobody"
    for page in ("/home", "/statuses/new", "/settings/privacy"):
        assert choices(ann.get(page).text, "quoting")[1] == "nobody", page
        assert (
            page == "/settings/privacy" or choices(ben.get(page).text, "quoting")[1] == "everyone"
        ), page
    for chosen in ({}, {"quoting": "everyone"}):
        ann.post("/statuses", data={"text": f"a song {chosen}", **chosen})
        about = shown(ann.get("/@ann"))[0]
        assert quote(ben, about).status_code == (303 if chosen else 403)


def test_on_its_own_page_the_author_says_anew_who_may_quote_a_post(
    client: FlaskClient, member: Join
) -> None:
    ann, ben = member("ann"), member("ben")
    about = write(ann, "a song")
    page, act = f"/@ann/{about}", f"/statuses/{about}/quoting"
    for one in (ben, client):
        assert act not in one.get(page).text
    assert act not in ann.get("/@ann").text
    told = {
        "nobody": "Nobody else can quote",
        "followers": "Your followers can",
        "everyone": "Everyone can quote",
    }
    for word, said in told.items():
        answer = ann.post(act, data={"quoting": word, "next": page})
        assert answer.status_code == 303 and answer.location == f"{page}#status-{about}"
        shown_now = ann.get(page).text
        assert said in shown_now and f'action="{act}"' in shown_now
        form = shown_now.partition(f'action="{act}"')[2]
        assert choices(form, "quoting") == (["everyone", "followers", "nobody"], word)
        for path in ("/@ann", "/public", page):
            assert (f"new?quote={about}" in ben.get(path).text) == (word != "nobody"), path
    for wrong in ({"quoting": "noise"}, {}):
        check_error(ann.post(act, data=wrong), 422, "Choose from the list who can quote this post.")
    check_error(ben.post(act, data={"quoting": "nobody"}), 403, "Only the author can do that.")
    check_error(ann.post("/statuses/1/quoting", data={"quoting": "nobody"}), 404)
    check_error(ann.post("/statuses/x/quoting", data={"quoting": "nobody"}), 404)
    assert choices(ann.get(page).text.partition(f'action="{act}"')[2], "quoting")[1] == "everyone"
    ann.post("/statuses", data={"text": "for few", "visibility": "followers"})
    few = shown(ann.get("/@ann"))[0]
    assert f"/statuses/{few}/quoting" not in ann.get(f"/@ann/{few}").text, (
        "nobody can quote it whatever is chosen"
    )
    check_error(ben.post(f"/statuses/{few}/quoting", data={"quoting": "nobody"}), 404)


def test_a_draft_keeps_what_it_quotes_and_who_may_quote_it(member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    about = write(ann, "a song")
    fields = {"text": "look", "quote": str(about), "quoting": "followers", "key": "form-of-draft"}
    assert ben.post("/drafts", data=fields).status_code == 303
    page = ben.get("/drafts/form-of-draft").text
    assert "a song" in card(page) and f'name="quote" value="{about}" checked' in page
    assert choices(page, "quoting")[1] == "followers"
    ann.post(f"/statuses/{about}/delete")
    page = ben.get("/drafts/form-of-draft").text
    assert card(page) == NOT_AVAILABLE and "look" in page
    without = {name: value for name, value in fields.items() if name != "quote"}
    assert ben.post("/statuses", data=without).status_code == 303  # the mark taken away


def test_the_author_is_told_among_mentions_and_the_api_names_what_is_quoted(
    app: Flask, settings: Config, member: Join
) -> None:
    ann, ben = member("ann"), member("ben")
    about = write(ann, "a song")
    quote(ben, about, "look what a song")
    made = shown(ben.get("/@ben"))[0]
    for tab in ("", "/mentions"):
        page = ann.get(f"/notifications{tab}").text
        assert "quoted you" in page and f'href="/@ben/{made}"' in page
    assert "quoted you" not in ann.get("/notifications/likes").text
    db = app.extensions["linnet.db"]
    entries = [(about, db.read(uid_by_login("ann"))), (made, db.read(uid_by_login("ben")))]
    known = load_related(db, entries)
    told = [
        status_json(known.statuses[one], known.people[uid], {}, "https://bird.example")
        for one, uid in entries
    ]
    assert [one["is_quote_status"] for one in told] == [
        False,
        True,
    ] and "quoted_status_id" not in told[0]
    assert (told[1]["quoted_status_id"], told[1]["quoted_status_id_str"]) == (about, str(about))


def test_a_filter_folds_up_a_card_that_has_its_words(app: Flask, member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    quote(ben, write(ann, "eight hairy legs"))
    made, db = shown(ben.get("/@ben"))[0], app.extensions["linnet.db"]
    assert "filtered" not in articles(ann, "/@ben")[made]
    cid = member("cid")
    filters.save(
        db, app.extensions["linnet.config"], db.read(uid_by_login("cid")), filters.Filter("hairy")
    )
    page = articles(cid, "/@ben")[made]
    folded = re.search('<details class="filtered">.*?</details>', page, re.DOTALL)
    assert folded and "eight hairy legs" in folded[0] and page.count("eight hairy legs") == 1


def test_a_filter_does_not_keep_an_author_from_a_quote_of_theirs(member: Join) -> None:
    ann, ben = member("ann"), member("ben")
    about = write(ann, "a song")
    assert quote(ben, about, "seeds").status_code == 303
    made = shown(ben.get("/@ben"))[0]
    ann.post(
        "/settings/filters",
        data={"words": "seeds", "thread": "y", "act": "hide", "lasts": "always"},
    )
    page = ann.get(f"/@ben/{made}")
    assert (
        page.status_code == 200
        and "a song" in card(page.text)
        and "Take my post out of this quote" in page.text
    )


def test_no_page_takes_more_than_five_trips_whatever_was_done_just_now(
    app: Flask, member: Join
) -> None:
    ann, ben, cid = member("ann"), member("ben"), member("cid")
    for client, login in ((ann, "ben"), (ann, "cid"), (cid, "ben")):
        client.post(f"/@{login}/follow")
    about = write(cid, "a song")
    quote(ben, about)
    made = shown(ben.get("/@ben"))[0]
    ann.post("/lists", data={"name": "Birds"})
    ann.post("/lists/1/members", data={"login": "ben"})
    cid.post(f"/statuses/{made}/boost")
    for act in ("like", "bookmark"):
        ann.post(f"/statuses/{made}/{act}")
    paths = [
        "/home",
        "/public",
        "/@ben",
        "/@cid",
        "/@ben/replies",
        "/bookmarks",
        "/@ann/lists/1",
        f"/@ben/{made}",
    ]
    paths += [f"/@cid/{about}/quotes", f"/statuses?ids={made}-3"]
    for path in paths:
        ann.get(path)
        before = app.extensions["linnet.db"].trips
        page = ann.get(path)
        assert page.status_code == 200 and "a song" in page.text, path
        assert app.extensions["linnet.db"].trips - before <= 5, path
