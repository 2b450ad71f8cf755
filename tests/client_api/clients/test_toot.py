"""toot, a client for the terminal, driven through its commands against a running site."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen, run
from typing import Any

import pytest
from PIL import Image

from tests.support.client_site import MISSING, PROGRAMS, ClientSite

TOOT = PROGRAMS / "toot"
ADDRESS = re.compile(rb"https?://\S+/oauth/authorize\S+")
PATIENCE = 60  # seconds
pytestmark = [pytest.mark.long, pytest.mark.skipif(not TOOT.exists(), reason=MISSING)]
Toot = Callable[..., Any]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ClientSite]:
    """The running site."""
    site = ClientSite(tmp_path_factory.mktemp("toot"))
    site.start_pages()
    yield site
    site.close()


@pytest.fixture(scope="module")
def toots(site: ClientSite, tmp_path_factory: pytest.TempPathFactory) -> tuple[Toot, Toot]:
    """The clients of ann and ben, signed in through a browser."""
    return _signed_in(site, "ann", tmp_path_factory), _signed_in(site, "ben", tmp_path_factory)


def _signed_in(site: ClientSite, login: str, folders: pytest.TempPathFactory) -> Toot:
    """Return a function that runs a command of toot as a member, and reads what it prints."""
    env = {**os.environ, "XDG_CONFIG_HOME": str(folders.mktemp(login)), "BROWSER": "true"}
    command = [TOOT, "login", "--instance", site.url]
    with Popen(command, stdin=PIPE, stdout=PIPE, stderr=STDOUT, env=env) as process:
        assert process.stdin and process.stdout
        printed = b""
        while not (address := ADDRESS.search(printed)):
            line = process.stdout.readline()
            assert line, printed
            printed += line
        process.stdin.write(b"\n" + site.allow(site.join(login), address[0].decode()).encode())
        answer, _ = process.communicate(b"\n", PATIENCE)
    assert process.returncode == 0, printed + answer

    def toot(*words: object, as_json: bool = True) -> Any:
        options = ["--json"] if as_json else []
        done = run(
            [TOOT, *map(str, words), *options],
            env=env,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return json.loads(done.stdout) if as_json else done.stdout

    return toot


def test_it_posts_pictures_polls_and_replies(toots: tuple[Toot, Toot], tmp_path: Path) -> None:
    ann, ben = toots
    Image.new("RGB", (300, 200), "red").save(tmp_path / "red.png")
    picture = ("--media", tmp_path / "red.png", "--description", "all red")
    shown = ann("post", "A swift @ben #birds", *picture)
    assert shown["media_attachments"][0]["description"] == "all red"
    options = ("--poll-option", "yes", "--poll-option", "no", "--poll-expires-in", "1 hour")
    poll = ann("post", "A swift?", *options, "--visibility", "unlisted")["poll"]
    assert ben("polls", "vote", poll["id"], 0)["own_votes"] == [0]
    assert ben("polls", "show", poll["id"])["votes_count"] == 1
    reply = ben("post", "@ann yes", "--reply-to", shown["id"], "--spoiler-text", "birds")
    thread = ann("thread", shown["id"])
    assert [one["id"] for one in thread["descendants"]] == [reply["id"]]
    assert "A swift" in ann("thread", reply["id"], as_json=False)
    later = ann("post", "later", "--scheduled-in", "1 day")
    assert later["params"]["text"] == "later"
    assert ann("upload", tmp_path / "red.png")["type"] == "image"


def test_it_acts_on_posts(toots: tuple[Toot, Toot]) -> None:
    ann, ben = toots
    made = ann("post", "hm")["id"]
    for act in ("favourite", "unfavourite", "bookmark", "reblog", "unreblog"):
        ben(act, made)
    ann("pin", made), ann("unpin", made)
    assert "hm" in ben("bookmarks", "--count", 1, as_json=False)
    ben("unbookmark", made)
    ben("reblog", made)
    assert [one["acct"] for one in ann("reblogged-by", made)] == ["ben"]
    assert ann("status", made)["reblogs_count"] == 1
    ann("delete", made)


def test_it_reads_timelines(toots: tuple[Toot, Toot]) -> None:
    ann, _ = toots
    made = ann("post", "first #marsh")["id"]
    ann("favourite", made)
    for words in (["home"], ["public"], ["tag", "marsh"], ["account", "ann"], ["favourites"]):
        page = ann("timelines", *words, "--limit", 5)
        assert made in [one["id"] for one in page], words
        assert "first" in ann("timelines", *words, "--no-pager", "--no-clear", as_json=False)
    ann("timelines", "trending")
    older = ann("timelines", "home", "--max-id", made)
    assert made not in [one["id"] for one in older]
    assert "first" in ann("timelines", "home", "--limit", 1, "--no-pager", as_json=False)


def test_it_finds_and_follows_people(toots: tuple[Toot, Toot]) -> None:
    ann, ben = toots
    found = ann("search", "ben")
    assert [one["acct"] for one in found["accounts"]] == ["ben"]
    assert ann("follow", "ben")["following"]
    assert [one["acct"] for one in ann("following", "ann")] == ["ben"]
    assert [one["acct"] for one in ben("followers", "ben")] == ["ann"]
    assert "follow" in [one["type"] for one in ben("notifications")]
    assert ben("notifications", as_json=False)
    for act, undo, listed in (("mute", "unmute", "muted"), ("block", "unblock", "blocked")):
        ann(act, "ben")
        assert [one["acct"] for one in ann(listed)] == ["ben"]
        ann(undo, "ben")
    ann("follow", "ben"), ann("unfollow", "ben")
    assert ann("whois", "ben")["acct"] == "ben" and ann("whoami")["acct"] == "ann"
    assert ann("update-account", "--display-name", "Ann B", "--note", "hi")["note"] == "<p>hi</p>"
    ben("update-account", "--locked")
    ann("follow", "ben")
    assert [one["acct"] for one in ben("follow-requests", "list")] == ["ann"]
    ben("follow-requests", "accept", "ann")
    ben("update-account", "--no-locked")


def test_it_keeps_lists_and_hashtags(toots: tuple[Toot, Toot]) -> None:
    ann, ben = toots
    ann("follow", "ben")
    ann("lists", "create", "Birds")
    ann("lists", "add", "Birds", "ben")
    assert [one["acct"] for one in ann("lists", "accounts", "Birds")] == ["ben"]
    made = ben("post", "for a list #birds")["id"]
    assert made in [one["id"] for one in ann("timelines", "list", "Birds")]
    ann("lists", "remove", "Birds", "ben"), ann("lists", "delete", "Birds")
    assert ann("lists", "list") == []
    ann("tags", "follow", "birds")
    assert [one["name"] for one in ann("tags", "followed")] == ["birds"]
    assert ann("tags", "info", "birds")["following"]
    ann("tags", "unfollow", "birds"), ann("tags", "featured")


def test_it_describes_the_site_and_signs_out(site: ClientSite, toots: tuple[Toot, Toot]) -> None:
    ann, ben = toots
    assert ann("instance")["title"] == "Linnet"
    assert "ann@" in ann("auth", as_json=False)
    assert "Linnet" in ann("diag", "--server", as_json=False)
    ben("notifications", "--clear", as_json=False)
    assert ben("notifications") == []
    ben("logout", f"ben@127.0.0.1:{site.config.port}", as_json=False)
