"""Who may see and do what in a chat: every relation to it, on every path that leads to it, as one table.

A cell is the status of the answer and what of the chat is in it: `b` what was written before the newcomer came (its
text, or its picture), `a` what was written after, `n` its name, `p` who else belongs to it. In the tables of acts a
star says that the chat has changed, if only in how far somebody has read or fetched it.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from PIL import Image
from redis import Redis

from tests.conftest import PASSWORD, make_app
from tests.support.chat import draft, key
from tests.support.processes import Site, free_port
from tests.support.schema import check_schema
from tests.support.streaming.client import Reader, marked
from tests.support.worker import drain
from webapp.accounts import registration
from webapp.accounts.sessions import store as sessions
from webapp.accounts.tokens import store as tokens
from webapp.chat.bots import store as bots
from webapp.chat.ids import direct_id
from webapp.chat.inbox import chat_state
from webapp.chat.members import groups, invitations, membership
from webapp.chat.messages import sending
from webapp.chat.models import Picture
from webapp.chat.scripts import chat_keys_by_name
from webapp.config import Config
from webapp.core.media import storage as media
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.following.blocks import store as blocks
from webapp.statuses import store as statuses

BEFORE, AFTER, NAME, QUIET = "sealedbefore", "plainafter", "Nestboxes", "Quiet Fourthbird"
MARKS = {"b": BEFORE, "a": AFTER, "n": NAME, "p": QUIET}
ROLES = (
    "visitor",
    "stranger",
    "invited",
    "blocked",
    "bot",
    "former",
    "removed",
    "newcomer",
    "member",
    "owner",
)
PAIRS = ("visitor", "stranger", "bot", "one", "other", "blocker", "blockee", "asker", "asked")
DIRECT = {
    "blocker": ("blocker", "blockee"),
    "blockee": ("blocker", "blockee"),
    "asker": ("asker", "asked"),
}
DIRECT["asked"] = DIRECT["asker"]  # all others knock at the door of "one" and "other"

READS = {
    "page": "/chats/{cid}",
    "page before": "/chats/{cid}?before=2",
    "page after": "/chats/{cid}?after=0",
    "page around": "/chats/{cid}?around=1",
    "page by date": "/chats/{cid}?date=2020-01-01",
    "page of unread": "/chats/{cid}?unread=1",
    "reply to it": "/chats/{cid}?reply=1",
    "edit it": "/chats/{cid}?edit=1",
    "react to it": "/chats/{cid}?react=1",
    "report it": "/chats/{cid}?report=1",
    "old picture": "/chats/{cid}/pictures/{old}",
    "new picture": "/chats/{cid}/pictures/{new}",
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
LINK = {"by the link": "/chats/join/{token}", "by another": "/chats/join/{cid}.guessed"}
WORDS = {"text": "hello", "key": "a-new-key"}
ON_MESSAGES: dict[str, tuple[str, dict[str, Any]]] = {
    "send": ("/chats/{cid}/messages", WORDS),
    "reply": ("/chats/{cid}/messages", {**WORDS, "reply": "1"}),
    "edit old": ("/chats/{cid}/messages/1/edit", {"text": "edited"}),
    "edit new": ("/chats/{cid}/messages/2/edit", {"text": "edited"}),
    "delete old": ("/chats/{cid}/messages/1/delete", {}),
    "delete new": ("/chats/{cid}/messages/2/delete", {}),
    "react to old": ("/chats/{cid}/messages/1/react", {"emoji": "👍"}),
    "react to new": ("/chats/{cid}/messages/2/react", {"emoji": "👍"}),
    "read": ("/chats/{cid}/read", {"id": "2"}),
    "typing": ("/chats/{cid}/typing", {}),
    "mute": ("/chats/{cid}/mute", {}),
    "archive": ("/chats/{cid}/archive", {}),
    "accept": ("/chats/{cid}/accept", {}),
    "ignore": ("/chats/{cid}/ignore", {}),
    "report old": ("/chats/{cid}/report", {"message": "1", "reason": "rude"}),
    "report new": ("/chats/{cid}/report", {"message": "2", "reason": "rude"}),
    "report all": ("/chats/{cid}/report", {"reason": "rude"}),
    "leave": ("/chats/{cid}/leave", {}),
    "API send": ("/api/chats/{cid}/messages", WORDS),
    "API fetched": ("/api/chats/fetched", {"{cid}": 2}),
}
ON_GROUPS: dict[str, tuple[str, dict[str, Any]]] = {
    "join": ("/chats/{cid}/join", {}),
    "join by link": ("/chats/join/{token}", {}),
    "add": ("/chats/{cid}/people/add", {"people": "stranger"}),
    "remove": ("/chats/{cid}/people/remove", {"uid": "{quiet}"}),
    "promote": ("/chats/{cid}/people/promote", {"uid": "{newcomer}"}),
    "demote": ("/chats/{cid}/people/demote", {"uid": "{owner}"}),
    "change": (
        "/chats/{cid}/settings",
        {"name": "Mine", "topic": "", "kind": "open", "keep": "history"},
    ),
    "invite": ("/chats/{cid}/invites", {"uses": "1", "hours": "24"}),
    "revoke": ("/chats/{cid}/invites/{sha}/revoke", {}),
    "delete": ("/chats/{cid}/delete", {}),
}

GROUP_SEEN = """\
                visitor  stranger  invited  blocked  bot    former  removed  newcomer  member   owner
page            login    404       404      404      login  404     404      200 an    200 ban  200 ban
page before     login    404       404      404      login  404     404      200 n     200 ban  200 ban
page after      login    404       404      404      login  404     404      200 an    200 ban  200 ban
page around     login    404       404      404      login  404     404      200 an    200 ban  200 ban
page by date    login    404       404      404      login  404     404      200 an    200 ban  200 ban
page of unread  login    404       404      404      login  404     404      200 an    200 ban  200 ban
reply to it     login    404       404      404      login  404     404      404       200 ban  200 ban
edit it         login    404       404      404      login  404     404      404       403      200 ban
react to it     login    404       404      404      login  404     404      404       200 ban  200 ban
report it       login    404       404      404      login  404     404      404       200 ban  200 ban
old picture     login    404       404      404      login  404     404      404       200 b    200 b
new picture     login    404       404      404      login  404     404      200 a     200 a    200 a
people          login    404       404      404      login  404     404      200 np    200 np   200 np
settings        login    404       404      404      login  404     404      403       403      200 n
list            login    200       200      200      login  200     200      200       200 an   200 an
requests        login    200       200      200      login  200     200      200 an    200      200
archived        login    200       200      200      login  200     200      200       200      200
API list        401      200       200      200      200    200     200      200 an    200 an   200 an
API page        401      404       404      404      404    404     404      200 an    200 ban  200 ban
API before      401      404       404      404      404    404     404      200 n     200 bn   200 bn
API after       401      404       404      404      404    404     404      200 an    200 an   200 an
API around      401      404       404      404      404    404     404      200 an    200 ban  200 ban
API pending     401      200       200      200      200    200     200      200 an    200 ban  200 ban
forward         login    200       200      200      login  200     200      200       200 n    200 n
by the link     login    200 n     200 n    200 n    login  200 n   200 n    200 n     200 n    200 n
by another      login    403       403      403      login  403     403      403       403      403"""

GROUP_DONE = """\
              visitor  stranger  invited  blocked  bot    former  removed  newcomer  member    owner
send          login    404       404      404      login  404     404      303 *     303 *     303 *
reply         login    404       404      404      login  404     404      303 *     303 *     303 *
edit old      login    404       404      404      login  404     404      404       403       303 *
edit new      login    404       404      404      login  404     404      403       303 *     403
delete old    login    404       404      404      login  404     404      404       403       303 *
delete new    login    404       404      404      login  404     404      403       303 *     303 *
react to old  login    404       404      404      login  404     404      404       303 *     303 *
react to new  login    404       404      404      login  404     404      303 *     303 *     303 *
read          login    404       404      404      login  404     404      204       204 *     204 *
typing        login    404       404      404      login  404     404      204       204       204
mute          login    404       404      404      login  404     404      303       303       303
archive       login    404       404      404      login  404     404      303       303       303
accept        login    404       404      404      login  404     404      303       303       303
ignore        login    303       303      303      login  303     303      303 *     303 *     303 *
report old    login    404       404      404      login  404     404      404       303       303
report new    login    404       404      404      login  404     404      303       303       303
report all    login    404       404      404      login  404     404      303       303       303
leave         login    303       303      303      login  303     303      303 *     303 *     303 *
API send      401      404       404      404      404    404     404      201 *     201 *     201 *
API fetched   401      204       204      204      204    204     204      204 *     204 *     204 *
join          login    404       404      404      login  404     403      303       303       303
join by link  login    303 *     303 *    403      login  303 *   403      303       303       303
add           login    404       404      404      login  404     404      303 *     303 *     303 *
remove        login    404       404      404      login  404     404      403       403       303 *
promote       login    404       404      404      login  404     404      403       403       303 *
demote        login    404       404      404      login  404     404      403       403       409
change        login    404       404      404      login  404     404      403       403       303 *
invite        login    404       404      404      login  404     404      201 np *  201 np *  201 np *
revoke        login    404       404      404      login  404     404      403       403       303 *
delete        login    404       404      404      login  404     404      403       403       303 *"""

PAIRS_SEEN = """\
                visitor  stranger  bot    one     other   blocker  blockee  asker   asked
page            login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
page before     login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 b
page after      login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
page around     login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
page by date    login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
page of unread  login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
reply to it     login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
edit it         login    404       login  200 ba  403     200 ba   403      200 ba  403
react to it     login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
report it       login    404       login  200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
old picture     login    404       login  200 b   200 b   200 b    200 b    200 b   200 b
new picture     login    404       login  200 a   200 a   200 a    200 a    200 a   200 a
people          login    404       login  404     404     404      404      404     404
settings        login    404       login  404     404     404      404      404     404
list            login    200       login  200 a   200 a   200 a    200 a    200 a   200
requests        login    200       login  200     200     200      200      200     200 a
archived        login    200       login  200     200     200      200      200     200
API list        401      200       200    200 a   200 a   200 a    200 a    200 a   200 a
API page        401      404       404    200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
API before      401      404       404    200 b   200 b   200 b    200 b    200 b   200 b
API after       401      404       404    200 a   200 a   200 a    200 a    200 a   200 a
API around      401      404       404    200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
API pending     401      200       200    200 ba  200 ba  200 ba   200 ba   200 ba  200 ba
forward         login    200       login  200     200     200      200      200     200"""

PAIRS_DONE = """\
              visitor  stranger  bot    one    other  blocker   blockee   asker  asked
send          login    404       login  303 *  303 *  403 ba *  403 ba *  303 *  303 *
reply         login    404       login  303 *  303 *  403 ba *  403 ba *  303 *  303 *
edit old      login    404       login  303 *  403    403 ba *  403 ba *  303 *  403
edit new      login    404       login  403    303 *  403 ba *  403 ba *  303 *  403
delete old    login    404       login  303 *  403    303 *     403       303 *  403
delete new    login    404       login  403    303 *  403       303 *     303 *  403
react to old  login    404       login  303 *  303 *  403       403       303 *  303 *
react to new  login    404       login  303 *  303 *  403       403       303 *  303 *
read          login    404       login  204 *  204 *  204 *     204 *     204    204
typing        login    404       login  204    204    204       204       204    204
mute          login    404       login  303    303    303       303       303    303
archive       login    404       login  303    303    303       303       303    303
accept        login    404       login  303    303    303       303       303    303 *
ignore        login    404       login  303    303    303       303       303    303
report old    login    404       login  303    303    303       303       303    303
report new    login    404       login  303    303    303       303       303    303
report all    login    404       login  303    303    303       303       303    303
leave         login    404       login  403    403    403       403       403    403
API send      401      404       404    201 *  201 *  403       403       201 *  201 *
API fetched   401      204       204    204 *  204 *  204 *     204 *     204 *  204 *"""

GROUP_HEARD = """\
        visitor  stranger  invited  blocked  bot  former  removed  newcomer  member  owner
stream  401      -         -        -        -    -       -        a         ba      ba
typing  401      -         -        -        -    -       -        typing    typing  typing"""


class Place:
    """A site on which people stand in different ways to a chat, and can be put back as they were."""

    def __init__(self, app: Flask, config: Config) -> None:
        self.db, self.config, self.app = app.extensions["linnet.db"], config, app
        self.raw = Redis.from_url(config.store_url)
        self.uids: dict[str, int] = {}
        self.cookies: dict[str, str] = {}
        self.bot = ""  # the access token of one
        self.facts: dict[str, object] = {}  # what stands in braces in addresses and forms

    def join(self, role: str, name: str = "") -> int:
        """Somebody signs up, and in."""
        uid = registration.sign_up(self.db, self.config, role, name or role.title(), PASSWORD).uid
        self.cookies[role] = sessions.start(self.db, self.config, uid)
        self.uids[role] = self.facts[role] = uid
        return uid

    def add_bot(self, owner: str) -> None:
        """A bot of somebody, which itself belongs to no chat."""
        made = bots.create_bot(self.db, self.config, self.uids[owner], "robot", "Robot")
        self.bot = tokens.create(self.db, self.config, made.uid, "test")

    def say(self, role: str, cid: str, text: str, **more: Any) -> str:
        """A message with a picture, whose file it returns."""
        content = io.BytesIO()
        Image.new("RGB", (40, 30), (len(text) * 10, 0, 0)).save(content, "PNG")
        content.seek(0)
        saved = media.save_in_chat(self.config, cid, content, "image/png", text)
        shown = draft(text, pictures=(Picture(*saved),), **more)
        number = sending.send(self.db, self.config, self.uids[role], cid, shown, key())
        return f"{number}-{saved[0].rpartition('/')[2]}.webp"

    def post_status(self, role: str) -> None:
        """Something to forward."""
        self.facts["status"] = statuses.post(
            self.db, self.config, self.uids[role], parse("hello"), key()
        )

    def keep(self) -> None:
        """Everything is applied, and this is how it shall be again."""
        drain(self.db, self.config)
        self._kept = {name: self.raw.dump(name) for name in self.raw.keys("*")}

    def put_back(self) -> None:
        """As it was kept."""
        self.raw.flushall()
        pipeline = self.raw.pipeline(transaction=False)
        for name, value in self._kept.items():
            pipeline.restore(name, 0, value)
        pipeline.execute()

    def ask(self, role: str, path: str, form: Mapping[str, Any] | None = None) -> str:
        """The cell of one request: a form that is sent, or a page that is asked for."""
        client, headers = self.app.test_client(), {"Sec-Fetch-Site": "same-origin"}
        if role == "bot":
            headers = {"Authorization": f"Bearer {self.bot}"}
        elif role in self.cookies:
            client.set_cookie("linnet", self.cookies[role])
        path = path.format(**self.facts)
        if form is None:
            answer = client.get(path, headers=headers)
        else:
            given = {name.format(**self.facts): self._filled(value) for name, value in form.items()}
            how = "json" if path.startswith("/api/") else "data"
            answer = client.post(path, headers=headers, **{how: given})
        if answer.status_code == 303 and "/login" in answer.headers["Location"]:
            return "login"
        page = answer.get_data().decode(errors="replace")
        seen = "".join(mark for mark, secret in MARKS.items() if secret in page)
        if answer.mimetype == "image/webp":
            seen = "b" if path.endswith(str(self.facts["old"])) else "a"
        return f"{answer.status_code} {seen}".strip()

    def act(self, role: str, path: str, form: Mapping[str, Any]) -> str:
        """The cell of a form that is sent, with a star when that has changed the chat; it is put back."""
        before = self._state()
        cell = self.ask(role, path, form)
        star = " *" if self._state() != before else ""
        self.put_back()
        return cell + star

    def close(self) -> None:
        """Ends the connections."""
        self.raw.close()
        self.db.close()

    def _state(self) -> list[Any]:
        return [
            self.raw.dump(key)
            for name, key in chat_keys_by_name(str(self.facts["cid"])).items()
            if name != "removed"
        ]

    def _filled(self, value: Any) -> Any:
        return value.format(**self.facts) if isinstance(value, str) else value


@pytest.fixture
def place(settings: Config) -> Iterator[Place]:
    """A site without anybody."""
    with closing(Place(make_app(settings), settings)) as place:
        yield place
        check_schema(place.db)


def settle_group(place: Place) -> None:
    """A private group, in which newcomers do not see what was before."""
    db, config = place.db, place.config
    for role in ROLES:
        if role not in ("visitor", "bot"):
            place.join(role)
    place.join("quiet", QUIET)
    place.add_bot("member")
    owner = place.uids["owner"]
    following.follow(db, config, place.uids["quiet"], "owner")  # and so need not be asked
    first = [place.uids[role] for role in ("member", "quiet", "former", "removed")]
    cid = groups.create(db, config, owner, "private", NAME, first, None, key())
    place.facts["cid"] = cid
    place.facts["old"] = place.say("owner", cid, BEFORE)
    membership.leave(db, config, place.uids["former"], cid)
    membership.remove(db, config, owner, cid, place.uids["removed"])
    membership.add(db, config, owner, cid, [place.uids["newcomer"]])
    place.facts["new"] = place.say("member", cid, AFTER, reply_to=1)
    blocks.block(db, config, owner, "blocked")
    place.facts["token"] = invitations.create(db, config, owner, cid, 9, 24)
    [invite] = db.read(invitations.list_active(cid))
    place.facts["sha"] = invite.sha
    place.post_status("stranger")
    place.keep()


def settle_pairs(place: Place) -> None:
    """Three direct chats: of two who write to each other, of two one of whom has blocked the other since, and of one
    who has asked and one who has not answered.
    """
    db, config = place.db, place.config
    for role in PAIRS:
        if role not in ("visitor", "bot"):
            place.join(role)
    place.add_bot("one")
    for one, other in (("one", "other"), ("blocker", "blockee"), ("asker", "asked")):
        cid = direct_id(place.uids[one], place.uids[other])
        place.facts[f"{one} old"] = place.say(one, cid, BEFORE)
        place.facts[f"{one} new"] = place.say(
            one if one == "asker" else other, cid, AFTER, reply_to=1
        )
        drain(db, config)
    blocks.block(db, config, place.uids["blocker"], "blockee")
    place.post_status("stranger")
    place.keep()


def at_their_door(place: Place, role: str) -> None:
    """The direct chat that this role is about."""
    one, other = DIRECT.get(role, ("one", "other"))
    place.facts["cid"] = direct_id(place.uids[one], place.uids[other])
    place.facts |= {"old": place.facts[f"{one} old"], "new": place.facts[f"{one} new"]}


def table(columns: Sequence[str], rows: Iterable[str], cell: Callable[[str, str], str]) -> str:
    """What each cell is, as text."""
    lines = [["", *columns], *([row, *(cell(column, row) for column in columns)] for row in rows)]
    widths = [max(map(len, column)) + 2 for column in zip(*lines, strict=True)]
    padded = (
        "".join(part.ljust(width) for part, width in zip(line, widths, strict=True))
        for line in lines
    )
    return "\n".join(line.rstrip() for line in padded)


def test_what_each_sees_of_a_private_group(place: Place) -> None:
    settle_group(place)
    paths = READS | LINK
    assert table(ROLES, paths, lambda role, row: place.ask(role, paths[row])) == GROUP_SEEN


def test_what_each_may_do_in_a_private_group(place: Place) -> None:
    settle_group(place)
    acts = ON_MESSAGES | ON_GROUPS
    assert table(ROLES, acts, lambda role, row: place.act(role, *acts[row])) == GROUP_DONE


def test_what_each_sees_of_direct_chats(place: Place) -> None:
    settle_pairs(place)

    def cell(role: str, row: str) -> str:
        at_their_door(place, role)
        return place.ask(role, READS[row])

    assert table(PAIRS, READS, cell) == PAIRS_SEEN


def test_what_each_may_do_in_direct_chats(place: Place) -> None:
    settle_pairs(place)

    def cell(role: str, row: str) -> str:
        at_their_door(place, role)
        return place.act(role, *ON_MESSAGES[row])

    assert table(PAIRS, ON_MESSAGES, cell) == PAIRS_DONE


@marked
def test_what_each_hears_of_a_private_group(tmp_path: Path) -> None:
    with (
        closing(Site(tmp_path)) as site,
        closing(Place(make_app(site.config), site.config)) as place,
    ):
        settle_group(place)
        port = free_port()
        site.stream(port)
        with closing(_Ear(place, port)) as ear:
            assert table(ROLES, ["stream", "typing"], ear.cell) == GROUP_HEARD
            # Nobody is told of who only knocked, nor of the newcomer, who was asked and has not answered.
            inside = {place.uids[role] for role in ("quiet", "member", "owner")}
            assert ear.shown(inside) == inside


class _Ear:
    """Somebody listens to a chat while one of its members writes and types."""

    def __init__(self, place: Place, port: int) -> None:
        self._place, self._port = place, port
        self._member = self._open("quiet")

    def cell(self, role: str, row: str) -> str:
        """What somebody is told of what was written, or that a member types, until shown the door or told."""
        reader = self._open(role)
        if reader.response.status != 200:
            reader.close()
            return str(reader.response.status)
        heard, enough = "", {"stream": "event: mark", "typing": "event: typing"}[row]
        while "event: gone" not in heard and enough not in heard:
            chat_state.announce_typing(
                self._place.db, self._place.uids["quiet"], str(self._place.facts["cid"])
            )
            block = reader.block()
            assert block, heard
            heard += f"{block}\n"
        reader.close()
        if row == "typing":
            return "typing" if "event: typing" in heard else "-"
        return (
            "".join(mark for mark, secret in MARKS.items() if secret in heard.replace(QUIET, ""))
            or "-"
        )

    def shown(self, expected: set[int]) -> set[int]:
        """Who a member was told is there, while everybody knocks and until all who are expected were."""
        readers = [self._open(role) for role in ROLES]
        found: set[int] = set()
        while not found >= expected:
            sent = self._member.next(())
            assert sent, found
            found.update(sent.data["uids"] if sent.event == "here" else ())
        for reader in readers:
            reader.close()
        return found

    def close(self) -> None:
        """Stops listening."""
        self._member.close()

    def _open(self, role: str) -> Reader:
        path = f"/stream/chats?chat={self._place.facts['cid']}&since=0.0"
        headers = (
            {"Cookie": f"linnet={self._place.cookies[role]}"} if role in self._place.cookies else {}
        )
        if role == "bot":
            headers = {"Authorization": f"Bearer {self._place.bot}"}
        return Reader(self._port, path=path, headers=headers)
