"""Policies for quotes: chosen for each post, with a default for new posts."""

from enum import Enum

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString
from wtforms.fields.choices import SelectChoice


class QuotePolicy(Enum):
    """Members allowed to quote, by the stored letter. The author always is."""

    EVERYONE = ""
    FOLLOWERS = "f"
    NOBODY = "n"

    @property
    def slug(self) -> str:
        """Return the name that forms use."""
        return self.name.lower()


LABELS: dict[QuotePolicy, LazyString] = {
    QuotePolicy.EVERYONE: _l("Everyone"),
    QuotePolicy.FOLLOWERS: _l("My followers"),
    QuotePolicy.NOBODY: _l("Only me"),
}


def choices() -> list[SelectChoice]:
    """Return the choices of a form field."""
    return [SelectChoice(policy.slug, label) for policy, label in LABELS.items()]


def parse_quote_policy(slug: str | None) -> QuotePolicy:
    """Parse a form value; an empty one is EVERYONE. Raises ValueError."""
    if not slug:
        return QuotePolicy.EVERYONE
    for policy in QuotePolicy:
        if policy.slug == slug:
            return policy
    raise ValueError(slug)
