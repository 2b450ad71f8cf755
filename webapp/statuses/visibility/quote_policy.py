"""Who may quote what a member writes: said with each post, and by each member for those to come."""

from __future__ import annotations

from enum import Enum

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString
from wtforms.fields.choices import SelectChoice


class QuotePolicy(Enum):
    """As it is stored. Followers: those of its author. The author may always."""

    EVERYONE = ""
    FOLLOWERS = "f"
    NOBODY = "n"

    @property
    def slug(self) -> str:
        """What forms call it."""
        return self.name.lower()


LABELS: dict[QuotePolicy, LazyString] = {
    QuotePolicy.EVERYONE: _l("Everybody"),
    QuotePolicy.FOLLOWERS: _l("My followers"),
    QuotePolicy.NOBODY: _l("Nobody else"),
}


def choices() -> list[SelectChoice]:
    """What a form offers."""
    return [SelectChoice(one.slug, label) for one, label in LABELS.items()]


def parse_quote_policy(slug: str | None) -> QuotePolicy:
    """The one that forms call so; everyone where nothing is said. Raises ValueError."""
    if not slug:
        return QuotePolicy.EVERYONE
    policy = next((one for one in QuotePolicy if one.slug == slug), None)
    if policy is None:
        raise ValueError(slug)
    return policy
