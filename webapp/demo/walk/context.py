"""Shared types of the walk: its store and members, and the addresses to look at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Unpack

from webapp.core.store import Site
from webapp.core.text.parser import parse
from webapp.demo.acts.act import home_network
from webapp.demo.acts.clock import PastDb
from webapp.statuses import Place, store as statuses
from webapp.statuses.compose.new_status import StatusOptions

from .walk_members import WalkMember, WalkMembers

FORM_KEY = "demo-walk"
STEP_US = 8 * 1_000_000  # between two posts


@dataclass(frozen=True, slots=True)
class Posted:
    """A status of the walk."""

    author: WalkMember
    id: int

    @property
    def path(self) -> str:
        """Return the path of its page."""
        return f"/@{self.author.login}/{self.id}"


@dataclass(frozen=True, slots=True)
class Stop:
    """An address of the walk.

    `summary`: the things to see. `text`: a text on the page that proves it.
    """

    path: str
    summary: str
    text: str


@dataclass(frozen=True, slots=True)
class WalkContext(Site):
    """The store, and the members who act in it. `apply`: applies the events of their acts."""

    db: PastDb
    members: WalkMembers
    apply: Callable[[], None]

    def post(
        self,
        author: WalkMember,
        text: str,
        place: Place | None = None,
        **options: Unpack[StatusOptions],
    ) -> Posted:
        """Post a status, a few seconds after the last one. At most five trips."""
        self.db.advance(STEP_US)
        options.setdefault("network", home_network(author.uid))
        status_id = statuses.post(self, author.uid, parse(text), FORM_KEY, place, **options)
        return Posted(author, status_id)


Part = Callable[[WalkContext], Iterator[Stop]]  # writes data, and yields the places to see it
