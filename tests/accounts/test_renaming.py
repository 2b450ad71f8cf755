"""A member changes their username: what redirects, what is found, races, and crashes."""

import re
from functools import partial
from itertools import count

import pytest
from flask import Flask
from flask.testing import FlaskClient

from tests.autocomplete.people import suggested
from tests.conftest import PASSWORD, SignUp
from tests.support import worker
from tests.support.client_api import ApiClient
from tests.support.concurrently import concurrently, result_or_code
from tests.support.crashing_db import Crashed, CrashingDb, is_unconfirmed
from tests.support.searching import latest, own
from tests.support.world import World, post
from webapp.accounts import keys as account_keys, registration, store as accounts
from webapp.accounts.renaming import store as renaming
from webapp.accounts.sessions import credentials
from webapp.admin.verify.checking import check_all
from webapp.core.errors import Conflict
from webapp.core.store import Site
from webapp.statuses import Visibility, keys as status_keys
from webapp.statuses.listings import authored

MINUTE_MS = 60_000


def age_claim(site: Site, login: str, ms: int = 2 * MINUTE_MS) -> None:
    """Let a login have been claimed some time ago."""
    uid, _, at = site.db.run(("GET", account_keys.login(login))).partition(":")
    site.db.run(("SET", account_keys.login(login), f"{uid}:{int(at) - ms}", "KEEPTTL"))


def holders(site: Site, *logins: str) -> list[int | None]:
    return [site.db.read(accounts.claimed_uid(login)) for login in logins]


def may_rename_again(site: Site, uid: int) -> None:
    site.db.run(("HSET", account_keys.user(uid), "renamed", 1))


def test_old_addresses_lead_on_and_nobody_else_gets_the_name(
    app: Flask, app_site: Site, member: SignUp, client: FlaskClient
) -> None:
    ann, ben = member("ann"), member("ben")
    post(app_site, 1, "a heron")
    post(app_site, 2, "seen by @ann")
    worker.drain(app_site)
    link = re.search(r'href="(/@ann/\d+)"', client.get("/@ann").text)
    assert link and client.get(link[1]).status_code == 200
    answer = ann.post("/settings/username", data={"login": "Bea"})
    assert (answer.status_code, answer.location) == (303, "/@Bea")
    worker.drain(app_site)
    for path in ("", "/replies", "/feed.atom", "/followers", "/lists", "/media", link[1][5:]):
        for old in ("ann", "bea"):
            old_path = f"/@{old}/{path.lstrip('/')}".rstrip("/")
            answer = client.get(old_path)
            assert (answer.status_code, answer.location) == (301, old_path.replace(old, "Bea"))
        assert client.get(answer.location).status_code == 200
    assert "no-cache" in answer.headers["Cache-Control"]
    assert client.get(link[1].replace("ann", "ben")).status_code == 404
    assert 'href="/@ann"' in client.get("/@ben").text  # which leads to Bea
    assert ben.post("/@ann/follow").status_code == 303
    taken = {"login": "Ann", "name": "Ann", "password": PASSWORD}
    assert client.post("/signup", data=taken).status_code == 409
    assert ben.post("/settings/username", data={"login": "ann"}).status_code == 409
    assert ann.post("/settings/username", data={"login": "cleo"}).status_code == 409
    assert "You can change your username again on" in ann.get("/settings/username").text
    assert "Changed the username" in ann.get("/settings/security").text
    mention = ApiClient(app).get("v1/accounts/2/statuses")[0]["mentions"]
    assert [(one["acct"], one["url"]) for one in mention] == [("Bea", "http://localhost/@Bea")]
    assert ApiClient(app).get("v1/accounts/lookup", acct="ann")["acct"] == "Bea"


@pytest.mark.parametrize(
    ("login", "sentence"),
    [
        ("", "Choose a username."),
        ("ann", "That’s your username already."),
        ("ANN", "That’s your username already."),
        ("ben", "That username is taken."),
        ("admin", "That username is reserved."),
        ("a b", "A username has"),
        ("x" * 16, "A username has"),
    ],
)
def test_the_form_says_what_is_wrong(member: SignUp, login: str, sentence: str) -> None:
    ann, _ = member("ann"), member("ben")
    answer = ann.post("/settings/username", data={"login": login})
    assert answer.status_code in (409, 422) and sentence in answer.text
    assert ann.get("/@ann").status_code == 200


def test_all_that_names_the_member_is_right_afterwards(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("POSTS_BATCH", "MEMBERS_BATCH"):
        monkeypatch.setattr(authored, name, 2)
    ann, *others = world.people("ann", *(f"reader{number}" for number in range(5)))
    ids = [post(world, ann, f"heron {number}") for number in range(3)]
    hidden = post(world, ann, "heron", visibility=Visibility.FOLLOWERS)
    replies = [post(world, uid, "so it is", reply=one) for uid in others for one in ids]
    deeper = post(world, ann, "yes", reply=replies[0])
    replies.append(
        post(world, others[0], "so it is", reply=deeper, visibility=Visibility.MENTIONED)
    )
    for uid in others:
        world.bookmark(uid, ids[0])
    world.apply_events()
    world.do(renaming.rename, ann, "bea")
    assert (latest(world, "from:ann"), latest(world, "from:bea heron")) == ([], ids[::-1])
    newest_first = sorted(replies[:-1], reverse=True)
    assert (latest(world, "to:ann"), latest(world, "to:bea")) == ([], newest_first)
    assert own(world, "from:bea heron", ann) == [hidden, *ids[::-1]]
    assert all(own(world, "from:bea", uid) == [ids[0]] for uid in others)
    assert {name_in(world, one) for one in replies} == {"bea"}
    assert suggested(world.db, others[0], "be") == ["bea"]
    assert [fault for _, found in check_all(world, 1.0) for fault in found] == []


def name_in(site: Site, reply: int) -> str:
    return str(site.db.run(("HGET", status_keys.status(reply), "reply_to_login")))


def test_a_name_before_the_last_is_kept_as_long_as_the_page_says(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    for name in ("bea", "cleo"):
        may_rename_again(world, ann)
        world.do(renaming.rename, ann, name)
    age_claim(world, "ann")
    world.refuses(Conflict, renaming.rename, ben, "ann")
    assert holders(world, "ann") == [ann]


def test_the_old_name_is_free_after_its_time_and_leads_to_its_new_owner(world: World) -> None:
    (ann,) = world.people("ann")
    renaming.rename(world, ann, "bea")
    assert holders(world, "ann", "bea") == [ann, ann]
    world.apply_events()
    left = world.db.run(("TTL", account_keys.login("ann")))
    assert 0 < left <= world.config.name_kept_days * 86_400
    assert world.db.run(("TTL", account_keys.login("bea"))) == -1
    world.db.run(("DEL", account_keys.login("ann")))
    (cleo,) = world.people("ann")
    may_rename_again(world, ann)
    assert result_or_code(lambda: renaming.rename(world, ann, "ann")) == "taken"
    may_rename_again(world, cleo)
    renaming.rename(world, cleo, "cleo")
    world.do(World.delete_account, cleo, None)
    assert all(world.db.run(("TTL", account_keys.login(one))) > 0 for one in ("ann", "cleo"))


def test_a_member_gets_their_former_name_back_once_it_is_free(world: World) -> None:
    (ann,) = world.people("ann")
    world.do(renaming.rename, ann, "bea")
    world.db.run(("DEL", account_keys.login("ann")))
    may_rename_again(world, ann)
    world.do(renaming.rename, ann, "ann")
    assert world.db.run(("TTL", account_keys.login("ann"))) == -1
    assert world.db.run(("TTL", account_keys.login("bea"))) > 0


def test_a_member_takes_their_reserved_name_back(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.do(renaming.rename, ann, "bea")
    assert result_or_code(lambda: renaming.rename(world, ann, "ann")) == "renamed_lately"
    assert world.db.run(("TTL", account_keys.login("ann"))) > 0, "it stays reserved"
    world.refuses(Conflict, renaming.rename, ben, "ann")
    may_rename_again(world, ann)
    world.do(renaming.rename, ann, "ann")
    assert world.db.run(("TTL", account_keys.login("ann"))) == -1
    assert world.db.run(("TTL", account_keys.login("bea"))) > 0
    assert credentials.sign_in(world, "ann", PASSWORD).member.uid == ann


def test_one_of_many_gets_a_name(world: World) -> None:
    uids = world.people(*(f"member{number}" for number in range(10)))

    def take(number: int) -> object:
        if number < len(uids):
            return renaming.rename(world, uids[number], "wren")
        return registration.sign_up(world, "Wren", "Wren", PASSWORD).uid

    results = concurrently(take, len(uids) + 3)
    assert len([one for one in results if one != "taken"]) == 1
    world.apply_events()
    [holder] = holders(world, "wren")
    assert holder and credentials.sign_in(world, "wren", PASSWORD).member.uid == holder


def test_one_member_who_asks_for_many_names_at_once_gets_one(world: World) -> None:
    (ann,) = world.people("ann")
    results = concurrently(lambda number: renaming.rename(world, ann, f"wren{number}"), 20)
    assert results.count(None) == 1 and results.count("renamed_lately") == 19
    world.apply_events()
    kept = holders(world, "ann", *(f"wren{number}" for number in range(20)))
    assert kept.count(ann) == 2 and kept[0] == ann


@pytest.mark.parametrize("trips", range(4))
def test_a_crash_leaves_the_old_name_or_the_new_one(world: World, trips: int) -> None:
    ann, ben = world.people("ann", "ben")
    with pytest.raises(Crashed):
        renaming.rename(Site(CrashingDb(world.db, trips), world.config), ann, "bea")
        raise Crashed  # a crash after the last trip
    world.apply_events()
    login = world.db.run(("HGET", account_keys.user(ann), "login"))
    assert credentials.sign_in(world, login, PASSWORD).member.uid == ann
    age_claim(world, "ann")
    assert result_or_code(lambda: renaming.rename(world, ben, "ann")) == "taken"
    if login == "ann":
        if holders(world, "bea") == [ann]:
            age_claim(world, "bea")
        renaming.rename(world, ben, "bea")
        assert credentials.sign_in(world, "bea", PASSWORD).member.uid == ben


def test_a_name_that_is_refused_is_free_for_others(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.suspend(ann)
    assert result_or_code(lambda: renaming.rename(world, ann, "bea")) == "suspended"
    renaming.rename(world, ben, "bea")
    world.run(registration.RELEASE, login=account_keys.login("bea"), claim=f"{ann}:1")  # late
    assert holders(world, "bea") == [ben]


def test_a_name_stays_its_members_if_no_replica_confirms_a_trip(world: World) -> None:
    [uid] = world.people("ann")
    for trips in count():
        may_rename_again(world, uid)
        login = f"bea{trips}"
        act = partial(renaming.rename, uid=uid, login=login)
        is_last = not is_unconfirmed(world, trips, act)
        world.apply_events()
        login_now = world.db.read(accounts.get_or_404(uid)).login
        assert holders(world, login_now) == [uid], f"{trips} trips were confirmed"
        if is_last:
            break
    assert trips > 1 and login_now == login
