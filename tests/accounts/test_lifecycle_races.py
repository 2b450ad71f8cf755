"""Members who change, are suspended and are deleted while they and others do everything else.

Processes die in between.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.schema import live_keys
from tests.support.timelines import home_timeline
from webapp.accounts import invites, lifecycle, profile, registration, store
from webapp.accounts import keys as account_keys
from webapp.accounts.sessions import credentials
from webapp.accounts.sessions import store as sessions
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.events.attempts import retry_parked
from webapp.core.media import storage as media
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.store.reads import Command
from webapp.core.text.parser import parse
from webapp.errors import NotFound, Refused
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.following.follow_lists import load_follow_page
from webapp.statuses import store as statuses
from webapp.timelines import keys as timeline_keys
from webapp.timelines.profile import profile_page

People = Callable[..., list[int]]
Settle = Callable[[], None]


class Killed(Exception):
    """A process dies here."""


class Dying(Db):
    """A store that dies before the trip with this number, or fails there."""

    def __init__(self, db: Db, at: int) -> None:
        self.__dict__.update(db.__dict__)
        self._before = at

    def trip(self, *commands: Command) -> list[Any]:
        """Make the trip, unless it is the one to die at."""
        self._before -= 1
        if self._before == -1:
            raise Killed
        return super().trip(*commands)

    @property
    def survived(self) -> bool:
        """Return True if everything was done before that trip."""
        return self._before >= 0


def refused(act: Callable[[], Any]) -> Any:
    """Return the result of an action, or the code it is refused with."""
    try:
        return act()
    except Refused as refusal:
        return refusal.code


def at_once(act: Callable[[int], Any], times: int) -> list[Any]:
    """Return the results of an action for each number, all started together."""
    with ThreadPoolExecutor(20) as pool:
        return list(pool.map(lambda number: refused(lambda: act(number)), range(times)))


def write(db: Db, config: Config, uid: int, number: object) -> int:
    """Post a status and return its id."""
    return statuses.post(db, config, uid, parse(f"hello {number}"), f"form-of-{number}")


def left_of(db: Db, uid: int) -> set[str]:
    """Return the keys that name a member, without the idempotency keys, which expire."""
    return {
        name
        for name in live_keys(db)
        if re.search(rf":{uid}(:|\Z)", name) and not name.startswith("post_idempotency:")
    }


def check_gone(db: Db, config: Config, uid: int, login: str, others: list[int]) -> None:
    """Assert that only the tombstone of a deleted member is left."""
    assert left_of(db, uid) == {account_keys.user(uid)}
    assert db.run(("HKEYS", account_keys.user(uid))) == ["removed"]
    assert db.run(("TTL", account_keys.login(login))) > 0
    assert db.run(("ZSCORE", timeline_keys.active_members(partition_of(uid)), uid)) is None
    for other in others:
        assert db.trip(
            ("ZSCORE", following_keys.following(other), uid),
            ("ZSCORE", following_keys.followers(other), uid),
        ) == [None, None]
        assert not [
            entry
            for entry in db.run(("ZRANGE", timeline_keys.home(other), 0, -1))
            if entry.endswith(f":{uid}")
        ]
    assert not [
        entry
        for entry in db.run(("ZRANGE", timeline_keys.public_timeline(), 0, -1))
        if entry.endswith(f":{uid}")
    ]
    assert not [
        name
        for name in live_keys(db)
        if name.startswith("status:") and db.run(("HGET", name, "author")) == str(uid)
    ]
    assert not (config.media_path / str(uid)).exists()


def test_an_account_that_ends_amid_everything_leaves_nothing(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    quick = replace(config, session_touch=1)
    for turn in range(3):
        login = f"ann{turn}"
        ann, ben = people(login, f"ben{turn}")
        following.follow(db, config, ben, login)
        cookies = [sessions.start(db, config, ann) for _ in range(5)]
        acts: list[Callable[[int], Any]] = [
            lambda n, ann=ann: credentials.change_password(
                db, config, ann, PASSWORD, f"{n} another battery", ""
            ),
            lambda n, ann=ann, login=login: sessions.start(
                db, config, ann, credentials.sign_in(db, config, login, PASSWORD)[1]
            ),
            lambda n, ann=ann: lifecycle.suspend(db, config, ann, n % 4 == 2),
            lambda n, cookies=cookies: sessions.load(db, quick, cookies[n % 5]),
            lambda n, cookies=cookies: sessions.end(db, config, cookies[n % 5]),
            lambda n, ann=ann: tokens.create(db, config, ann, "script"),
            lambda n, ann=ann: profile.edit(db, config, ann, {"name": "Wren", "bio": "sings"}),
            lambda n, ann=ann: write(db, config, ann, n),
            lambda n, ann=ann, turn=turn: following.follow(db, config, ann, f"ben{turn}"),
            lambda n, ann=ann: home_timeline(db, config, ann),
            lambda n, ben=ben, login=login: (following.unfollow, following.follow)[n % 2](
                db, config, ben, login
            ),
        ]

        def act(number: int, ann: int = ann, acts: list[Callable[[int], Any]] = acts) -> Any:
            return (
                lifecycle.delete_account(db, config, ann, None)
                if number == 40
                else acts[number % len(acts)](number)
            )

        assert at_once(act, 80)[40] is None
        settle()
        check_gone(db, config, ann, login, [ben])
        assert not [name for name in live_keys(db) if name.startswith(("session:", "token:"))]
        assert db.run(("ZCARD", account_keys.sessions(partition_of(ann)))) == 0


def test_after_a_password_is_changed_amid_sign_ins_no_session_of_the_old_one_lives(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    _, epoch = credentials.sign_in(db, config, "ann", PASSWORD)

    def act(number: int) -> Any:
        if number == 25:
            return credentials.change_password(
                db, config, ann, PASSWORD, "another battery staple", ""
            )
        return sessions.start(db, config, ann, epoch)

    given = at_once(act, 50)
    assert given.pop(25) >= 0
    assert refused(lambda: act(0)) == "changed"
    assert not any(sessions.load(db, config, cookie) for cookie in given)
    assert db.run(("ZCARD", account_keys.member_sessions(ann))) == 0


def test_of_twenty_deletions_at_once_one_is_done(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    write(db, config, ann, 1)
    given = at_once(lambda _: lifecycle.delete_account(db, config, ann, PASSWORD), 20)
    assert given.count(None) == 1 and set(given) <= {
        None,
        "no_member",
        "changed",
        "not_your_password",
    }
    settle()
    check_gone(db, config, ann, "ann", [ben])


def test_the_last_place_of_an_invitation_goes_to_one_of_twenty(db: Db, config: Config) -> None:
    invite = invites.create(db, 1, 3600)
    given = at_once(
        lambda n: registration.sign_up(db, config, f"bird{n}", "Bird", PASSWORD, invite.code), 20
    )
    assert len([one for one in given if isinstance(one, store.Member)]) == 1
    assert given.count("invite_bad") == 19
    assert len([name for name in live_keys(db) if name.startswith("user:")]) == 1


def test_a_sign_up_that_dies_anywhere_costs_neither_the_name_nor_the_place(
    db: Db, config: Config
) -> None:
    for at in count():
        login, invite, dying = f"wren{at}", invites.create(db, 1, 3600), Dying(db, at)
        try:
            registration.sign_up(dying, config, login, "Wren", PASSWORD, invite.code)
        except Killed:
            # A minute goes by.
            claim = db.run(("GET", account_keys.login(login)))
            if claim:
                db.run(("SET", account_keys.login(login), claim.split(":")[0] + ":1000"))
            for uid in db.run(("ZRANGE", account_keys.invite_redemptions(invite.code), 0, -1)):
                db.run(("ZADD", account_keys.invite_redemptions(invite.code), 1000, uid))
            made = registration.sign_up(db, config, login, "Wren", PASSWORD, invite.code)
            assert store.get_by_login(db, login).uid == made.uid
        assert not invites.is_valid(db, invite.code)
        assert refused(
            lambda code=invite.code, at=at: registration.sign_up(
                db, config, f"ben{at}", "Ben", PASSWORD, code
            )
        ) == ("invite_bad")
        if dying.survived:
            break
    assert at >= 4


def test_a_deletion_that_fails_anywhere_is_finished_by_a_retry(
    db: Db, config: Config, settle: Settle
) -> None:
    fragile = replace(config, attempts_max=1, fanout_batch=2)
    parked = 0
    for at in count():
        ann, *others = [
            registration.sign_up(db, config, f"{name}{at}", name, PASSWORD).uid
            for name in ("ann", "ben", "cat", "dot")
        ]
        for other in others:
            following.follow(db, config, other, f"ann{at}")
        following.follow(db, config, ann, f"ben{at}")
        for number in range(3):
            write(db, config, ann, f"{at}.{number}")
        folder = config.media_path / str(ann)
        folder.mkdir(parents=True)
        (folder / f"{'0' * 32}-96.webp").write_bytes(b"a picture")
        settle()
        lifecycle.delete_account(db, config, ann, None)
        dying = Dying(db, at)
        try:
            worker.drain(dying, fragile)
        except Killed:  # between the projections, where the worker itself died
            pass
        else:
            parked += sum(name.startswith("parked:") for name in live_keys(db))
        retry_parked(db)
        settle()
        check_gone(db, config, ann, f"ann{at}", others)
        if dying.survived:
            break
    assert at > 10 and parked > 5


def test_a_deletion_applied_again_years_later_does_nothing_to_who_has_the_name_now(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    outbox = event_keys.outbox(partition_of(ann))
    lifecycle.delete_account(db, config, ann, None)
    event = db.run(("XRANGE", outbox, "-", "+"))[-1][1]
    settle()
    db.trip(("DEL", account_keys.login("ann")), ("DEL", account_keys.user(ann)))  # as time does
    new = registration.sign_up(db, config, "ann", "Ann", PASSWORD)
    following.follow(db, config, ben, "ann")
    status = write(db, config, new.uid, 1)
    settle()
    db.run(("XADD", outbox, "*", *event))
    settle()
    found = profile_page(db, config, "ann", None)
    assert (
        found.profile.member.uid,
        found.profile.followers,
        [one.id for one in found.timeline.items],
    ) == (
        new.uid,
        1,
        [status],
    )
    assert db.run(("TTL", account_keys.login("ann"))) == -1


def test_a_visit_that_crosses_the_deletion_builds_no_home(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    (ann,) = people("ann")
    lifecycle.delete_account(db, config, ann, None)
    for _ in range(2):
        with pytest.raises(NotFound):
            home_timeline(db, config, ann)
        assert not db.run(("EXISTS", timeline_keys.home(ann)))
        assert db.run(("ZSCORE", timeline_keys.active_members(partition_of(ann)), ann)) is None
        settle()


def test_a_suspended_member_is_listed_to_nobody_but_who_follows_them(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben, _ = people("ann", "ben", "cat")
    following.follow(db, config, ann, "ben")
    following.follow(db, config, ben, "ann")
    following.follow(db, config, ben, "cat")
    settle()
    lifecycle.suspend(db, config, ann)
    for kind, viewer, shown in (
        ("followers", None, []),
        ("followers", ben, []),
        ("following", None, ["cat"]),
        ("following", ann, ["cat"]),
        ("following", ben, ["cat", "ann"]),  # to unfollow them
    ):
        page = load_follow_page(db, kind, ben, None, 10, viewer).page
        assert [member.login for member in page.items] == shown, (kind, viewer)


@pytest.mark.parametrize("end", ["suspended", "removed"])
def test_nothing_of_who_is_suspended_or_deleted_is_on_any_page(
    end: str, app: Flask, member: Callable[[str], FlaskClient], settings: Config
) -> None:
    ann, ben, cat, visitor = member("ann"), member("ben"), member("cat"), app.test_client()
    db: Db = app.extensions["linnet.db"]
    picture = io.BytesIO()
    Image.new("RGB", (64, 64)).save(picture, "PNG")
    said = {
        "name": "Zaunkoenig",
        "bio": "Zaunkoenig sings",
        "avatar": (io.BytesIO(picture.getvalue()), "a.png"),
    }
    ann.post("/settings/profile", data=said, content_type="multipart/form-data")
    ann.post("/statuses", data={"text": "the song of a Zaunkoenig"})
    for follower, followed in (
        (ann, "ben"),
        (ben, "ann"),
        (cat, "ann"),
        (cat, "ben"),
        (ann, "cat"),
        (ben, "cat"),
    ):
        follower.post(f"/@{followed}/follow")
    status = re.search(r"/@ann/(\d+)", visitor.get("/@ann").text)
    assert status
    file = re.search(r'src="(/media/[^"]+)"', visitor.get("/@ann").text)
    assert file
    paths = [
        "/",
        "/public",
        "/@ann",
        "/@Ann",
        "/@ann/followers",
        "/@ann/following",
        status[0],
        f"/statuses?ids={status[1]}",
    ]
    paths += [
        f"/@ben/{status[1]}",
        *(f"/@{login}{rest}" for login in ("ben", "cat") for rest in ("", "/followers")),
    ]
    signed_in = ["/home", "/home?max_id=9007199254740991", "/@ben", "/@cat"]
    assert sum("Zaunkoenig" in visitor.get(path).text for path in paths) > 8
    if end == "removed":
        lifecycle.delete_account(db, settings, 1, None)
    else:
        lifecycle.suspend(db, settings, 1)
    for _ in range(2):  # before the event is applied, and after
        for client in (visitor, ann, ben, cat):
            for path in paths + (signed_in if client in (ben, cat) else []):
                text = client.get(path).text
                assert "Zaunkoenig" not in text and file[1] not in text, (client, path)
        worker.drain(db, settings)
    if end == "removed":
        assert visitor.get(file[1]).status_code == 404
        assert not list(settings.media_path.rglob("*.webp"))


def test_a_picture_that_arrives_after_the_deletion_does_not_stay(
    member: Callable[[str], FlaskClient],
    app: Flask,
    settings: Config,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ann, db, save = member("ann"), app.extensions["linnet.db"], media.save

    def late(*given: Any) -> str:
        lifecycle.delete_account(db, settings, 1, None)
        worker.drain(db, settings)
        return save(*given)

    monkeypatch.setattr(media, "save", late)
    picture = io.BytesIO()
    Image.new("RGB", (64, 64)).save(picture, "PNG")
    picture.seek(0)
    form = {"name": "Wren", "avatar": (picture, "a.png")}
    assert (
        ann.post("/settings/profile", data=form, content_type="multipart/form-data").status_code
        == 404
    )
    assert not list(settings.media_path.rglob("*.webp"))


def test_a_login_that_exists_cannot_be_told_from_one_that_does_not(
    member: Callable[[str], FlaskClient], app: Flask, settings: Config
) -> None:
    for login in ("ann", "ben", "cat"):
        member(login)
    db: Db = app.extensions["linnet.db"]
    lifecycle.suspend(db, settings, 2)
    lifecycle.delete_account(db, settings, 3, None)
    answers = {}
    for login in ("ann", "ben", "cat", "dot", "x" * 40):
        answer = app.test_client().post(
            "/login", data={"login": login, "password": "not the right one"}
        )
        page = re.sub(r'(name="csrf_token" value=)"[^"]+"', r"\1", answer.text).replace(
            f'"{login}"', '""'
        )
        answers[login] = (answer.status_code, page, sorted(answer.headers.keys()))
    assert len({str(answer) for answer in answers.values()}) == 1


def test_no_log_line_tells_a_password_a_token_or_an_invitation(
    member: Callable[[str], FlaskClient],
    app: Flask,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from webapp.core.logs import log

    monkeypatch.setattr(log, "propagate", True)
    caplog.set_level("DEBUG", logger="linnet")
    ann = member("ann")
    cookie = ann.get_cookie("linnet")
    token = re.search(
        r"linnet_1_([\w-]+)", ann.post("/settings/tokens", data={"name": "script"}).text
    )
    assert cookie and token
    ann.post("/settings/password", data={"old": PASSWORD, "new": "another battery staple"})
    app.test_client().get("/signup?invite=SecretInviteCode")
    ann.post("/settings/delete", data={"password": "another battery staple"})
    assert "/settings/delete" in caplog.text
    for secret in (
        PASSWORD,
        "another battery",
        token[1],
        cookie.value.partition(".")[2],
        "SecretInviteCode",
    ):
        assert secret not in caplog.text
