"""Every page is valid HTML, as the W3C's own validator has it."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from flask.testing import FlaskClient
from PIL import Image

from tests.conftest import PASSWORD

VALIDATOR = Path(__file__).parents[1] / "tools/node_modules/vnu-jar/build/dist/vnu.jar"
TEXTS = ("one\n\ntwo <b>&amp;", "see https://example.com/a?b=c&d=e #tag @ben", "שלום 世界 😀")
PUBLIC = (
    "/ /about/streaming /public /login /signup /@ann /@ben /@ann/followers /@ann/following /nowhere /@ann/{id}/likes "
    "/@ann/{id}/boosts /@ann/{id}/history /@ann/{id}/quotes /@ann/replies /@ben/replies "
    "/public?max_id=1 /@ann?max_id=x /tags/tag /tags/nothing /tags/tag?max_id=1 /tags/12 "
    "/@ann/lists /@ben/lists /@ann/lists/1 /@ann/lists/1/members /@ann/lists/2 /@ann/lists/2/members "
    "/@ann/lists/1?max_id=1 /@ann/lists/9"
)
OWN = (
    "/home /statuses/new /settings/profile /settings/password /settings/sessions /settings/tokens /settings/delete "
    "/home?max_id=1 /about/streaming?track=wren%22 /settings/apps /admin /bookmarks /@ann/{id}/edit "
    "/drafts /scheduled /drafts/draft-key-1 /drafts/draft-key-2 "
    "/@ben /@ann/{id}/quotes /statuses/new?quote={id} /statuses/new?quote=1 "
    "/settings/blocks /settings/mutes /settings/tags /settings/filters /settings/filters/1 /tags/tag "
    "/settings/privacy /requests "
    "/notifications /notifications/likes /notifications?max_id=1 /settings/notifications "
    "/lists /lists/1/edit /@ben/lists/add /@ann/lists/1/members?max_id=1"
)
pytestmark = pytest.mark.skipif(
    not (VALIDATOR.exists() and shutil.which("java")),
    reason="the validator needs `make tools` and java",
)


def furnish(ann: FlaskClient, ben: FlaskClient) -> str:
    """Two members with all there is to show; the address of a status."""
    picture = io.BytesIO()
    Image.new("RGB", (300, 200), "#b45").save(picture, "PNG")
    for kind in ("avatar", "header"):
        picture.seek(0)
        said = {
            "name": 'A "quoted" <name>',
            "bio": "Sings\n#here @ben",
            "location": "Reeds",
            "website": "example.org",
        }
        files = {kind: (io.BytesIO(picture.getvalue()), "me.png")}
        ann.post("/settings/profile", data={**said, **files}, content_type="multipart/form-data")
    for text in TEXTS:
        ann.post("/statuses", data={"text": text})
    for name in ("", 'A "quoted" <place>'):
        place = {"lat": "31.23", "long": "-121.47", "place": name}
        ann.post("/statuses", data={"text": f"here {name}", "cw": name, **place})
    shots = [(io.BytesIO(picture.getvalue()), "x.png") for _ in range(3)]
    said = {"text": "", "pictures": shots, "alt": ['A "quoted" <bird>', "", ""]}
    ann.post("/statuses", data=said, content_type="multipart/form-data")
    asked = {"option1": 'A "quoted" <answer>', "option2": "&amp;", "poll_minutes": "60"}
    for number, cw in enumerate(("", 'A "quoted" <warning>')):  # the first of which Ann votes in
        ben.post(
            "/statuses", data={"text": f"what {number}?", "cw": cw, "poll_multiple": cw, **asked}
        )
        ann.post("/statuses", data={"text": f"which {number}?", "cw": cw, **asked})
    for who in ("followed", "mentioned"):
        ben.post("/statuses", data={"text": f"for few {who}", "answerers": who})
    ballots = re.findall(r'action="(/statuses/\d+/vote)"', ann.get("/@ben").text)
    assert len(ballots) == 2 and ann.post(ballots[-1], data={"option": "0"}).status_code == 303
    ann.post("/@ben/follow")
    ann.post("/tags/tag/follow")
    for name in ('A "quoted" <list>', "another"):
        ann.post("/lists", data={"name": name, "exclusive": name[8:]})
    ann.post("/lists/1/members", data={"login": "ben"})
    for number, path in (("1", "/drafts"), ("2", "/drafts/schedule")):
        told = {
            "text": 'a "quoted" <draft>',
            "cw": "<x>",
            "at": f"{date.today() + timedelta(days=9)}T06:30",
            **asked,
        }
        assert ann.post(path, data={**told, "key": f"draft-key-{number}"}).status_code == 303
    ann.post(
        "/settings/filters", data={"words": "here", "public": "y", "act": "warn", "lasts": "week"}
    )
    ben.post("/@ann/follow")
    ann.post("/settings/tokens", data={"name": "a script"})
    path = re.search(r'class="status-time" href="([^"]+)"', ann.get("/@ann").text)
    assert path
    for client, acts in ((ann, ("like", "bookmark")), (ben, ("like", "boost"))):
        for act in acts:
            assert client.post(f"/statuses/{path[1].rpartition('/')[2]}/{act}").status_code == 303
    ann.post(f"/statuses/{path[1].rpartition('/')[2]}/pin")
    ann.post(
        f"{path[1]}/edit", data={"text": TEXTS[0], "cw": 'A "quoted" <warning>', "version": "0"}
    )
    answer(ann, ben, path[1].rpartition("/")[2])
    quote(ann, ben, path[1].rpartition("/")[2])
    return path[1]


def quote(ann: FlaskClient, ben: FlaskClient, status: str) -> None:
    """Quotes of a status: a plain one, one behind a warning, one that it was taken out of, and one of a quote."""
    for number, cw in enumerate(("", 'A "quoted" <warning>', "")):
        assert (
            ben.post(
                "/statuses", data={"text": f"look {number}", "cw": cw, "quote": status}
            ).status_code
            == 303
        )
    newest = re.findall(r'id="status-(\d+)"', ben.get("/@ben").text)[0]
    assert ann.post(f"/statuses/{newest}/detach").status_code == 303
    assert ann.post("/statuses", data={"text": "so I see", "quote": newest}).status_code == 303


def answer(ann: FlaskClient, ben: FlaskClient, status: str) -> None:
    """A thread below a status, with a gap in it."""
    chain = [status]
    for number, client in enumerate((ben, ann, ben, ann)):
        told = {"text": f'@ann "quoted" <{number}>', "reply": chain[-1]}
        chain.append(client.post("/statuses", data=told).location.rpartition("-")[2])
    assert ann.post(f"/statuses/{chain[2]}/delete").status_code == 303
    assert ben.post("/statuses", data={"text": "aside", "reply": status}).status_code == 303


def furnish_chats(ann: FlaskClient, ben: FlaskClient, status: str) -> str:
    """A chat with all there is to show; its address."""
    text, picture = 'A "quoted" <name> @ann https://example.com/?a=b&c=d', io.BytesIO()
    Image.new("RGB", (300, 200), "#b45").save(picture, "PNG")
    group = {
        "name": 'A "quoted" <group>',
        "topic": text,
        "people": "ben",
        "kind": "private",
        "text": text,
    }
    path = ann.post("/chats/new", data=group).location
    for client, reply in ((ben, "1"), (ann, "2"), (ann, "")):
        files = {"pictures": (io.BytesIO(picture.getvalue()), "x.png"), "alt": text}
        form = {"text": text, "reply": reply, "status": status.rpartition("/")[2], **files}
        assert (
            client.post(
                f"{path}/messages", data=form, content_type="multipart/form-data"
            ).status_code
            == 303
        )
        client.post(f"{path}/messages/1/react", data={"emoji": "👍"})
    ann.post(f"{path}/messages/1/edit", data={"text": "edited"})
    ben.post(f"{path}/messages/2/delete")
    ben.get(path)
    ben.post(ann.get("/chats/@ben").location + "/messages", data={"text": text})
    return path


def chat_pages(ann: FlaskClient, path: str) -> dict[str, str]:
    """All kinds of pages of chats, by what they are."""
    found = {}
    queries = (
        "",
        "?reply=1",
        "?edit=1",
        "?react=1",
        "?report=1",
        "?report=all",
        "?before=2",
        "?after=1",
        "/people",
    )
    for lang in ("en", "zh"):
        ann.set_cookie("linnet_lang", lang)
        others = ("/chats", "/chats/requests", "/chats/archived", "/chats/new", f"{path}/settings")
        for page in (
            *others,
            ann.get("/chats/@ben").location,
            *(f"{path}{query}" for query in queries),
        ):
            found[f"{lang} {page}"] = ann.get(page).text
        found[f"{lang} invite"] = ann.post(
            f"{path}/invites", data={"uses": "2", "hours": "24"}
        ).text
        for name, form in (
            ("messages", {"text": ""}),
            ("messages/1/react", {"emoji": "x"}),
            ("invites", {}),
        ):
            found[f"{lang} refused {name}"] = ann.post(f"{path}/{name}", data=form).text
        for name, form in (("people/add", {"people": "@nobody"}), ("settings", {"name": ""})):
            found[f"{lang} refused {name}"] = ann.post(f"{path}/{name}", data=form).text
        found[f"{lang} refused group"] = ann.post(
            "/chats/new", data={"people": "@nobody", "kind": "x"}
        ).text
    return found


def pages(ann: FlaskClient, visitor: FlaskClient, status: str) -> dict[str, str]:
    """All kinds of pages, by what they are."""
    found = {}
    for lang in ("en", "zh"):
        for client, who in ((ann, "member"), (visitor, "visitor")):
            client.set_cookie("linnet_lang", lang)
            client.set_cookie("linnet_theme", "dark" if lang == "zh" else "light")
            number = status.rpartition("/")[2]
            for path in (
                *PUBLIC.format(id=number).split(),
                status,
                *(OWN.format(id=number).split() if who == "member" else ()),
            ):
                found[f"{who} {lang} {path}"] = client.get(path).text
        found |= {f"hidden {lang} {name}": text for name, text in hidden(ann)}
        found |= {f"refused {lang} {name}": text for name, text in refusals(ann, visitor, status)}
    return found


def hidden(ann: FlaskClient) -> list[tuple[str, str]]:
    """Pages that show who is muted, or blocked."""
    found = []
    for act, undo in (("mute", "unmute"), ("block", "unblock")):
        ann.post(f"/@ben/{act}", data={"time": "day", "hush": "1"})
        found += [
            (f"{act} {path}", ann.get(path).text)
            for path in ("/@ben", "/@ann", f"/settings/{act}s")
        ]
        ann.post(f"/@ben/{undo}")
    return found


def protected(ann: FlaskClient, ben: FlaskClient) -> dict[str, str]:
    """Pages of a protected member, and of who asks to follow."""
    ann.post("/settings/privacy", data={"protected": "y"})
    for act in ("unfollow", "follow"):
        ben.post(f"/@ann/{act}")
    own, others = (
        ("/@ann/followers", "/requests", "/notifications"),
        "/@ann /@ann/replies /@ann/followers /@ann/lists",
    )
    shown = {ann: own, ben: tuple(others.split())}
    found = {
        f"protected {path} {len(paths)}": one.get(path).text
        for one, paths in shown.items()
        for path in paths
    }
    assert "/@ben/accept" in found["protected /requests 3"]
    ann.post("/settings/privacy", data={})
    return found


def refusals(ann: FlaskClient, visitor: FlaskClient, status: str) -> list[tuple[str, str]]:
    """Forms that come back."""
    return [
        ("post", ann.post("/statuses", data={"text": "x" * 281}).text),
        ("reply", ann.post("/statuses", data={"text": "@ben <b>", "reply": "1"}).text),
        (
            "pictures",
            ann.post(
                "/statuses",
                data={"text": "x", "alt": ['"<x>"'], "pictures": (io.BytesIO(b"x"), "x.png")},
            ).text,
        ),
        ("poll", ann.post("/statuses", data={"text": "which?", "option1": '"<x>"'}).text),
        ("draft", ann.post("/drafts", data={"text": " ", "cw": '"<x>"'}).text),
        (
            "time",
            ann.post(
                "/drafts/schedule", data={"text": '"<x>"', "at": "2026-01-01T06:30", "offset": "x"}
            ).text,
        ),
        ("moment", ann.post("/drafts/schedule", data={"text": " ", "at": ""}).text),
        (
            "filter",
            ann.post("/settings/filters", data={"words": "", "act": '"<x>"', "lasts": "x"}).text,
        ),
        ("other filter", ann.post("/settings/filters/1", data={"words": '"<x>"' * 30}).text),
        (
            "profile",
            ann.post("/settings/profile", data={"name": "", "website": "x", "bio": "x" * 200}).text,
        ),
        ("password", ann.post("/settings/password", data={"old": "", "new": "x"}).text),
        ("list", ann.post("/lists", data={"name": " ", "private": "y"}).text),
        ("list with that name", ann.post("/lists/1/edit", data={"name": "another"}).text),
        ("name for a list", ann.post("/lists/1/members", data={"login": '"<x>"'}).text),
        ("token", ann.post("/settings/tokens", data={"name": "another"}).text),
        ("app", ann.post("/settings/apps", data={"name": "another"}).text),
        ("app without a name", ann.post("/settings/apps", data={"name": " "}).text),
        ("place", ann.post("/statuses", data={"text": "x", "lat": "x", "place": "<x>" * 50}).text),
        (
            "edit",
            ann.post(f"{status}/edit", data={"text": "<x>", "cw": "<x>", "version": "0"}).text,
        ),
        ("delete", ann.post("/settings/delete", data={"password": "wrong"}).text),
        (
            "sign-up",
            visitor.post(
                "/signup", data={"login": "not a login", "name": " ", "password": "x"}
            ).text,
        ),
        ("sign-in", visitor.post("/login", data={"login": "ann", "password": PASSWORD + "x"}).text),
    ]


def test_every_page_is_valid(
    member: Callable[[str], FlaskClient], client: FlaskClient, tmp_path: Path
) -> None:
    empty = {"empty front": client.get("/").text, "empty public": client.get("/public").text}
    ann, ben = member("ann"), member("ben")
    empty["empty home"] = ann.get("/home").text
    empty |= {
        f"empty {path}": ann.get(path).text for path in ("/chats", "/lists", "/@ben/lists/add")
    }
    status = furnish(ann, ben)
    last = re.search(r'href="(/@ben/\d+)"', client.get("/@ben/replies").text)
    assert last
    thread = {f"thread {path}": ann.get(path).text for path in (last[1], status)}
    chats = chat_pages(ann, furnish_chats(ann, ben, status))
    chats["unread"] = ben.get("/notifications").text
    chats |= protected(ann, ben)
    chats["refused choices"] = ann.post("/settings/notifications", data={"like": "x"}).text
    chats["forward"] = ann.get(f"/chats/forward?status={status.rpartition('/')[2]}").text
    names = {}
    for number, (name, text) in enumerate(
        {**empty, **thread, **chats, **pages(ann, client, status)}.items()
    ):
        file = tmp_path / "pages" / f"{number}.html"
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        names[file.name] = name
    command = [
        "java",
        "-jar",
        str(VALIDATOR),
        "--format",
        "json",
        "--exit-zero-always",
        str(tmp_path / "pages"),
    ]
    messages = json.loads(subprocess.run(command, capture_output=True, check=True).stderr)[
        "messages"
    ]
    found = [
        (
            names[message["url"].rpartition("/")[2]],
            message.get("lastLine"),
            message["message"],
            message.get("extract"),
        )
        for message in messages
        if message["type"] == "error" or message.get("subType") == "warning"
        # A status has no heading: it is named by its author.
        if not message["message"].startswith("Article lacks heading")
    ]
    assert found == []
