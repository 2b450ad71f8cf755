"""Bots: accounts that a member owns, without a password."""

from functools import partial
from itertools import count
from typing import Any

import pytest

from tests.conftest import PASSWORD
from tests.support import chat
from tests.support.concurrently import concurrently
from tests.support.crashing_db import dies, is_unconfirmed
from tests.support.settings import with_settings
from tests.support.world import World
from webapp.accounts import keys as account_keys, registration, store
from webapp.accounts.sessions import credentials
from webapp.accounts.tokens import keys as token_keys, store as tokens
from webapp.chat import reading
from webapp.chat.bots import keys as bot_keys, store as bots
from webapp.chat.inbox import listing
from webapp.chat.members import membership
from webapp.core.errors import Conflict, Forbidden, Invalid, NotFound
from webapp.core.store import Db


def logins(db: Db, uid: int) -> list[str]:
    """Return the logins of a member's bots, the newest first."""
    return [bot.login for bot in bots.list_bots(db, uid)]


def test_bot_is_a_member_who_cannot_sign_in(world: World) -> None:
    (ann,) = world.people("ann")
    bot = bots.create_bot(world, ann, "jay", "Jay")
    assert store.get_by_login(world.db, "JAY") == bot
    assert bot.bot_owner == ann
    assert not world.db.read(store.get_or_404(ann)).bot_owner
    assert logins(world.db, ann) == ["jay"]
    assert not world.db.run(("EXISTS", account_keys.password(bot.uid)))
    for password in ("", "None", PASSWORD):
        world.refuses(Invalid, credentials.sign_in, "jay", password)
    world.refuses(Forbidden, credentials.reset_password, bot.uid, PASSWORD)
    world.refuses(Invalid, World.delete_account, bot.uid, "")


def test_taken_login_does_not_count_as_a_bot(world: World) -> None:
    ann, _ = world.people("ann", "ben")
    world.refuses(Conflict, bots.create_bot, ann, "BEN", "Ben")
    assert not world.db.run(("EXISTS", bot_keys.bots(ann)))
    assert not store.get_by_login(world.db, "ben").bot_owner


def test_concurrent_creation_respects_the_bot_limit(world: World) -> None:
    (ann,) = world.people("ann")
    few = with_settings(world, bots_max=3)
    created = concurrently(lambda number: bots.create_bot(few, ann, f"jay{number}", "Jay"), 20)
    assert created.count("bots_full") == 17 and len(logins(world.db, ann)) == 3
    bots.remove(few, ann, logins(world.db, ann)[0])
    assert len(logins(world.db, ann)) == 2
    bots.create_bot(few, ann, "heron", "Heron")


def test_bots_and_suspended_members_cannot_create_bots(world: World) -> None:
    (ann,) = world.people("ann")
    bot = bots.create_bot(world, ann, "jay", "Jay")
    world.refuses(Forbidden, bots.create_bot, bot.uid, "jays", "Jay")
    world.suspend(ann)
    world.refuses(Forbidden, bots.create_bot, ann, "crow", "Crow")
    with pytest.raises(NotFound):
        store.get_by_login(world.db, "crow")


def test_crash_during_creation_does_not_use_up_the_limit(world: World) -> None:
    (ann,) = world.people("ann")
    one = with_settings(world, bots_max=1)
    for step in count():
        login = f"jay{step}"
        died = dies(one, step, lambda site, login=login: bots.create_bot(site, ann, login, "Jay"))
        assert len(logins(world.db, ann)) <= 1
        if logins(world.db, ann):
            bots.remove(one, ann, logins(world.db, ann)[0])
        for uid in world.db.run(("ZRANGE", bot_keys.bots(ann), 0, -1)):  # as if a minute had passed
            world.db.run(("ZINCRBY", bot_keys.bots(ann), -61_000, uid))
        bots.create_bot(one, ann, f"crow{step}", "Crow")
        bots.remove(one, ann, f"crow{step}")
        if not died:
            break
    assert step > 3


def test_bot_tokens_are_valid_while_the_owner_is_active(world: World) -> None:
    (ann,) = world.people("ann")
    bot = bots.create_bot(world, ann, "jay", "Jay")
    token = tokens.create(world, bot.uid, "script")
    account = tokens.authenticate(world, token)
    assert account and account.uid == bot.uid and account.bot_owner == ann
    world.suspend(ann)
    assert tokens.authenticate(world, token) is None
    world.suspend(ann, suspended=False)
    assert tokens.authenticate(world, token)
    world.delete_account(ann, None)
    assert tokens.authenticate(world, token) is None
    world.apply_events()
    with pytest.raises(NotFound):
        store.get_by_login(world.db, "jay")
    assert not world.db.trip(
        ("EXISTS", bot_keys.bots(ann)), ("EXISTS", token_keys.token(bot.uid, ""))
    )[0]


def test_deleted_bot_leaves_its_chats_and_its_messages_stay(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    bot = bots.create_bot(world, ann, "jay", "Jay")
    cid = world.do(chat.group, ann, [ben, bot.uid])
    world.do(chat.send_messages, bot.uid, cid, "I am here")
    members = [row.member for row in membership.list_members(world.db, cid)]
    owners = {member.login: member.bot_owner for member in members}
    assert owners == {"ann": 0, "ben": 0, "jay": ann}
    world.refuses(NotFound, bots.remove, ben, "jay")
    world.do(bots.remove, ann, "jay")
    assert [one.member.login for one in membership.list_members(world.db, cid)] == ["ann", "ben"]
    assert chat.texts(world.db.read(reading.open_page(ben, cid, size=9)).messages) == ["I am here"]
    assert logins(world.db, ann) == []


def test_bot_created_while_its_owner_is_deleted_is_deleted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ann,) = world.people("ann")
    create_account = registration.create_account

    def delete_owner_first(*args: Any, **kwargs: Any) -> Any:
        world.do(World.delete_account, ann, None)
        return create_account(*args, **kwargs)

    monkeypatch.setattr(registration, "create_account", delete_owner_first)
    world.refuses(NotFound, bots.create_bot, ann, "jay", "Jay")
    world.apply_events()
    with pytest.raises(NotFound):
        store.get_by_login(world.db, "jay")


def test_messages_to_bots_are_no_requests(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    bot = bots.create_bot(world, ann, "jay", "Jay")
    chat.group(world, ben, [bot.uid])
    for text in ("one", "two", "three", "four", "five"):  # more than a request may hold
        chat.send_messages(world, ben, f"{ben}-{bot.uid}", text)
    world.apply_events()
    assert [row.request_state for row in listing.inbox(world.db, bot.uid)] == ["", ""]


def test_a_bot_that_no_replica_confirms_stays_its_owners(world: World) -> None:
    (ann,) = world.people("ann")
    made: list[str] = []
    for trips in count():
        login = f"jay{trips}"
        act = partial(bots.create_bot, uid=ann, login=login, name="Jay")
        is_last = not is_unconfirmed(world, trips, act)
        uid = world.db.read(store.claimed_uid(login))
        made = [login, *made] if uid and world.db.read(store.get(uid)) else made
        assert logins(world.db, ann) == made, f"{trips} trips were confirmed"
        if is_last:
            break
    assert len(made) > 1
