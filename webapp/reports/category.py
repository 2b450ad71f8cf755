"""Categories of reports, as members choose them and as operators filter by them."""

from enum import Enum

from flask_babel import lazy_gettext as _l


class Category(Enum):
    """A category of reports. Its value is stored, sent by forms, and typed by operators."""

    SPAM = "spam"
    HARASSMENT = "harassment"
    HATE = "hate"
    ILLEGAL = "illegal"
    EXPLICIT = "explicit"
    IMPERSONATION = "impersonation"
    OTHER = "other"


LABELS = {
    Category.SPAM: _l("Spam or a scam"),
    Category.HARASSMENT: _l("Harassment or bullying"),
    Category.HATE: _l("Hate speech"),
    Category.ILLEGAL: _l("Something illegal or dangerous"),
    Category.EXPLICIT: _l("Nudity or violence"),
    Category.IMPERSONATION: _l("Pretending to be someone else"),
    Category.OTHER: _l("Something else"),
}


def parse_category(value: object) -> Category | None:
    """Parse a value of a form, None if it is not a category."""
    return next((category for category in Category if category.value == value), None)
