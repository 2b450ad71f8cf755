"""Documents of the index: a post or a member, with the terms that find them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from webapp.accounts.member import Member
from webapp.core.search.analyzer import Analysis, analyze
from webapp.core.search.plan import entity_facts, without_links
from webapp.core.text.entity_codec import unpack_entities
from webapp.core.text.parser import Entity
from webapp.statuses import Picture, Poll, Status, StoredStatus, Visibility, may_be_found
from webapp.statuses.values.pictures import unpack_pictures
from webapp.statuses.values.poll import unpack_poll


class Document(NamedTuple):
    """The terms that find one id. `author`: the uid that owns it."""

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


class Content(NamedTuple):
    """Hold the parts of a post that search examines.

    `login`: its author's name. `replied_login`: that of the member it answers; None if it is no
    reply.
    """

    login: str
    text: str
    entities: Sequence[Entity]
    lang: str
    cw: str
    replied_login: str | None
    is_quote: bool
    pictures: Sequence[Picture]
    poll: Poll | None


def status_document(status: Status) -> Document:
    """Return the document of a post."""
    content = Content(
        status.author.login,
        status.text,
        status.entities,
        status.lang,
        status.cw,
        status.in_reply_to.login if status.in_reply_to else None,
        bool(status.quote),
        status.pictures,
        status.poll,
    )
    return _post_document(status.id, status.author.uid, content)


def stored_document(stored: StoredStatus, author: int, login: str) -> Document | None:
    """Return the document of a post, straight from its fields; None if it is gone.

    `author` and `login`: its author's uid and name. Building a `Status` first would take twice as
    long.
    """
    fields = stored.by_name()
    if "text" not in fields:
        return None
    content = Content(
        login,
        fields["text"],
        unpack_entities(fields["entities"]),
        fields.get("lang", ""),
        fields.get("cw", ""),
        fields.get("reply_to_login"),
        "quoted_id" in fields,
        unpack_pictures(fields.get("media")),
        unpack_poll(fields.get("poll"), stored.id),
    )
    return _post_document(stored.id, author, content)


def member_document(member: Member, bio: str) -> Document:
    """Return the document of a member: their names, and their own description."""
    found = analyze((member.login, member.name, bio), "")
    return _document(member.uid, member.uid, found, ())


def _post_document(status_id: int, author: int, content: Content) -> Document:
    """Return the document of a post: its text, warning, poll, and descriptions of pictures."""
    text = without_links(content.text, content.entities)
    options = content.poll.options if content.poll else ()
    alts = (picture.alt for picture in content.pictures)
    found = analyze((content.cw, text, *options, *alts), content.lang.partition("-")[0])
    return _document(status_id, author, found, _facts(content))


def _document(number: int, author: int, found: Analysis, facts: Iterable[str]) -> Document:
    return Document(number, author, found.tokens, frozenset((*found.terms, *facts)))


def _facts(content: Content) -> Iterable[str]:
    """Yield the terms for facts of a post: its kind, parts and names."""
    yield f"from={content.login.lower()}"
    if content.replied_login is not None:
        yield "is=reply"
        yield f"to={content.replied_login.lower()}"
    if content.is_quote:
        yield "is=quote"
    if content.pictures:
        yield "has=media"
    if content.poll:
        yield "has=poll"
    if content.lang:
        yield f"lang={content.lang.partition('-')[0].lower()}"
    yield from entity_facts(content.entities)
