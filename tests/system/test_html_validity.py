"""Every page is valid HTML, as the W3C's own validator checks it."""

import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from tests.conftest import PASSWORD, long
from tests.support.full_site import MEMBER_PATHS, PUBLIC_PATHS, fill_chats, fill_site
from tests.support.world import Web

VALIDATOR = Path(__file__).parents[1] / "tools/node_modules/vnu-jar/build/dist/vnu.jar"
JAVA = (
    "java",
    "-XX:TieredStopAtLevel=1",  # this run is too short for the costly optimisations
    "-XX:+UseSerialGC",
    "-Xss8m",
)
LANGUAGES = {"en": "light", "zh": "dark"}  # each in another theme
CHAT_QUERIES = (
    *("", "?reply=1", "?edit=1", "?react=1", "?report=1", "?report=all"),
    *("?before=2", "?after=1", "/people", "/settings"),
)
INVALID_CHAT_FORMS = {
    "messages": {"text": ""},
    "messages/1/react": {"emoji": "x"},
    "invites": {},
    "people/add": {"people": "@nobody"},
    "settings": {"name": ""},
}
INVALID_FORMS = {
    "post": ("/statuses", {"text": "x" * 281}),
    "reply": ("/statuses", {"text": "@ben <b>", "reply": "1"}),
    "poll": ("/statuses", {"text": "which?", "option1": '"<x>"'}),
    "place": ("/statuses", {"text": "x", "lat": "x", "place": "<x>" * 50}),
    "draft": ("/drafts", {"text": " ", "cw": '"<x>"'}),
    "time": ("/statuses", {"text": '"<x>"', "at": "2026-01-01T06:30", "offset": "x"}),
    "empty scheduled post": ("/statuses", {"text": " ", "at": "", "scheduled": "1"}),
    "filter": ("/settings/filters", {"words": "", "filter_action": '"<x>"', "expires_in": "x"}),
    "filter with long words": ("/settings/filters/1", {"words": '"<x>"' * 30}),
    "profile": ("/settings/profile", {"name": "", "website": "x", "bio": "x" * 200}),
    "password": ("/settings/password", {"old": "", "new": "x"}),
    "username": ("/settings/username", {"login": "<x>"}),
    "list": ("/lists", {"name": " ", "private": "y"}),
    "list with the name of another": ("/lists/1/edit", {"name": "another"}),
    "member of a list": ("/lists/1/members", {"people": '"<x>"'}),
    "token": ("/settings/tokens", {"name": "another"}),
    "app": ("/settings/apps", {"name": "another"}),
    "app without a name": ("/settings/apps", {"name": " "}),
    "delete": ("/settings/delete", {"password": "wrong"}),
}
INVALID_VISITOR_FORMS = {
    "sign-up": ("/signup", {"login": "not a login", "name": " ", "password": "x"}),
    "sign-in": ("/login", {"login": "ann", "password": PASSWORD + "x"}),
}
Pages = dict[str, str]  # by what they show
pytestmark = pytest.mark.skipif(
    not (VALIDATOR.exists() and shutil.which("java")),
    reason="the validator needs `make tools` and java",
)


# In Chinese the pages have the same markup: with a step of 3, a third of them are looked at.
@pytest.mark.parametrize("step", [3, long(1)])
def test_every_page_is_valid(web: Web, tmp_path: Path, step: int) -> None:
    pages = {f"empty {path}": web.client.get(path).text for path in ("/", "/public")}
    ann = web.member("ann")
    ben = web.member("ben")
    for path in ("/home", "/chats", "/lists", "/@ben/lists/add"):
        pages[f"empty {path}"] = ann.get(path).text
    status_path = fill_site(ann, ben)
    pages |= thread_pages(ann, web.client, status_path)
    chat_path = fill_chats(ann, ben, status_path)
    for language in LANGUAGES:
        ann.set_cookie("linnet_lang", language)
        pages |= chat_pages(ann, chat_path, language)
    status = status_path.rpartition("/")[2]
    pages["unread notifications"] = ben.get("/notifications").text
    pages["forward"] = ann.get(f"/chats/forward?status={status}").text
    pages |= protected_pages(ann, ben)
    for language, theme in LANGUAGES.items():
        for viewer in (ann, web.client):
            viewer.set_cookie("linnet_lang", language)
            viewer.set_cookie("linnet_theme", theme)
        pages |= plain_pages(ann, web.client, status_path, language)
        pages |= hidden_pages(ann, language)
        pages |= refused_pages(ann, web.client, status_path, language)
    chinese = [name for name in pages if name.startswith("zh ")]
    skipped = set(chinese) - set(chinese[::step])
    pages = {name: page for name, page in pages.items() if name not in skipped}
    assert validate(pages, tmp_path / "pages") == []


def thread_pages(ann: FlaskClient, visitor: FlaskClient, status_path: str) -> Pages:
    """Return the pages of a thread, from its first post and from its last reply."""
    last_reply = re.search(r'href="(/@ben/\d+)"', visitor.get("/@ben/replies").text)
    assert last_reply
    return {f"thread {path}": ann.get(path).text for path in (last_reply[1], status_path)}


def chat_pages(ann: FlaskClient, chat_path: str, language: str) -> Pages:
    """Return all kinds of pages of chats."""
    paths = "/chats /chats/requests /chats/archived /chats/new /chats/new-message".split()
    paths.append("/chats/new-message?login=nobody")
    paths.append(ann.get("/chats/@ben").location)
    paths += [f"{chat_path}{query}" for query in CHAT_QUERIES]
    pages = {f"{language} {path}": ann.get(path).text for path in paths}
    invitation = ann.post(f"{chat_path}/invites", data={"uses": "2", "hours": "24"})
    pages[f"{language} invitation"] = invitation.text
    for name, form in INVALID_CHAT_FORMS.items():
        pages[f"{language} refused {name}"] = ann.post(f"{chat_path}/{name}", data=form).text
    group = {"people": "@nobody", "kind": "x"}
    pages[f"{language} refused group"] = ann.post("/chats/new", data=group).text
    return pages


def plain_pages(ann: FlaskClient, visitor: FlaskClient, status_path: str, language: str) -> Pages:
    """Return the pages for visitors and members."""
    status = status_path.rpartition("/")[2]
    public = [*PUBLIC_PATHS.format(id=status).split(), status_path]
    own = MEMBER_PATHS.format(id=status).split()
    pages = {f"{language} member {path}": ann.get(path).text for path in (*public, *own)}
    return pages | {f"{language} visitor {path}": visitor.get(path).text for path in public}


def hidden_pages(ann: FlaskClient, language: str) -> Pages:
    """Return pages that show a muted or blocked member."""
    pages = {}
    for action, undo in (("mute", "unmute"), ("block", "unblock")):
        ann.post(f"/@ben/{action}", data={"time": "day", "hide_notifications": "1"})
        for path in ("/@ben", "/@ann", f"/settings/{action}s"):
            pages[f"{language} {action} {path}"] = ann.get(path).text
        ann.post(f"/@ben/{undo}")
    return pages


def protected_pages(ann: FlaskClient, ben: FlaskClient) -> Pages:
    """Return pages of a protected member, and of a member who asks to follow."""
    ann.post("/settings/privacy", data={"protected": "y"})
    for action in ("unfollow", "follow"):
        ben.post(f"/@ann/{action}")
    pages = {}
    for path in ("/@ann/followers", "/requests", "/notifications"):
        pages[f"protected member {path}"] = ann.get(path).text
    for path in ("/@ann", "/@ann/replies", "/@ann/followers", "/@ann/lists"):
        pages[f"requester {path}"] = ben.get(path).text
    assert "/@ben/accept" in pages["protected member /requests"]
    ann.post("/settings/privacy", data={})
    return pages


def refused_pages(ann: FlaskClient, visitor: FlaskClient, status_path: str, language: str) -> Pages:
    """Return forms that come back with their errors."""
    edit = {"text": "<x>", "cw": "<x>", "version": "0"}
    picture = {"text": "x", "alt": ['"<x>"'], "pictures": (io.BytesIO(b"x"), "x.png")}
    pages = {
        "edit": ann.post(f"{status_path}/edit", data=edit).text,
        "pictures": ann.post("/statuses", data=picture).text,
        "notification settings": ann.post("/settings/notifications", data={"like": "x"}).text,
    }
    for client, forms in ((ann, INVALID_FORMS), (visitor, INVALID_VISITOR_FORMS)):
        for name, (path, form) in forms.items():
            pages[name] = client.post(path, data=form).text
    return {f"{language} refused {name}": page for name, page in pages.items()}


def validate(pages: Pages, folder: Path) -> list[tuple[str, ...]]:
    """Return the validator's errors and warnings, each with the name of its page."""
    folder.mkdir()
    names = {}
    for number, (name, page) in enumerate(pages.items()):
        file = folder / f"{number}.html"
        file.write_text(page)
        names[file.name] = name
    options = ("--format", "json", "--exit-zero-always", str(folder))
    result = subprocess.run(
        [*JAVA, "-jar", str(VALIDATOR), *options], capture_output=True, check=True
    )
    return [
        (
            names[message["url"].rpartition("/")[2]],
            message.get("lastLine"),
            message["message"],
            message.get("extract"),
        )
        for message in json.loads(result.stderr)["messages"]
        if message["type"] == "error" or message.get("subType") == "warning"
    ]
