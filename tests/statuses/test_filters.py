"""Word filters: matching, contexts, expiry, storage, and their pages."""

import re
import time
from dataclasses import replace

import pytest
from werkzeug.datastructures import MultiDict
from werkzeug.test import TestResponse

from tests.support.concurrently import at_once, concurrently
from tests.support.pages import (
    check_error,
    join,
    older_link,
    page_text,
    post_status,
    serving,
    status_ids,
)
from tests.support.settings import with_settings
from tests.support.statuses.filters import FORM
from tests.support.world import Web, World
from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Db, Site
from webapp.core.text.folding import fold
from webapp.core.web.context import site_of
from webapp.lists import store as lists
from webapp.statuses import Filter
from webapp.statuses.filters import filter_set, keys as filter_keys, store, store as filters
from webapp.statuses.filters.filter_set import CONTEXTS
from webapp.statuses.filters.forms import FilterForm
from webapp.statuses.filters.store import PHRASES_MAX


def filters_of(db: Db, uid: int) -> tuple[Filter, ...]:
    return db.read(filters.filters_of(uid))


@pytest.mark.parametrize(
    ("words", "whole", "text", "matches"),
    [
        ("crumb", True, "A CRUMB.", True),
        ("crumb", True, "crumbs", False),
        ("crumb", False, "breadcrumbs", True),
        ("#crumb", True, "so #Crumb!", True),
        ("#crumb", True, "so #crumbs", False),
        ("#crumb", True, "so #crumb_s", False),
        ("#麻雀", True, "#麻雀歌", False),
        ("snow\nbread crumb\nseed", True, "a bread  crumb", True),
        ("snow\nbread crumb", True, "bread and a crumb", False),
        ("\u115f", True, "nothing", False),
        ("c++", True, "I like c++ much", True),
        ("old  crumbs", True, "old\ncrumbs", True),
        ("ＣＲＵＭＢ", True, "crumb", True),
        ("straße", True, "STRASSE", True),
        ("麻雀", True, "一只麻雀在唱歌", True),
        ("麻雀", True, "一只燕子", False),
        ("a_b", True, "a_b", True),
        ("snow_", True, "snow_day", True),
        ("don't", True, "I DON’T know", True),
        ("“so”", True, 'he said "So"', True),
        ("istanbul", True, "İSTANBUL’da", True),
        ("cooperate", True, "co\xadope\u2060rate", True),
        ("linnet", True, "Linnet™", True),
        (".*", False, "nothing of it", False),
        ("post:7", True, "of this id", True),
        ("post:8", True, "post:8", False),
        ("post\n7\npost:x", False, "of this id", False),
    ],
)
def test_filters_match_in_any_case_and_whole_words_if_set(
    words: str, whole: bool, text: str, matches: bool
) -> None:
    assert bool(Filter(words, whole).matching_phrase(7, filter_set._normalize(text))) is matches


def test_the_most_filters_are_prepared_once(monkeypatch: pytest.MonkeyPatch) -> None:
    folded = list[str]()
    monkeypatch.setattr(filter_set, "fold", lambda text: folded.append(text) or fold(text))
    words = [
        "\n".join(f"most {one} {number}" for one in range(PHRASES_MAX)) for number in range(50)
    ]
    for text in ("the first text", "the second text"):
        normalized = filter_set._normalize(text)
        assert not any(Filter(one).matching_phrase(7, normalized) for one in words)
    assert len(folded) == 2 + 50 * PHRASES_MAX


def test_filters_are_saved_changed_and_deleted(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    first = filters.save(world, ann, Filter("one"))
    second = filters.save(world, ann, Filter("two", False, ("home",), 4_000_000_000, True))
    assert (first, second) == (1, 2)
    expected = (Filter("two", False, ("home",), 4_000_000_000, True, 2), Filter("one", number=1))
    assert filters_of(world.db, ann) == expected
    filters.save(world, ann, Filter("three", number=first))
    filters.delete(world.db, ann, second)
    filters.delete(world.db, ann, second)
    expected = [("three", 1)]
    assert [(matches.words, matches.number) for matches in filters_of(world.db, ann)] == expected
    assert filters_of(world.db, ben) == ()
    world.refuses(NotFound, filters.save, ann, Filter("gone", number=second))
    assert filters.save(world, ann, Filter("more")) == 3, "numbers are not reused"
    assert filters.save(world, ann, Filter("more")) == 3, "an equal filter is saved once"
    world.db.run(("HDEL", account_keys.user(ann), "filters"))  # as in older stores
    assert filters.save(world, ann, Filter("most")) == 2
    world.suspend(ann)
    world.refuses(Forbidden, filters.save, ann, Filter("more"))
    world.refuses(NotFound, filters.save, 99, Filter("more"))


def test_concurrent_saves_respect_the_limit(world: World) -> None:
    (ann,) = world.people("ann")
    bounded = with_settings(world, filters_max=5)
    results = concurrently(lambda n: filters.save(bounded, ann, Filter(f"word{n}")), 30)
    assert results.count("filters_full") == 25
    assert [found.number for found in filters_of(world.db, ann)] == [5, 4, 3, 2, 1]
    filters.save(bounded, ann, Filter("other", number=3))  # a change adds none


def test_filters_warn_or_hide_in_their_contexts(web: Web) -> None:
    wren, finch = web.member("wren"), web.member("finch")
    finch.post("/@wren/follow")
    number = post_status(wren, "Fresh crumbs today #crumbs")
    post_status(wren, "A song")
    finch.post("/statuses", data={"text": "crumbs of mine", "key": "form-0001"})
    pages = {"home": "/home", "public": "/public", "profile": "/@wren"}
    for filtered_context in pages:
        for action in ("warn", "hide"):
            web.db.run(("UNLINK", filter_keys.filters(2)))
            form = {**form_for(filtered_context), "filter_action": action}
            assert finch.post("/settings/filters", data=form).status_code == 303
            for context, path in (
                {**pages, "public": "/tags/crumbs"}.items()
                if filtered_context == "public"
                else pages.items()
            ):
                text = finch.get(path).text
                warned = "Filtered: <bdi>Crumbs</bdi>" in text
                assert warned == (context == filtered_context and action == "warn"), (
                    filtered_context,
                    action,
                    path,
                )
                assert ("Fresh crumbs" in text) == (
                    context != filtered_context or action == "warn"
                ), (filtered_context, action, path)
                found = "Your filters hide 1 post on this page." in text
                assert found == (context == filtered_context and action == "hide")
            assert "crumbs of mine" in finch.get("/public").text
            assert "Fresh crumbs" in wren.get("/public").text
            fresh = finch.get(f"/statuses?in={filtered_context}&ids={number}").text
            assert ("Fresh crumbs" in fresh) == (action == "warn")
            assert ("Filtered:" in fresh) == (action == "warn")
    assert "Fresh crumbs" in web.app.test_client().get("/public").text
    assert "Filtered:" not in finch.get(f"/@wren/{number}").text  # opened on its own page


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/home", "/public", "/tags/birds", "/@finch/lists/1"])
def test_other_statuses_fill_a_page_of_which_filters_hide_some(settings: Config, path: str) -> None:
    with serving(replace(settings, page_size=3)) as app:
        db, config = app.extensions["linnet.db"], app.extensions["linnet.config"]
        wren, finch = join(app, "wren"), join(app, "finch")
        finch.post("/@wren/follow")
        lists.create(Site(db, config), 2, "Birds", False, False)
        lists.set_memberships(Site(db, config), 2, "wren", {1: True})
        finch.post("/settings/filters", data={**FORM, "filter_action": "hide"})
        texts = [*["A song"] * 5, *["Crumbs"] * 9, *["A song"] * 4, "Crumbs", "A song"]
        ids = [post_status(wren, f"{text} {n} #birds") for n, text in enumerate(texts)]
        visible = [one for one, text in zip(ids, texts, strict=True) if text == "A song"]
        pages, hidden_count, link = [], 0, path
        while link:
            trips_before = db.trips
            page = finch.get(link)
            assert db.trips - trips_before <= (4 if path == "/home" else 5)
            pages.append(status_ids(page))
            count = re.search(r"Your filters hide (\d+) post", page_text(page))
            hidden_count += int(count[1]) if count else 0
            link = older_link(page) or ""
        newest_first = visible[::-1]
        assert pages == [newest_first[start : start + 3] for start in range(0, 10, 3)]
        assert hidden_count == 10


def test_pinned_statuses_are_filtered(web: Web) -> None:
    wren, finch = web.member("wren"), web.member("finch")
    for number in (post_status(wren, "Fresh crumbs"), post_status(wren, "A song")):
        assert wren.post(f"/statuses/{number}/pin").status_code == 303
    finch.post("/settings/filters", data=FORM)
    warned = finch.get("/@wren").text
    assert "Filtered: <bdi>Crumbs</bdi>" in warned and "Fresh crumbs" in warned
    finch.post("/settings/filters/1", data={**FORM, "filter_action": "hide"})
    text = finch.get("/@wren").text
    assert "Fresh crumbs" not in text
    assert "A song" in text
    assert "Your filters hide 1 post on this page." in text
    assert "Fresh crumbs" in wren.get("/@wren").text
    assert "Fresh crumbs" in web.app.test_client().get("/@wren").text


def test_threads_and_notifications_are_filtered_too(web: Web) -> None:
    wren, finch = web.member("wren"), web.member("finch")
    number = post_status(finch, "What do you eat?")
    wren.post("/statuses", data={"text": "@finch crumbs", "key": "form-0002", "reply": str(number)})
    assert "crumbs" in finch.get(f"/@finch/{number}").text
    assert "crumbs" in finch.get("/notifications").text
    for action in ("warn", "hide"):
        web.db.run(("UNLINK", filter_keys.filters(2)))
        finch.post("/settings/filters", data={**FORM, "filter_action": action})
        thread, notifications = (
            finch.get(f"/@finch/{number}").text,
            finch.get("/notifications").text,
        )
        assert ("Filtered: <bdi>Crumbs</bdi>" in thread) == (action == "warn")
        assert ('dir="auto">crumbs' in thread) == (action == "warn")
        assert ("Filtered: <bdi>Crumbs</bdi>" in notifications) == (action == "warn")
        assert "@finch crumbs" not in notifications
        assert ("Your filters hide 1 post on this page." in notifications) == (action == "hide")


def test_filters_match_warned_texts_and_alt_texts(web: Web) -> None:
    wren, finch = web.member("wren"), web.member("finch")
    wren.post("/statuses", data={"text": "dinner", "cw": "Crumbs and seeds", "key": "form-0003"})
    finch.post("/settings/filters", data=FORM)
    assert "Filtered: <bdi>Crumbs</bdi>" in finch.get("/public").text
    wren.post("/statuses", data={"text": "dinner?", "option1": "seeds", "option2": "crumbs"})
    assert finch.get("/public").text.count("Filtered: <bdi>Crumbs</bdi>") == 2


def test_any_phrase_of_a_filter_matches_and_is_named(web: Web) -> None:
    wren, finch = web.member("wren"), web.member("finch")
    post_status(wren, "Old bread   crumbs")
    words = "seed mix\r\n\r\n  bread crumbs \r\nseed mix\r\n"
    assert finch.post("/settings/filters", data={**FORM, "words": words}).status_code == 303
    assert [one.words for one in filters_of(site_of(web.app).db, 2)] == ["seed mix\nbread crumbs"]
    assert "Filtered: <bdi>bread crumbs</bdi>" in finch.get("/public").text
    listed = finch.get("/settings/filters").text
    assert "<bdi>seed mix</bdi> <bdi>bread crumbs</bdi>" in listed
    assert listed.index("</form>") < listed.index("<bdi>seed mix</bdi>")
    assert "seed mix\nbread crumbs</textarea>" in finch.get("/settings/filters/1").text


def test_a_hashtag_is_muted_and_unmuted_in_one_press(web: Web) -> None:
    wren, finch = web.member("wren"), web.member("finch")
    number = post_status(wren, "Fresh crumbs #Crumbs")
    post_status(wren, "A song #crumbs_and_more")
    for _ in range(2):
        assert finch.post("/tags/Crumbs/mute").headers["Location"] == "/tags/crumbs"
    (muted,) = filters_of(site_of(web.app).db, 2)
    assert (muted.words, muted.contexts, muted.hide) == (
        "#crumbs",
        ("home", "public", "profile"),
        True,
    )
    for path in ("/public", "/@wren"):
        text = finch.get(path).text
        assert "Fresh crumbs" not in text and "A song" in text
    page = finch.get("/tags/crumbs").text
    assert "Fresh crumbs" in page and "Filtered:" not in page and "/tags/crumbs/unmute" in page
    assert "in=tag/crumbs&amp;" in page
    assert "Fresh crumbs" in finch.get(f"/statuses?in=tag/crumbs&ids={number}").text
    assert "Fresh crumbs" not in finch.get(f"/statuses?in=tag/birds&ids={number}").text
    assert "<bdi>#crumbs</bdi>" in finch.get("/settings/filters").text
    finch.post("/tags/crumbs/unmute")
    finch.post("/tags/crumbs/unmute")
    assert filters_of(site_of(web.app).db, 2) == ()
    assert "/tags/crumbs/mute" in finch.get("/tags/crumbs").text
    assert "Fresh crumbs" in finch.get("/public").text
    check_error(finch.post("/tags/no tag/mute"), 404)
    visitor = web.app.test_client()
    assert "/mute" not in visitor.get("/tags/crumbs").text


def test_a_hashtag_muted_by_many_requests_is_one_filter(world: World) -> None:
    (ann,) = world.people("ann")
    at_once(20, lambda _: store.mute_tag(world, ann, "crumbs", ()), range(50))
    assert len(filters_of(world.db, ann)) == 1


def test_an_expired_filter_is_ignored(web: Web) -> None:
    wren, finch = web.member("wren"), web.member("finch")
    post_status(wren, "Fresh crumbs")
    before = int(time.time())
    assert finch.post("/settings/filters", data={**FORM, "expires_in": "hour"}).status_code == 303
    after = time.time()
    site = site_of(web.app)
    (saved_filter,) = filters_of(site.db, 2)
    assert before + 3_600 <= saved_filter.expires_at <= after + 3_600
    assert "Filtered:" in finch.get("/public").text
    assert ">until " not in finch.get("/settings/filters").text
    filters.save(site, 2, replace(saved_filter, expires_at=int(time.time()) - 1))
    assert "Filtered:" not in finch.get("/public").text
    assert "Expired" in page_text(finch.get("/settings/filters"))


def test_an_invalid_filter_comes_back_with_the_reason(web: Web) -> None:
    finch, db = web.member("finch"), web.db
    for fields, message in (
        ({"words": ""}, "Enter the words to filter."),
        ({"words": " \u200b "}, "Enter the words to filter."),
        ({"words": "\n".join("abcdefghijklmnopqrstu")}, "up to 20 words or phrases"),
        ({"words": "seed\n" + "w" * 101}, "That’s 101 characters. The limit is 100."),
        (dict.fromkeys(CONTEXTS, ""), "Choose where to filter."),
        ({"filter_action": "burn"}, "Not a valid choice."),
        ({"expires_in": "ages"}, "Not a valid choice."),
    ):
        reply = finch.post(
            "/settings/filters",
            data={name: text for name, text in {**FORM, **fields}.items() if text},
        )
        assert reply.status_code == 422 and message in reply.text, fields
        assert ("Crumbs" in reply.text) == ("words" not in fields)
    assert filters_of(db, 1) == ()
    web.app.extensions["linnet.config"] = replace(web.config, filters_max=1)
    assert finch.post("/settings/filters", data=FORM).status_code == 303
    full = finch.post("/settings/filters", data={**FORM, "words": "Seeds"})
    assert full.status_code == 409
    assert "Delete one first." in full.text
    assert "Seeds" in full.text
    for path in ("/settings/filters/2", "/settings/filters/x", "/settings/filters/1.5"):
        check_error(finch.get(path), 404)


def test_a_member_edits_and_deletes_only_their_own_filters(web: Web) -> None:
    finch, wren = web.member("finch"), web.member("wren")
    finch.post("/settings/filters", data={**FORM, "expires_in": "week"})
    form = finch.get("/settings/filters/1")
    assert "Crumbs</textarea>" in form.text
    assert "Keep the current expiry" in form.text
    assert "no-store" in form.headers["Cache-Control"]
    until = filters_of(web.db, 1)[0].expires_at
    changed = {"words": "Seeds", "home": "y", "filter_action": "hide", "expires_in": "unchanged"}
    assert finch.post("/settings/filters/1", data=changed).status_code == 303
    assert filters_of(web.db, 1) == (Filter("Seeds", False, ("home",), until, True, 1),)
    check_error(wren.get("/settings/filters/1"), 404)
    check_error(wren.post("/settings/filters/1", data=FORM), 404)
    wren.post("/settings/filters/1/delete")
    assert len(filters_of(web.db, 1)) == 1
    assert finch.post("/settings/filters/1/delete").status_code == 303
    assert filters_of(web.db, 1) == ()


def form_for(filtered_context: str) -> dict[str, str]:
    return {
        name: text
        for name, text in FORM.items()
        if name not in CONTEXTS or name == filtered_context
    }


def test_the_page_keeps_what_an_app_chose_for_single_phrases(web: Web) -> None:
    finch = web.member("finch")
    chosen = Filter("").with_phrases({"gull": True, "tern": False, "crow": True})
    filters.save(web, 1, chosen)

    def save(words: str, **box: str) -> dict[str, bool]:
        form = {"words": words, "public": "y", "expires_in": "always", **box}
        answer = finch.post("/settings/filters/1", data={**form, "filter_action": "warn"})
        assert answer.status_code == 303
        [saved] = filters_of(web.db, 1)
        return {one: saved.is_whole(one) for one in saved.phrases}

    assert "for these" in finch.get("/settings/filters/1").text
    kept = {"tern": False, "gull": True, "swift": True}
    assert save("tern\ngull\nswift", whole="y") == kept
    assert save("tern\ngull") == {"tern": False, "gull": True}, "the box is the first one's"
    assert save("tern\ngull", whole="y") == {"tern": True, "gull": True}
    assert "for these" not in finch.get("/settings/filters/1").text


def test_a_form_that_is_older_than_a_change_of_an_app_comes_back(web: Web) -> None:
    finch, path = web.member("finch"), "/settings/filters/1"
    finch.post("/settings/filters", data=FORM)

    def shown(page: TestResponse) -> dict[str, str]:
        [version] = re.findall(r'name="version"[^>]* value="(\w+)"', page.text)
        return {**FORM, "words": "Seeds", "version": version}

    form = shown(finch.get(path))
    filters.change(web, 1, 1, lambda found: found.with_phrases({"Crumbs": True, "gull": True}))
    refused = finch.post(path, data=form)
    assert refused.status_code == 409 and "was changed elsewhere" in page_text(refused)
    assert "Seeds</textarea>" in refused.text
    assert filters_of(web.db, 1)[0].phrases == ["Crumbs", "gull"]
    again = shown(refused)
    assert finch.post(path, data=again).status_code == 303
    assert filters_of(web.db, 1)[0].phrases == ["Seeds"]
    assert finch.post(path, data=again).status_code == 409, "the other tab is older now"


def test_of_many_forms_at_once_one_is_saved(web: Web) -> None:
    [uid] = web.people("finch")
    number = filters.save(web, uid, Filter("crumbs"))
    [shown] = filters_of(web.db, uid)

    def save(at: int) -> None:
        with web.app.test_request_context():
            form = FilterForm(formdata=MultiDict({**FORM, "words": f"seed {at}"}))
            form.version.data = store.version_of(shown)
            filters.change(web, uid, number, form.changing)

    results = concurrently(save, 8)
    assert (results.count(None), results.count("filter_changed")) == (1, 7)
