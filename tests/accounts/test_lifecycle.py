"""Changing passwords, suspending and restoring members, and deleting accounts."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.timelines import home_timeline
from webapp.accounts import keys as account_keys
from webapp.accounts import lifecycle, profile, registration
from webapp.accounts.sessions import credentials
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.sessions.devices import Device
from webapp.accounts.sessions.listing import list_sessions
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.core.text.parser import parse
from webapp.errors import Conflict, Forbidden, Invalid, NotFound
from webapp.following import keys as following_keys
from webapp.following import store as following
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.timelines import store as timelines
from webapp.timelines.profile import profile_page

NEW = "another battery staple"


def write(db: Db, config: Config, uid: int, text: str = "hello") -> int:
    """Post a status and return its id."""
    return statuses.post(db, config, uid, parse(text), f"form-{uid}-{text}-key")


def shown(page: object) -> list[int]:
    """Return the ids on a page."""
    return [status.id for status in page.items]  # type: ignore[attr-defined]


def test_a_new_password_ends_all_sessions_but_one(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    (ann,) = people("ann")
    mine, *others = [sessions.start(db, config, ann) for _ in range(3)]
    assert credentials.change_password(db, config, ann, PASSWORD, NEW, sha_of(mine)) == 2
    assert sessions.load(db, config, mine)
    assert not any(sessions.load(db, config, cookie) for cookie in others)
    assert [one.current for one in list_sessions(db, mine)] == [True]
    with pytest.raises(Invalid):
        credentials.sign_in(db, config, "ann", PASSWORD)
    member, epoch = credentials.sign_in(db, config, "ann", NEW)
    assert sessions.load(db, config, sessions.start(db, config, member.uid, epoch))


def test_a_wrong_password_changes_nothing(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    (ann,) = people("ann")
    cookie = sessions.start(db, config, ann)
    with pytest.raises(Invalid):
        credentials.change_password(db, config, ann, "wrong", NEW, "")
    with pytest.raises(Invalid):
        lifecycle.delete_account(db, config, ann, "wrong")
    assert sessions.load(db, config, cookie)
    assert credentials.sign_in(db, config, "ann", PASSWORD)


def test_a_sign_in_that_was_checked_before_the_change_starts_no_session(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    (ann,) = people("ann")
    _, epoch = credentials.sign_in(db, config, "ann", PASSWORD)
    credentials.change_password(db, config, ann, PASSWORD, NEW, "")
    with pytest.raises(Conflict):
        sessions.start(db, config, ann, epoch)


def test_of_two_changes_at_once_one_wins(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    (ann,) = people("ann")

    def change(number: int) -> bool:
        try:
            credentials.change_password(db, config, ann, PASSWORD, f"{NEW} {number}", "")
        except (Conflict, Invalid):
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(change, range(8)))
    assert won.count(True) == 1
    assert credentials.sign_in(db, config, "ann", f"{NEW} {won.index(True)}")


def test_an_operators_reset_ends_sessions_and_tokens(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    (ann,) = people("ann")
    cookie, token = sessions.start(db, config, ann), tokens.create(db, config, ann, "script")
    assert credentials.reset_password(db, config, ann, NEW) == 1
    assert sessions.load(db, config, cookie) is None
    assert tokens.authenticate(db, config, token) is None
    assert tokens.list_tokens(db, ann) == []
    assert credentials.sign_in(db, config, "ann", NEW)
    with pytest.raises(NotFound):
        credentials.reset_password(db, config, 999, NEW)


def test_a_members_sessions_are_bounded(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    (ann,) = people("ann")
    few = replace(config, member_sessions_max=3)
    cookies = [
        sessions.start(db, few, ann, device=Device("192.0.2.1", f"agent {n}")) for n in range(3)
    ]
    for at, cookie in enumerate(cookies):  # which were all seen in the same second
        db.run(
            (
                "ZADD",
                account_keys.member_sessions(ann),
                1_000_000_000_000 + at,
                sha_of(cookie),
            )
        )
    cookies.append(sessions.start(db, few, ann))
    assert [bool(sessions.load(db, few, cookie)) for cookie in cookies] == [False, True, True, True]
    listed = list_sessions(db, cookies[1])
    assert {one.sha for one in listed} == {sha_of(cookie) for cookie in cookies[1:]}
    assert next(one.device for one in listed if one.current) == Device("192.0.2.1", "agent 1")


def test_one_session_is_ended_by_its_owner_only(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    ann, ben = people("ann", "ben")
    cookie = sessions.start(db, config, ann)
    sha = sha_of(cookie)
    assert not sessions.end_one(db, config, ben, sha)
    assert not sessions.end_one(db, config, ann + PARTITIONS, sha)  # somebody of the same partition
    assert sessions.load(db, config, cookie)
    assert sessions.end_one(db, config, ann, sha)
    assert sessions.load(db, config, cookie) is None
    assert not sessions.end_one(db, config, ann, sha)


def test_tokens_are_counted_used_and_revoked(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    ann, ben = people("ann", "ben")
    few = replace(config, tokens_max=2)
    one, two = (tokens.create(db, few, ann, name) for name in ("one", "two"))
    with pytest.raises(Conflict):
        tokens.create(db, few, ann, "three")
    assert {(token.name, token.last_used) for token in tokens.list_tokens(db, ann)} == {
        ("one", None),
        ("two", None),
    }
    owner = tokens.authenticate(db, few, one)
    assert owner and owner.uid == ann
    used = {token.name: token for token in tokens.list_tokens(db, ann)}
    assert used["one"].last_used and not used["two"].last_used
    assert not tokens.revoke(db, few, ben, used["one"].sha)
    assert tokens.revoke(db, few, ann, used["one"].sha)
    assert tokens.authenticate(db, few, one) is None
    assert tokens.authenticate(db, few, two)
    tokens.create(db, few, ann, "three")


@pytest.mark.parametrize(
    "token", ["", "linnet_1_", "linnet_1_" + "x" * 43, "linnet_x_y", "1.x", "linnet_1_" + "é" * 43]
)
def test_a_forged_token_is_nobodys(
    token: str, db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    people("ann")
    assert tokens.authenticate(db, config, token) is None


def test_what_a_member_says_is_kept_and_taken_away(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    (ann,) = people("ann")
    profile.edit(
        db,
        config,
        ann,
        {"name": "Wren", "bio": "Sings to @ben", "location": "Reeds", "website": ""},
    )
    found = profile_page(db, config, "ann", None).profile
    assert (found.member.name, found.about.text, found.about.location) == (
        "Wren",
        "Sings to @ben",
        "Reeds",
    )
    assert [entity.text for entity in found.about.entities] == ["ben"]
    profile.edit(db, config, ann, {"bio": "", "location": ""})
    found = profile_page(db, config, "ann", None).profile
    assert (found.about.text, found.about.entities, found.about.location) == ("", (), "")


def test_a_suspended_member_is_out_and_hidden_and_comes_back_as_before(
    db: Db, config: Config, people: Callable[..., list[int]], settle: Callable[[], None]
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")
    posts = [write(db, config, ann, f"{n}") for n in range(3)]
    own = write(db, config, ben)
    settle()
    cookie, token = sessions.start(db, config, ann), tokens.create(db, config, ann, "script")
    before = shown(home_timeline(db, config, ben))
    assert lifecycle.suspend(db, config, ann)
    for _ in range(2):  # before the event is applied, and after
        assert shown(home_timeline(db, config, ben)) == [own]
        assert shown(timelines.public(db, config)) == [own]
        assert sessions.load(db, config, cookie) is None
        assert tokens.authenticate(db, config, token) is None
        for attempt in (
            lambda: profile_page(db, config, "ann", None),
            lambda: statuses.get(db, posts[0]),
            lambda: credentials.sign_in(db, config, "ann", PASSWORD),
            lambda: sessions.start(db, config, ann, "1"),
            lambda: write(db, config, ann, "again"),
            lambda: following.follow(db, config, ben, "ann"),
            lambda: following.follow(db, config, ann, "ben"),
            lambda: profile.edit(db, config, ann, {"name": "Ann"}),
            lambda: tokens.create(db, config, ann, "more"),
        ):
            with pytest.raises(Forbidden):
                attempt()
        settle()
    assert not lifecycle.suspend(db, config, ann)
    assert lifecycle.suspend(db, config, ann, suspended=False)
    settle()
    assert shown(home_timeline(db, config, ben)) == before
    assert shown(timelines.public(db, config)) == before
    assert tokens.authenticate(db, config, token)
    assert credentials.sign_in(db, config, "ann", PASSWORD)


def test_a_home_full_of_a_suspended_author_is_still_never_short_and_the_public_timeline_leads_on(
    db: Db, config: Config, people: Callable[..., list[int]], settle: Callable[[], None]
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    config = replace(config, page_size=2)
    following.follow(db, config, cat, "ann")
    following.follow(db, config, cat, "ben")
    kept = [write(db, config, ben, f"{n}") for n in range(3)]
    for n in range(5):
        write(db, config, ann, f"{n}")
    settle()
    lifecycle.suspend(db, config, ann)
    for _ in range(2):
        page = home_timeline(db, config, cat)
        assert shown(page) == kept[:0:-1]
        assert shown(home_timeline(db, config, cat, page.next)) == kept[:1]
        pages = [
            timelines.public(db, config)
        ]  # which may be short until the event is applied, and leads on
        while pages[-1].next:
            pages.append(timelines.public(db, config, pages[-1].next))
        assert [status_id for page in pages for status_id in shown(page)] == kept[::-1]
        settle()


def test_a_deleted_account_leaves_nothing_but_its_name(
    db: Db, config: Config, people: Callable[..., list[int]], settle: Callable[[], None]
) -> None:
    ann, ben, _ = people("ann", "ben", "cat")
    following.follow(db, config, ben, "ann")
    following.follow(db, config, ann, "cat")
    posts = [write(db, config, ann, f"{n}") for n in range(3)]
    own = write(db, config, ben)
    settle()
    cookie, token = sessions.start(db, config, ann), tokens.create(db, config, ann, "script")
    lifecycle.delete_account(db, config, ann, PASSWORD)
    for _ in range(2):  # before the event is applied, and after
        assert shown(home_timeline(db, config, ben)) == [own]
        assert shown(timelines.public(db, config)) == [own]
        assert sessions.load(db, config, cookie) is None
        assert tokens.authenticate(db, config, token) is None
        for attempt in (
            lambda: profile_page(db, config, "ann", None),
            lambda: statuses.get(db, posts[0]),
            lambda: sessions.start(db, config, ann),
            lambda: write(db, config, ann, "again"),
            lambda: following.follow(db, config, ben, "ann"),
            lambda: following.follow(db, config, ann, "ben"),
            lambda: profile.edit(db, config, ann, {"name": "Ann"}),
            lambda: tokens.create(db, config, ann, "more"),
            lambda: lifecycle.suspend(db, config, ann),
            lambda: lifecycle.delete_account(db, config, ann, None),
        ):
            with pytest.raises(NotFound):
                attempt()
        with pytest.raises(Invalid):
            credentials.sign_in(db, config, "ann", PASSWORD)
        with pytest.raises(Conflict):
            registration.sign_up(db, config, "ann", "Another", PASSWORD)
        settle()
    assert profile_page(db, config, "ben", None).profile.following == 0
    assert profile_page(db, config, "cat", None).profile.followers == 0
    left = {
        name
        for name in _names(db)
        if name.endswith(f":{ann}") or f":{ann}:" in name or status_keys.status.prefix(ann) in name
    }
    assert left == {account_keys.user(ann)} | {
        name for name in left if name.startswith("post_idempotency:")
    }
    assert db.run(("HKEYS", account_keys.user(ann))) == ["removed"]
    name, trace = db.trip(("TTL", account_keys.login("ann")), ("TTL", account_keys.user(ann)))
    assert 0 < name < trace
    assert db.run(("TTL", account_keys.login("ben"))) == -1


def test_a_name_is_free_again_in_time(
    db: Db, config: Config, people: Callable[..., list[int]], settle: Callable[[], None]
) -> None:
    (ann,) = people("ann")
    lifecycle.delete_account(db, config, ann, None)
    settle()
    db.run(("PEXPIRE", account_keys.login("ann"), 1))
    while db.run(("EXISTS", account_keys.login("ann"))):
        pass
    assert registration.sign_up(db, config, "ann", "Ann", PASSWORD).uid != ann


def test_a_follow_that_crosses_the_deletion_leaves_no_ghost(
    db: Db, config: Config, people: Callable[..., list[int]], settle: Callable[[], None]
) -> None:
    ann, ben = people("ann", "ben")
    following.follow(db, config, ben, "ann")  # whose event is applied after all of the deletion
    lifecycle.delete_account(db, config, ann, None)
    for group in ("log", "fanout"):
        loop = worker.group_loop(db, config, group, "first")
        loop.acquire()
        while loop.poll({partition_of(ann)}):
            pass
        loop.release()
    assert db.run(("ZCARD", following_keys.following(ben))) == 1
    settle()
    assert db.run(("ZCARD", following_keys.following(ben))) == 0
    assert db.run(("EXISTS", following_keys.followers(ann))) == 0


def test_removing_goes_on_where_a_dead_worker_stopped(
    db: Db, config: Config, people: Callable[..., list[int]], settle: Callable[[], None]
) -> None:
    ann, *fans = people("ann", *(f"fan{n}" for n in range(5)))
    for fan in fans:
        following.follow(db, config, fan, "ann")
    posts = [write(db, config, ann, f"{n}") for n in range(4)]
    settle()
    lifecycle.delete_account(db, config, ann, None)
    # A worker that did a part of each step.
    db.run(("ZREM", following_keys.following(fans[0]), ann))
    db.run(("ZREM", following_keys.followers(ann), fans[0]))
    db.run(("DEL", status_keys.status(posts[0])))
    settle()
    assert all(db.run(("ZCARD", following_keys.following(fan))) == 0 for fan in fans)
    assert not any(db.trip(*(("EXISTS", status_keys.status(post)) for post in posts)))
    assert not any(
        db.trip(
            *(
                ("EXISTS", key(ann))
                for key in (
                    status_keys.profile_statuses,
                    following_keys.followers,
                    following_keys.following,
                )
            )
        )
    )


def test_rights_are_given_and_taken(db: Db, people: Callable[..., list[int]]) -> None:
    (ann,) = people("ann")
    assert lifecycle.grant(db, ann, "firehose") == ("firehose",)
    assert lifecycle.grant(db, ann, "firehose") == ("firehose",)
    assert lifecycle.rights(db, ann) == ("firehose",)
    assert lifecycle.grant(db, ann, "firehose", granted=False) == ()
    with pytest.raises(NotFound):
        lifecycle.grant(db, 999, "firehose")


def _names(db: Db) -> set[str]:
    return {name for names in db.on_every_primary("KEYS", "*") for name in names}


def test_a_token_is_made_by_a_session_that_still_holds_only(
    db: Db, config: Config, people: Callable[..., list[int]]
) -> None:
    (ann,) = people("ann")
    asking = sha_of(sessions.start(db, config, ann))
    assert tokens.create(db, config, ann, "one", asking)
    credentials.reset_password(db, config, ann, NEW)
    with pytest.raises(Conflict):
        tokens.create(db, config, ann, "two", asking)
    assert tokens.list_tokens(db, ann) == []
