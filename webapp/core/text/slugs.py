"""Enums that members choose from: a short value that is stored, and a slug that forms use."""

from enum import Enum
from typing import Self


class SluggedEnum(Enum):
    """An enum whose names, in lower case, are the values of a form field."""

    @property
    def slug(self) -> str:
        """Return its value in forms."""
        return self.name.lower()

    @classmethod
    def by_slug(cls, slug: str) -> Self:
        """Return the choice with a slug. Raises ValueError."""
        for choice in cls:
            if choice.slug == slug:
                return choice
        raise ValueError(slug)
