"""Bots: accounts that a member owns, without a password."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest

from tests.conftest import PASSWORD, ApplyEvents, People
from tests.support import chat
from tests.support.crashing_db import Crashed, CrashingDb
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle, registration, store
from webapp.accounts.sessions import credentials
from webapp.accounts.tokens import keys as token_keys
from webapp.accounts.tokens import store as tokens
from webapp.chat import reading
from webapp.chat.bots import keys as bot_keys
from webapp.chat.bots import store as bots
from webapp.chat.inbox import listing
from webapp.chat.members import membership
from webapp.config import Config
from webapp.core.errors import Conflict, Forbidden, Invalid, NotFound
from webapp.core.store.client import Db


def logins(db: Db, uid: int) -> list[str]:
    """Return the logins of a member's bots, the newest first."""
    return [bot.login for bot in bots.list_bots(db, uid)]


def test_bot_is_a_member_who_cannot_sign_in(db: Db, config: Config, people: People) -> None:
    (ann,) = people("ann")
    bot = bots.create_bot(db, config, ann, "jay", "Jay")
    assert store.get_by_login(db, "JAY") == bot
    assert bot.bot_owner == ann
    assert not db.read(store.get_or_404(ann)).bot_owner
    assert logins(db, ann) == ["jay"]
    assert not db.run(("EXISTS", account_keys.password(bot.uid)))
    for password in ("", "None", PASSWORD):
        with pytest.raises(Invalid):
            credentials.sign_in(db, config, "jay", password)
    with pytest.raises(Forbidden):
        credentials.reset_password(db, config, bot.uid, PASSWORD)
    with pytest.raises(Invalid):
        lifecycle.delete_account(db, config, bot.uid, "")


def test_taken_login_does_not_count_as_a_bot(db: Db, config: Config, people: People) -> None:
    ann, _ = people("ann", "ben")
    with pytest.raises(Conflict):
        bots.create_bot(db, config, ann, "BEN", "Ben")
    assert not db.run(("EXISTS", bot_keys.bots(ann)))
    assert not store.get_by_login(db, "ben").bot_owner


def test_concurrent_creation_respects_the_bot_limit(db: Db, config: Config, people: People) -> None:
    (ann,) = people("ann")
    few = replace(config, bots_max=3)

    def create(number: int) -> bool:
        try:
            bots.create_bot(db, few, ann, f"jay{number}", "Jay")
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(20) as pool:
        created = list(pool.map(create, range(20)))
    assert created.count(True) == 3 == len(logins(db, ann))
    bots.remove(db, few, ann, logins(db, ann)[0])
    assert len(logins(db, ann)) == 2
    bots.create_bot(db, few, ann, "heron", "Heron")


def test_bots_and_suspended_members_cannot_create_bots(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    bot = bots.create_bot(db, config, ann, "jay", "Jay")
    with pytest.raises(Forbidden):
        bots.create_bot(db, config, bot.uid, "jays", "Jay")
    lifecycle.suspend(db, config, ann)
    with pytest.raises(Forbidden):
        bots.create_bot(db, config, ann, "crow", "Crow")
    with pytest.raises(NotFound):
        store.get_by_login(db, "crow")


def test_crash_during_creation_does_not_use_up_the_limit(
    db: Db, config: Config, people: People
) -> None:
    (ann,) = people("ann")
    one = replace(config, bots_max=1)
    step, crashes = 0, 0
    while True:
        dying = CrashingDb(db, step)
        try:
            bots.create_bot(dying, one, ann, f"jay{step}", "Jay")
        except Crashed:
            crashes += 1
        assert len(logins(db, ann)) <= 1
        if logins(db, ann):
            bots.remove(db, one, ann, logins(db, ann)[0])
        for uid in db.run(("ZRANGE", bot_keys.bots(ann), 0, -1)):  # as if a minute had passed
            db.run(("ZINCRBY", bot_keys.bots(ann), -61_000, uid))
        bots.create_bot(db, one, ann, f"crow{step}", "Crow")
        bots.remove(db, one, ann, f"crow{step}")
        if dying.survived:
            break
        step += 1
    assert crashes > 3


def test_bot_tokens_are_valid_while_the_owner_is_active(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    (ann,) = people("ann")
    bot = bots.create_bot(db, config, ann, "jay", "Jay")
    token = tokens.create(db, config, bot.uid, "script")
    account = tokens.authenticate(db, config, token)
    assert account and account.uid == bot.uid and account.bot_owner == ann
    lifecycle.suspend(db, config, ann)
    assert tokens.authenticate(db, config, token) is None
    lifecycle.suspend(db, config, ann, suspended=False)
    assert tokens.authenticate(db, config, token)
    lifecycle.delete_account(db, config, ann, None)
    assert tokens.authenticate(db, config, token) is None
    apply_events()
    with pytest.raises(NotFound):
        store.get_by_login(db, "jay")
    assert not db.trip(("EXISTS", bot_keys.bots(ann)), ("EXISTS", token_keys.token(bot.uid, "")))[0]


def test_deleted_bot_leaves_its_chats_and_its_messages_stay(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    bot = bots.create_bot(db, config, ann, "jay", "Jay")
    cid = chat.group(db, config, ann, [ben, bot.uid])
    apply_events()
    chat.send_messages(db, config, bot.uid, cid, "I am here")
    apply_events()
    members = [row.member for row in membership.list_members(db, cid)]
    owners = {member.login: member.bot_owner for member in members}
    assert owners == {"ann": 0, "ben": 0, "jay": ann}
    with pytest.raises(NotFound):
        bots.remove(db, config, ben, "jay")
    bots.remove(db, config, ann, "jay")
    apply_events()
    assert [one.member.login for one in membership.list_members(db, cid)] == ["ann", "ben"]
    assert chat.texts(db.read(reading.open_page(ben, cid, size=9)).messages) == ["I am here"]
    assert logins(db, ann) == []


def test_bot_created_while_its_owner_is_deleted_is_deleted(
    db: Db,
    config: Config,
    people: People,
    apply_events: ApplyEvents,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (ann,) = people("ann")
    create_account = registration.create_account

    def delete_owner_first(*args: Any, **kwargs: Any) -> Any:
        lifecycle.delete_account(db, config, ann, None)
        apply_events()
        return create_account(*args, **kwargs)

    monkeypatch.setattr(registration, "create_account", delete_owner_first)
    with pytest.raises(NotFound):
        bots.create_bot(db, config, ann, "jay", "Jay")
    apply_events()
    with pytest.raises(NotFound):
        store.get_by_login(db, "jay")


def test_messages_to_bots_are_no_requests(
    db: Db, config: Config, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben = people("ann", "ben")
    bot = bots.create_bot(db, config, ann, "jay", "Jay")
    chat.group(db, config, ben, [bot.uid])
    for text in ("one", "two", "three", "four", "five"):  # more than a request may hold
        chat.send_messages(db, config, ben, f"{ben}-{bot.uid}", text)
    apply_events()
    assert [row.request_state for row in listing.inbox(db, bot.uid)] == ["", ""]
