"""Reports of messages and chats, which the operator reads and dismisses."""

import pytest

from tests.support import chat
from tests.support.concurrently import at_once
from tests.support.operators import Linnet, linnet as linnet, store_db as store_db
from tests.support.settings import with_settings
from tests.support.world import World
from webapp.chat.messages import sending
from webapp.chat.reports import store as reports
from webapp.config import Config
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Db
from webapp.reports import keys as report_keys, listing
from webapp.reports.store import REASON_MAX, close


def test_report_keeps_the_text_of_a_deleted_message(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = chat.group(world, ann, [ben])
    first, second = chat.send_messages(world, ben, cid, "rude 麻雀", "kind")
    assert reports.report(world, ann, cid, first, "It is rude.")
    sending.delete(world, ben, cid, first)
    [report] = listing.list_newest(world.db)
    assert report.reporter and report.reporter.login == "ann"
    assert report.author and report.author.login == "ben"
    assert (report.cid, report.message_id) == (cid, first)
    assert (report.reason, report.texts) == ("It is rude.", ["rude 麻雀"])
    with pytest.raises(NotFound):  # deleted
        reports.report(world, ann, cid, first)
    assert reports.report(world, ann, cid, second) and len(listing.list_newest(world.db)) == 2


def test_member_reports_a_message_once(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    group = chat.group(world, ann, [ben, cid])
    (number,) = chat.send_messages(world, ben, group, "rude")

    def report(attempt: int) -> bool:
        return reports.report(world, ann, group, number, f"{attempt}")

    assert at_once(20, report, range(50)).count(True) == 1
    assert reports.report(world, cid, group, number, "me too")
    reporters = [one.reporter and one.reporter.login for one in listing.list_newest(world.db)]
    assert reporters == ["cid", "ann"]
    assert close(world, [f"{ann}:{group}:{number}"], 0, "dismiss")
    assert not close(world, [f"{ann}:{group}:{number}"], 0, "dismiss")
    assert len(listing.list_newest(world.db)) == 1


def test_report_of_a_chat_has_the_newest_messages_of_others(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = f"{ann}-{ben}"
    chat.send_messages(world, ben, cid, "buy", "now")
    chat.send_messages(world, ann, cid, "no")
    assert reports.report(world, ann, cid, None, "spam")
    assert not reports.report(world, ann, cid, None, "spam")
    [report] = listing.list_newest(world.db)
    assert report.message_id == 0 and report.texts == ["buy", "now"]
    assert report.author and report.author.login == "ben"


def test_only_visible_messages_are_reported(world: World) -> None:
    ann, ben, cid = world.people("ann", "ben", "cid")
    group = chat.group(world, ann, [ben])
    (number,) = chat.send_messages(world, ann, group, "among us")
    world.refuses(Forbidden, reports.report, cid, group, number)
    world.refuses(Forbidden, reports.report, cid, f"{ann}-{ben}", 1)
    world.refuses(NotFound, reports.report, ben, "999", 1)
    for wrong in (number + 1, 2**40):
        world.refuses(NotFound, reports.report, ben, group, wrong)
    assert listing.list_newest(world.db) == []


def test_oldest_reports_are_dropped_beyond_the_limit(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    few = with_settings(world, reports_max=3)
    cid = chat.group(world, ann, [ben])
    numbers = chat.send_messages(world, ben, cid, *"abcde")
    for number in numbers:
        reports.report(few, ann, cid, number, "x" * 2_000)
    newest = listing.list_newest(world.db)
    assert [report.texts for report in newest] == [["e"], ["d"], ["c"]]
    assert len(newest[0].reason) == REASON_MAX
    assert world.db.run(("HLEN", report_keys.report_contents())) == 3


def test_report_outlives_the_accounts_in_it(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    cid = chat.group(world, ann, [ben])
    reports.report(world, ann, cid, chat.send_messages(world, ben, cid, "rude")[0])
    for uid in (ann, ben):
        world.delete_account(uid, None)
    world.apply_events()
    [report] = listing.list_newest(world.db)
    assert report.reporter is None and report.author is None and report.texts == ["rude"]


def test_operator_lists_and_dismisses_reports(
    linnet: Linnet, store_db: Db, settings: Config
) -> None:
    assert linnet("reports").output == "Nobody has reported anything.\n"
    world = World(store_db, settings)
    ann, ben = world.people("ann", "ben")
    cid = chat.group(world, ann, [ben])
    (number,) = chat.send_messages(world, ben, cid, "rude\nand loud")
    reports.report(world, ann, cid, number, "\x1b[31mlook")
    output = linnet("reports").output
    assert f"@ann reports message {number} of chat {cid}" in output
    assert "@ben: rude and loud" in output
    assert "\x1b" not in output and "because:  [31mlook" in output
    assert linnet("reports", "--dismiss", f"{ann}:{cid}:{number}").output == "It is off the list.\n"
    assert linnet("reports", "--dismiss", "x").output == "There is no such report.\n"
    assert linnet("reports").output == "Nobody has reported anything.\n"
