"""Reports: each message once by each member, as it was then, for the operator."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from tests.admin.test_commands import Linnet, linnet, store_db
from tests.support import chat
from webapp.accounts import lifecycle, registration
from webapp.chat.messages import sending
from webapp.chat.reports import keys as report_keys
from webapp.chat.reports import store as reports
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.errors import Forbidden, NotFound

People = Callable[..., list[int]]
Settle = Callable[[], None]
__all__ = ["linnet", "store_db"]  # fixtures


def test_a_report_keeps_what_was_said(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = chat.group(db, config, ann, [ben])
    first, second = chat.say(db, config, ben, cid, "rude 麻雀", "kind")
    assert reports.report(db, config, ann, cid, first, "It is rude.")
    sending.delete(db, config, ben, cid, first)
    (found,) = reports.list_newest(db)
    assert (
        found.reporter
        and found.author
        and (found.reporter.login, found.author.login) == ("ann", "ben")
    )
    assert (found.cid, found.message_id, found.reason, found.texts) == (
        cid,
        first,
        "It is rude.",
        ["rude 麻雀"],
    )
    with pytest.raises(NotFound):  # deleted
        reports.report(db, config, ann, cid, first)
    assert reports.report(db, config, ann, cid, second) and len(reports.list_newest(db)) == 2


def test_a_message_is_reported_once_by_each_member(db: Db, config: Config, people: People) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    group = chat.group(db, config, ann, [ben, cid])
    (number,) = chat.say(db, config, ben, group, "rude")

    def report(number_of: int) -> bool:
        return reports.report(db, config, ann, group, number, f"{number_of}")

    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(report, range(50))).count(True) == 1
    assert reports.report(db, config, cid, group, number, "me too")
    assert [one.reporter and one.reporter.login for one in reports.list_newest(db)] == [
        "cid",
        "ann",
    ]
    assert reports.dismiss(db, f"{ann}:{group}:{number}") and not reports.dismiss(
        db, f"{ann}:{group}:{number}"
    )
    assert len(reports.list_newest(db)) == 1 == db.run(("HLEN", report_keys.report_contents()))


def test_a_chat_is_reported_as_a_whole_with_what_others_wrote_last(
    db: Db, config: Config, people: People
) -> None:
    ann, ben = people("ann", "ben")
    cid = f"{ann}-{ben}"
    chat.say(db, config, ben, cid, "buy", "now")
    chat.say(db, config, ann, cid, "no")
    assert reports.report(db, config, ann, cid, None, "spam") and not reports.report(
        db, config, ann, cid, None, "spam"
    )
    (found,) = reports.list_newest(db)
    assert (
        found.message_id == 0
        and found.texts == ["buy", "now"]
        and found.author
        and found.author.login == "ben"
    )


def test_nobody_reports_what_they_cannot_see(db: Db, config: Config, people: People) -> None:
    ann, ben, cid = people("ann", "ben", "cid")
    group = chat.group(db, config, ann, [ben])
    (number,) = chat.say(db, config, ann, group, "among us")
    with pytest.raises(Forbidden):
        reports.report(db, config, cid, group, number)
    with pytest.raises(Forbidden):
        reports.report(db, config, cid, f"{ann}-{ben}", 1)
    with pytest.raises(NotFound):
        reports.report(db, config, ben, "999", 1)
    for wrong in (number + 1, 2**40):
        with pytest.raises(NotFound):
            reports.report(db, config, ben, group, wrong)
    assert reports.list_newest(db) == []


def test_reports_are_bounded_and_the_oldest_go(db: Db, config: Config, people: People) -> None:
    ann, ben = people("ann", "ben")
    few = replace(config, reports_max=3)
    cid = chat.group(db, config, ann, [ben])
    numbers = chat.say(db, config, ben, cid, *"abcde")
    for number in numbers:
        reports.report(db, few, ann, cid, number, "x" * 2_000)
    found = reports.list_newest(db)
    assert [one.texts for one in found] == [["e"], ["d"], ["c"]] and len(
        found[0].reason
    ) == reports.REASON_MAX
    assert db.run(("HLEN", report_keys.report_contents())) == 3


def test_a_report_stays_readable_when_everybody_is_gone(
    db: Db, config: Config, people: People, settle: Settle
) -> None:
    ann, ben = people("ann", "ben")
    cid = chat.group(db, config, ann, [ben])
    reports.report(db, config, ann, cid, chat.say(db, config, ben, cid, "rude")[0])
    for uid in (ann, ben):
        lifecycle.delete_account(db, config, uid, None)
    settle()
    (found,) = reports.list_newest(db)
    assert found.reporter is None and found.author is None and found.texts == ["rude"]


def test_the_operator_reads_and_dismisses_reports(
    linnet: Linnet, store_db: Db, settings: Config
) -> None:
    from tests.conftest import PASSWORD

    assert linnet("reports").output == "Nobody has reported anything.\n"
    ann, ben = (
        registration.sign_up(store_db, settings, name, name, PASSWORD).uid
        for name in ("ann", "ben")
    )
    cid = chat.group(store_db, settings, ann, [ben])
    (number,) = chat.say(store_db, settings, ben, cid, "rude\nand loud")
    reports.report(store_db, settings, ann, cid, number, "\x1b[31mlook")
    said = linnet("reports").output
    assert f"@ann reports message {number} of chat {cid}" in said and "@ben: rude and loud" in said
    assert "\x1b" not in said and "because:  [31mlook" in said
    assert linnet("reports", "--dismiss", f"{ann}:{cid}:{number}").output == "It is off the list.\n"
    assert linnet("reports", "--dismiss", "x").output == "There is no such report.\n"
    assert linnet("reports").output == "Nobody has reported anything.\n"
