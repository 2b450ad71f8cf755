"""Drafts and posts that wait, who may reply and who may quote, against a plain-Python model: what is due is posted once
and with all that it said, or becomes a draft that says why not, whatever has happened to what it is about meanwhile;
who may quote a post is what its author said last.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from tests.following.test_blocks import Dying, Killed
from tests.support.schema import live_keys
from tests.support.state_machines import NOTHING, Society, members, posts, run_machine, visibilities
from webapp.accounts import profile
from webapp.accounts.quote_policy import QuotePolicy
from webapp.accounts.store import get_or_404
from webapp.config import Config
from webapp.core.store.ids import PARTITIONS, partition_of
from webapp.core.text.parser import parse
from webapp.errors import NotFound, Refused
from webapp.statuses import keys as status_keys
from webapp.statuses import store as statuses
from webapp.statuses.compose.new_status import StatusOptions
from webapp.statuses.drafts import keys as draft_keys
from webapp.statuses.drafts import store as drafts
from webapp.statuses.polls.poll import Poll, pack_poll
from webapp.statuses.quotes import store as quotes
from webapp.statuses.threads import store as threads
from webapp.statuses.visibility.reply_policy import ReplyPolicy
from webapp.statuses.visibility.visibility import Visibility

DRAFTS = 2  # of one member
FORMS = tuple(f"draft-form-{number}" for number in range(DRAFTS + 1))
TEXTS = ("a song", "two songs")
POLL = Poll(("reeds", "marsh"), 60)
BROKEN = "nobody knows"  # what is called so in no form
rarely = st.none() | st.none() | posts
saying = st.fixed_dictionaries(
    {
        "text": st.sampled_from(TEXTS),
        "named": st.none() | members,
        "reply": rarely,
        "quote": rarely,
        "visibility": st.none() | visibilities,
        "answerers": st.sampled_from(ReplyPolicy),
        "quoting": st.sampled_from(QuotePolicy),
        "asks": st.booleans(),
    }
)
Form = tuple[int, str]  # whose it is, and its key
Content = tuple[Any, ...]


@dataclass
class Kept:
    """A draft: its text and all else that it says; whether it is to be posted, and when (hours from now); why it could
    not be.
    """

    text: str
    said: StatusOptions
    broken: bool
    hours: int | None
    failed: str = ""

    @property
    def fields(self) -> dict[str, str]:
        """As forms and drafts have it."""
        said, poll = self.said, self.said.get("poll")
        fields = {
            "text": self.text,
            "reply": str(said.get("reply") or ""),
            "quote": str(said.get("quote") or ""),
            "visibility": BROKEN
            if self.broken
            else vis.slug
            if (vis := said.get("visibility"))
            else "",
            "answerers": said["answerers"].slug,
            "quoting": said["quoting"].slug,
            **(
                {"option1": poll.options[0], "option2": poll.options[1], "poll_minutes": "60"}
                if poll
                else {}
            ),
        }
        return {name: value for name, value in fields.items() if value}


class Later(Society):
    """Members keep drafts, have them posted later, and say who may reply and quote."""

    def __init__(self) -> None:
        super().__init__()
        self.drafts: dict[Form, Kept] = {}  # in the order of saving
        self.once: dict[tuple[Form, Content], int] = {}  # what a form has posted already
        self.quoting: dict[int, QuotePolicy] = {}

    @initialize(
        pairs=st.sets(st.tuples(members, members), min_size=2, max_size=8),
        wrote=st.lists(st.tuples(members, saying), min_size=2, max_size=5),
        kept=st.lists(st.tuples(members, st.sampled_from(FORMS), saying), min_size=1, max_size=5),
    )
    def begin(
        self,
        pairs: set[tuple[int, int]],
        wrote: list[tuple[int, dict[str, Any]]],
        kept: list[tuple[int, str, dict[str, Any]]],
    ) -> None:
        """Some have written something already, and more is about to be posted."""
        self.people(pairs)
        for uid, says in wrote:
            self.write(uid, says["text"], **self._said(**says))
        for uid, form, says in kept:
            self.save(uid, form, says, False, -1)

    @rule(
        uid=members,
        what=st.sampled_from(["post", "post", "delete", "delete", "choose"]),
        says=saying,
        back=posts,
    )
    def say(self, uid: int, what: str, says: dict[str, Any], back: int) -> None:
        """Posts, replies and quotes, or deletes one of these; or chooses who may quote what is to come."""
        if what == "post":
            self.write(uid, self._text(says), **self._said(**says))
        elif what == "delete":
            self.delete(self.pick(back))
        elif self.does(profile.edit, uid, {"quoting": says["quoting"].value}):
            self.quoting[uid] = says["quoting"]

    @precondition(lambda self: self.made)
    @rule(
        back=posts,
        by=st.none() | st.none() | members,
        quoting=st.sampled_from(QuotePolicy),
        how=st.sampled_from(["once", "twice", "dies", "barred"]),
        other=members,
    )
    def let_quote(
        self, back: int, by: int | None, quoting: QuotePolicy, how: str, other: int
    ) -> None:
        """The author of a post, or who would be it, says anew who may quote it, may die of it, do it again or be
        suspended for that time; and then somebody does quote it, unless it is not for them.
        """
        status_id = self.pick(back)
        one = self.statuses.get(status_id)
        uid = by or (one.author if one else other)
        if how == "barred":
            self.stand(uid, "suspend", False)
        why = self._not_own(uid, status_id)
        about = status_keys.quotes(status_id)
        quoted = self.db.run(("ZRANGE", about, 0, -1))
        if how == "dies":
            with suppress(Killed):
                quotes.set_quote_policy(Dying(self.db, 0), uid, status_id, quoting)
        for _ in "12" if how == "twice" else "1":
            if why:
                with pytest.raises(Refused, match=why):
                    quotes.set_quote_policy(self.db, uid, status_id, quoting)
            else:
                quotes.set_quote_policy(self.db, uid, status_id, quoting)
                self.statuses[status_id].quoting = quoting
        if how == "barred":
            self.stand(uid, "restore", False)
        assert self.db.run(("ZRANGE", about, 0, -1)) == quoted, "what quotes it already stays"
        self.write(other, TEXTS[0], quote=status_id)

    @rule(
        uid=members,
        form=st.sampled_from(FORMS),
        says=saying,
        broken=st.sampled_from([False, False, False, True]),
        hours=st.sampled_from([None, -1, -1, 1, 2]),
    )
    def save(
        self, uid: int, form: str, says: dict[str, Any], broken: bool, hours: int | None
    ) -> None:
        kept = Kept(self._text(says), self._said(**says), broken, hours)
        due = datetime.now(UTC) + timedelta(hours=hours) if hours else None
        full = (uid, form) not in self.drafts and sum(
            owner == uid for owner, _ in self.drafts
        ) == DRAFTS
        if why := self.barred(uid) or ("drafts_full" if full else None):
            with pytest.raises(Refused, match=why):
                drafts.save(self.db, self.config, uid, form, kept.fields, due)
            return
        drafts.save(self.db, self.config, uid, form, kept.fields, due)
        self.drafts.pop((uid, form), None)
        self.drafts[uid, form] = kept

    @precondition(lambda self: self.drafts)
    @rule(data=st.data(), what=st.sampled_from(["post", "again", "drop", "wait"]))
    def open(self, data: st.DataObject, what: str) -> None:
        """Opens a draft, and posts it, whether it waits for its time or not, or drops it; or its time comes. Or another
        window still has what was posted, and has it posted later.
        """
        own = data.draw(st.sampled_from(sorted(self.drafts)))
        kept = self.drafts[own]
        if what == "drop":
            del self.drafts[own]
            drafts.delete(self.db, *own)
            with pytest.raises(NotFound):
                drafts.delete(self.db, *own)
        elif what in ("post", "again") and not kept.broken:
            self._post(own, kept)
            if what == "again" and own not in self.drafts:
                drafts.save(
                    self.db, self.config, *own, kept.fields, datetime.now(UTC) - timedelta(hours=1)
                )
                self.drafts[own] = replace(kept, hours=-1, failed="")
        elif what == "wait" and kept.hours and kept.hours > 0:
            kept.hours = -1
            at = int((datetime.now(UTC) - timedelta(hours=1)).timestamp() * 1000)
            uid, form = own
            self.db.run(("HSET", draft_keys.draft(uid, form), "due", at))
            self.db.run(
                ("ZADD", draft_keys.scheduled_posts(partition_of(uid)), "XX", at, f"{uid}:{form}")
            )

    @rule(dies=st.none() | st.integers(0, 8))
    def post_what_is_due(self, dies: int | None) -> None:
        """As the worker does; it may die on the way, and another one takes it up."""
        before = self._there()
        expected = Counter[Content]()
        for own, kept in list(self.drafts.items()):
            if not kept.hours or kept.hours > 0:
                continue
            why = "draft_invalid" if kept.broken else self._refusal(own, kept)
            if why is None:
                expected[self._stored(own[0], kept)] += not self._before(own, kept)
            elif why != "no_member":
                kept.hours, kept.failed = None, why
        if dies is not None:
            with suppress(Killed):
                drafts.publish_due(Dying(self.db, dies), self.config, range(PARTITIONS))
        drafts.publish_due(self.db, self.config, range(PARTITIONS))
        posted = {number: self._read(number) for number in self._there() - before}
        assert Counter(posted.values()) == +expected
        for own, kept in [
            (own, kept) for own, kept in self.drafts.items() if kept.hours and kept.hours < 0
        ]:
            del self.drafts[own]
            self._match(own, kept, posted)
        assert not posted

    def left(self, uid: int) -> None:
        self.drafts = {own: kept for own, kept in self.drafts.items() if own[0] != uid}

    @invariant()
    def drafts_are_as_they_were_left(self) -> None:
        for uid in self.logins.keys() - self.gone:
            own = {form: kept for (owner, form), kept in self.drafts.items() if owner == uid}
            waiting, drafted = drafts.list_all(self.db, uid)
            assert {one.form_key for one in waiting} == {
                form for form, kept in own.items() if kept.hours
            }
            assert [one.form_key for one in drafted] == [
                form for form, kept in own.items() if not kept.hours
            ][::-1]
            assert [one.due for one in waiting] == sorted(one.due for one in waiting if one.due)
            for one in (*waiting, *drafted):
                assert (one.fields, one.error_code) == (
                    own[one.form_key].fields,
                    own[one.form_key].failed,
                )
            jobs = set(
                self.db.run(("ZRANGE", draft_keys.scheduled_posts(partition_of(uid)), 0, -1))
            )
            assert jobs == {f"{uid}:{form}" for form, kept in own.items() if kept.hours}
            member = self.db.read(get_or_404(uid))
            assert member and member.quote_policy is self.quoting.get(uid, QuotePolicy.EVERYONE)

    @invariant()
    def pages_say_who_may_reply_and_quote(self) -> None:
        for number, one in list(self.statuses.items())[-2:]:
            for uid in self.here:
                if self.aim(uid, number, "apart") or one.author in self.apart(uid):
                    continue
                shown = threads.thread(self.db, number, uid, (), 1)
                assert shown.can_reply == (self.not_asked(uid, number) is None)
                why = self.not_quotable(uid, number)
                assert shown.status.quotable_by(uid) == (why in (None, "quoted_by_followers"))

    @invariant()
    def posts_are_to_be_quoted_as_their_authors_said_last(self) -> None:
        asked = (("HGET", status_keys.status(number), "quoting") for number in self.statuses)
        assert [QuotePolicy(who or "") for who in self.db.trip(*asked)] == [
            one.quoting for one in self.statuses.values()
        ]

    def check(self) -> None:
        self.post_what_is_due(None)
        left = {key for key in live_keys(self.db) if key.startswith(("draft:", "drafts:"))}
        assert left == {draft_keys.draft(*own) for own in self.drafts} | {
            draft_keys.drafts(uid) for uid, _ in self.drafts
        }
        assert self._there() == self.statuses.keys()

    def _post(self, own: Form, kept: Kept) -> None:
        said, before = kept.said, self._before(own, kept)
        post = partial(
            statuses.post, self.db, self.config, own[0], parse(kept.text), own[1], **said
        )
        if why := self._refusal(own, kept):
            with pytest.raises(Refused, match=why):
                post()
            return
        number = post()
        assert before in (NOTHING, number)
        del self.drafts[own]
        if not before:
            self.once[own, self._content(own[0], kept)] = number
            self.note(own[0], number, kept.text, said)

    # What is so

    def _text(self, says: dict[str, Any]) -> str:
        return says["text"] + (f" @{self.logins[says['named']]}" if says["named"] else "")

    def _said(self, **says: Any) -> StatusOptions:
        """What was drawn, as posting takes it."""
        reply, quote = (
            self.pick(says[name]) if says[name] is not None else NOTHING
            for name in ("reply", "quote")
        )
        said = StatusOptions(
            reply=reply or None, quote=quote or None, cw="", visibility=says["visibility"]
        )
        said |= StatusOptions(
            poll=POLL if says["asks"] else None,
            answerers=says["answerers"],
            quoting=says["quoting"],
        )
        return said

    def _refusal(self, own: Form, kept: Kept) -> str | None:
        """Why a draft cannot be posted. What its form has posted already is that, whoever has been suspended since."""
        why = self.refusal(own[0], kept.said)
        posted = (
            self._before(own, kept)
            and why in ("suspended", "cannot_reply")
            and not self._aims(own[0], kept)
        )
        return None if posted else why

    def _not_own(self, uid: int, status_id: int) -> str | None:
        """Why a member may not say who quotes a post. What is theirs they may always, whoever sees it by now."""
        one = self.statuses.get(status_id)
        if one is None:
            return "no_status|no_member" if uid in self.gone else "no_status"
        if one.author != uid:
            return "no_status" if self.seen_as(one).restricted else "not_yours"
        return self.barred(uid)

    def _aims(self, uid: int, kept: Kept) -> str | None:
        reply, quote = kept.said.get("reply"), kept.said.get("quote")
        first = (self.aim(uid, reply, "apart") or self.not_asked(uid, reply)) if reply else None
        return first or (self.aim(uid, quote, "apart") if quote else None)

    def _before(self, own: Form, kept: Kept) -> int:
        reply = kept.said.get("reply")
        there = not reply or reply in self.statuses
        return self.once.get((own, self._content(own[0], kept)), NOTHING) if there else NOTHING

    def _visibility(self, kept: Kept) -> Visibility:
        parent = self.statuses.get(kept.said.get("reply") or NOTHING)
        return kept.said.get("visibility") or (
            self.seen_as(parent) if parent else Visibility.PUBLIC
        )

    def _content(self, uid: int, kept: Kept) -> Content:
        """What makes it another post of the same form."""
        said = kept.said
        about = (said.get("reply"), said.get("quote"), bool(said.get("poll")), said["answerers"])
        return (kept.text, *about, self._visibility(kept))

    def _stored(self, uid: int, kept: Kept) -> Content:
        """What the store must have of it."""
        said, parent = kept.said, self.statuses.get(kept.said.get("reply") or NOTHING)
        named = {one for one, login in self.logins.items() if f"@{login}" in kept.text.split()} - {
            uid
        }
        who, author, first = parent.rule if parent else (said["answerers"], uid, frozenset(named))
        rule = (
            " ".join([who.value, *map(str, (author, *sorted(first)))])
            if who is not ReplyPolicy.EVERYBODY
            else ""
        )
        about = (str(said.get("reply") or ""), str(said.get("quote") or ""))
        return (
            *(str(uid), kept.text, *about, self._visibility(kept).value, rule),
            *(said["quoting"].value, pack_poll(said.get("poll"))),
        )

    def _read(self, number: int) -> Content:
        fields = ("author", "text", "reply", "quote", "vis", "may", "quoting", "poll")
        return tuple(
            value or "" for value in self.db.run(("HMGET", status_keys.status(number), *fields))
        )

    def _match(self, own: Form, kept: Kept, posted: dict[int, Content]) -> None:
        if not self._before(own, kept):
            stored = self._stored(own[0], kept)
            number = next(one for one, content in posted.items() if content == stored)
            del posted[number]
            self.once[own, self._content(own[0], kept)] = number
            self.note(own[0], number, kept.text, kept.said)

    def _there(self) -> set[int]:
        return {
            int(key.rpartition(":")[2]) for key in live_keys(self.db) if key.startswith("status:")
        }


def test_drafts_and_who_may_answer_equal_the_model(settings: Config) -> None:
    run_machine(Later, settings, 50, drafts_max=DRAFTS)
