"""Pages as visitors and members get them: every address, relations, cursor pages, and what they ask of the store."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from html import unescape
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.conftest import PASSWORD, make_app
from tests.support import worker
from webapp.config import Config
from webapp.core.store.client import Db

Member = Callable[[str], FlaskClient]


@contextmanager
def serving(config: Config, **flask: Any) -> Iterator[Flask]:
    """Another app for as long as the block runs."""
    app = make_app(config, **flask)
    yield app
    app.extensions["linnet.db"].close()


def join(app: Flask, login: str, **form: str) -> FlaskClient:
    """Signs a member up to an app and gives her browser."""
    client = app.test_client()
    answer = client.post(
        "/signup", data={"login": login, "name": login.title(), "password": PASSWORD} | form
    )
    assert answer.status_code == 303, answer.text
    return client


def write(client: FlaskClient, text: str) -> int:
    """Posts, and gives the id of what was posted."""
    answer = client.post("/statuses", data={"text": text})
    assert answer.status_code == 303, answer.text
    return shown(client.get(answer.location))[0]


def shown(answer: TestResponse) -> list[int]:
    """The ids of the statuses on a page."""
    assert answer.status_code == 200, answer.text
    return [int(found) for found in re.findall(r'<article [^>]*id="status-(\d+)"', answer.text)]


def listed(answer: TestResponse) -> list[str]:
    """The logins of the people on a page."""
    assert answer.status_code == 200, answer.text
    return re.findall(r'class="person-link" href="/@(\w+)"', answer.text)


def older(answer: TestResponse) -> str | None:
    """Where the page's "Older" link goes, if it has one."""
    link = re.search(r'<a [^>]*rel="next" href="([^"]+)"', answer.text)
    return unescape(link[1]) if link else None


def words(answer: TestResponse) -> str:
    """What a page says, without its tags."""
    return " ".join(unescape(re.sub(r"<[^>]+>", "", answer.text.partition("<main")[2])).split())


def check_error(answer: TestResponse, status: int, *sentences: str) -> None:
    """Fails unless the answer is the error page of this status and says these sentences."""
    assert answer.status_code == status, answer.text
    assert answer.mimetype == "text/html"
    assert re.search(rf'class="error-code"[^>]*>.*?</svg>{status}</p>', answer.text, re.DOTALL)
    for sentence in sentences:
        assert sentence in words(answer)


SHARED = dict.fromkeys("/public /@ann /@ann/{id} /@ann/followers /@ann/following".split(), 200)
OUTSIDE, INSIDE = ("/", "/signup", "/login"), ("/home", "/statuses/new")
VISITORS = SHARED | dict.fromkeys(OUTSIDE, 200) | dict.fromkeys(INSIDE, 303)
MEMBERS = SHARED | dict.fromkeys(OUTSIDE, 303) | dict.fromkeys(INSIDE, 200)


@pytest.mark.parametrize("path", VISITORS)
def test_a_visitor_gets_open_pages_and_the_sign_in_for_the_others(
    client: FlaskClient, member: Member, path: str
) -> None:
    status_id = write(member("ann"), "hello")
    check_page(client.get(path.format(id=status_id)), VISITORS[path], "/login?next=")


@pytest.mark.parametrize("path", MEMBERS)
def test_a_member_gets_every_page_and_home_for_those_of_visitors(member: Member, path: str) -> None:
    ann = member("ann")
    check_page(ann.get(path.format(id=write(ann, "hello"))), MEMBERS[path], "/home")


def check_page(answer: TestResponse, status: int, location: str) -> None:
    assert answer.status_code == status, answer.text
    if status == 303:
        assert answer.location.startswith(location)
        return
    ids = re.findall(r'\sid="([^"]+)"', answer.text)
    assert len(ids) == len(set(ids))
    assert len(re.findall("<h1", answer.text)) == 1
    assert "· Linnet</title>" in answer.text


def test_the_front_page_shows_the_newest_five_and_an_empty_site_says_so(
    client: FlaskClient, member: Member
) -> None:
    assert "Nobody has posted yet" in words(client.get("/"))
    ann = member("ann")
    ids = [write(ann, f"post {number}") for number in range(7)]
    assert shown(client.get("/")) == ids[:1:-1]


def test_a_page_in_another_case_of_the_login_moves_to_the_right_one(
    client: FlaskClient, member: Member
) -> None:
    status_id = write(member("Ann"), "hello")
    for path in ("/@{}", f"/@{{}}/{status_id}"):
        answer = client.get(path.format("aNN"))
        assert (answer.status_code, answer.location) == (301, path.format("Ann"))


def test_a_permalink_under_another_login_is_not_found(client: FlaskClient, member: Member) -> None:
    status_id = write(member("ann"), "hello")
    member("ben")
    for path in (
        f"/@ben/{status_id}",
        f"/@nobody_here/{status_id}",
        f"/@ann/{status_id + 64}",
        "/@ann/0",
        "/@ann/x",
    ):
        check_error(client.get(path), 404)


def test_following_and_unfollowing_change_the_button_the_lists_and_home(member: Member) -> None:
    ann, ben = member("ann"), member("ben")
    status_id = write(ann, "hello")
    for _ in range(2):
        answer = ben.post("/@ANN/follow")
        assert (answer.status_code, answer.location) == (303, "/@ann")
    assert 'action="/@ann/unfollow"' in ben.get("/@ann").text
    assert shown(ben.get("/home")) == [status_id]
    assert (listed(ben.get("/@ann/followers")), listed(ben.get("/@ben/following"))) == (
        ["ben"],
        ["ann"],
    )
    for _ in range(2):
        answer = ben.post("/@ann/unfollow", data={"next": "/public"})
        assert (answer.status_code, answer.location) == (303, "/public")
    assert 'action="/@ann/follow"' in ben.get("/@ann").text
    assert shown(ben.get("/home")) == []
    assert listed(ben.get("/@ann/followers")) == listed(ben.get("/@ben/following")) == []
    ben.post("/@ann/follow")
    assert ben.delete("/@ann/follow").status_code == 303
    assert listed(ben.get("/@ben/following")) == []


def test_nobody_follows_themselves_or_somebody_who_is_not_there(member: Member) -> None:
    ann = member("ann")
    check_error(ann.post("/@Ann/follow"), 422, "You can’t follow yourself.")
    for verb in ("follow", "unfollow"):
        check_error(ann.post(f"/@nobody/{verb}"), 404, "This member doesn’t exist.")
        check_error(
            ann.post(f"/@not-a-login/{verb}"), 404, "This page doesn’t exist or was removed."
        )
    assert listed(ann.get("/@ann/following")) == []
    assert "follow" not in re.findall(r'action="/@ann/(\w+)"', ann.get("/@ann").text)


def test_nobody_follows_more_members_than_the_limit(settings: Config) -> None:
    with serving(replace(settings, following_max=1)) as app:
        ann, _, _ = (join(app, login) for login in ("ann", "ben", "cat"))
        assert ann.post("/@ben/follow").status_code == 303
        check_error(ann.post("/@cat/follow"), 409, "limit for follows")
        assert listed(ann.get("/@ann/following")) == ["ben"]


def test_a_profile_says_what_ties_its_member_to_the_viewer(
    client: FlaskClient, member: Member
) -> None:
    ann, ben = member("ann"), member("ben")
    assert "Follows you" not in words(ann.get("/@ben"))
    ben.post("/@ann/follow")
    assert "Follows you" in words(ann.get("/@ben"))
    assert "Follows you" not in words(ben.get("/@ann")) + words(ann.get("/@ann")) + words(
        client.get("/@ben")
    )
    ann.post("/@ben/follow")
    assert "You follow each other" in words(ann.get("/@ben"))
    ben.post("/@ann/unfollow")
    assert not re.search("Follows you|each other", words(ann.get("/@ben")))


def test_a_profile_names_three_followers_one_follows_and_counts_the_others(
    client: FlaskClient, member: Member
) -> None:
    ann, *known = (member(login) for login in ("ann", "ben", "cat", "dan", "eve"))
    member("star")
    said = []
    for login, friend in zip(("ben", "cat", "dan", "eve"), known, strict=True):
        friend.post("/@star/follow")
        assert f"{login.title()} " not in words(ann.get("/@star")) + words(client.get("/@star"))
        ann.post(f"/@{login}/follow")
        said.append(words(ann.get("/@star")))
    assert "Followed by Ben, whom you follow" in said[0]
    assert "Followed by Cat and Ben, whom you follow" in said[1]
    assert "Followed by Dan, Cat and Ben, whom you follow" in said[2]
    assert "Followed by Eve, Dan and 2 others you follow" in said[3]
    assert "Followed by" not in words(known[0].get("/@ben"))


@pytest.mark.parametrize("path", ["/home", "/public", "/@ann"])
def test_the_older_links_of_a_timeline_never_repeat_or_skip_while_statuses_arrive(
    settings: Config, path: str
) -> None:
    with serving(replace(settings, page_size=3)) as app:
        ann = join(app, "ann")
        ids = [write(ann, f"post {number}") for number in range(9)]
        pages = []
        link: str | None = path
        while link:
            answer = ann.get(link)
            pages.append(shown(answer))
            link = older(answer)
            write(ann, f"meanwhile {len(pages)}")
        assert [len(page) for page in pages] == [3, 3, 3]
        assert [one for page in pages for one in page] == ids[::-1]
        assert "Back to the newest" in words(answer)
        assert "nothing older than this" in words(ann.get(f"{path}?max_id={ids[0]}"))


@pytest.mark.parametrize("kind", ["followers", "following"])
def test_the_older_links_of_a_list_of_people_never_repeat_or_skip(
    settings: Config, kind: str
) -> None:
    with serving(replace(settings, page_size=3)) as app:
        ann = join(app, "ann")
        others = {f"m{number}": join(app, f"m{number}") for number in range(8)}
        for login, other in others.items():
            answer = (
                other.post("/@ann/follow") if kind == "followers" else ann.post(f"/@{login}/follow")
            )
            assert answer.status_code == 303
        found = []
        link: str | None = f"/@ann/{kind}"
        while link:
            answer = ann.get(link)
            found += listed(answer)
            link = older(answer)
        assert found == list(others)[::-1]


@pytest.mark.parametrize(
    "path", ["/home", "/public", "/@ann", "/@ann/followers", "/@ann/following"]
)
def test_a_cursor_that_is_none_is_refused(member: Member, path: str) -> None:
    ann = member("ann")
    for cursor in (
        "",
        "x",
        "-1",
        "0",
        "1e3",
        "1.0",
        "01",
        "+1",
        "%D9%A1",
        "%00",
        "%ff",
        "9" * 16,
        "9" * 5000,
    ):
        check_error(ann.get(f"{path}?max_id={cursor}"), 422, "That page doesn’t exist.")


def test_a_home_page_takes_two_trips_whatever_it_shows(settings: Config) -> None:
    with serving(replace(settings, inline_projections=False)) as app:
        db: Db = app.extensions["linnet.db"]
        reader, *authors = (join(app, f"m{number}") for number in range(12))
        for number in range(1, 12):
            reader.post(f"/@m{number}/follow")
        worker.drain(db, settings)
        for author in authors:
            for number in range(4):
                author.post("/statuses", data={"text": f"@m0 https://example.com #n{number}"})
        worker.drain(db, settings)
        reader.get("/home")
        link: str | None = "/home"
        while link:
            before = db.trips
            answer = reader.get(link)
            assert db.trips - before == 2
            assert len(shown(answer)) in (30, 14)
            link = older(answer)


def test_a_link_shows_the_host_it_leads_to(member: Member) -> None:
    ann = member("ann")
    ann.post(
        "/statuses", data={"text": "evil.com/?x=https://bank.com/login and https://linnet.org/a"}
    )
    page = ann.get("/home").text
    assert ">evil.com/?x=https://bank.com/login<" in page
    assert ">bank.com" not in page and ">linnet.org/a<" in page


def test_a_health_check_signs_nobody_out(member: Member) -> None:
    ann = member("ann")
    for path in ("/healthz", "/readyz"):
        assert "Set-Cookie" not in ann.get(path).headers
    assert ann.get("/home").status_code == 200
