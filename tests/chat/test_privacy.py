"""Permissions of every role in a chat, on every path, as tables.

A cell is the status of the response and what it contains: `b` the message before the newcomer
joined (its text or picture), `a` the message after, `n` the name of the chat, `p` a member's name.
In the tables of actions, a star says that the chat changed: its messages, members or positions.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import make_app
from tests.support.chat import key
from tests.support.chat_site import AFTER, BEFORE, NAME, QUIET, ChatSite, markers_in
from tests.support.processes import RunningSite, free_port
from tests.support.schema import check_schema
from tests.support.streaming.client import Reader, mark_processes
from tests.support.worker import drain
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.members import group_chats, invitations, membership
from webapp.config import Config
from webapp.following import store as following
from webapp.following.blocks import store as blocks

ROLES = "visitor stranger invited blocked bot former removed newcomer member owner".split()
DIRECT_ROLES = "visitor stranger bot one other blocker blockee sender receiver".split()
DIRECT = {
    "blocker": ("blocker", "blockee"),
    "blockee": ("blocker", "blockee"),
    "sender": ("sender", "receiver"),
}
DIRECT["receiver"] = DIRECT["sender"]  # all other roles try the chat of "one" and "other"

PAGES = {
    "page": "/chats/{cid}",
    "page before": "/chats/{cid}?before=2",
    "page after": "/chats/{cid}?after=0",
    "page around": "/chats/{cid}?around=1",
    "page date": "/chats/{cid}?date=2020-01-01",
    "page unread": "/chats/{cid}?unread=1",
    "reply to it": "/chats/{cid}?reply=1",
    "edit it": "/chats/{cid}?edit=1",
    "react to it": "/chats/{cid}?react=1",
    "report it": "/chats/{cid}?report=1",
    "old picture": "/chats/{cid}/pictures/{old}",
    "new picture": "/chats/{cid}/pictures/{new}",
    "search": "/chats/{cid}/search?q=has:media",
    "search all": "/chats/search?q=has:media",
    "people": "/chats/{cid}/people",
    "settings": "/chats/{cid}/settings",
    "list": "/chats",
    "requests": "/chats/requests",
    "archived": "/chats/archived",
    "API list": "/api/chats",
    "API page": "/api/chats/{cid}/messages",
    "API before": "/api/chats/{cid}/messages?before=2",
    "API after": "/api/chats/{cid}/messages?after=1",
    "API around": "/api/chats/{cid}/messages?around=1",
    "API pending": "/api/chats/pending?mark=0",
    "forward": "/chats/forward?status={status}",
}
JOIN_PAGES = {"invite link": "/chats/join/{token}", "wrong link": "/chats/join/{cid}.guessed"}
WORDS = {"text": "hello", "key": "a-new-key"}
MESSAGE_FORMS: dict[str, tuple[str, dict[str, Any]]] = {
    "send": ("/chats/{cid}/messages", WORDS),
    "reply": ("/chats/{cid}/messages", {**WORDS, "reply": "1"}),
    "edit old": ("/chats/{cid}/messages/1/edit", {"text": "edited"}),
    "edit new": ("/chats/{cid}/messages/2/edit", {"text": "edited"}),
    "delete old": ("/chats/{cid}/messages/1/delete", {}),
    "delete new": ("/chats/{cid}/messages/2/delete", {}),
    "react old": ("/chats/{cid}/messages/1/react", {"emoji": "👍"}),
    "react new": ("/chats/{cid}/messages/2/react", {"emoji": "👍"}),
    "read": ("/chats/{cid}/read", {"id": "2"}),
    "typing": ("/chats/{cid}/typing", {}),
    "mute": ("/chats/{cid}/mute", {}),
    "archive": ("/chats/{cid}/archive", {}),
    "accept": ("/chats/{cid}/accept", {}),
    "ignore": ("/chats/{cid}/ignore", {}),
    "report old": ("/chats/{cid}/report", {"message": "1", "category": "spam"}),
    "report new": ("/chats/{cid}/report", {"message": "2", "category": "spam"}),
    "report all": ("/chats/{cid}/report", {"category": "spam"}),
    "leave": ("/chats/{cid}/leave", {}),
    "API send": ("/api/chats/{cid}/messages", WORDS),
    "API fetched": ("/api/chats/fetched", {"{cid}": 2}),
}
GROUP_FORMS: dict[str, tuple[str, dict[str, Any]]] = {
    "join": ("/chats/{cid}/join", {}),
    "join link": ("/chats/join/{token}", {}),
    "add": ("/chats/{cid}/people/add", {"people": "stranger"}),
    "remove": ("/chats/{cid}/people/remove", {"uid": "{quiet}"}),
    "promote": ("/chats/{cid}/people/promote", {"uid": "{newcomer}"}),
    "demote": ("/chats/{cid}/people/demote", {"uid": "{owner}"}),
    "change": (
        "/chats/{cid}/settings",
        {"name": "Mine", "topic": "", "kind": "open", "retention": "history"},
    ),
    "invite": ("/chats/{cid}/invites", {"uses": "1", "hours": "24"}),
    "revoke": ("/chats/{cid}/invites/{sha}/revoke", {}),
    "delete": ("/chats/{cid}/delete", {}),
}

GROUP_PAGES = """\
             visitor  stranger  invited  blocked  bot    former  removed  newcomer  member   owner
page         login    404       404      404      login  404     404      200 an    200 ban  200 ban
page before  login    404       404      404      login  404     404      200 an    200 ban  200 ban
page after   login    404       404      404      login  404     404      200 an    200 ban  200 ban
page around  login    404       404      404      login  404     404      200 an    200 ban  200 ban
page date    login    404       404      404      login  404     404      200 an    200 ban  200 ban
page unread  login    404       404      404      login  404     404      200 an    200 ban  200 ban
reply to it  login    404       404      404      login  404     404      404       200 ban  200 ban
edit it      login    404       404      404      login  404     404      404       403      200 ban
react to it  login    404       404      404      login  404     404      404       200 ban  200 ban
report it    login    404       404      404      login  404     404      404       200 ban  200 ban
old picture  login    404       404      404      login  404     404      404       200 b    200 b
new picture  login    404       404      404      login  404     404      200 a     200 a    200 a
search       login    404       404      404      login  404     404      200 an    200 ban  200 ban
search all   login    200       200      200      login  200     200      200       200 ban  200 ban
people       login    404       404      404      login  404     404      200 np    200 np   200 np
settings     login    404       404      404      login  404     404      403       403      200 n
list         login    200       200      200      login  200     200      200 an    200 an   200 an
requests     login    200       200      200      login  200     200      200 an    200      200
archived     login    200       200      200      login  200     200      200       200      200
API list     401      200       200      200      200    200     200      200 an    200 an   200 an
API page     401      404       404      404      404    404     404      200 an    200 ban  200 ban
API before   401      404       404      404      404    404     404      200 n     200 bn   200 bn
API after    401      404       404      404      404    404     404      200 an    200 an   200 an
API around   401      404       404      404      404    404     404      200 an    200 ban  200 ban
API pending  401      200       200      200      200    200     200      200 an    200 ban  200 ban
forward      login    200       200      200      login  200     200      200       200 n    200 n
invite link  login    200 n     200 n    403      login  200 n   200 n    200 n     200 n    200 n
wrong link   login    403       403      403      login  403     403      403       403      403"""

GROUP_ACTIONS = """\
             visitor  stranger  invited  blocked  bot    former  removed  newcomer  member   owner
send         403      404       404      404      login  404     404      303*      303*     303*
reply        403      404       404      404      login  404     404      404 an    303*     303*
edit old     403      404       404      404      login  404     404      404       403      303*
edit new     403      404       404      404      login  404     404      403       303*     403
delete old   login    404       404      404      login  404     404      404       403      303*
delete new   login    404       404      404      login  404     404      403       303*     303*
react old    login    404       404      404      login  404     404      404       303*     303*
react new    login    404       404      404      login  404     404      303*      303*     303*
read         login    404       404      404      login  404     404      204       204*     204*
typing       login    404       404      404      login  404     404      204       204      204
mute         login    404       404      404      login  404     404      303       303      303
archive      login    404       404      404      login  404     404      303       303      303
accept       login    404       404      404      login  404     404      303       303      303
ignore       login    303       303      303      login  303     303      303*      303*     303*
report old   login    404       404      404      login  404     404      404       303      303
report new   login    404       404      404      login  404     404      303       303      303
report all   login    404       404      404      login  404     404      303       303      303
leave        login    303       303      303      login  303     303      303*      303*     303*
API send     401      404       404      404      404    404     404      201*      201*     201*
API fetched  401      204       204      204      204    204     204      204*      204*     204*
join         login    404       404      404      login  404     403      303       303      303
join link    login    303*      303*     403      login  303*    403      303       303      303
add          login    404       404      404      login  404     404      303*      303*     303*
remove       login    404       404      404      login  404     404      403       403      303*
promote      login    404       404      404      login  404     404      403       403      303*
demote       login    404       404      404      login  404     404      403       403      409
change       login    404       404      404      login  404     404      403       403      303*
invite       login    404       404      404      login  404     404      201 np*   201 np*  201 np*
revoke       login    404       404      404      login  404     404      403       403      303*
delete       login    404       404      404      login  404     404      403       403      303*"""

DIRECT_PAGES = """\
             visitor  stranger  bot    one     other   blocker  blockee  sender  receiver
page         login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
page before  login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
page after   login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
page around  login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
page date    login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
page unread  login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
reply to it  login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
edit it      login    404       login  200 ba  403     200 ba   403      200 ba  403
react to it  login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
report it    login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
old picture  login    404       login  200 b   200 b   200 b    200 b    200 b   200 b
new picture  login    404       login  200 a   200 a   200 a    200 a    200 a   200 a
search       login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
search all   login    200       login  200 ba  200 ba  200 ba   200 ba   200 ba  200
people       login    404       login  404     404     404      404      404     404
settings     login    404       login  404     404     404      404      404     404
list         login    200       login  200 a   200 a   200 a    200 a    200 a   200 a
requests     login    200       login  200     200     200      200      200     200 a
archived     login    200       login  200     200     200      200      200     200
API list     401      200       200    200 a   200 a   200 a    200 a    200 a   200 a
API page     401      404       404    200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
API before   401      404       404    200 b   200 b   200 b    200 b    200 b   200 b
API after    401      404       404    200 a   200 a   200 a    200 a    200 a   200 a
API around   401      404       404    200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
API pending  401      200       200    200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
forward      login    200       login  200     200     200      200      200     200"""

DIRECT_ACTIONS = """\
             visitor  stranger  bot    one   other  blocker  blockee  sender  receiver
send         403      404       login  303*  303*   403 ba*  403 ba*  303*    303*
reply        403      404       login  303*  303*   403 ba*  403 ba*  303*    303*
edit old     403      404       login  303*  403    403 ba*  403 ba*  303*    403
edit new     403      404       login  403   303*   403 ba*  403 ba*  303*    403
delete old   login    404       login  303*  403    303*     403      303*    403
delete new   login    404       login  403   303*   403      303*     303*    403
react old    login    404       login  303*  303*   403      403      303*    303*
react new    login    404       login  303*  303*   403      403      303*    303*
read         login    404       login  204*  204*   204*     204*     204     204
typing       login    404       login  204   204    204      204      204     204
mute         login    404       login  303   303    303      303      303     303
archive      login    404       login  303   303    303      303      303     303
accept       login    404       login  303   303    303      303      303     303*
ignore       login    404       login  303   303    303      303      303     303
report old   login    404       login  303   303    303      303      303     303
report new   login    404       login  303   303    303      303      303     303
report all   login    404       login  303   303    303      303      303     303
leave        login    404       login  403   403    403      403      403     403
API send     401      404       404    201*  201*   403      403      201*    201*
API fetched  401      204       204    204*  204*   204*     204*     204*    204*"""

GROUP_STREAM = """\
        visitor  stranger  invited  blocked  bot  former  removed  newcomer  member  owner
stream  401      -         -        -        -    -       -        a         ba      ba
typing  401      -         -        -        -    -       -        typing    typing  typing"""


@pytest.fixture
def site(settings: Config) -> Iterator[ChatSite]:
    """An empty site."""
    with closing(ChatSite(make_app(settings), settings)) as site:
        yield site
        check_schema(site.db)


def create_group(site: ChatSite) -> None:
    """Create a private group whose newcomers do not see earlier messages."""
    for role in ROLES:
        if role not in ("visitor", "bot"):
            site.join(role)
    site.join("quiet", QUIET)
    site.add_bot("member")
    owner = site.uids["owner"]
    following.follow(site, site.uids["quiet"], "owner")  # joins without a request
    members = [site.uids[role] for role in ("member", "quiet", "former", "removed")]
    cid = group_chats.create(site, owner, "private", NAME, members, None, key())
    site.values["cid"] = cid
    site.values["old"] = site.send("owner", cid, BEFORE)
    membership.leave(site, site.uids["former"], cid)
    membership.remove(site, owner, cid, site.uids["removed"])
    membership.add(site, owner, cid, [site.uids["newcomer"]])
    site.values["new"] = site.send("member", cid, AFTER, reply_to=1)
    blocks.block(site, owner, "blocked")
    site.values["token"] = invitations.create(site, owner, cid, 9, 24)
    [invite] = site.db.read(invitations.list_active(cid))
    site.values["sha"] = invite.sha
    site.post_status("stranger")
    site.save()


def create_direct_chats(site: ChatSite) -> None:
    """Create three direct chats: one open, one with a block, one with a pending request."""
    for role in DIRECT_ROLES:
        if role not in ("visitor", "bot"):
            site.join(role)
    site.add_bot("one")
    for one, other in (("one", "other"), ("blocker", "blockee"), ("sender", "receiver")):
        cid = direct_id(site.uids[one], site.uids[other])
        site.values[f"{one} old"] = site.send(one, cid, BEFORE)
        second_author = one if one == "sender" else other
        site.values[f"{one} new"] = site.send(second_author, cid, AFTER, reply_to=1)
        drain(site)
    blocks.block(site, site.uids["blocker"], "blockee")
    site.post_status("stranger")
    site.save()


def open_direct_chat(site: ChatSite, role: str) -> None:
    """Fill the placeholders with the direct chat that a role tries."""
    one, other = DIRECT.get(role, ("one", "other"))
    site.values["cid"] = direct_id(site.uids[one], site.uids[other])
    site.values |= {"old": site.values[f"{one} old"], "new": site.values[f"{one} new"]}


def table(columns: Sequence[str], rows: Iterable[str], cell: Callable[[str, str], str]) -> str:
    """Render a table as text, with two spaces between columns."""
    grid = [["", *columns], *([row, *(cell(column, row) for column in columns)] for row in rows)]
    widths = [max(map(len, column)) + 2 for column in zip(*grid, strict=True)]
    lines = ("".join(map(str.ljust, cells, widths)) for cells in grid)
    return "\n".join(line.rstrip() for line in lines)


def test_pages_of_a_private_group(site: ChatSite) -> None:
    create_group(site)
    paths = PAGES | JOIN_PAGES
    assert table(ROLES, paths, lambda role, row: site.request(role, paths[row])) == GROUP_PAGES


def test_actions_in_a_private_group(site: ChatSite) -> None:
    create_group(site)
    forms = MESSAGE_FORMS | GROUP_FORMS
    assert table(ROLES, forms, lambda role, row: site.submit(role, *forms[row])) == GROUP_ACTIONS


def test_pages_of_direct_chats(site: ChatSite) -> None:
    create_direct_chats(site)

    def cell(role: str, row: str) -> str:
        open_direct_chat(site, role)
        return site.request(role, PAGES[row])

    assert table(DIRECT_ROLES, PAGES, cell) == DIRECT_PAGES


def test_actions_in_direct_chats(site: ChatSite) -> None:
    create_direct_chats(site)

    def cell(role: str, row: str) -> str:
        open_direct_chat(site, role)
        return site.submit(role, *MESSAGE_FORMS[row])

    assert table(DIRECT_ROLES, MESSAGE_FORMS, cell) == DIRECT_ACTIONS


@mark_processes
def test_streams_of_a_private_group(tmp_path: Path) -> None:
    with (
        closing(RunningSite(tmp_path)) as processes,
        closing(ChatSite(make_app(processes.config), processes.config)) as site,
    ):
        create_group(site)
        port = free_port()
        processes.stream(port)
        with closing(Listener(site, port)) as listener:
            assert table(ROLES, ["stream", "typing"], listener.cell) == GROUP_STREAM
            # Refused readers are not announced, nor is the newcomer, whose request is pending.
            members = {site.uids[role] for role in ("quiet", "member", "owner")}
            assert listener.present_members(members) == members


class Listener:
    """Opens streams of a chat as different roles while one of its members types."""

    def __init__(self, site: ChatSite, port: int) -> None:
        self._site, self._port = site, port
        self._member = self._open("quiet")

    def cell(self, role: str, row: str) -> str:
        """Read a role's stream until it ends, is up to date, or shows typing; return its cell."""
        reader = self._open(role)
        if reader.response.status != 200:
            reader.close()
            return str(reader.response.status)
        received, last = "", {"stream": "event: mark", "typing": "event: typing"}[row]
        ends = ("event: gone", "event: chat_removed", last)
        while not any(end in received for end in ends):
            chat_state.announce_typing(
                self._site.db, self._site.uids["quiet"], str(self._site.values["cid"])
            )
            block = reader.block()
            assert block, received
            received += f"{block}\n"
        reader.close()
        if row == "typing":
            return "typing" if "event: typing" in received else "-"
        return markers_in(received.replace(QUIET, "")) or "-"

    def present_members(self, expected: set[int]) -> set[int]:
        """Open a stream as every role; return who was announced once all expected ones were."""
        readers = [self._open(role) for role in ROLES]
        present: set[int] = set()
        while not present >= expected:
            event = self._member.next(())
            assert event, present
            present.update(event.data["uids"] if event.event == "here" else ())
        for reader in readers:
            reader.close()
        return present

    def close(self) -> None:
        """Close the member's stream."""
        self._member.close()

    def _open(self, role: str) -> Reader:
        path = f"/stream/chats?chat={self._site.values['cid']}&since=0.0"
        headers = {}
        if role in self._site.cookies:
            headers = {"Cookie": f"linnet={self._site.cookies[role]}"}
        elif role == "bot":
            headers = {"Authorization": f"Bearer {self._site.bot_token}"}
        return Reader(self._port, path=path, headers=headers)
