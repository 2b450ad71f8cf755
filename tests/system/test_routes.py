"""Every address of the site, whoever asks, says nothing of what is hidden from them, not even that it is there. The
walk goes over the app's own map of routes: what is added to it must be named below, or the first test fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from tests.conftest import PASSWORD, make_app
from tests.support import chat, worker
from tests.support.schema import check_schema
from webapp.accounts import lifecycle, registration
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.sessions.devices import Device
from webapp.accounts.tokens import apps
from webapp.accounts.tokens import store as tokens
from webapp.chat import keys as chat_keys
from webapp.chat.bots import store as bots
from webapp.chat.members import groups, invitations
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.lists import store as lists
from webapp.statuses import store as statuses
from webapp.statuses.drafts import store as drafts
from webapp.statuses.filters import store as filters
from webapp.statuses.visibility.visibility import Visibility

SECRET = "zqsecret"  # in all that is hidden
# Which routes name what may be hidden from who asks, by what that is: these answer of it as of what never was.
HIDING = {
    "status": """
        statuses.show statuses.several statuses.new statuses.create statuses.delete statuses.remove acts.like
        acts.unlike acts.remove_like acts.boost acts.unboost acts.remove_boost acts.bookmark acts.unbookmark
        acts.remove_bookmark acts.likers acts.boosters edits.edit edits.save edits.history edits.pin edits.unpin
        edits.remove_pin polls.vote quotes.index quotes.detach quotes.remove_detach quotes.reattach quotes.set_quote_policy
        chats.forward
    """,
    "list": """
        lists.show lists.members lists.edit lists.change lists.delete lists.remove lists.add_member lists.unlist
        lists.remove_member lists.set_memberships
    """,
    "chat": """
        chats.show chats.picture chat_inbox.flag chat_inbox.accept chat_inbox.ignore chat_inbox.read
        chat_inbox.typing chat_reports.report
        chat_messages.create chat_messages.react chat_messages.delete chat_messages.edit chat_api.messages chat_api.send
        chat_api.picture group_settings.edit group_settings.delete chat_invitations.create
        chat_invitations.revoke chat_invitations.join_open membership.leave
        membership.people membership.add membership.remove membership.promote membership.demote bots.leave
    """,
    "draft": "drafts.edit drafts.remove drafts.delete drafts.save",
    "filter": "filters.edit filters.change filters.delete",
    "bot": """
        bots.show bots.delete bots.rename bots.create_token bots.revoke_token bots.change_webhook bots.remove_webhook
    """,
    "session": "sessions.end",
    "token": "tokens.revoke",
    "app": "apps.revoke",
}
# Those that name a member at most, or nothing: of these it is looked at what they say.
PLAIN = """
    timelines.index timelines.public timelines.home timelines.profile timelines.replies feeds.profile feeds.public
    tags.show tags.atom tags.follow tags.remove tags.unfollow tags.index acts.index statuses.weight statuses.remove_locations
    following.follow following.remove following.unfollow following.followers following.following requests.index
    requests.accept requests.refuse requests.remove_follower blocks.index blocks.block blocks.unblock mutes.index mutes.mute
    mutes.unmute lists.index lists.public lists.create lists.choose_lists drafts.index drafts.scheduled drafts.schedule
    notifications.index notifications.mark_all notifications.settings filters.index filters.create chats.index
    chats.direct chats.archived
    chats.requests membership.new chat_invitations.join chat_api.index chat_api.pending chat_api.fetched bots.index bots.create
    apps.index apps.create settings.index settings.edit_profile sessions.index tokens.index tokens.create
    settings.privacy admin.home streams.about streams.serve media.show preferences.choose accounts.signup health.healthz
    health.readyz robots static
"""
# Those that end a sign-in, or begin another.
ENDING = (
    "accounts.login accounts.logout settings.password settings.delete_account sessions.end_others"
)
ASKERS = ("visitor", "stranger", "follower", "blocked")
NAMES = ("wren", "heron", *ASKERS[1:])
SAID = (("wren", Visibility.MENTIONED), ("heron", Visibility.PUBLIC))
ELSE = {  # the parts of addresses that name nothing hidden
    **{
        "login": "wren",
        "status_id": "64",
        "cid": "64",
        "number": "1",
        "message": "1",
        "message_id": "1",
        "uid": "1",
        "tab": "mentions",
    },
    **{
        "name": "marsh",
        "file": "picture.webp",
        "filename": "favicon.svg",
        "form_key": "form-1",
        "sha": "0" * 64,
    },
    **{"token": "none", "key": "none"},
}
# What is told anew each time, and how long it is.
HEADERS = "X-Request-ID|Set-Cookie|ETag|Content-Length"
NEW = re.compile(rf'value="[^"]*"|<code>[0-9a-f]{{16}}</code>|"\d{{13}}-\d+"|({HEADERS}): .*')
Values = dict[str, str]


@dataclass
class Scene:
    """wren has one of everything, hidden from all others; heron is protected, and followed by nobody. `clients`: who
    asks, by name. `things`: what to fill an address and a form with, once for what is hidden and once for what never
    was, by what that is.
    """

    app: Flask
    clients: dict[str, FlaskClient]
    things: dict[str, list[tuple[Values, Values]]]


@pytest.fixture
def scene(settings: Config) -> Iterator[Scene]:
    app = make_app(replace(settings, inline_projections=False))
    db: Db = app.extensions["linnet.db"]
    uids = {
        name: registration.sign_up(db, settings, name, name.title(), PASSWORD).uid for name in NAMES
    }
    wren = uids["wren"]
    following.follow(db, settings, uids["follower"], "wren")
    lifecycle.protect(db, settings, uids["heron"])
    blocks.block(db, settings, wren, "blocked")
    things = {
        "status": [_status(db, settings, uids, *one) for one in SAID],
        **_of_wren(db, settings, wren),
    }
    worker.drain(db, settings)
    clients = {name: app.test_client() for name in ASKERS}
    for name in ("wren", *ASKERS[1:]):
        clients.setdefault(name, app.test_client()).set_cookie(
            "linnet", sessions.start(db, settings, uids[name])
        )
        clients[name].environ_base["HTTP_AUTHORIZATION"] = (
            f"Bearer {tokens.create(db, settings, uids[name], 'script')}"
        )
    yield Scene(app, clients, things)
    check_schema(db)
    db.close()


def _status(
    db: Db, config: Config, uids: dict[str, int], login: str, visibility: Visibility
) -> tuple[Values, Values]:
    text = parse(f"{SECRET} #marsh")
    made = statuses.post(db, config, uids[login], text, "form", visibility=visibility, cw=SECRET)
    hidden, none = ({"login": login, "status_id": str(one)} for one in (made, made - (1 << 30)))
    return hidden, none


def _of_wren(db: Db, config: Config, wren: int) -> dict[str, list[tuple[Values, Values]]]:
    """One of everything else."""
    cookie = sessions.start(db, config, wren, device=Device("192.0.2.2", SECRET))
    bots.create_bot(db, config, wren, "wrenbot", SECRET)
    drafts.save(db, config, wren, "draft-of-wren", {"text": SECRET})
    several = [filters.save(db, config, wren, filters.Filter(SECRET)) for _ in range(3)]
    numbers = [lists.create(db, config, wren, f"{SECRET} {n}", private=True) for n in range(3)]
    tokens.create(db, config, wren, SECRET)
    cid = groups.create(db, config, wren, "private", SECRET, [], None, chat.key())
    chat.say(db, config, wren, cid, SECRET)
    invitations.create(db, config, wren, cid, 5, 5)
    [sha] = db.run(("HKEYS", chat_keys.chat_invites(cid)))
    nobodys = {"sha": "0" * len(sha)}
    owned = {
        "list": ({"login": "wren", "number": str(numbers[-1])}, {"login": "wren", "number": "7"}),
        "chat": ({"cid": cid, "sha": sha}, {"cid": str(int(cid) + 64), **nobodys}),
        "draft": ({"form_key": "draft-of-wren"}, {"form_key": "draft-of-none"}),
        "filter": ({"number": str(several[-1])}, {"number": "7"}),
        "bot": ({"login": "wrenbot", **nobodys}, {"login": "nobody", **nobodys}),
        "session": ({"sha": sha_of(cookie)}, nobodys),
        "token": (
            {"sha": next(one.sha for one in tokens.list_tokens(db, wren) if one.name == SECRET)},
            nobodys,
        ),
        "app": (
            {"key": apps.create(db, config, wren, SECRET).consumer_key},
            {"key": f"{wren}-{'0' * 24}"},
        ),
    }
    return {kind: [pair] for kind, pair in owned.items()}


def test_every_route_is_named_once_here(app: Flask) -> None:
    named = [
        *PLAIN.split(),
        *ENDING.split(),
        *(one for listed in HIDING.values() for one in listed.split()),
    ]
    assert sorted(named) == sorted({rule.endpoint for rule in app.url_map.iter_rules()})


def test_what_is_hidden_from_others_is_there_for_whose_it_is(scene: Scene) -> None:
    told = {
        kind: any(
            SECRET in scene.clients["wren"].get(_path(rule, ELSE | pairs[0][0])).text
            for rule in _routes(scene, kind)
        )
        for kind, pairs in scene.things.items()
    }
    assert {kind for kind, so in told.items() if not so} == {
        "session",
        "token",
        "app",
    }  # which have no page each
    for path in ("/settings/tokens", "/settings/apps"):
        assert SECRET in scene.clients["wren"].get(path).text


def test_what_is_hidden_is_answered_as_what_never_was_and_nothing_tells_of_it(scene: Scene) -> None:
    wrong = [
        (asker, rule.endpoint, method, answers)
        for asker in ASKERS
        for rule, method, pair in _asked(scene)
        if len(set(answers := [_answer(scene, asker, rule, method, values) for values in pair])) > 1
    ]
    assert wrong == []
    for asker in ASKERS[1:]:
        assert scene.clients[asker].get("/home").status_code == 200, "still signed in"


def _asked(scene: Scene) -> Iterator[tuple[Rule, str, list[Values]]]:
    """Each route and method, with what to ask of: of what may be hidden also what never was."""
    kinds = {one: kind for kind, listed in HIDING.items() for one in listed.split()}
    for rule in scene.app.url_map.iter_rules():
        if rule.endpoint in ENDING.split():
            continue
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            for pair in scene.things[kinds.get(rule.endpoint, "status")]:
                yield rule, method, list(pair if rule.endpoint in kinds else pair[:1])


def _routes(scene: Scene, kind: str) -> list[Rule]:
    """The routes that show such a thing."""
    named = HIDING[kind].split()
    return [
        rule
        for rule in scene.app.url_map.iter_rules()
        if rule.endpoint in named and "GET" in (rule.methods or ())
    ]


def _path(rule: Rule, given: Values) -> str:
    """The address of a route with these values, and the first of several words that it takes."""
    return re.sub(
        r"<(?:any\((\w+).*?\):|\w+:)?(\w+)>", lambda part: part[1] or given[part[2]], rule.rule
    )


def _answer(scene: Scene, asker: str, rule: Rule, method: str, values: Values) -> tuple[int, str]:
    """What it says to who asks, without what is told anew each time. Whatever it is, it holds no secret."""
    given = ELSE | values
    path, number = _path(rule, given), given["status_id"]
    form = {
        "text": "hm",
        "key": "form-of-asker",
        "name": "Hm",
        "words": "hm",
        "option": "0",
        "emoji": "👍",
    }
    form |= {
        "reply": number,
        "quote": number,
        "status": number,
        "list": given["number"],
        "chat": given["cid"],
    }
    form |= {"lists": given["number"], "ids": number, "to": given["cid"], **given}
    client = scene.clients[asker]
    client.delete_cookie("linnet_form")  # in which a notice of the last answer waits
    asked = {"query_string": {"ids": number, "quote": number, "status": number}}
    answer = client.open(path, method=method, **(asked if method == "GET" else {"data": form}))
    told = f"{answer.headers} {answer.text}"
    assert SECRET not in told and answer.status_code < 500, (asker, method, path)
    told = NEW.sub("", told)
    for value in values.values():
        told = told.replace(value if len(value) > 3 else f"/{value}", "…")
    return answer.status_code, told
