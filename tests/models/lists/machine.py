"""The state of the lists machine, and what its rules share."""

from collections.abc import Iterable

from tests.models.lists.model import LISTS_MAX, MEMBERS_MAX, UNLIMITED, ListKey, ListRecord
from tests.support.state_machines.expected import StatusRecord
from tests.support.state_machines.machine import MemberMachine
from tests.support.statuses.boosts import Entry
from webapp.statuses import Visibility

ScoredEntry = tuple[int, Entry]


class ListsMachineBase(MemberMachine):
    """A store and its model.

    `last_numbers` has the number of each member's newest list. `boosts` maps the booster and the
    status to the id of the boost; `boost_ids` are those of all boosts ever made. `list_home_max`
    is the number of entries that a list holds.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lists: dict[ListKey, ListRecord] = {}
        self.last_numbers: dict[int, int] = {}
        self.boosts: dict[tuple[int, int], int] = {}
        self.boost_ids = set[int]()
        self.list_home_max = UNLIMITED

    # Lists of one member

    @property
    def list_owners(self) -> set[int]:
        """The members who have lists."""
        return {owner for owner, _ in self.lists}

    def lists_of(self, uid: int) -> dict[int, ListRecord]:
        """Return a member's lists by number."""
        return {number: record for (owner, number), record in self.lists.items() if owner == uid}

    def excluded_from_home(self, uid: int) -> set[int]:
        """Return the members of a member's exclusive lists."""
        exclusive = (record for record in self.lists_of(uid).values() if record.exclusive)
        return {member for record in exclusive for member in record.members}

    def remove_from_lists(self, uid: int, member: int) -> None:
        """Remove a member from all lists of another."""
        for record in self.lists_of(uid).values():
            if member in record.members:
                record.members.remove(member)

    # What must be refused

    def may_read(self, uid: int, record: ListRecord, viewer: int) -> bool:
        """Return True if a viewer may open a list of the member `uid`."""
        if viewer == uid:
            return uid not in self.suspended
        is_protected = uid in self.protected and uid not in self.follows(viewer)
        return (
            uid in self.visible_members
            and not record.private
            and uid not in self.blocked_with(viewer)
            and not is_protected
        )

    def creation_error(self, uid: int, name: str) -> str | None:
        """Return the error for a member who creates a list; None if they may."""
        error = self.account_error(uid) or self.name_error(uid, name)
        return error or ("lists_full" if len(self.lists_of(uid)) == LISTS_MAX else None)

    def name_error(self, uid: int, name: str, except_number: int = 0) -> str | None:
        """Return the error for the name of another list of this member."""
        lists = self.lists_of(uid)
        others = [record for number, record in lists.items() if number != except_number]
        return "list_named" if any(record.name == name for record in others) else None

    def membership_error(
        self, uid: int, member: int, adds: bool, new_lists: list[ListRecord]
    ) -> str | None:
        """Return the error for adding a member to lists or removing them; None if allowed."""
        if member in self.deleted_members:
            return "no_member"
        if member == uid:
            return "list_yourself"
        if member in self.suspended and adds:
            return "suspended"
        if error := self.account_error(uid):
            return error
        if new_lists and member in self.blocked_with(uid):
            return "cannot_list"
        is_full = any(len(record.members) == MEMBERS_MAX for record in new_lists)
        return "list_full" if is_full else None

    # Which entries a viewer sees

    def allowed_entries(self, record: ListRecord, uid: int, viewer: int) -> set[ScoredEntry]:
        """Return the entries that a list may show to a viewer, each with its score."""
        entries: set[ScoredEntry] = {
            (status_id, status_id)
            for status_id, status in self.statuses.items()
            if status.author in record.members
            and (not status.reply_to_uid or status.reply_to_uid in {uid, *record.members})
            and self.is_visible(viewer, status, {status.author})
        }
        for (booster, status_id), boost_id in self.boosts.items():
            boosted = self.statuses.get(status_id)
            if not boosted or booster not in record.members:
                continue
            if self._boost_is_visible(viewer, booster, boosted):
                entries.add((boost_id, (self.logins[booster], status_id)))
        return entries

    def is_visible(self, viewer: int, status: StatusRecord, involved: set[int]) -> bool:
        """Return True if timelines may show a viewer a status that involves these members."""
        hidden = (self.muted(viewer) | self.blocked_with(viewer) if viewer else set()) - {viewer}
        return self.may_see(viewer, status) and involved <= set(self.visible_members) - hidden

    def _boost_is_visible(self, viewer: int, booster: int, status: StatusRecord) -> bool:
        may_see_booster = (
            booster not in self.protected or booster == viewer or booster in self.follows(viewer)
        )
        return (
            may_see_booster
            and not self.effective_visibility(status).restricted
            and self.is_visible(viewer, status, {booster, status.author})
        )

    def required_entries(self, entries: set[ScoredEntry], uid: int) -> set[Entry]:
        """Return the entries that a list must show, if it may show `entries`.

        Older entries may have lost their place. A boost may give way to its status below.
        """
        newest = sorted({*self.posted_ids, *self.boost_ids}, reverse=True)[: self.list_home_max]
        is_full = len(newest) == self.list_home_max
        oldest = newest[-1] if is_full else 0
        required = {
            entry for score, entry in entries if score >= oldest and self._must_contain(uid, entry)
        }
        return required - _boosts_above_status(entries)

    def _must_contain(self, uid: int, entry: Entry) -> bool:
        """Return True if the owner has followed the author since a restricted status was posted."""
        status = self.statuses[entry] if isinstance(entry, int) else None
        if status is None or not status.visibility.restricted or uid in status.addressed:
            return True
        followed_since = self.follows(uid).get(status.author)
        return (
            status.visibility is Visibility.FOLLOWERS
            and followed_since is not None
            and followed_since == status.follow_dates.get(uid)
        )


def _boosts_above_status(entries: Iterable[ScoredEntry]) -> set[Entry]:
    """Return the boosts of statuses that may also appear below the boost."""
    scores = [(score, entry[1] if isinstance(entry, tuple) else entry) for score, entry in entries]
    return {
        entry
        for boost_id, entry in entries
        if isinstance(entry, tuple)
        and any(status == entry[1] and score < boost_id for score, status in scores)
    }
