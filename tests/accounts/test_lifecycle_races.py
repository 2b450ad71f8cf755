"""Changes, suspensions and deletions of members, concurrent with other actions and crashes."""

import io
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image

from tests.conftest import PASSWORD, long
from tests.support import worker
from tests.support.concurrently import concurrently, result_or_code
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.members.deletions import check_deleted
from tests.support.schema import live_keys
from tests.support.settings import with_settings
from tests.support.timelines import home_timeline
from tests.support.world import World, post
from webapp.accounts import keys as account_keys, lifecycle, profile, registration, store
from webapp.accounts.invitations import invites
from webapp.accounts.sessions import credentials, store as sessions
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.errors import NotFound
from webapp.core.events import keys as event_keys
from webapp.core.events.attempts import retry_parked
from webapp.core.media import storage as media
from webapp.core.store import PARTITIONS, Db, Site, do_steps, partition_of
from webapp.following import store as following
from webapp.following.follow_lists import load_follow_page
from webapp.timelines import keys as timeline_keys
from webapp.timelines.fanout import backfill
from webapp.timelines.profile import ProfileQuery, profile_page

pytestmark = pytest.mark.slow


def test_a_deletion_amid_concurrent_actions_leaves_nothing(world: World) -> None:
    touching = with_settings(world, session_touch=1)
    for attempt in range(3):
        login = f"ann{attempt}"
        ann, ben = world.people(login, f"ben{attempt}")
        following.follow(world, ben, login)
        cookies = [sessions.start(world, ann) for _ in range(5)]
        actions: list[Callable[[int], Any]] = [
            lambda n, ann=ann: credentials.change_password(
                world, ann, PASSWORD, f"{n} another battery", ""
            ),
            lambda n, ann=ann, login=login: sessions.start(
                world, ann, credentials.sign_in(world, login, PASSWORD).epoch
            ),
            lambda n, ann=ann: lifecycle.suspend(world, ann, n % 4 == 2),
            lambda n, cookies=cookies: sessions.load(touching, cookies[n % 5]),
            lambda n, cookies=cookies: sessions.end(world, cookies[n % 5]),
            lambda n, ann=ann: tokens.create(world, ann, "script"),
            lambda n, ann=ann: profile.edit(world, ann, {"name": "Wren", "bio": "sings"}),
            lambda n, ann=ann: post(world, ann, f"hello {n}"),
            lambda n, ann=ann, attempt=attempt: following.follow(world, ann, f"ben{attempt}"),
            lambda n, ann=ann: home_timeline(world, ann),
            lambda n, ben=ben, login=login: (following.unfollow, following.follow)[n % 2](
                world, ben, login
            ),
        ]

        def run(number: int, ann: int = ann, actions: list[Callable[[int], Any]] = actions) -> Any:
            return (
                lifecycle.delete_account(world, ann, None)
                if number == 40
                else actions[number % len(actions)](number)
            )

        assert concurrently(run, 80)[40] is None
        world.apply_events()
        check_deleted(world, ann, login, [ben])
        assert not [name for name in live_keys(world.db) if name.startswith(("session:", "token:"))]
        assert world.db.run(("ZCARD", account_keys.sessions(partition_of(ann)))) == 0


def test_a_password_change_amid_sign_ins_leaves_no_session_of_the_old_password(
    world: World,
) -> None:
    (ann,) = world.people("ann")
    epoch = credentials.sign_in(world, "ann", PASSWORD).epoch

    def change_or_sign_in(number: int) -> Any:
        if number == 25:
            return credentials.change_password(world, ann, PASSWORD, "another battery staple", "")
        return sessions.start(world, ann, epoch)

    results = concurrently(change_or_sign_in, 50)
    assert results.pop(25) >= 0
    assert result_or_code(lambda: change_or_sign_in(0)) == "changed"
    assert not any(sessions.load(world, cookie) for cookie in results)
    assert world.db.run(("ZCARD", account_keys.member_sessions(ann))) == 0


def test_one_of_several_concurrent_deletions_succeeds(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    post(world, ann)
    results = concurrently(lambda _: lifecycle.delete_account(world, ann, PASSWORD), 20)
    assert results.count(None) == 1
    assert set(results) <= {None, "no_member", "changed", "not_your_password"}
    world.apply_events()
    check_deleted(world, ann, "ann", [ben])


def test_the_last_place_of_an_invitation_goes_to_one_sign_up(site: Site) -> None:
    invite = invites.create(site.db, 1, 3600)
    results = concurrently(
        lambda n: registration.sign_up(site, f"bird{n}", "Bird", PASSWORD, invite.code), 20
    )
    assert len([result for result in results if isinstance(result, store.Member)]) == 1
    assert results.count("invite_bad") == 19
    assert len([name for name in live_keys(site.db) if name.startswith("user:")]) == 1


def test_a_crashed_sign_up_loses_neither_the_login_nor_the_invitation(site: Site) -> None:
    for trips in count():
        login = f"wren{trips}"
        invite = invites.create(site.db, 1, 3600)
        crashing_db = CrashingDb(site.db, trips)
        try:
            registration.sign_up(
                Site(crashing_db, site.config), login, "Wren", PASSWORD, invite.code
            )
        except Crashed:
            # As a minute later: both claims have expired.
            claim = site.db.run(("GET", account_keys.login(login)))
            if claim:
                site.db.run(("SET", account_keys.login(login), claim.split(":")[0] + ":1000"))
            for uid in site.db.run(("ZRANGE", account_keys.invite_redemptions(invite.code), 0, -1)):
                site.db.run(("ZADD", account_keys.invite_redemptions(invite.code), 1000, uid))
            member = registration.sign_up(site, login, "Wren", PASSWORD, invite.code)
            assert store.get_by_login(site.db, login).uid == member.uid
        assert not invites.is_valid(site.db, invite.code)
        assert result_or_code(
            lambda code=invite.code, trips=trips: registration.sign_up(
                site, f"ben{trips}", "Ben", PASSWORD, code
            )
        ) == ("invite_bad")
        if crashing_db.survived:
            break
    assert trips >= 4


@pytest.mark.parametrize("step", [4, long(1)])
def test_a_retry_completes_a_failed_deletion(world: World, step: int) -> None:
    single_attempt = replace(world.config, attempts_max=1, fanout_batch=2)
    parked = 0
    for trips in count(step=step):
        ann, *others = [
            registration.sign_up(world, f"{name}{trips}", name, PASSWORD).uid
            for name in ("ann", "ben", "cat", "dot")
        ]
        for other in others:
            following.follow(world, other, f"ann{trips}")
        following.follow(world, ann, f"ben{trips}")
        for number in range(3):
            post(world, ann, f"{trips}.{number}")
        folder = world.config.media_path / str(ann)
        folder.mkdir(parents=True)
        (folder / f"{'0' * 32}-96.webp").write_bytes(b"a picture")
        world.apply_events()
        lifecycle.delete_account(world, ann, None)
        crashing_db = CrashingDb(world.db, trips, RuntimeError)
        try:
            worker.drain(Site(crashing_db, single_attempt))
        except RuntimeError:  # between two projections
            pass
        else:
            parked += sum(name.startswith("parked:") for name in live_keys(world.db))
        retry_parked(world.db)
        world.apply_events()
        check_deleted(world, ann, f"ann{trips}", others)
        if crashing_db.survived:
            break
    assert trips > 10 and parked > 5 / step


def test_a_repeated_deletion_event_spares_the_logins_new_owner(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    outbox = event_keys.outbox(partition_of(ann))
    lifecycle.delete_account(world, ann, None)
    event = world.db.run(("XRANGE", outbox, "-", "+"))[-1][1]
    world.apply_events()
    world.db.trip(("DEL", account_keys.login("ann")), ("DEL", account_keys.user(ann)))  # expired
    new_member = registration.sign_up(world, "ann", "Ann", PASSWORD)
    following.follow(world, ben, "ann")
    status_id = world.do(post, new_member.uid)
    world.db.run(("XADD", outbox, "*", *event))
    world.apply_events()
    page = profile_page(world, ProfileQuery("ann"))
    assert (page.profile.member.uid, page.profile.followers) == (new_member.uid, 1)
    assert [status.id for status in page.timeline.items] == [status_id]
    assert world.db.run(("TTL", account_keys.login("ann"))) == -1


def test_a_visit_after_a_deletion_builds_no_home(world: World) -> None:
    (ann,) = world.people("ann")
    lifecycle.delete_account(world, ann, None)
    for _ in range(2):
        world.refuses(NotFound, home_timeline, ann)
        assert not world.db.run(("EXISTS", account_keys.home(ann)))
        assert world.db.run(("ZSCORE", account_keys.active_members(partition_of(ann)), ann)) is None
        world.apply_events()


def test_a_worker_that_counted_followers_before_a_deletion_leaves_nothing(world: World) -> None:
    (ann,) = world.people("ann")
    world.do(lifecycle.delete_account, ann, None)
    do_steps(world.db, backfill._switch_to_pull(ann))
    check_deleted(world, ann, "ann", [])
    pull_authors = [timeline_keys.pull_authors(p) for p in range(PARTITIONS)]
    assert world.db.trip(*(("SCARD", key) for key in pull_authors)) == [0] * PARTITIONS


def test_a_suspended_member_is_listed_only_for_those_who_follow_them(world: World) -> None:
    ann, ben, _ = world.people("ann", "ben", "cat")
    following.follow(world, ann, "ben")
    following.follow(world, ben, "ann")
    world.do(following.follow, ben, "cat")
    lifecycle.suspend(world, ann)
    for kind, viewer, expected in (
        ("followers", None, []),
        ("followers", ben, []),
        ("following", None, ["cat"]),
        ("following", ann, ["cat"]),
        ("following", ben, ["cat", "ann"]),  # so that ben can unfollow ann
    ):
        page = load_follow_page(world.db, kind, ben, None, 10, viewer).page
        assert [member.login for member in page.items] == expected, (kind, viewer)


@pytest.mark.parametrize("action", ["suspend", "delete"])
def test_no_page_shows_a_suspended_or_deleted_member(
    action: str, app: Flask, member: Callable[[str], FlaskClient], settings: Config
) -> None:
    ann, ben, cat, visitor = member("ann"), member("ben"), member("cat"), app.test_client()
    db: Db = app.extensions["linnet.db"]
    picture = io.BytesIO()
    Image.new("RGB", (64, 64)).save(picture, "PNG")
    profile_form = {
        "name": "Zaunkoenig",
        "bio": "Zaunkoenig sings",
        "avatar": (io.BytesIO(picture.getvalue()), "a.png"),
    }
    ann.post("/settings/profile", data=profile_form, content_type="multipart/form-data")
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
    permalink = re.search(r"/@ann/(\d+)", visitor.get("/@ann").text)
    assert permalink
    picture_path = re.search(r'src="(/media/[^"]+)"', visitor.get("/@ann").text)
    assert picture_path
    paths = [
        "/",
        "/public",
        "/@ann",
        "/@Ann",
        "/@ann/followers",
        "/@ann/following",
        permalink[0],
        f"/statuses?ids={permalink[1]}",
    ]
    paths += [
        f"/@ben/{permalink[1]}",
        *(f"/@{login}{suffix}" for login in ("ben", "cat") for suffix in ("", "/followers")),
    ]
    signed_in = ["/home", "/home?max_id=9007199254740991", "/@ben", "/@cat"]
    assert sum("Zaunkoenig" in visitor.get(path).text for path in paths) > 8
    if action == "delete":
        lifecycle.delete_account(Site(db, settings), 1, None)
    else:
        lifecycle.suspend(Site(db, settings), 1)
    for _ in range(2):  # before the event is applied, and after
        for client in (visitor, ann, ben, cat):
            for path in paths + (signed_in if client in (ben, cat) else []):
                text = client.get(path).text
                assert "Zaunkoenig" not in text and picture_path[1] not in text, (client, path)
        worker.drain(Site(db, settings))
    if action == "delete":
        assert visitor.get(picture_path[1]).status_code == 404
        assert not list(settings.media_path.rglob("*.webp"))


def test_a_picture_saved_after_a_deletion_is_removed(
    member: Callable[[str], FlaskClient],
    app: Flask,
    settings: Config,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ann, db, save = member("ann"), app.extensions["linnet.db"], media.save

    def delete_then_save(*args: Any) -> str:
        lifecycle.delete_account(Site(db, settings), 1, None)
        worker.drain(Site(db, settings))
        return save(*args)

    monkeypatch.setattr(media, "save", delete_then_save)
    picture = io.BytesIO()
    Image.new("RGB", (64, 64)).save(picture, "PNG")
    picture.seek(0)
    form = {"name": "Wren", "avatar": (picture, "a.png")}
    answer = ann.post("/settings/profile", data=form, content_type="multipart/form-data")
    assert answer.status_code == 404
    assert not list(settings.media_path.rglob("*.webp"))


def test_the_sign_in_page_does_not_reveal_which_logins_exist(
    member: Callable[[str], FlaskClient], app: Flask, settings: Config
) -> None:
    for login in ("ann", "ben", "cat"):
        member(login)
    db: Db = app.extensions["linnet.db"]
    lifecycle.suspend(Site(db, settings), 2)
    lifecycle.delete_account(Site(db, settings), 3, None)
    answers = {}
    for login in ("ann", "ben", "cat", "dot", "x" * 40):
        form = {"login": login, "password": "not the right one"}
        answer = app.test_client().post("/login", data=form)
        page = re.sub(r'(name="csrf_token" value=)"[^"]+"', r"\1", answer.text)
        page = page.replace(f'"{login}"', '""')
        answers[login] = (answer.status_code, page, sorted(answer.headers.keys()))
    assert len({str(answer) for answer in answers.values()}) == 1


def test_no_password_token_or_invitation_is_logged(
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
    form = {"name": "script"}
    token = re.search(r"linnet_1_([\w-]+)", ann.post("/settings/tokens", data=form).text)
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
