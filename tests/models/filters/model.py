"""Word filters as they must match: constants, and the matching of words."""

from tests.support.state_machines.expected import StatusRecord
from webapp.statuses import Filter

FILTERS_MAX = 3  # of one member
EXPIRED, LATER = 1, 4_000_000_000  # unix seconds
LIST_NUMBER = 1  # of the list that each reader has
TAG = " #bird"
WORDS = ("a crumb", "Breadcrumbs", "CRUMB pie", "一只麻雀在唱歌", "a song")
FILTERED_WORDS = ("Crumb", "crumb", "crumb", "麻雀", "song")


def matches(record: Filter, context: str, status: StatusRecord) -> bool:
    """Return True if a filter matches a status in a context."""
    if context not in record.contexts or record.expires_at == EXPIRED:
        return False
    return _contains(_searched_text(status), record)


def _searched_text(status: StatusRecord) -> str:
    """Return the text, the content warning and the options of the poll."""
    poll = status.options.get("poll")
    parts = (status.text, status.options.get("cw", ""), *(poll.options if poll else ()))
    return " ".join(parts).casefold()


def _contains(text: str, record: Filter) -> bool:
    """Return True if a text has the words of a filter. Chinese has no spaces between words."""
    words = record.words.casefold()
    return words in text.split() if record.whole_word and words.isascii() else words in text
