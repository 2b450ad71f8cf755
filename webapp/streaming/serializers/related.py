"""The data that statuses refer to: authors, mentioned members and quoted statuses."""

from __future__ import annotations

from dataclasses import dataclass, field

from webapp.accounts.store import Member
from webapp.statuses.status import Status

from .users import Person


@dataclass(frozen=True, slots=True)
class RelatedData:
    """The data that the JSON of some statuses is built from.

    `statuses` by id, `people` (authors and boosters) by uid, `mentioned` members by lower-case
    login, `quoted` by the id of the quoting status: only statuses that readers may see.
    """

    statuses: dict[int, Status]
    people: dict[int, Person]
    mentioned: dict[str, Member]
    quoted: dict[int, Status] = field(default_factory=dict)
