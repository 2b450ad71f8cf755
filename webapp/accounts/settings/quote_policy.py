"""Policies for quotes: chosen for each post, with a default for new posts."""

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString
from wtforms.fields.choices import SelectChoice

from webapp.core.text.slugs import SluggedEnum


class QuotePolicy(SluggedEnum):
    """Members allowed to quote, by the stored letter. The author always is."""

    EVERYONE = ""
    FOLLOWERS = "f"
    NOBODY = "n"


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
    return QuotePolicy.by_slug(slug) if slug else QuotePolicy.EVERYONE
