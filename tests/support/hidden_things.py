"""A site on which one member owns something of every kind that all others must not see."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import make_app
from tests.support import chat
from tests.support.schema import check_schema
from tests.support.world import Web
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.sessions.devices import Device
from webapp.accounts.tokens import apps, store as tokens
from webapp.chat.bots import store as bots
from webapp.chat.ids import direct_id
from webapp.chat.members import group_chats, invitations, keys as member_keys
from webapp.config import Config
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.lists import store as lists
from webapp.statuses import Visibility, store as statuses
from webapp.statuses.drafts import store as drafts
from webapp.statuses.filters import filter_set, store as filters
from webapp.statuses.folders import store as folders

SECRET = "zqsecret"  # in all texts and names that are hidden
VISITOR = "visitor"
MEMBERS = ("stranger", "follower", "blocked")  # of wren's; none may see what she hides
VIEWERS = (VISITOR, *MEMBERS)
HIDDEN_STATUSES = (("wren", Visibility.MENTIONED), ("heron", Visibility.PUBLIC))
Values = dict[str, str]  # parts of an address, or fields of a form


class Hidden(NamedTuple):
    """Values that name a hidden thing, and values that name a thing which never existed."""

    existing: Values
    missing: Values


@dataclass(frozen=True)
class HiddenSite:
    """wren owns something of every kind; heron is protected and has no followers.

    `clients` are the browsers by login. `things` are by kind.
    """

    app: Flask
    clients: dict[str, FlaskClient]
    things: dict[str, list[Hidden]]


@contextmanager
def hidden_site(config: Config) -> Iterator[HiddenSite]:
    """Run the site while the block runs."""
    web = Web(make_app(replace(config, inline_projections=False)))
    logins = ("wren", "heron", *MEMBERS)
    uids = dict(zip(logins, web.people(*logins), strict=True))
    web.follow(uids["follower"], "wren")
    web.protect(uids["heron"])
    web.block(uids["wren"], "blocked")
    things = _things_of(web, uids["wren"])
    things["status"] = [
        _post_hidden(web, uids[login], login, visibility) for login, visibility in HIDDEN_STATUSES
    ]
    things["chat"].append(_write_to(web, uids["wren"], uids["heron"]))
    web.apply_events()
    clients = {login: _signed_in(web, uids[login]) for login in ("wren", *MEMBERS)}
    yield HiddenSite(web.app, {VISITOR: web.client, **clients}, things)
    check_schema(web.db)
    web.db.close()


def _signed_in(web: Web, uid: int) -> FlaskClient:
    """Return a member's browser, which also sends an access token."""
    client = web.app.test_client()
    client.set_cookie("linnet", sessions.start(web, uid))
    token = tokens.create(web, uid, "script")
    client.environ_base["HTTP_AUTHORIZATION"] = f"Bearer {token}"
    return client


def _post_hidden(site: Site, uid: int, login: str, visibility: Visibility) -> Hidden:
    text = parse(f"{SECRET} #marsh")
    status_id = statuses.post(site, uid, text, "form", visibility=visibility, cw=SECRET)
    existing, missing = str(status_id), str(status_id - (1 << 30))
    return Hidden(
        {"login": login, "status_id": existing, "number": existing},
        {"login": login, "status_id": missing, "number": missing},
    )


def _write_to(site: Site, uid: int, other: int) -> Hidden:
    """Send a message in the direct chat of two members."""
    cid = direct_id(uid, other)
    chat.send_messages(site, uid, cid, SECRET)
    no_sha = "0" * 64
    return Hidden({"cid": cid, "sha": no_sha}, {"cid": f"{uid}-9", "sha": no_sha})


def _things_of(site: Site, uid: int) -> dict[str, list[Hidden]]:
    """Create what wren owns beside statuses, several where others may guess the number."""
    cookie = sessions.start(site, uid, device=Device("192.0.2.2", SECRET))
    bots.create_bot(site, uid, "wrenbot", SECRET)
    drafts.save(site, uid, "draft-of-wren", {"text": SECRET})
    filter_numbers = [filters.save(site, uid, filter_set.Filter(SECRET)) for _ in range(3)]
    kept = statuses.post(site, uid, parse("hm"), "kept")
    folder_numbers = [
        folders.sort(site, uid, kept, {}, f"{SECRET} {number}") for number in range(3)
    ]
    list_numbers = [
        lists.create(site, uid, f"{SECRET} {number}", private=True) for number in range(3)
    ]
    tokens.create(site, uid, SECRET)
    [token_sha] = [token.id for token in tokens.list_tokens(site.db, uid) if token.name == SECRET]
    app_key = apps.create(site, uid, SECRET).consumer_key
    cid, invite_sha = _create_group(site, uid)
    no_sha = {"sha": "0" * len(invite_sha)}
    things = {
        "list": Hidden(
            {"login": "wren", "number": str(list_numbers[-1])}, {"login": "wren", "number": "7"}
        ),
        "folder": Hidden({"number": str(folder_numbers[-1])}, {"number": "7"}),
        "chat": Hidden({"cid": cid, "sha": invite_sha}, {"cid": str(int(cid) + 704), **no_sha}),
        "draft": Hidden({"form_key": "draft-of-wren"}, {"form_key": "draft-of-none"}),
        "filter": Hidden({"number": str(filter_numbers[-1])}, {"number": "7"}),
        "bot": Hidden({"login": "wrenbot", **no_sha}, {"login": "nobody", **no_sha}),
        "session": Hidden({"sha": sha_of(cookie)}, no_sha),
        "token": Hidden({"sha": token_sha}, no_sha),
        "app": Hidden({"key": app_key}, {"key": f"{uid}-{'0' * 24}"}),
    }
    return {kind: [hidden] for kind, hidden in things.items()}


def _create_group(site: Site, uid: int) -> tuple[str, str]:
    """Create a group with a message. Return its id, and the SHA-256 of an invitation to it."""
    cid = group_chats.create(site, uid, "private", SECRET, [], None, chat.key())
    chat.send_messages(site, uid, cid, SECRET)
    invitations.create(site, uid, cid, 5, 5)
    [sha] = site.db.run(("HKEYS", member_keys.chat_invites(cid)))
    return cid, sha
