"""Password changes, suspensions, and deletions of accounts."""

from functools import partial

import pytest

from tests.conftest import PASSWORD, ApplyEvents, People
from tests.support import worker
from tests.support.concurrently import concurrently
from tests.support.schema import live_keys, member_keys
from tests.support.settings import with_settings
from tests.support.timelines import home_timeline
from tests.support.world import World, post
from webapp.accounts import keys as account_keys, lifecycle, profile, registration
from webapp.accounts.email.keys import email
from webapp.accounts.sessions import credentials, store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.sessions.devices import Device
from webapp.accounts.sessions.listing import list_sessions
from webapp.accounts.tokens import store as tokens
from webapp.core.errors import Conflict, Forbidden, Invalid, NotFound
from webapp.core.store import PARTITIONS, Db, Site, partition_of
from webapp.following import keys as following_keys, store as following
from webapp.statuses import keys as status_keys
from webapp.timelines import store as timelines
from webapp.timelines.profile import ProfileQuery, profile_page

NEW_PASSWORD = "another battery staple"


def ids_on(page: object) -> list[int]:
    """Return the ids on a page."""
    return [status.id for status in page.items]  # type: ignore[attr-defined]


def test_a_new_password_ends_all_other_sessions(world: World) -> None:
    (ann,) = world.people("ann")
    own, *others = [sessions.start(world, ann) for _ in range(3)]
    assert credentials.change_password(world, ann, PASSWORD, NEW_PASSWORD, sha_of(own)) == 2
    assert sessions.load(world, own)
    assert not any(sessions.load(world, cookie) for cookie in others)
    assert [session.current for session in list_sessions(world.db, own)] == [True]
    world.refuses(Invalid, credentials.sign_in, "ann", PASSWORD)
    verified = credentials.sign_in(world, "ann", NEW_PASSWORD)
    member, epoch = verified.member, verified.epoch
    assert sessions.load(world, sessions.start(world, member.uid, epoch))


def test_a_wrong_password_changes_nothing(world: World) -> None:
    (ann,) = world.people("ann")
    cookie = sessions.start(world, ann)
    world.refuses(Invalid, credentials.change_password, ann, "wrong", NEW_PASSWORD, "")
    world.refuses(Invalid, lifecycle.delete_account, ann, "wrong")
    assert sessions.load(world, cookie)
    assert credentials.sign_in(world, "ann", PASSWORD)


def test_a_sign_in_verified_before_a_password_change_starts_no_session(world: World) -> None:
    (ann,) = world.people("ann")
    epoch = credentials.sign_in(world, "ann", PASSWORD).epoch
    credentials.change_password(world, ann, PASSWORD, NEW_PASSWORD, "")
    world.refuses(Conflict, sessions.start, ann, epoch)


def test_one_of_several_concurrent_password_changes_wins(world: World) -> None:
    (ann,) = world.people("ann")
    change = partial(credentials.change_password, world, ann, PASSWORD)
    changed = concurrently(lambda number: change(f"{NEW_PASSWORD} {number}", ""), 8)
    [winner] = [number for number, code in enumerate(changed) if not isinstance(code, str)]
    assert credentials.sign_in(world, "ann", f"{NEW_PASSWORD} {winner}")


def test_an_operators_reset_ends_sessions_and_tokens(world: World) -> None:
    (ann,) = world.people("ann")
    cookie, token = sessions.start(world, ann), tokens.create(world, ann, "script")
    assert credentials.reset_password(world, ann, NEW_PASSWORD) == 1
    assert sessions.load(world, cookie) is None
    assert tokens.authenticate(world, token) is None
    assert tokens.list_tokens(world.db, ann) == []
    assert credentials.sign_in(world, "ann", NEW_PASSWORD)
    world.refuses(NotFound, credentials.reset_password, 999, NEW_PASSWORD)


def test_a_members_sessions_are_bounded(world: World) -> None:
    (ann,) = world.people("ann")
    limited = with_settings(world, member_sessions_max=3)
    cookies = [
        sessions.start(limited, ann, device=Device("192.0.2.1", f"agent {n}")) for n in range(3)
    ]
    for age, cookie in enumerate(cookies):  # ordered, though started in the same second
        score = 1_000_000_000_000 + age
        world.db.run(("ZADD", account_keys.member_sessions(ann), score, sha_of(cookie)))
    cookies.append(sessions.start(limited, ann))
    assert [bool(sessions.load(limited, cookie)) for cookie in cookies] == [False, True, True, True]
    listed = list_sessions(world.db, cookies[1])
    assert {session.sha for session in listed} == {sha_of(cookie) for cookie in cookies[1:]}
    found = next(session.device for session in listed if session.current)
    assert found == Device("192.0.2.1", "agent 1")


def test_only_its_owner_ends_a_session(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cookie = sessions.start(world, ann)
    sha = sha_of(cookie)
    assert not sessions.end_one(world, ben, sha)
    assert not sessions.end_one(world, ann + PARTITIONS, sha)  # another member of the partition
    assert sessions.load(world, cookie)
    assert sessions.end_one(world, ann, sha)
    assert sessions.load(world, cookie) is None
    assert not sessions.end_one(world, ann, sha)


def test_tokens_are_bounded_record_their_use_and_are_revoked(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    limited = with_settings(world, tokens_max=2)
    first, second = (tokens.create(limited, ann, name) for name in ("one", "two"))
    limited.refuses(Conflict, tokens.create, ann, "three")
    found = {(token.name, token.last_used) for token in tokens.list_tokens(world.db, ann)}
    assert found == {("one", None), ("two", None)}
    owner = tokens.authenticate(limited, first)
    assert owner and owner.uid == ann
    listed = {token.name: token for token in tokens.list_tokens(world.db, ann)}
    assert listed["one"].last_used and not listed["two"].last_used
    assert not tokens.revoke(limited, ben, listed["one"].id)
    assert tokens.revoke(limited, ann, listed["one"].id)
    assert tokens.authenticate(limited, first) is None
    assert tokens.authenticate(limited, second)
    tokens.create(limited, ann, "three")


@pytest.mark.parametrize(
    "token", ["", "linnet_1_", "linnet_1_" + "x" * 43, "linnet_x_y", "1.x", "linnet_1_" + "é" * 43]
)
def test_a_forged_token_authenticates_nobody(token: str, world: World) -> None:
    world.people("ann")
    assert tokens.authenticate(world, token) is None


def test_a_profile_is_edited_and_cleared(world: World) -> None:
    ann, _ = world.people("ann", "ben")
    fields = {"name": "Wren", "bio": "Sings to @ben", "location": "Reeds", "website": ""}
    profile.edit(world, ann, fields)
    shown = profile_page(world, ProfileQuery("ann")).profile
    assert shown.member.name == "Wren"
    assert (shown.about.text, shown.about.location) == ("Sings to @ben", "Reeds")
    assert [entity.text for entity in shown.about.entities] == ["ben"]
    profile.edit(world, ann, {"bio": "", "location": ""})
    shown = profile_page(world, ProfileQuery("ann")).profile
    assert (shown.about.text, shown.about.entities, shown.about.location) == ("", (), "")


def test_an_applicant_whom_the_operator_restores_waits_no_longer(world: World) -> None:
    applies = {"waiting": "Birds.", "applied": "ann@example.org", "applied_language": "en"}
    ann = registration.sign_up(world, "ann", "Ann", PASSWORD, application=applies)
    assert lifecycle.suspend(world, ann.uid, suspended=False)
    assert not world.db.run(("HEXISTS", account_keys.user(ann.uid), "waiting")), "or to be refused"
    assert not world.db.run(("EXISTS", email(ann.uid)))


def test_a_suspended_member_is_locked_out_and_hidden_until_restored(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    following.follow(world, ben, "ann")
    posts = [post(world, ann, f"{n}") for n in range(3)]
    bens_status = world.do(post, ben)
    cookie, token = sessions.start(world, ann), tokens.create(world, ann, "script")
    before = ids_on(home_timeline(world, ben))
    assert lifecycle.suspend(world, ann)
    for _ in range(2):  # before the event is applied, and after
        assert ids_on(home_timeline(world, ben)) == [bens_status]
        assert ids_on(timelines.public(world)) == [bens_status]
        assert sessions.load(world, cookie) is None
        assert tokens.authenticate(world, token) is None
        for attempt in (
            lambda: profile_page(world, ProfileQuery("ann")),
            lambda: world.status(posts[0]),
            lambda: credentials.sign_in(world, "ann", PASSWORD),
            lambda: sessions.start(world, ann, "1"),
            lambda: post(world, ann, "again"),
            lambda: following.follow(world, ben, "ann"),
            lambda: following.follow(world, ann, "ben"),
            lambda: profile.edit(world, ann, {"name": "Ann"}),
            lambda: tokens.create(world, ann, "more"),
        ):
            with pytest.raises(Forbidden):
                attempt()
        world.apply_events()
    assert not lifecycle.suspend(world, ann)
    assert lifecycle.suspend(world, ann, suspended=False)
    world.apply_events()
    assert ids_on(home_timeline(world, ben)) == before
    assert ids_on(timelines.public(world)) == before
    assert tokens.authenticate(world, token)
    assert credentials.sign_in(world, "ann", PASSWORD)


def test_timelines_continue_past_statuses_of_a_suspended_author(
    site: Site, people: People, apply_events: ApplyEvents
) -> None:
    ann, ben, cat = people("ann", "ben", "cat")
    site = with_settings(site, page_size=2)
    following.follow(site, cat, "ann")
    following.follow(site, cat, "ben")
    visible = [post(site, ben, f"{n}") for n in range(3)]
    for n in range(5):
        post(site, ann, f"{n}")
    apply_events()
    lifecycle.suspend(site, ann)
    for _ in range(2):
        page = home_timeline(site, cat)
        assert ids_on(page) == visible[:0:-1]
        assert ids_on(home_timeline(site, cat, page.next)) == visible[:1]
        pages = [timelines.public(site)]  # short until the event is applied
        while pages[-1].next:
            pages.append(timelines.public(site, pages[-1].next))
        assert [status_id for page in pages for status_id in ids_on(page)] == visible[::-1]
        apply_events()


def test_a_deleted_account_leaves_only_its_reserved_login(world: World) -> None:
    ann, ben, _ = world.people("ann", "ben", "cat")
    following.follow(world, ben, "ann")
    following.follow(world, ann, "cat")
    posts = [post(world, ann, f"{n}") for n in range(3)]
    bens_status = world.do(post, ben)
    cookie, token = sessions.start(world, ann), tokens.create(world, ann, "script")
    lifecycle.delete_account(world, ann, PASSWORD)
    for _ in range(2):  # before the event is applied, and after
        assert ids_on(home_timeline(world, ben)) == [bens_status]
        assert ids_on(timelines.public(world)) == [bens_status]
        assert sessions.load(world, cookie) is None
        assert tokens.authenticate(world, token) is None
        for attempt in (
            lambda: profile_page(world, ProfileQuery("ann")),
            lambda: world.status(posts[0]),
            lambda: sessions.start(world, ann),
            lambda: post(world, ann, "again"),
            lambda: following.follow(world, ben, "ann"),
            lambda: following.follow(world, ann, "ben"),
            lambda: profile.edit(world, ann, {"name": "Ann"}),
            lambda: tokens.create(world, ann, "more"),
            lambda: lifecycle.suspend(world, ann),
            lambda: lifecycle.delete_account(world, ann, None),
        ):
            with pytest.raises(NotFound):
                attempt()
        world.refuses(Invalid, credentials.sign_in, "ann", PASSWORD)
        world.refuses(Conflict, registration.sign_up, "ann", "Another", PASSWORD)
        world.apply_events()
    assert profile_page(world, ProfileQuery("ben")).profile.following == 0
    assert profile_page(world, ProfileQuery("cat")).profile.followers == 0
    remaining = set(member_keys(world.db, ann))
    remaining |= {name for name in live_keys(world.db) if status_keys.status.prefix(ann) in name}
    assert remaining == {account_keys.user(ann)} | {
        name for name in remaining if name.startswith("post_idempotency:")
    }
    assert world.db.run(("HKEYS", account_keys.user(ann))) == ["removed"]
    login_ttl, tombstone_ttl = world.db.trip(
        ("TTL", account_keys.login("ann")), ("TTL", account_keys.user(ann))
    )
    assert 0 < login_ttl < tombstone_ttl
    assert world.db.run(("TTL", account_keys.login("ben"))) == -1


def test_a_login_is_free_again_after_its_reservation_expires(world: World) -> None:
    (ann,) = world.people("ann")
    world.do(lifecycle.delete_account, ann, None)
    world.db.run(("PEXPIRE", account_keys.login("ann"), 1))
    while world.db.run(("EXISTS", account_keys.login("ann"))):
        pass
    assert registration.sign_up(world, "ann", "Ann", PASSWORD).uid != ann


def test_a_follow_concurrent_with_a_deletion_is_removed(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    following.follow(world, ben, "ann")  # applied after the deletion
    lifecycle.delete_account(world, ann, None)
    for group in ("log", "fanout"):
        loop = worker.group_loop(world, group, "first")
        loop.acquire()
        while loop.poll({partition_of(ann)}):
            pass
        loop.release()
    assert world.db.run(("ZCARD", following_keys.following(ben))) == 1
    world.apply_events()
    assert world.db.run(("ZCARD", following_keys.following(ben))) == 0
    assert world.db.run(("EXISTS", following_keys.followers(ann))) == 0


def test_rights_are_granted_and_revoked(db: Db, people: People) -> None:
    (ann,) = people("ann")
    assert lifecycle.grant(db, ann, "firehose") == ("firehose",)
    assert lifecycle.grant(db, ann, "firehose") == ("firehose",)
    assert lifecycle.rights(db, ann) == ("firehose",)
    assert lifecycle.grant(db, ann, "firehose", granted=False) == ()
    with pytest.raises(NotFound):
        lifecycle.grant(db, 999, "firehose")


def test_only_a_valid_session_creates_a_token(world: World) -> None:
    (ann,) = world.people("ann")
    session = sha_of(sessions.start(world, ann))
    assert tokens.create(world, ann, "one", session)
    credentials.reset_password(world, ann, NEW_PASSWORD)
    world.refuses(Conflict, tokens.create, ann, "two", session)
    assert tokens.list_tokens(world.db, ann) == []
