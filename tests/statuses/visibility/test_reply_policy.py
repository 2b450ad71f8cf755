"""Who may reply: whoever begins a thread says so, and all that hangs below it keeps to that."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from flask.testing import FlaskClient

from tests.system.test_pages import write
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.core.store.ids import PARTITIONS
from webapp.core.text.parser import parse
from webapp.errors import Forbidden
from webapp.following import store as following
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.drafts import store as drafts
from webapp.statuses.edits import editing
from webapp.statuses.threads import store as threads
from webapp.statuses.visibility.reply_policy import ReplyPolicy

Join = Callable[[str], FlaskClient]
People = Callable[..., list[int]]
# Who may reply to what ann has posted: bea, whom she follows; cid, whom she names; dot, who follows her; ann herself.
TABLE = {
    ReplyPolicy.EVERYBODY: {"ann", "bea", "cid", "dot"},
    ReplyPolicy.FOLLOWED: {"ann", "bea", "cid"},
    ReplyPolicy.MENTIONED: {"ann", "cid"},
}


def reply(db: Db, config: Config, uid: int, to: int, text: str = "so it is") -> int:
    return statuses.post(
        db, config, uid, parse(text), f"form-{uid}-{to}", reply=to, answerers=ReplyPolicy.EVERYBODY
    )


def may(db: Db, config: Config, uid: int, to: int) -> bool:
    """Whether a member may reply; its page says the same."""
    shown = threads.thread(db, to, uid, (), 30).can_reply
    try:
        reply(db, config, uid, to)
    except Forbidden as refusal:
        assert refusal.code in ("only_followed", "only_mentioned") and not shown
        return False
    assert shown
    return True


@pytest.mark.parametrize("who", ReplyPolicy)
def test_a_thread_is_replied_to_by_those_whom_its_first_post_says(
    who: ReplyPolicy, db: Db, config: Config, people: People
) -> None:
    ann, bea, cid, dot = people("ann", "bea", "cid", "dot")
    following.follow(db, config, ann, "bea")
    following.follow(db, config, dot, "ann")
    first = statuses.post(db, config, ann, parse("a song for @cid"), "form-first", answerers=who)
    below = reply(db, config, cid, first, "thanks, @dot")  # whom a reply names is not asked
    deep = reply(db, config, ann, below, "and on")
    for about in (first, below, deep):
        found = {login for login, uid in zip(("ann", "bea", "cid", "dot"), (ann, bea, cid, dot), strict=True)
                 if may(db, config, uid, about)}  # fmt: skip
        assert found == TABLE[who]
    stored = db.trip(*(("HGET", status_keys.status(one), "may") for one in (first, below, deep)))
    assert len(set(stored)) == 1


def test_whom_one_follows_is_looked_up_when_they_reply(
    db: Db, config: Config, people: People
) -> None:
    ann, bea = people("ann", "bea")
    first = statuses.post(
        db, config, ann, parse("a song"), "form-first", answerers=ReplyPolicy.FOLLOWED
    )
    assert not may(db, config, bea, first)
    following.follow(db, config, ann, "bea")  # and nothing is applied
    assert may(db, config, bea, first)
    following.unfollow(db, config, ann, "bea")
    with pytest.raises(Forbidden):
        statuses.post(db, config, bea, parse("again"), "form-again", reply=first)


def test_an_edit_changes_nothing_of_it(db: Db, config: Config, people: People) -> None:
    ann, bea, cid = people("ann", "bea", "cid")
    first = statuses.post(
        db, config, ann, parse("for @bea"), "form-first", answerers=ReplyPolicy.MENTIONED
    )
    editing.edit(db, config, ann, first, parse("for @cid"), "", "0")
    assert may(db, config, bea, first) and not may(db, config, cid, first)


def test_a_reply_that_waits_is_refused_when_its_time_comes_if_it_may_not_be(
    db: Db, config: Config, people: People
) -> None:
    ann, bea = people("ann", "bea")
    following.follow(db, config, ann, "bea")
    first = statuses.post(
        db, config, ann, parse("a song"), "form-first", answerers=ReplyPolicy.FOLLOWED
    )
    due = datetime.now(UTC) - timedelta(seconds=1)
    drafts.save(db, config, bea, "form-later", {"text": "later", "reply": str(first)}, due)
    drafts.save(db, config, ann, "form-alone", {"text": "only me", "answerers": "mentioned"}, due)
    drafts.save(db, config, ann, "form-wrong", {"text": "who?", "answerers": "x"}, due)
    following.unfollow(db, config, ann, "bea")
    drafts.publish_due(db, config, range(PARTITIONS))
    assert drafts.get(db, bea, "form-later").error_message.startswith(
        "Only people the author follows"
    )
    assert drafts.get(db, ann, "form-wrong").error_code == "draft_invalid"
    [alone] = [
        one
        for one in db.run(("ZRANGE", status_keys.profile_statuses(ann), 0, -1))
        if int(one) != first
    ]
    assert not may(db, config, bea, int(alone))


def test_it_takes_no_trip_more(db: Db, config: Config, people: People) -> None:
    ann, bea = people("ann", "bea")
    following.follow(db, config, ann, "bea")
    for who in ReplyPolicy:
        first = statuses.post(
            db, config, ann, parse(f"{who.slug} @bea"), f"form-{who.slug}", answerers=who
        )
        trips = db.trips
        threads.thread(db, first, bea, (), 30)
        assert db.trips - trips == 2
        reply(db, config, bea, first)
        assert db.trips - trips == 5


def test_pages_say_who_may_reply_and_what_was_written_comes_back(
    client: FlaskClient, member: Join
) -> None:
    ann, bea, cid = member("ann"), member("bea"), member("cid")
    ann.post("/@bea/follow")
    sentences = {
        "followed": (
            "Those whom @ann follows can reply",
            "Only people the author follows",
        ),
        "mentioned": (
            "Those mentioned can reply",
            "Only people mentioned in the first post",
        ),
    }
    for word, (line, refusal) in sentences.items():
        assert (
            ann.post("/statuses", data={"text": f"a song {word}", "answerers": word}).status_code
            == 303
        )
        found = re.search(r'id="status-(\d+)"', ann.get("/home").text)
        assert found
        permalink = f"/@ann/{found[1]}"
        for who in (ann, bea, cid, client):
            assert line in who.get(permalink).text and line in who.get("/@ann").text
        assert 'name="reply"' in ann.get(permalink).text and refusal not in ann.get(permalink).text
        assert ('name="reply"' in bea.get(permalink).text) == (word == "followed")
        page = cid.get(permalink).text
        assert (
            'name="reply"' not in page
            and refusal in page
            and refusal not in client.get(permalink).text
        )
        answer = cid.post("/statuses", data={"text": "but I have to", "reply": found[1]})
        assert (
            answer.status_code == 403
            and refusal in answer.text
            and "but I have to</textarea>" in answer.text
        )
        ann.post("/statuses", data={"text": "and on", "reply": found[1]})
        assert line not in ann.get("/@ann").text.split("and on")[0].rpartition("<article")[2]
    assert ann.post("/statuses", data={"text": "x", "answerers": "nobody"}).status_code == 422
    assert "can reply</span>" not in ann.get(f"/@ann/{write(ann, 'for all')}").text


def test_the_choice_is_kept_by_drafts_and_asked_of_no_reply(member: Join) -> None:
    ann = member("ann")
    ann.post("/drafts", data={"text": "not yet", "answerers": "mentioned", "key": "form-key-one"})
    assert (
        '<option selected value="mentioned">Only people I mention</option>'
        in ann.get("/drafts/form-key-one").text
    )
    assert 'name="answerers"' in ann.get("/home").text
    assert 'name="answerers"' not in ann.get(f"/@ann/{write(ann, 'hello')}").text
