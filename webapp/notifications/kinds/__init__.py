"""Kinds of notifications: their words and icons, and the pages that they open."""

from .kind import (
    CHOICES as CHOICES,
    EVERYONE as EVERYONE,
    FOLLOWED as FOLLOWED,
    GATHERED as GATHERED,
    NOBODY as NOBODY,
    PROMPT as PROMPT,
    Kind as Kind,
)
from .table import (
    CLIENT_TYPES as CLIENT_TYPES,
    KINDS as KINDS,
    TABS as TABS,
    kinds_in_tab as kinds_in_tab,
)
