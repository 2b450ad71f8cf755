"""CSV files: what Mastodon exports comes in through the same rules as on pages, and goes out."""

import time
from io import BytesIO

import pytest
from flask.testing import FlaskClient

from tests.conftest import People, SignUp
from tests.support.crashing_db import Crashed, CrashingDb
from tests.support.settings import with_settings
from tests.support.world import World, post
from webapp.archive import files, keys, tasks
from webapp.archive.tables import importing
from webapp.archive.tables.formats import FILE_MAX, TABLES, parse, write
from webapp.archive.tables.importing import begin_import
from webapp.archive.tasks import IMPORT, Task, new_task
from webapp.archive.worker import DataTasks
from webapp.config import Rate
from webapp.core.errors import Conflict, Invalid, RateLimited
from webapp.core.store import Site, partition_of
from webapp.core.web import keys as limit_keys, rate_limits
from webapp.following import keys as following_keys
from webapp.following.store import follow
from webapp.lists.lookup import member_uids, owned
from webapp.statuses.interactions import keys as interaction_keys

URL = "https://linnet.example"


def begin(site: Site, uid: int, subject: str, content: str) -> None:
    begin_import(site, uid, new_task(IMPORT, URL, "en", subject), content.encode())


def latest(site: Site, uid: int) -> Task:
    return site.db.read(tasks.tasks_of(uid))[IMPORT]


def run(site: Site, uid: int, subject: str, content: str) -> list[str]:
    """Import a file, and return the lines of the report."""
    begin(site, uid, subject, content)
    assert DataTasks(site).run_due() == 1
    report = files.result_file(site.config, uid, latest(site, uid)).read_text()
    assert len(report.splitlines()) == latest(site, uid).skipped
    return report.splitlines()


def followed(site: Site, uid: int) -> set[int]:
    return set(map(int, site.db.run(("ZRANGE", following_keys.following(uid), 0, -1))))


def test_follows_come_with_their_options_and_the_rest_is_reported(world: World) -> None:
    ann, ben, cat, dot, eva = world.people("ann", "ben", "cat", "dot", "eva")
    world.protect(cat, True)
    world.do(World.block, dot, "ann")
    content = (
        "\ufeffAccount address,Show boosts,Notify on new posts,Languages\n"
        "ben@linnet.example,false,true,\r\n@cat@LINNET.example,true,false,\n"
        "dot,true,false,\nann,true,false,\nnobody_here,true,false,\neva@else.example,true,false,\n"
    )
    report = run(world, ann, "following", content)
    assert followed(world, ann) == {ben}
    assert world.db.run(("ZSCORE", following_keys.sent_follow_requests(ann), cat))
    assert world.db.run(("ZSCORE", following_keys.hidden_boosts(ann), ben))
    assert world.db.run(("ZSCORE", following_keys.subscriptions(ann), ben))
    expected = ["dot", "ann", "nobody_here", "eva@else.example"]
    assert [line.split(",")[0] for line in report] == expected
    assert report[-1].endswith("This account is on another site.")
    assert eva not in followed(world, ann)


@pytest.mark.parametrize("subject", ["following", "blocks", "mutes", "lists", "bookmarks"])
def test_what_one_account_exports_another_imports(world: World, subject: str) -> None:
    ann, bob, ben, _ = world.people("ann", "bob", "ben", "cat")
    theirs = post(world, ben, "a wren")
    content = {
        "lists": "Birds,ben@linnet.example\nBirds,cat@linnet.example\nTrees,ben\n",
        "bookmarks": f"{URL}/@ben/{theirs}\n{URL}/@ben/1\nhttps://else.example/@ben/{theirs}\n",
    }.get(subject, "ben@linnet.example\ncat@linnet.example\n")
    report = run(world, ann, subject, content)
    assert len(report) == (2 if subject == "bookmarks" else 0)
    exported = write(TABLES[subject], world.db, ann, URL)
    assert run(world, bob, subject, exported.decode()) == []
    again = write(TABLES[subject], world.db, bob, URL)
    assert sorted(again.splitlines()) == sorted(exported.splitlines())
    if subject == "lists":
        sizes = {
            one.name: len(world.db.read(member_uids(bob, one.number)))
            for one in world.db.read(owned(bob))
        }
        assert sizes == {"Birds": 2, "Trees": 1}
    if subject == "bookmarks":
        assert world.db.run(("ZSCORE", interaction_keys.bookmarks(bob), theirs))


@pytest.mark.parametrize("trips", range(1, 17, 4))
def test_an_import_goes_on_after_a_crash_and_counts_each_line_once(
    world: World, monkeypatch: pytest.MonkeyPatch, trips: int
) -> None:
    monkeypatch.setattr(importing, "SLICE", 2)
    ann, *others = world.people("ann", "ben", "cat", "dot", "eva")
    begin(world, ann, "following", "ben\ncat\nnobody\ndot\neva\nnobody2\n")
    [claimed] = tasks.claim(world.db, partition_of(ann), ())
    with pytest.raises(Crashed):
        DataTasks(Site(CrashingDb(world.db, trips), world.config)).do(claimed)
    world.db.run(("ZADD", keys.due_tasks(partition_of(ann)), 0, f"{ann}:{IMPORT}"))
    DataTasks(world).run_due()
    task = latest(world, ann)
    assert followed(world, ann) == set(others)
    assert (task.done, task.skipped) == (6, 2)
    report = files.result_file(world.config, ann, task).read_text().splitlines()
    assert [line.split(",")[0] for line in report] == ["nobody", "nobody2"]


def test_an_import_follows_no_faster_than_its_member_may_by_hand(
    site: Site, people: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "SLICE", 3)
    ann, ben, *others = people("ann", "ben", "cat", "dot", "eva", "fay")
    site = with_settings(site, limit_follow=Rate(2, 3600))
    follow(site, ann, "ben")
    by_hand = ("follow", str(ann), site.config.limit_follow)
    begin(site, ann, "following", "ben\nx@else.example\ncat\ndot\nnobody\neva\nfay\n")
    due, entry = keys.due_tasks(partition_of(ann)), f"{ann}:{IMPORT}"
    for done, count in ((5, 3), (7, 5)):
        started = time.time() * 1000
        DataTasks(site).run_due()
        assert (latest(site, ann).done, len(followed(site, ann))) == (done, count)
        if count < 5:
            assert float(site.db.run(("ZSCORE", due, entry))) - started >= 300_000
            assert DataTasks(site).run_due() == 0  # it is not due, and no worker has it
            with pytest.raises(RateLimited):
                rate_limits.consume(site.db, by_hand)
            site.db.trip(("DEL", limit_keys.rate_limit(*by_hand[:2])), ("ZADD", due, 0, entry))
    assert followed(site, ann) == {ben, *others}
    report = files.result_file(site.config, ann, latest(site, ann)).read_text().splitlines()
    assert [line.split(",")[0] for line in report] == ["x@else.example", "nobody"]


def test_a_second_import_waits_for_the_first(world: World) -> None:
    [ann] = world.people("ann")
    begin(world, ann, "blocks", "ben\n")
    world.refuses(Conflict, begin, ann, "blocks", "cat\n")
    found = len(list(files.parts_folder(world.config, ann, latest(world, ann)).parent.iterdir()))
    assert found == 1


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n\n",
        b"\xff\xfe",
        b"Account address\n",
        b'"open',
        b"a\0b\n",
        b"a\n" * 10_001,
        b"a" + b"," * FILE_MAX,  # of one row
    ],
)
def test_a_file_that_cannot_be_read_is_refused(content: bytes) -> None:
    with pytest.raises(Invalid):
        parse(content)


def test_the_page_says_what_is_wrong_and_keeps_what_was_chosen(ann: FlaskClient) -> None:
    for file in (None, (BytesIO(b"\xff"), "x.csv")):
        data = {"table": "mutes"} | ({"file": file} if file else {})
        answer = ann.post("/settings/data/import", data=data)
        assert answer.status_code == 422
        assert b'<option selected value="mutes">' in answer.data
        assert b"field-error" in answer.data
    assert ann.post("/settings/data/import", data={"table": "x"}).status_code == 422


def test_the_page_imports_reports_and_exports(
    member: SignUp, app_site: Site, client: FlaskClient
) -> None:
    ann, _ = member("ann"), member("ben")
    data = {"table": "following", "file": (BytesIO(b"ben\nzoe\n"), "x.csv")}
    assert ann.post("/settings/data/import", data=data).status_code == 303
    assert b"<progress" in ann.get("/settings/data").data
    DataTasks(app_site).run_due()
    page = ann.get("/settings/data").text
    assert "1 line was imported." in page
    assert ann.get("/settings/data/report.csv").text.startswith("zoe,")
    assert "ben@localhost,true,false" in ann.get("/settings/data/table.csv?of=following").text
    assert ann.get("/settings/data/table.csv?of=secrets").status_code == 404
    assert client.get("/settings/data/table.csv?of=following").status_code == 303
