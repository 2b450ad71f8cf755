"""Applying events to the model."""

from collections.abc import Callable, Iterable, Mapping

from tests.models.site.model.facts import NOTHING, Event
from tests.models.site.model.relationships import Relationships
from webapp.core.events.outbox import BULK, DISCOVERY
from webapp.statuses import Visibility


def set_present(members: set[int], member: int, present: bool) -> None:
    """Add to a set, or remove from it."""
    if present:
        members.add(member)
    else:
        members.discard(member)


class Model(Relationships):
    """The current state, and the part of it that was applied so far."""

    def add_status(
        self, status: int, author: int, words: str, visibility: Visibility, text: str = ""
    ) -> None:
        """Add a posted status. `text` is `words`, with a mention if there is one."""
        self.statuses[status] = author
        self.authors[status] = author
        self.texts[status] = words
        self.versions[status] = [text or words]
        self.visibilities[status] = visibility
        self.delivered[author].add(status)
        self.emit(author, "posted", status, author)

    def apply(self, group: str, event: Event) -> None:
        """Apply an event as one group of projections does."""
        handler = HANDLERS[group].get(event.type)
        if handler:
            handler(self, event)

    # Short projections

    def _apply_status(self, event: Event) -> None:
        status = event.subject
        self.index_tags([status])
        self._sync_quote(status)
        self._sync_reply(status)
        is_post = status in self.statuses and status not in self.reply_to_uid
        set_present(self.applied_public, status, is_post and bool(self.only_public([status])))

    def _apply_author_visibility(self, event: Event) -> None:
        uid = event.subject
        self.applied_public -= self.written_by(uid)
        if uid not in self.suspended:
            self.applied_public |= self.only_public(self.posts_of(uid))
        set_present(self.applied_suspended, uid, uid in self.suspended)

    def _apply_request(self, event: Event) -> None:
        self.sync_request(event.subject, event.target)

    def _apply_answer(self, event: Event) -> None:
        self.resolve_request(event.target, event.subject, event.type == "accepted")

    def _apply_block(self, event: Event) -> None:
        uid, other = event.subject, event.target
        if other in self.deleted_members:
            self.blocks[uid].discard(other)
        elif other in self.blocks[uid]:
            self.applied_blockers[other].add(uid)
            self.end_follow(other, uid)
            self.end_request(other, uid)
        else:
            self.applied_blockers[other].discard(uid)

    def _apply_like(self, event: Event) -> None:
        uid, status = event.subject, event.target
        set_present(self.applied_likers[status], uid, status in self.liked[uid])

    def _apply_boost(self, event: Event) -> None:
        uid, status = event.subject, event.target
        if status not in self.statuses:
            self._drop_boost(uid, status)
        set_present(self.applied_boosters[status], uid, status in self.boosted[uid])

    def _sync_quote(self, status: int) -> None:
        if status in self.quoted_ids:
            is_listed = status in self.statuses and bool(self.only_unrestricted([status]))
            set_present(self.applied_quotes[self.quoted_ids[status]], status, is_listed)

    def _sync_reply(self, status: int) -> None:
        if status not in self.parents:
            return
        if status in self.statuses and self.is_counted_reply(status):
            self.applied_replies[self.parents[status]].add(status)
        else:
            self._unlist_reply(status)

    def _unlist_reply(self, reply: int) -> None:
        self.applied_replies[self.parents.get(reply, NOTHING)].discard(reply)

    def _delete_boosts_of(self, statuses: Iterable[int]) -> None:
        for status in statuses:
            for uid in self.applied_boosters.pop(status, set()):
                self._drop_boost(uid, status)

    def _drop_boost(self, uid: int, status: int) -> None:
        self.boosted[uid] = [boosted for boosted in self.boosted[uid] if boosted != status]

    # Long projections

    def _deliver(self, event: Event) -> None:
        status, author = event.subject, event.target
        if status in self.statuses:
            for follower in self.applied_followers[author]:
                if status in self.home(follower):
                    self.delivered[follower].add(status)

    def _apply_follow(self, event: Event) -> None:
        uid, other = event.subject, event.target
        if event.type != "unfollowed" and other in self.deleted_members:
            self.follows[uid] = [followed for followed in self.follows[uid] if followed != other]
        else:
            self.sync_follow(event)

    def _apply_removed_follower(self, event: Event) -> None:
        self.end_follow(event.target, event.subject)

    # Work in slices

    def _apply_author_indexes(self, event: Event) -> None:
        uid = event.subject
        if event.type == "unprotected" and uid not in self.protected:
            for requester in self.applied_requests[uid]:
                self.resolve_request(requester, uid, True)
        self.index_tags(self.written_by(uid), adds=event.type in ("restored", "unprotected"))
        if event.type == "suspended" and uid in self.suspended | self.deleted_members:
            self.cancel_requests(uid)
        if event.type in ("protected", "unprotected"):
            for status in self.written_by(uid):
                self._sync_reply(status)
                self._sync_quote(status)

    def _apply_changed_status(self, event: Event) -> None:
        status = event.subject
        self.index_tags([status])
        if event.type == "deleted":
            self._delete_boosts_of([status])
            self._sync_quote(status)
            self._sync_reply(status)

    def _apply_deleted_account(self, event: Event) -> None:
        uid = event.subject
        for status in self.boosted.pop(uid, []):
            self.applied_boosters[status].discard(uid)
        self._delete_boosts_of([status for status, author in self.authors.items() if author == uid])
        for status in self.liked.pop(uid, []):
            self.applied_likers[status].discard(uid)
        for reply in self.parents:
            if reply not in self.statuses:
                self._unlist_reply(reply)
        for quotes in self.applied_quotes.values():
            quotes.intersection_update(self.statuses)
        self.cancel_requests(uid)
        self.delete_relationships(uid)


Handlers = Mapping[str, Callable[[Model, Event], None]]

LOG: Handlers = {
    **dict.fromkeys(("posted", "deleted"), Model._apply_status),
    **dict.fromkeys(
        ("suspended", "restored", "protected", "unprotected"), Model._apply_author_visibility
    ),
    **dict.fromkeys(("requested", "unrequested", "request_granted"), Model._apply_request),
    **dict.fromkeys(("accepted", "refused"), Model._apply_answer),
    "blocked": Model._apply_block,
    "liked": Model._apply_like,
    "boosted": Model._apply_boost,
}
FANOUT: Handlers = {
    "posted": Model._deliver,
    **dict.fromkeys(("followed", "request_granted", "unfollowed"), Model._apply_follow),
    "follower_removed": Model._apply_removed_follower,
}
IN_SLICES: Handlers = {
    **dict.fromkeys(("deleted", "edited"), Model._apply_changed_status),
    **dict.fromkeys(
        ("suspended", "restored", "protected", "unprotected"), Model._apply_author_indexes
    ),
    "account_deleted": Model._apply_deleted_account,
}
HANDLERS = {"log": LOG, "fanout": FANOUT, DISCOVERY: {}, BULK: IN_SLICES}
