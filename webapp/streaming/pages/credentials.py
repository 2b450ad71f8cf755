"""Who reads a home's stream: the member of a session cookie or of an access token, looked at again now and then."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf
from random import uniform

from werkzeug.http import parse_cookie

from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import COOKIE_NAME
from webapp.accounts.store import Member
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.store.client import Db
from webapp.errors import Forbidden, NotFound, Unavailable
from webapp.following import keys as following_keys
from webapp.lists import keys as list_keys
from webapp.lists import store as lists
from webapp.statuses.threads import store as threads
from webapp.statuses.visibility.relationships import hidden_commands, hidden_from
from webapp.streaming.hub.subscriptions import Topic

BEARER_PREFIX = "Bearer "
CHECK_SECONDS = (
    300.0  # how long credentials are believed, at most, when nothing casts doubt on them
)
NEVER_TOUCH = 10**9  # seconds


class Credentials:
    """What a request for a stream came with. `headers`: names in lower case. A cookie counts only where
    `cookies` says so: another site's page must not read with it. `topic`: what they are for.
    """

    hidden_until: Mapping[
        int, float
    ]  # whose statuses are not sent, until when: looked up with the credentials

    def __init__(
        self, db: Db, config: Config, headers: Mapping[str, str], allow_cookies: bool, topic: Topic
    ) -> None:
        self._db, self._topic, self.hidden_until = db, topic, {}
        self._checked = float("-inf")
        self._load_member: Callable[[], Member | None] | None = None
        authorization = headers.get("authorization", "")
        if authorization.startswith(BEARER_PREFIX):
            self._load_member = partial(
                tokens.authenticate, db, config, authorization.removeprefix(BEARER_PREFIX).strip()
            )
        elif allow_cookies and (cookie := parse_cookie(headers.get("cookie", "")).get(COOKIE_NAME)):
            self._load_member = partial(session_member, db, config, cookie)

    async def load_viewer(self) -> int | None:
        """Whose they are, or None when they are not good (any more). Raises Unavailable."""
        started = time.monotonic()
        member = await asyncio.to_thread(self._load_member) if self._load_member else None
        if member is None or member.suspended:
            return None
        self.hidden_until = await asyncio.to_thread(
            load_hidden_until, self._db, member.uid, self._topic
        )
        self._checked = with_jitter(started)
        return member.uid

    async def still_valid(self, recheck: bool) -> bool:
        """Whether they are still good, asked of the store when there is a doubt or much time has passed. A store that
        does not answer leaves things as they were, but not a doubt.
        """
        if not recheck and time.monotonic() - self._checked < CHECK_SECONDS:
            return True
        try:
            uid = await self.load_viewer()
            return uid is not None and await self._may_read_topic(uid)
        except Unavailable:
            return not recheck

    async def _may_read_topic(self, uid: int) -> bool:
        """Whether they may still read what the stream is about: whose list or status it is may have blocked them."""
        owner, number = self._topic.uid, self._topic.object_id
        if self._topic.kind == "thread":
            return await asyncio.to_thread(_is_streamable, self._db, number, uid)
        return self._topic.kind != "list" or await asyncio.to_thread(
            lists.may_read, self._db, owner, number, uid
        )


def with_jitter(checked_at: float) -> float:
    """A moment at which credentials were looked up, set back by up to half of CHECK_SECONDS: of thousands who came
    together, as after a restart, each is looked up again at a moment of its own.
    """
    return checked_at - uniform(0, CHECK_SECONDS / 2)


def followed_uids(db: Db, uid: int) -> Sequence[int]:
    """Whom a member follows. Raises Unavailable."""
    return [int(other) for other in db.run(("ZRANGE", following_keys.following(uid), 0, -1))]


def load_hidden_until(db: Db, uid: int, topic: Topic) -> Mapping[int, float]:
    """The authors whose statuses a member (0: a visitor) is not sent of this topic, until when, unix seconds. One trip.
    Raises Unavailable.
    """
    follow = topic.predicate.follow if topic.predicate else ()
    requested_uids = {topic.uid} if topic.kind == "profile" else follow
    if not uid or topic.kind == "chats":
        return {}
    excluded_commands = (
        [("ZRANGE", list_keys.home_excluded(uid), 0, -1)] if topic.kind == "home" else []
    )
    replies = db.trip(*hidden_commands(uid), *excluded_commands)
    excluded_uids = replies[-1] if excluded_commands else []
    blocks, blocked_by, mutes = replies[:3]
    if topic.kind == "thread":  # whose page shows what those wrote who are muted
        mutes = []
    return {
        **hidden_from((blocks, blocked_by, mutes), requested_uids),
        **dict.fromkeys(map(int, excluded_uids), inf),
    }


def _is_streamable(db: Db, status_id: int, viewer: int) -> bool:
    try:
        threads.require_streamable(db, status_id, viewer)
    except (NotFound, Forbidden):
        return False
    return True


def session_member(db: Db, config: Config, cookie: str) -> Member | None:
    """Whose session a cookie is, if it is one. Raises Unavailable."""
    # Only pages tell when, where and with what a session was last seen.
    session = sessions.load(db, replace(config, session_touch=NEVER_TOUCH), cookie)
    return session.member if session else None
