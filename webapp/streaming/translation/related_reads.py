"""Read the statuses and members that messages of a batch show, and quoted statuses."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from webapp.accounts.store import get_many_by_login
from webapp.core.store import Db, Read, collect, gather, read
from webapp.following.profiles import Profile, profile
from webapp.lists import keys as list_keys
from webapp.statuses import Entry, Status, stored_status
from webapp.statuses.interactions import keys as interaction_keys
from webapp.statuses.quotes.cards import quote_cards
from webapp.streaming.log.entries import LogEntry
from webapp.streaming.serializers.users import Person, RelatedData

People = dict[int, Person]


def load_related(
    db: Db, entries: Sequence[Entry], booster_uids: Iterable[int] = (), viewer: int | None = None
) -> RelatedData:
    """Load the statuses of some entries that still exist, with quotes and members.

    The quoted statuses are those that a viewer is shown; by default those that everybody may see.
    Four trips at most, none without entries.
    """
    entries = list(dict.fromkeys(entries))
    stored, people = db.fetch(
        collect(stored_status(status_id) for status_id, _ in entries),
        _people([author for _, author in entries], booster_uids),
    )
    statuses = {}
    for (status_id, author), found in zip(entries, stored, strict=True):
        person = people.get(author)
        status = found.with_author(person.member if person else None)
        if status:
            statuses[status_id] = status
    quoted, quoted_people = _load_quoted(db, statuses.values(), viewer)
    logins = _mentioned_logins([*statuses.values(), *quoted.values()])
    members = get_many_by_login(db, logins)
    mentioned = {login: member for login, member in members.items() if not member.suspended}
    return RelatedData(statuses, people | quoted_people, mentioned, quoted)


def _load_quoted(
    db: Db, statuses: Iterable[Status], viewer: int | None
) -> tuple[dict[int, Status], People]:
    """Return the quoted statuses that a viewer is shown, and their authors. One trip."""
    quotes = [status for status in statuses if status.quote]
    cards, people = db.fetch(
        quote_cards(viewer, quotes), _people(status.quote[1] for status in quotes if status.quote)
    )
    quoted = {
        quote_id: card.status
        for quote_id, card in cards.items()
        if card.status and not card.muted and card.status.author.uid in people
    }
    return quoted, people


def _people(*uids: Iterable[int]) -> Read[People]:
    """Read members as authors are shown. Those that are gone are left out."""
    wanted = list(dict.fromkeys(uid for some in uids for uid in some))
    return collect(map(_person, wanted)).map(
        lambda people: {
            uid: person for uid, person in zip(wanted, people, strict=True) if person is not None
        }
    )


def _person(uid: int) -> Read[Person | None]:
    def build(parts: tuple[Profile | None, int, int]) -> Person | None:
        found, likes, public_lists = parts
        if found is None:
            return None
        return Person(
            found.member,
            found.about,
            found.statuses,
            found.followers,
            found.following,
            likes,
            public_lists,
        )

    return gather(
        profile(uid),
        read(("ZCARD", interaction_keys.member_likes(uid)), int),
        read(("ZCARD", list_keys.publicly_listed_on(uid)), int),
    ).map(build)


def _mentioned_logins(statuses: Iterable[Status]) -> set[str]:
    return {
        entity.text.lower()
        for status in statuses
        for entity in status.entities
        if entity.kind == "mention"
    }


@dataclass(frozen=True, slots=True)
class Batch:
    """The data that messages of some entries show. `site_url`: the address of the pages."""

    related: RelatedData
    protected_uids: Collection[int]
    site_url: str

    def status(self, entry: LogEntry) -> Status | None:
        """Return the status of an entry as it is now, None if it is gone."""
        return self.related.statuses.get(entry.shown_status[0])
