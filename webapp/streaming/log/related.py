"""Statuses and members that messages show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from webapp.accounts.store import Member, get_many_by_login
from webapp.core.store.client import Db
from webapp.core.store.reads import collect
from webapp.following.profiles import Profile, profile
from webapp.statuses.lookup import Entry, stored_status
from webapp.statuses.status import Status
from webapp.streaming.api_v1.serializers.statuses import Person


@dataclass(frozen=True, slots=True)
class RelatedData:
    """What messages show: statuses by id, authors by uid, mentioned members by lower-case login."""

    statuses: dict[int, Status]
    people: dict[int, Person]
    mentioned: dict[str, Member]


def load_related(db: Db, entries: Sequence[Entry]) -> RelatedData:
    """Load the statuses of some entries that still exist, their authors, and whom they mention.

    Three trips at most, none without entries. Raises Unavailable.
    """
    authors = list(dict.fromkeys(author for _, author in entries))
    stored, profiles = db.fetch(
        collect(stored_status(status_id) for status_id, _ in entries),
        collect(map(profile, authors)),
    )
    people = {
        uid: _person(profile)
        for uid, profile in zip(authors, profiles, strict=True)
        if profile is not None
    }
    statuses = {}
    for (status_id, author), found in zip(entries, stored, strict=True):
        person = people.get(author)
        status = found.with_author(person.member if person else None)
        if status:
            statuses[status_id] = status
    members = get_many_by_login(db, _mentioned_logins(statuses.values()))
    mentioned = {login: member for login, member in members.items() if not member.suspended}
    return RelatedData(statuses, people, mentioned)


def _person(profile: Profile) -> Person:
    return Person(
        profile.member, profile.about, profile.statuses, profile.followers, profile.following
    )


def _mentioned_logins(statuses: Iterable[Status]) -> set[str]:
    return {
        entity.text.lower()
        for status in statuses
        for entity in status.entities
        if entity.kind == "mention"
    }
