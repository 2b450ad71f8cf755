"""The words and facts by which a message is found."""

from collections.abc import Iterable
from dataclasses import dataclass

from webapp.core.search.analyzer import analyze
from webapp.core.search.plan import entity_facts, without_links

from .models import Content

# The language of a message is unknown. Words are indexed by their English stems.
LANGUAGE = "en"
TERMS_MAX = 200  # terms of one message, the first: words after them do not lead to it
TOKENS_MAX = 1_000  # words of one message that phrases are compared with


@dataclass(frozen=True, slots=True)
class MessageDocument:
    """A message as the index stores it: its `record`, and the terms that lead to it, spaced."""

    record: str = ""
    terms: str = ""


NO_DOCUMENT = MessageDocument()


def message_document(author_uid: int, content: Content) -> MessageDocument:
    """Return the document of a message: its text, and the descriptions of its pictures."""
    text = without_links(content.text, content.entities)
    found = analyze((text, *(picture.alt for picture in content.pictures)), LANGUAGE)
    tokens = found.tokens[:TOKENS_MAX]
    terms = list(dict.fromkeys((*_facts(content), *found.terms)))[:TERMS_MAX]
    others = [*(term for term in terms if term not in tokens), f"by={author_uid}"]
    return MessageDocument(f" {' '.join(tokens)} \n {' '.join(others)} ", " ".join(terms))


def _facts(content: Content) -> Iterable[str]:
    if content.reply_to:
        yield "is=reply"
    if content.pictures:
        yield "has=media"
    yield from entity_facts(content.entities)
