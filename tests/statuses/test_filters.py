"""Filters of words: what they find, where, until when, and what becomes of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.system.test_pages import check_error, words, write
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.errors import Conflict, Forbidden, NotFound
from webapp.statuses.filters import keys as filter_keys
from webapp.statuses.filters import store as filters
from webapp.statuses.filters.store import CONTEXTS, Filter

People = Callable[..., list[int]]
Join = Callable[[str], FlaskClient]
FORM = {
    "words": "Crumbs",
    "whole": "y",
    "act": "warn",
    "lasts": "always",
    **dict.fromkeys(CONTEXTS, "y"),
}


def kept(db: Db, uid: int) -> tuple[Filter, ...]:
    return db.read(filters.filters_of(uid))


@pytest.mark.parametrize(
    ("words", "whole", "text", "found"),
    [
        ("crumb", True, "A CRUMB.", True),
        ("crumb", True, "crumbs", False),
        ("crumb", False, "breadcrumbs", True),
        ("#crumb", True, "so #Crumb!", True),
        ("#crumb", True, "so #crumbs", False),
        ("c++", True, "I like c++ much", True),
        ("old  crumbs", True, "old\ncrumbs", True),
        ("ＣＲＵＭＢ", True, "crumb", True),
        ("straße", True, "STRASSE", True),
        ("麻雀", True, "一只麻雀在唱歌", True),
        ("麻雀", True, "一只燕子", False),
        ("a_b", True, "a_b", True),
        ("snow_", True, "snow_day", True),
        (".*", False, "nothing of it", False),
    ],
)
def test_words_are_found_whatever_their_case_and_only_whole_where_they_are_to_be(
    words: str, whole: bool, text: str, found: bool
) -> None:
    assert Filter(words, whole).matches(filters._normalize(text)) is found


def test_a_filter_is_kept_changed_and_dropped(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    one = filters.save(db, config, ann, Filter("one"))
    two = filters.save(db, config, ann, Filter("two", False, ("home",), 4_000_000_000, True))
    assert (one, two) == (1, 2)
    assert kept(db, ann) == (
        Filter("two", False, ("home",), 4_000_000_000, True, 2),
        Filter("one", number=1),
    )
    filters.save(db, config, ann, Filter("three", number=one))
    filters.delete(db, ann, two)
    filters.delete(db, ann, two)
    assert [(found.words, found.number) for found in kept(db, ann)] == [("three", 1)] and kept(
        db, ben
    ) == ()
    with pytest.raises(NotFound):
        filters.save(db, config, ann, Filter("gone", number=two))
    assert filters.save(db, config, ann, Filter("more")) == 3, "no number is given twice"
    db.run(("HDEL", account_keys.user(ann), "filters"))  # as in stores that are older than this
    assert filters.save(db, config, ann, Filter("more")) == 2
    lifecycle.suspend(db, config, ann)
    with pytest.raises(Forbidden):
        filters.save(db, config, ann, Filter("more"))
    with pytest.raises(NotFound):
        filters.save(db, config, 99, Filter("more"))


def test_however_many_are_made_at_once_there_are_no_more_than_may_be(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    few = replace(config, filters_max=5)

    def make(n: int) -> bool:
        try:
            return filters.save(db, few, ann, Filter(f"word{n}")) > 0
        except Conflict:
            return False

    with ThreadPoolExecutor(20) as pool:
        assert sum(pool.map(make, range(30))) == 5
    assert [one.number for one in kept(db, ann)] == [5, 4, 3, 2, 1]
    filters.save(db, few, ann, Filter("other", number=3))  # a change is none more


def test_what_is_filtered_is_folded_up_or_left_out_where_it_is_to_be(
    app: Flask, member: Join
) -> None:
    wren, finch = member("wren"), member("finch")
    finch.post("/@wren/follow")
    number = write(wren, "Fresh crumbs today #crumbs")
    write(wren, "A song")
    finch.post("/statuses", data={"text": "crumbs of mine", "key": "form-0001"})
    pages = {"home": "/home", "public": "/public", "profile": "/@wren"}
    for where in pages:
        for act in ("warn", "hide"):
            app.extensions["linnet.db"].run(("UNLINK", filter_keys.filters(2)))
            assert (
                finch.post("/settings/filters", data={**_only(where), "act": act}).status_code
                == 303
            )
            for other, asked in (
                {**pages, "public": "/tags/crumbs"}.items() if where == "public" else pages.items()
            ):
                text = finch.get(asked).text
                folded = "Filtered: <bdi>Crumbs</bdi>" in text
                assert folded == (other == where and act == "warn"), (where, act, asked)
                assert ("Fresh crumbs" in text) == (other != where or act == "warn"), (
                    where,
                    act,
                    asked,
                )
                assert ("Your filters leave out 1 post here." in text) == (
                    other == where and act == "hide"
                )
            assert (
                "crumbs of mine" in finch.get("/public").text
                and "Fresh crumbs" in wren.get("/public").text
            )
            fresh = finch.get(f"/statuses?in={where}&ids={number}").text
            assert ("Fresh crumbs" in fresh) == (act == "warn") and ("Filtered:" in fresh) == (
                act == "warn"
            )
    assert "Fresh crumbs" in app.test_client().get("/public").text
    assert "Filtered:" not in finch.get(f"/@wren/{number}").text  # who opens it wants to read it


def test_what_is_pinned_to_a_profile_is_filtered_as_all_that_stands_there(
    app: Flask, member: Join
) -> None:
    wren, finch = member("wren"), member("finch")
    for number in (write(wren, "Fresh crumbs"), write(wren, "A song")):
        assert wren.post(f"/statuses/{number}/pin").status_code == 303
    finch.post("/settings/filters", data=FORM)
    folded = finch.get("/@wren").text
    assert "Filtered: <bdi>Crumbs</bdi>" in folded and "Fresh crumbs" in folded
    finch.post("/settings/filters/1", data={**FORM, "act": "hide"})
    text = finch.get("/@wren").text
    assert (
        "Fresh crumbs" not in text
        and "A song" in text
        and "Your filters leave out 1 post here." in text
    )
    assert (
        "Fresh crumbs" in wren.get("/@wren").text
        and "Fresh crumbs" in app.test_client().get("/@wren").text
    )


def test_threads_and_notifications_are_filtered_too(app: Flask, member: Join) -> None:
    wren, finch = member("wren"), member("finch")
    number = write(finch, "What do you eat?")
    wren.post("/statuses", data={"text": "@finch crumbs", "key": "form-0002", "reply": str(number)})
    assert (
        "crumbs" in finch.get(f"/@finch/{number}").text
        and "crumbs" in finch.get("/notifications").text
    )
    for act in ("warn", "hide"):
        app.extensions["linnet.db"].run(("UNLINK", filter_keys.filters(2)))
        finch.post("/settings/filters", data={**FORM, "act": act})
        thread, told = finch.get(f"/@finch/{number}").text, finch.get("/notifications").text
        assert ("Filtered: <bdi>Crumbs</bdi>" in thread) == (act == "warn")
        assert ("@finch</a> crumbs" in thread) == (act == "warn")
        assert ("Filtered: <bdi>Crumbs</bdi>" in told) == (
            act == "warn"
        ) and "@finch crumbs" not in told
        assert ("Your filters leave out 1 post here." in told) == (act == "hide")


def test_what_stands_behind_a_warning_or_is_said_of_pictures_is_looked_through(
    app: Flask, member: Join
) -> None:
    wren, finch = member("wren"), member("finch")
    wren.post("/statuses", data={"text": "dinner", "cw": "Crumbs and seeds", "key": "form-0003"})
    finch.post("/settings/filters", data=FORM)
    assert "Filtered: <bdi>Crumbs</bdi>" in finch.get("/public").text
    wren.post("/statuses", data={"text": "dinner?", "option1": "seeds", "option2": "crumbs"})
    assert finch.get("/public").text.count("Filtered: <bdi>Crumbs</bdi>") == 2


def test_a_filter_that_is_over_filters_nothing(app: Flask, member: Join) -> None:
    wren, finch = member("wren"), member("finch")
    write(wren, "Fresh crumbs")
    assert finch.post("/settings/filters", data={**FORM, "lasts": "hour"}).status_code == 303
    db, config = app.extensions["linnet.db"], app.extensions["linnet.config"]
    (one,) = kept(db, 2)
    assert 3_500 < one.expires_at - time.time() <= 3_600
    assert (
        "Filtered:" in finch.get("/public").text
        and ">until " not in finch.get("/settings/filters").text
    )
    filters.save(db, config, 2, replace(one, expires_at=int(time.time()) - 1))
    assert "Filtered:" not in finch.get("/public").text and "over" in words(
        finch.get("/settings/filters")
    )


def test_what_is_wrong_with_a_filter_is_said_and_what_was_written_stays(
    app: Flask, member: Join
) -> None:
    finch, db = member("finch"), app.extensions["linnet.db"]
    for bad, said in (
        ({"words": ""}, "Write the words to look for."),
        ({"words": " \u200b "}, "Write the words to look for."),
        ({"words": "w" * 101}, "That’s 101 characters; the limit is 100."),
        (dict.fromkeys(CONTEXTS, ""), "Choose at least one place."),
        ({"act": "burn"}, "Not a valid choice."),
        ({"lasts": "ages"}, "Not a valid choice."),
    ):
        reply = finch.post(
            "/settings/filters", data={name: text for name, text in {**FORM, **bad}.items() if text}
        )
        assert reply.status_code == 422 and said in reply.text, bad
        assert ("Crumbs" in reply.text) == ("words" not in bad)
    assert kept(db, 1) == ()
    app.extensions["linnet.config"] = replace(app.extensions["linnet.config"], filters_max=1)
    assert finch.post("/settings/filters", data=FORM).status_code == 303
    full = finch.post("/settings/filters", data={**FORM, "words": "Seeds"})
    assert full.status_code == 409 and "Delete one first." in full.text and "Seeds" in full.text
    for path in ("/settings/filters/2", "/settings/filters/x", "/settings/filters/1.5"):
        check_error(finch.get(path), 404)


def test_a_filter_is_changed_and_deleted_on_its_page_and_is_nobody_elses(
    app: Flask, member: Join
) -> None:
    finch, wren = member("finch"), member("wren")
    finch.post("/settings/filters", data={**FORM, "lasts": "week"})
    form = finch.get("/settings/filters/1")
    assert (
        'value="Crumbs"' in form.text
        and "Keep the current time" in form.text
        and "no-store" in form.headers["Cache-Control"]
    )
    until = kept(app.extensions["linnet.db"], 1)[0].expires_at
    changed = {"words": "Seeds", "home": "y", "act": "hide", "lasts": "kept"}
    assert finch.post("/settings/filters/1", data=changed).status_code == 303
    assert kept(app.extensions["linnet.db"], 1) == (
        Filter("Seeds", False, ("home",), until, True, 1),
    )
    check_error(wren.get("/settings/filters/1"), 404)
    check_error(wren.post("/settings/filters/1", data=FORM), 404)
    wren.post("/settings/filters/1/delete")
    assert len(kept(app.extensions["linnet.db"], 1)) == 1
    assert finch.post("/settings/filters/1/delete").status_code == 303
    assert kept(app.extensions["linnet.db"], 1) == ()


def _only(where: str) -> dict[str, str]:
    return {name: text for name, text in FORM.items() if name not in CONTEXTS or name == where}
