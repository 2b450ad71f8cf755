"""Polls: votes, and their end."""

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.models.notifications.machine import INVALID_OPTION, NotificationsMachineBase
from tests.support.state_machines.strategies import booleans, members, posts
from tests.support.statuses.polls import end
from webapp.core.errors import Refused
from webapp.core.store import PARTITIONS
from webapp.statuses.polls import voting


class PollRules(NotificationsMachineBase):
    """Let members vote, and polls end."""

    @precondition(lambda self: self.posted_ids)
    @rule(
        uid=members, back=posts, option=st.sampled_from([0, 0, 1, 1, INVALID_OPTION]), dies=booleans
    )
    def vote(self, uid: int, back: int, option: int, dies: bool) -> None:
        """Vote, mostly in a poll; the worker that counts the vote may die."""
        polls = [status_id for status_id in self.posted_ids if self.has_poll(status_id)]
        self._vote(
            uid, polls[-1 - back % len(polls)] if polls and back else self.pick(back), option
        )
        if dies:
            self.apply_next(uid, "log", 1_000, True)

    @rule(back=posts, closes_polls=booleans, uid=members)
    def end_poll(self, back: int, closes_polls: bool, uid: int) -> None:
        """End a poll and vote too late; the worker may close polls, and then does so twice."""
        status_id = self.pick(back)
        if self.has_poll(status_id) and status_id not in self.ended_polls:
            end(self.db, status_id)
            self.ended_polls.add(status_id)
            self._vote(uid, status_id, 0)
        if closes_polls:
            voting.close_due(self.site, range(PARTITIONS))
            voting.close_due(self.site, range(PARTITIONS))
            self.announced |= self.ended_polls & self.statuses.keys()

    def _vote(self, uid: int, status_id: int, option: int) -> None:
        """Vote, or assert that the expected error refuses it."""
        if error := self._vote_error(uid, status_id, option):
            with pytest.raises(Refused, match=error):
                voting.vote(self.site, uid, status_id, {option})
            return
        voting.vote(self.site, uid, status_id, {option})
        self.votes.setdefault(status_id, {})[uid] = option

    def _vote_error(self, uid: int, status_id: int, option: int) -> str | None:
        """Return the error for a vote; None if it is allowed."""
        if error := self.target_error(uid, status_id, "cannot_vote"):
            return error
        status = self.statuses[status_id]
        if not status.has_poll:
            return "no_poll"
        if status.author == uid:
            return "own_poll"
        if option == INVALID_OPTION:
            return "bad_vote"
        if error := self.account_error(uid):
            return error
        vote_before = self.votes.get(status_id, {}).get(uid)
        if vote_before is not None:
            return None if vote_before == option else "voted"
        if status.author in self.blocked_with(uid):
            return "cannot_vote"
        return "poll_ended" if status_id in self.ended_polls else None
