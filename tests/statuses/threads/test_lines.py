"""Lines that join the posts of a thread: on a post's page, and in lists."""

import re
from typing import cast

import pytest
from flask.testing import FlaskClient

from tests.support.statuses.filters import FORM as FILTER
from tests.support.world import Web
from webapp.accounts.member import Member as Account
from webapp.statuses import Status
from webapp.statuses.threads.nodes import ThreadNode, Tombstone, with_lines

JSON = {"Accept": "application/json"}
ENTRIES = {
    "s": r'<article\s+class="status',
    "-": r'<span class="joint\b',
    "b": r'<p class="boosted',
    "f": r'<details class="filtered',
}


class _Author:
    def __init__(self, uid: int) -> None:
        self.uid = uid


def node(author: int, depth: int) -> ThreadNode:
    """Return a node with a status of this author; with a tombstone for 0."""
    if not author:
        return ThreadNode(Tombstone(deleted=True), depth)
    return ThreadNode(Status(1, cast(Account, _Author(author)), "text", ()), depth)


@pytest.mark.parametrize(
    ("nodes", "drawn"),
    [
        ("1.1 1.2 1.3", "1> 1>< 1<"),
        ("1.1 1.2 2.3 1.2", "1> 2> 3 1<"),
        ("1.1 1.2 2.2", "1> 2 2"),
        ("1.1 2.2 1.3", "1> 2> 3"),
        ("1.1 2.1 2.2 1.3 2.1", "1 1> 1>< 2 1"),
        ("0.1 1.2 1.3", "1> 2> 2<"),
        ("1.4 1.5 1.2", "4> 4< 2"),
        ("1.1 1.2 1.3 2.3", "1> 1>< 2 2"),
        ("", ""),
    ],
)
def test_nodes_get_levels_and_lines(nodes: str, drawn: str) -> None:
    """`author.depth` of each node; its level, `>` if a line leads on, `<` if one leads to it."""
    pairs = [one.split(".") for one in nodes.split()]
    joined = with_lines(node(int(author), int(depth)) for author, depth in pairs)
    found = drawn.split()
    assert found == [f"{one.level}{'>' * one.leads_on}{'<' * one.continues}" for one in joined]


def say(client: FlaskClient, text: str, **fields: str) -> str:
    """Post, and return the id."""
    answer = client.post("/statuses", data={"text": text, **fields}, headers=JSON)
    assert answer.json
    return str(answer.json["ids"][0])


def entries(client: FlaskClient, path: str) -> str:
    """Return a list in short: s a post, - a joint, b the line of a boost, f a folded post."""
    page = client.get(path).text
    found = re.finditer("|".join(f"({pattern})" for pattern in ENTRIES.values()), page)
    return "".join(list(ENTRIES)[(one.lastindex or 0) - 1] for one in found)


def test_a_list_joins_the_posts_of_a_thread_that_stand_together(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    say(ann, "before")
    say(ann, "one", more1="two", more2="three")
    assert entries(ann, "/@ann") == "s-s-ss"
    assert entries(web.app.test_client(), "/@ann") == "s-s-ss"
    last = say(ann, "after")
    between = say(ben, "between", reply=last)
    say(ann, "goes on", reply=last)
    assert entries(ann, "/@ann") == "s-ss-s-ss"
    assert entries(ann, "/public").startswith("s-s") and "between" not in ann.get("/public").text
    assert between
    quoting = say(ben, "quoting", quote=last)
    say(ann, "and on", reply=last)
    assert entries(ann, "/public").startswith("sss"), "a post of another member stands between"
    assert quoting


def test_home_shows_a_conversation_from_its_first_post_on(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    for one, other in ((ann, "ben"), (ben, "ann")):
        one.post(f"/@{other}/follow")
    say(ann, "before")
    first = say(ann, "first")
    second = say(ben, "second", reply=first)
    say(ann, "third", reply=second)
    say(ben, "after")
    home = ann.get("/home").text
    texts = re.findall(r'<p class="status-body"[^>]*>([^<]*)', home)
    assert texts == ["after", "first", "second", "third", "before"]
    assert home.count('class="joint joint-reply"') == 2
    links = re.findall(r'<p class="show-thread">\s*<a href="([^"]*)"', home)
    assert links == [f"/@ann/{first}"]
    assert "show-thread" not in ann.get("/@ann").text


def test_replies_are_sorted_by_likes_with_what_is_below_them(web: Web) -> None:
    ann, ben = web.member("ann"), web.member("ben")
    first = say(ann, "first")
    early, late = say(ben, "early", reply=first), say(ben, "late", reply=first)
    say(ann, "below", reply=late)
    ann.post(f"/statuses/{late}/like")

    def texts(client: FlaskClient, query: str) -> list[str]:
        thread = client.get(f"/@ann/{first}{query}").text.partition('<section class="thread"')[2]
        return re.findall(r'<p class="status-body"[^>]*>([^<]*)', thread)

    for client in (ann, web.app.test_client()):
        assert texts(client, "") == ["early", "late", "below"]
        assert texts(client, "?sort=likes") == ["late", "below", "early"]
        assert texts(client, "?sort=nothing") == ["early", "late", "below"]
        assert texts(client, f"?sort=likes&after={early}.2") == ["late", "below"]


def test_boosted_and_folded_posts_are_not_joined(ann: FlaskClient, ben: FlaskClient) -> None:
    first = say(ann, "one")
    second = say(ann, "two crumbs", reply=first)
    for one in (first, second):
        ben.post(f"/statuses/{one}/boost")
    assert entries(ben, "/@ben") == "bsbs"
    assert entries(ben, "/@ann") == "s-s"
    ben.post("/settings/filters", data=FILTER)
    assert entries(ben, "/@ann") == "fss"


def test_a_post_page_draws_lines_above_and_below(ann: FlaskClient, ben: FlaskClient) -> None:
    first = say(ann, "one", more1="two", more2="three")

    def parts() -> list[str]:
        page = re.sub(r"\s+", " ", ann.get(f"/@ann/{first}").text)
        return re.findall(r'<div class="thread-part ([^"]*)"', page)

    expected = ["thread-1 thread-leads thread-answers", "thread-1 thread-continues thread-answers"]
    assert parts() == expected
    say(ben, "well", reply=first)
    assert parts()[2:] == ["thread-1 thread-answers"]
