"""Reply policies: the first status of a thread decides who may reply anywhere below it."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.pages import post_status
from tests.support.world import Web, World
from webapp.core.errors import Forbidden
from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.statuses import keys as status_keys, store as statuses
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing
from webapp.statuses.threads import store as threads
from webapp.statuses.values.reply_policy import ReplyPolicy

# Who may reply to ann: she follows bea and mentions cid; dot follows her.
TABLE = {
    ReplyPolicy.EVERYBODY: {"ann", "bea", "cid", "dot"},
    ReplyPolicy.FOLLOWED: {"ann", "bea", "cid"},
    ReplyPolicy.MENTIONED: {"ann", "cid"},
}


def post(site: Site, uid: int, text: str, policy: ReplyPolicy) -> int:
    return statuses.post(site, uid, parse(text), "form-first", reply_policy=policy)


def reply(site: Site, uid: int, parent: int, text: str = "so it is") -> int:
    form, policy = f"form-{uid}-{parent}", ReplyPolicy.EVERYBODY
    return statuses.post(site, uid, parse(text), form, reply=parent, reply_policy=policy)


def may_reply(site: Site, uid: int, status: int) -> bool:
    """Try to reply. Return True on success; fail unless the thread's page says the same."""
    can_reply = threads.thread(site.db, status, uid, (), 30).can_reply
    try:
        reply(site, uid, status)
    except Forbidden as refusal:
        assert refusal.code in ("only_followed", "only_mentioned")
        assert not can_reply
        return False
    assert can_reply
    return True


@pytest.mark.parametrize("policy", ReplyPolicy)
def test_the_policy_of_the_first_status_holds_in_the_whole_thread(
    policy: ReplyPolicy, world: World
) -> None:
    logins = ("ann", "bea", "cid", "dot")
    uids = dict(zip(logins, world.people(*logins), strict=True))
    world.follow(uids["ann"], "bea")
    world.follow(uids["dot"], "ann")
    first = post(world, uids["ann"], "a song for @cid", policy)
    second = reply(world, uids["cid"], first, "thanks, @dot")  # mentions in replies: ignored
    third = reply(world, uids["ann"], second, "and on")
    for status in (first, second, third):
        allowed = {login for login, uid in uids.items() if may_reply(world, uid, status)}
        assert allowed == TABLE[policy]
    fields = [("HGET", status_keys.status(status), "may") for status in (first, second, third)]
    assert len(set(world.db.trip(*fields))) == 1


def test_the_authors_follows_are_read_when_the_reply_is_posted(world: World) -> None:
    ann, bea = world.people("ann", "bea")
    first = post(world, ann, "a song", ReplyPolicy.FOLLOWED)
    assert not may_reply(world, bea, first)
    world.follow(ann, "bea")  # without running projections
    assert may_reply(world, bea, first)
    world.unfollow(ann, "bea")
    world.refuses(Forbidden, World.post, bea, "again", reply=first)


def test_an_edit_keeps_the_mentioned_repliers(world: World) -> None:
    ann, bea, cid = world.people("ann", "bea", "cid")
    first = post(world, ann, "for @bea", ReplyPolicy.MENTIONED)
    editing.edit(world, ann, first, parse("for @cid"), "", "0")
    assert may_reply(world, bea, first)
    assert not may_reply(world, cid, first)


def test_a_scheduled_reply_is_refused_if_the_policy_forbids_it_when_due(world: World) -> None:
    ann, bea = world.people("ann", "bea")
    world.follow(ann, "bea")
    first = post(world, ann, "a song", ReplyPolicy.FOLLOWED)
    due = datetime.now(UTC) - timedelta(seconds=1)
    drafts.save(world, bea, "form-later", {"text": "later", "reply": str(first)}, due)
    drafts.save(world, ann, "form-alone", {"text": "only me", "reply_policy": "mentioned"}, due)
    drafts.save(world, ann, "form-wrong", {"text": "who?", "reply_policy": "x"}, due)
    world.unfollow(ann, "bea")
    worker.publish_due(world)
    message = drafts.get(world.db, bea, "form-later").error_reason
    assert message.startswith("Only people the author follows")
    assert drafts.get(world.db, ann, "form-wrong").error_code == "draft_invalid"
    posted = world.db.run(("ZRANGE", status_keys.profile_statuses(ann), 0, -1))
    [published] = {int(member) for member in posted} - {first}
    assert not may_reply(world, bea, published)


def test_reply_policies_cost_no_trips(world: World) -> None:
    ann, bea = world.people("ann", "bea")
    world.follow(ann, "bea")
    for policy in ReplyPolicy:
        text, form = parse(f"{policy.slug} @bea"), f"form-{policy.slug}"
        first = statuses.post(world, ann, text, form, reply_policy=policy)
        trips = world.db.trips
        threads.thread(world.db, first, bea, (), 30)
        assert world.db.trips - trips == 2
        reply(world, bea, first)
        assert world.db.trips - trips == 5


@pytest.mark.parametrize(
    ("policy", "label", "refusal"),
    [
        ("followed", "People @ann follows can reply", "Only people the author follows"),
        ("mentioned", "Only people mentioned can reply", "Only people mentioned in the first post"),
    ],
)
def test_pages_show_the_policy_and_a_refused_reply_keeps_its_text(
    web: Web, policy: str, label: str, refusal: str
) -> None:
    ann, bea, cid = web.member("ann"), web.member("bea"), web.member("cid")
    ann.post("/@bea/follow")
    response = ann.post("/statuses", data={"text": f"a song {policy}", "reply_policy": policy})
    assert response.status_code == 303
    [status] = re.findall(r'<article [^>]*id="status-(\d+)"', ann.get("/home").text)
    permalink = f"/@ann/{status}"
    for viewer in (ann, bea, cid, web.client):
        assert label in viewer.get(permalink).text
        assert label in viewer.get("/@ann").text
    author_page = ann.get(permalink).text
    assert 'name="reply"' in author_page
    assert refusal not in author_page
    assert ('name="reply"' in bea.get(permalink).text) == (policy == "followed")
    page = cid.get(permalink).text
    assert 'name="reply"' not in page
    assert refusal in page
    assert refusal not in web.client.get(permalink).text

    response = cid.post("/statuses", data={"text": "but I have to", "reply": status})
    assert response.status_code == 403
    assert refusal in response.text
    assert "but I have to</textarea>" in response.text
    ann.post("/statuses", data={"text": "and on", "reply": status})
    assert label not in ann.get("/@ann").text.split("and on")[0].rpartition("<article")[2]


def test_an_unknown_policy_is_refused(ann: FlaskClient) -> None:
    assert ann.post("/statuses", data={"text": "x", "reply_policy": "nobody"}).status_code == 422


def test_a_status_open_to_everybody_has_no_policy_label(ann: FlaskClient) -> None:
    assert "can reply</span>" not in ann.get(f"/@ann/{post_status(ann, 'for all')}").text


def test_drafts_keep_the_policy_and_reply_forms_do_not_offer_it(ann: FlaskClient) -> None:
    form = {"text": "not yet", "reply_policy": "mentioned", "key": "form-key-one"}
    ann.post("/drafts", data=form)
    option = '<option selected value="mentioned">Only people I mention</option>'
    assert option in ann.get("/drafts/form-key-one").text
    assert 'name="reply_policy"' in ann.get("/home").text
    assert 'name="reply_policy"' not in ann.get(f"/@ann/{post_status(ann, 'hello')}").text
