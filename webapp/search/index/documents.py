"""Documents of the index: a post or a member, with what they are found by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from webapp.accounts.member import Member
from webapp.core.search.analyzer import Analysis, analyze
from webapp.core.search.facts import entity_facts, without_links
from webapp.statuses.status import Status
from webapp.statuses.visibility.policy import may_be_found
from webapp.statuses.visibility.visibility import Visibility


@dataclass(frozen=True, slots=True)
class Document:
    """What one id is found by. `author`: the uid that owns it."""

    id: int
    author: int
    tokens: tuple[str, ...]
    terms: frozenset[str]

    @property
    def record(self) -> str:
        """Return the document as the index stores it."""
        indexed = self.terms.difference(self.tokens)
        return f"{self.author}\n {' '.join(self.tokens)} \n{' '.join(sorted(indexed))}"


def is_searchable(status: Status) -> bool:
    """Return True if others may find a post: a public one, of a member who may be found."""
    return status.visibility is Visibility.PUBLIC and may_be_found(status.author)


def status_document(status: Status) -> Document:
    """Return the document of a post: its text, warning, poll, and descriptions of pictures."""
    text = without_links(status.text, status.entities)
    options = status.poll.options if status.poll else ()
    alts = (picture.alt for picture in status.pictures)
    found = analyze((status.cw, text, *options, *alts), status.lang.partition("-")[0])
    return _document(status.id, status.author.uid, found, _facts(status))


def member_document(member: Member, bio: str) -> Document:
    """Return the document of a member: their names, and what they say of themselves."""
    found = analyze((member.login, member.name, bio), "")
    return _document(member.uid, member.uid, found, ())


def _document(number: int, author: int, found: Analysis, facts: Iterable[str]) -> Document:
    return Document(number, author, found.tokens, frozenset((*found.terms, *facts)))


def _facts(status: Status) -> Iterable[str]:
    """Yield the terms of what a post is, has, and names."""
    yield f"from={status.author.login.lower()}"
    if status.in_reply_to:
        yield "is=reply"
        yield f"to={status.in_reply_to.login.lower()}"
    if status.quote:
        yield "is=quote"
    if status.pictures:
        yield "has=media"
    if status.poll:
        yield "has=poll"
    if status.lang:
        yield f"lang={status.lang.partition('-')[0].lower()}"
    yield from entity_facts(status.entities)
