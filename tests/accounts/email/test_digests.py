"""The weekly digest: what it holds, that it comes once, and how it ends."""

from dataclasses import replace

import pytest

from tests.conftest import PASSWORD
from tests.support import worker
from tests.support.statuses.pictures import NO_WORDS, Stage, stage as stage
from webapp.accounts import lifecycle, registration
from webapp.accounts.email import digests, keys as email_keys
from webapp.accounts.store import uid_by_login
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.following import store as following
from webapp.mail.letters import compose
from webapp.mail.queue import claim
from webapp.statuses import Filter, Status, store as statuses
from webapp.statuses.filters import store as filters
from webapp.statuses.interactions.likes import like
from webapp.timelines.home import weekly_digest
from webapp.timelines.home.weekly_digest import queue_due


@pytest.fixture
def ann(site: Site) -> int:
    """A member with an address who follows @ben, and whose digest is due."""
    uid = registration.sign_up(site, "ann", "Ann", PASSWORD).uid
    registration.sign_up(site, "ben", "Ben", PASSWORD)
    following.follow(site, uid, "ben")
    site.db.run(("HSET", email_keys.email(uid), "address", "ann@example.org"))
    make_due(site, uid)
    return uid


def make_due(site: Site, uid: int) -> None:
    """Make a member's digest due now."""
    site.db.run(("ZADD", email_keys.digests(uid), 1, uid))


def write(site: Site, login: str, *likes: int) -> list[int]:
    """Let a member write posts, which so many members like. Return their ids."""
    uid = site.db.read(uid_by_login(login))
    ids = []
    for number, count in enumerate(likes):
        ids.append(statuses.post(site, uid, parse(f"post {number} by {login}"), f"{login}{number}"))
        for fan in range(count):
            like(site, site.db.read(uid_by_login(f"fan{fan}")), ids[-1])
    worker.drain(site)
    return ids


def queued(site: Site, uid: int) -> list[list[str]]:
    """Run the job, and return the texts of the posts in each digest that waits."""
    mailing = Site(site.db, replace(site.config, mail_folder="mails"))
    queue_due(mailing, uid % 64)
    found = []
    while mails := claim(site.db, mailing.config, uid % 64):
        found += [[post["text"] for post in (mail.values or {})["posts"]] for mail in mails]
    return found


def test_a_digest_holds_what_was_liked_most_and_comes_once_a_week(site: Site, ann: int) -> None:
    for fan in range(3):
        registration.sign_up(site, f"fan{fan}", "Fan", PASSWORD)
    registration.sign_up(site, "eve", "Eve", PASSWORD)  # nobody follows her
    write(site, "ben", 1, 3, 0, 2)
    write(site, "eve", 3)
    write(site, "ann", 3)
    due = site.db.run(("ZSCORE", email_keys.digests(ann), ann))
    assert queued(site, ann) == [["post 1 by ben", "post 3 by ben", "post 0 by ben"]]
    assert queued(site, ann) == []
    digests.queue_digest(site, ann, float(due), [{"text": "by a worker that was late"}])
    assert claim(site.db, site.config, ann % 64) == []


def test_a_week_without_likes_and_a_member_without_address_get_no_mail(
    site: Site, ann: int
) -> None:
    write(site, "ben", 0)
    assert queued(site, ann) == []
    assert float(site.db.run(("ZSCORE", email_keys.digests(ann), ann))) > 1
    make_due(site, ann)
    site.db.run(("HDEL", email_keys.email(ann), "address"))
    assert queued(site, ann) == []
    assert not site.db.read(digests.wants_digest(ann))


def test_a_suspended_member_gets_no_digest_until_they_are_restored(site: Site, ann: int) -> None:
    registration.sign_up(site, "fan0", "Fan", PASSWORD)
    write(site, "ben", 1)
    for suspended, found in ((True, []), (False, [["post 0 by ben"]])):
        lifecycle.suspend(site, ann, suspended)
        make_due(site, ann)
        assert queued(site, ann) == found


def test_what_is_hidden_from_a_member_stays_out_of_their_digest(site: Site, ann: int) -> None:
    registration.sign_up(site, "fan0", "Fan", PASSWORD)
    [_, deleted, _] = write(site, "ben", 1, 1, 1)
    statuses.delete(site, site.db.read(uid_by_login("ben")), deleted)
    filters.save(site, ann, Filter("post 2", contexts=("home",)))
    worker.drain(site)
    assert queued(site, ann) == [["post 0 by ben"]]


def test_a_member_whose_home_cannot_be_read_holds_no_others_up(
    site: Site, ann: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        make_due(site, ann + 64 * (number + 1))
    site.db.run(("ZADD", email_keys.digests(ann), 2, ann))
    registration.sign_up(site, "fan0", "Fan", PASSWORD)
    write(site, "ben", 1)
    read = weekly_digest.most_liked

    def fail_for_others(site: Site, uid: int) -> list[Status]:
        assert uid == ann, "a fault"
        return read(site, uid)

    monkeypatch.setattr(weekly_digest, "most_liked", fail_for_others)
    assert queued(site, ann) == []
    assert queued(site, ann) == [["post 0 by ben"]]


def test_a_mail_names_pictures_without_text_and_warnings(
    site: Site, ann: int, stage: Stage
) -> None:
    ben = site.db.read(uid_by_login("ben"))
    registration.sign_up(site, "fan0", "Fan", PASSWORD)
    for warning, colour in (("", "red"), ("a spoiler", "blue")):
        pictures = stage(ben, colour)
        post = statuses.post(site, ben, NO_WORDS, colour, cw=warning, pictures=pictures)
        like(site, site.db.read(uid_by_login("fan0")), post)
    worker.drain(site)
    sending = Site(site.db, replace(site.config, mail_folder="mails"))
    queue_due(sending, ann % 64)
    [mail] = claim(site.db, sending.config, ann % 64)
    letter = compose(sending.config, mail.kind, mail.values or {}, "ann", "en")
    for part in (letter.text, letter.html):
        assert "1 picture" in part and "Warning: a spoiler" in part
