"""Reports of posts and members: who may report what, and what the operator reads."""

import re

import orjson
import pytest
from flask.testing import FlaskClient

from tests.support.concurrently import at_once
from tests.support.operators import Linnet, linnet as linnet, store_db as store_db
from tests.support.pages import check_error, check_refused_group, group_tag, page_text, post_status
from tests.support.world import Web, World
from webapp.config import Config
from webapp.core.errors import Forbidden, Invalid, NotFound
from webapp.core.store import Db
from webapp.reports import keys, listing, store as reports
from webapp.reports.category import Category
from webapp.statuses import Visibility, store as statuses


def test_a_report_keeps_what_a_post_said(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = world.post(ben, "rude 麻雀", cw="birds")
    assert reports.report_status(world, ann, status_id, "It is rude.")
    statuses.delete(world, ben, status_id)
    [report] = listing.list_newest(world.db)
    assert report.reporter and report.reporter.login == "ann"
    assert report.author and report.author.login == "ben"
    assert (report.status_id, report.cid, report.reason) == (status_id, "", "It is rude.")
    assert report.texts == ["[warning: birds] rude 麻雀"]
    with pytest.raises(NotFound):  # deleted
        reports.report_status(world, ann, status_id, "")


def test_only_what_a_member_sees_is_reported(world: World) -> None:
    ann, ben, _ = world.people("ann", "ben", "cid")
    restricted = world.post(ben, "for followers", visibility=Visibility.FOLLOWERS)
    world.refuses(NotFound, reports.report_status, ann, restricted, "")
    world.refuses(Invalid, reports.report_status, ben, restricted, "")
    world.refuses(Invalid, reports.report_member, ann, "ann", "")
    world.refuses(NotFound, reports.report_member, ann, "nobody", "")
    public = world.post(ben, "public")
    world.do(World.block, ben, "ann")
    world.refuses(Forbidden, reports.report_status, ann, public, "")
    assert reports.report_member(world, ann, "Ben", "He blocked me.")
    assert [(report.status_id, report.cid) for report in listing.list_newest(world.db)] == [(0, "")]


def test_fifty_reports_at_once_are_one(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    status_id = world.post(ben, "rude")

    def report(attempt: int) -> bool:
        return reports.report_status(world, ann, status_id, f"{attempt}")

    assert at_once(10, report, range(50)).count(True) == 1
    assert len(listing.list_newest(world.db)) == 1


def test_the_pages_report_and_lead_back(ann: FlaskClient, ben: FlaskClient, web: Web) -> None:
    status_id = post_status(ben, "rude words")
    page = ann.get(f"/@ben/{status_id}/report")
    assert page.status_code == 200 and "rude words" in page_text(page)
    form = {"reason": "It is rude.", "category": "harassment"}
    for text in ("Thanks for your report", "You already reported this"):
        sent = ann.post(f"/@ben/{status_id}/report", data=form)
        assert sent.status_code == 303 and sent.location == f"/@ben/{status_id}"
        assert text in page_text(ann.get(sent.location))
    sent = ann.post("/@ben/report", data=form)
    assert sent.status_code == 303 and sent.location == "/@ben"
    check_error(ann.post("/@ann/report", data=form), 422)
    check_error(ann.get("/@ann/1/report"), 404)
    newest = listing.list_newest(web.db)
    assert {report.reason for report in newest} == {"It is rude."}
    assert {report.category for report in newest} == {Category.HARASSMENT}


@pytest.mark.parametrize("category", ["", "rude", "SPAM"])
@pytest.mark.parametrize("path", ["/@ben/report", "/@ben/{id}/report"])
def test_a_report_without_a_category_comes_back_as_it_was(
    ann: FlaskClient, ben: FlaskClient, web: Web, path: str, category: str
) -> None:
    path = path.format(id=post_status(ben, "rude words"))
    form = {"reason": "It is rude."} | ({"category": category} if category else {})
    refused = ann.post(path, data=form)
    assert refused.status_code == 422 and "Choose what’s wrong." in page_text(refused)
    assert "It is rude.</textarea>" in refused.text
    assert refused.text.count('type="radio"') == len(Category)
    check_refused_group(refused.text, "category")
    assert len(re.findall(r'<input [^>]*required[^>]*type="radio"', refused.text)) == len(Category)
    assert "aria-describedby" not in group_tag(ann.get(path).text, "category")
    too_long = {"reason": "x" * 501, "category": "hate"}
    refused = ann.post(path, data=too_long)
    assert refused.status_code == 422
    assert re.search(r'<input checked[^>]* value="hate"', refused.text)
    assert re.search(r'<textarea[^>]* autofocus[^>]* name="reason"', refused.text)
    assert listing.list_newest(web.db) == []


def test_reports_are_listed_by_category(world: World) -> None:
    ann, *others = world.people("ann", *(f"member{number}" for number in range(7)))
    for number in range(7):
        category = Category.SPAM if number % 3 == 0 else Category.HATE
        reports.report_member(world, ann, f"member{number}", f"{number}", category)
    reports.add(world, ann, "member:99", "before", 0, [])

    def reasons(category: Category | None, limit: int = 100) -> list[str]:
        return [report.reason for report in listing.list_newest(world.db, limit, category)]

    assert reasons(Category.SPAM) == ["6", "3", "0"]
    assert reasons(Category.SPAM, 2) == ["6", "3"]
    assert reasons(Category.HATE, 1) == ["5"]
    assert reasons(Category.OTHER) == ["before"] and reasons(Category.ILLEGAL) == []
    assert reasons(None, 2) == ["before", "6"] and len(others) == 7


def test_a_report_that_was_stored_without_a_category_is_of_something_else(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    reports.report_member(world, ann, "ben", "rude", Category.SPAM)
    name = f"{ann}:member:{ben}"
    content = '{"reason": "rude", "author": 0, "texts": []}'
    world.db.run(("HSET", keys.report_contents(), name, content))
    assert listing.list_newest(world.db)[0].category is Category.OTHER


def test_the_operator_reads_reports_of_posts_and_members(
    linnet: Linnet, store_db: Db, settings: Config
) -> None:
    world = World(store_db, settings)
    ann, ben = world.people("ann", "ben")
    status_id = world.post(ben, "rude")
    reports.report_status(world, ann, status_id, "")
    reports.report_member(world, ann, "ben", "always", Category.SPAM)
    output = linnet("reports").output
    assert f"[other]  @ann reports post {status_id}\n  @ben: rude\n" in output
    assert "@ann reports @ben\n  because: always\n" in output
    assert "post" not in linnet("reports", "--category", "spam").output
    assert "always" in linnet("reports", "--category", "spam").output
    found = linnet("reports", "--category", "hate").output
    assert found == "Nobody has reported anything as hate.\n"
    subject = f"draft.{ben}.form-key-1:1"
    reports.add(world, reports.BY_SITE, subject, "casino", ben, ["my casino"])
    assert "the site reports a post by @ben that was held" in linnet("reports").output
    assert linnet("reports", "--dismiss", f"0:{subject}").exit_code == 1
    assert len(listing.list_newest(world.db)) == 3
    reports.close(world, [f"0:{subject}"], 0, "withhold")
    for name in (f"{ann}:post:{status_id}", f"{ann}:member:{ben}"):
        assert linnet("reports", "--dismiss", name).output == "It is off the list.\n"


def test_reports_of_one_moment_are_on_one_page_each(world: World) -> None:
    content = orjson.dumps({"category": "spam", "author": 1, "reason": ""})
    world.db.trip(
        *(
            reports.REPORT(
                world.config, report_id=f"{uid}:member:1", content=content, replaces="", held=0
            )
            for uid in range(2, 52)
        )
    )
    times = world.db.read(listing.times_in("", None, 99))
    assert len(times) == len(set(times.values())) == 50
