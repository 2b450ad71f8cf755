"""Follows, follow requests and deleted accounts of the model."""

from tests.models.site.model.facts import Event
from tests.models.site.model.timelines import HOME_MAX, Timelines


class Relationships(Timelines):
    """Begin and end follows and requests, and apply their events."""

    def begin_follow(self, uid: int, other: int) -> None:
        """Let a member follow another, and end the request that was granted."""
        type = "request_granted" if other in self.requested[uid] else "followed"
        self.requested[uid] = [asked for asked in self.requested[uid] if asked != other]
        self.follows[uid].append(other)
        count = self.follow_counts.get((uid, other), 0) + 1
        self.follow_counts[uid, other] = count
        self.emit(uid, type, uid, other, count)

    def end_follow(self, uid: int, other: int) -> None:
        """End a follow if there is one."""
        if other in self.follows[uid]:
            self.follows[uid].remove(other)
            self.delivered[uid] -= self.written_by(other)
            self.emit(uid, "unfollowed", uid, other)

    def begin_request(self, uid: int, other: int) -> None:
        """Let a member ask to follow another."""
        if other not in self.requested[uid]:
            self.requested[uid].append(other)
            self.emit(uid, "requested", uid, other)

    def end_request(self, uid: int, other: int) -> None:
        """End a request if there is one."""
        if other in self.requested[uid]:
            self.requested[uid].remove(other)
            self.emit(uid, "unrequested", uid, other)

    def resolve_request(self, uid: int, other: int, granted: bool) -> None:
        """Turn a request into a follow if it is granted and still possible; else end it."""
        blocked = other in self.blocks[uid] | self.applied_blockers[uid]
        is_open = other in self.requested[uid] and other not in self.follows[uid]
        if granted and is_open and not blocked and uid in self.active_members:
            self.begin_follow(uid, other)
        else:
            self.end_request(uid, other)

    def cancel_requests(self, uid: int) -> None:
        """End the requests by a member and to them."""
        for other in list(self.requested[uid]):
            self.end_request(uid, other)
        for requester in self.applied_requests[uid]:
            self.end_request(requester, uid)

    def sync_request(self, uid: int, other: int) -> None:
        """Apply a request of a member: list it, resolve it, or remove it from the list."""
        requests = self.applied_requests[other]
        if other not in self.requested[uid]:
            requests.discard(uid)
        elif uid not in requests and (
            other not in self.active_members or uid in self.blocks[other]
        ):
            self.resolve_request(uid, other, False)
        elif uid not in requests and other not in self.protected:
            self.resolve_request(uid, other, True)
        else:
            requests.add(uid)

    def sync_follow(self, event: Event) -> None:
        """Apply a follow or its end. A follow of a member who protects themselves is a request."""
        uid, other = event.subject, event.target
        followers = self.applied_followers[other]
        others = [follower for follower in followers if follower != uid]
        is_follow = other in self.follows[uid]
        is_new = uid not in followers
        is_this_follow = (
            event.type != "unfollowed"
            and is_follow
            and event.follow_number == self.follow_counts[uid, other]
        )
        if not is_follow or (is_new and other in self.protected and not is_this_follow):
            self.applied_followers[other] = others
        elif is_new and other in self.protected and event.type == "followed":
            self.end_follow(uid, other)
            self.begin_request(uid, other)
        else:
            self.applied_followers[other] = [*others, uid]
            seen = [status for status in self.posts_of(other) if self.may_see(uid, status)]
            self.delivered[uid] |= set(sorted(seen, reverse=True)[:HOME_MAX])

    def delete_member(self, uid: int) -> None:
        """Delete an account; events apply the rest."""
        self.deleted_members.add(uid)
        self.suspended.discard(uid)
        self.bookmarks.pop(uid, None)
        self.followed_tags.pop(uid, None)
        self.pinned.pop(uid, None)
        for status in self.written_by(uid):
            del self.statuses[status]

    def delete_relationships(self, uid: int) -> None:
        """Apply the end of all relationships of a deleted account."""
        for follower in self.applied_followers.pop(uid, []):
            if uid in self.follows[follower]:
                self.follows[follower].remove(uid)
        for other in self.follows.pop(uid, []):
            self.applied_followers[other] = [
                follower for follower in self.applied_followers[other] if follower != uid
            ]
        for own in (self.mutes, self.expired_mutes, self.blocks, self.applied_blockers):
            own.pop(uid, None)
        for by_member in (self.blocks, self.applied_blockers):
            for others in by_member.values():
                others.discard(uid)
