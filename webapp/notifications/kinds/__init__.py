"""Kinds of notifications: their words and icons, and the pages that they open."""

from .kind import CHOICES as CHOICES
from .kind import EVERYONE as EVERYONE
from .kind import FOLLOWED as FOLLOWED
from .kind import GATHERED as GATHERED
from .kind import NOBODY as NOBODY
from .kind import PROMPT as PROMPT
from .kind import Kind as Kind
from .table import CLIENT_TYPES as CLIENT_TYPES
from .table import KINDS as KINDS
from .table import TABS as TABS
from .table import kinds_in_tab as kinds_in_tab
