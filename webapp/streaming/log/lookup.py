"""What a message says beside the status itself: its author's profile, and who the names in it are."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.accounts.store import Member, find_members
from webapp.core.store.client import Db
from webapp.following.store import PROFILE_REPLIES, profile_commands, profile_from
from webapp.statuses.lookup import Entry
from webapp.statuses.status import Status, status_command, status_from
from webapp.streaming.api_v1.serializers import Person


@dataclass(frozen=True, slots=True)
class RelatedData:
    """Statuses by id, people by uid, and those of the members mentioned who are shown, by login in lower case."""

    statuses: dict[int, Status]
    people: dict[int, Person]
    mentioned: dict[str, Member]


def load_related(db: Db, entries: Sequence[Entry]) -> RelatedData:
    """The statuses of some entries that still exist, their authors, and whom they mention. Three trips at most, none
    without entries. Raises Unavailable.
    """
    authors = list(dict.fromkeys(author for _, author in entries))
    commands = [status_command(status_id) for status_id, _ in entries]
    replies = db.trip(*commands, *(command for uid in authors for command in profile_commands(uid)))
    people = {}
    for uid, start in zip(authors, range(len(entries), len(replies), PROFILE_REPLIES), strict=True):
        if profile := profile_from(uid, replies[start : start + PROFILE_REPLIES]):
            people[uid] = Person(
                profile.member,
                profile.about,
                profile.statuses,
                profile.followers,
                profile.following,
            )
    statuses = {}
    for (status_id, author), reply in zip(entries, replies, strict=False):
        person = people.get(author)
        if status := status_from(status_id, person.member if person else None, reply):
            statuses[status_id] = status
    mentioned = find_members(db, _mentioned_logins(statuses.values()))
    return RelatedData(
        statuses,
        people,
        {login: member for login, member in mentioned.items() if not member.suspended},
    )


def _mentioned_logins(statuses: Iterable[Status]) -> set[str]:
    return {
        entity.text.lower()
        for status in statuses
        for entity in status.entities
        if entity.kind == "mention"
    }
