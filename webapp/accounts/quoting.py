"""Who may quote what a member writes: said with each post, and by each member for those to come."""

from __future__ import annotations

from enum import Enum

from flask_babel import lazy_gettext as _l
from flask_babel.speaklater import LazyString
from wtforms.fields.choices import SelectChoice


class Quoting(Enum):
    """As it is stored. Followers: those of its author. The author may always."""

    EVERYONE = ""
    FOLLOWERS = "f"
    NOBODY = "n"

    @property
    def word(self) -> str:
        """What forms call it."""
        return self.name.lower()


LABELS: dict[Quoting, LazyString] = {
    Quoting.EVERYONE: _l("Everybody"),
    Quoting.FOLLOWERS: _l("My followers"),
    Quoting.NOBODY: _l("Nobody else"),
}


def choices() -> list[SelectChoice]:
    """What a form offers."""
    return [SelectChoice(one.word, label) for one, label in LABELS.items()]


def of_word(word: str | None) -> Quoting:
    """The one that forms call so; everyone where nothing is said. Raises ValueError."""
    if not word:
        return Quoting.EVERYONE
    found = next((one for one in Quoting if one.word == word), None)
    if found is None:
        raise ValueError(word)
    return found
