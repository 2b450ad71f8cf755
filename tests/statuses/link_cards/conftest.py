"""Posts with links to a server on loopback, and the worker's part done in the test."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import pytest

from tests.conftest import ApplyEvents
from tests.support.linked_site import LinkedSite, linked_site
from tests.support.world import World
from webapp.config import Config
from webapp.core.store import Db, Site, partition_of
from webapp.core.text.parser import parse
from webapp.statuses import Status, store as statuses
from webapp.statuses.edits import editing
from webapp.statuses.link_cards import keys
from webapp.statuses.link_cards.worker import LinkCardMaker
from webapp.statuses.values.card import LinkCard

forms = count(1)


@dataclass
class CardScene:
    """ann posts links; `config` lets cards be fetched from loopback."""

    db: Db
    config: Config
    ann: int
    site: LinkedSite
    apply_events: ApplyEvents

    def post(self, text: str, **options: Any) -> int:
        """Post and apply the events. Return the id."""
        status_id = statuses.post(
            Site(self.db, self.config), self.ann, parse(text, 280), f"form-{next(forms)}", **options
        )
        self.apply_events()
        return status_id

    def edit(self, status_id: int, text: str) -> None:
        """Edit a post and apply the events."""
        version = self.status(status_id).version
        stored = str(version) if version else ""
        parsed = parse(text, 280)
        editing.edit(Site(self.db, self.config), self.ann, status_id, parsed, "", stored)
        self.apply_events()

    def make(self) -> int:
        """Make the due cards and apply their events."""
        made = LinkCardMaker(Site(self.db, self.config)).run_due()
        self.apply_events()
        return made

    def make_all_due(self) -> None:
        """End the pauses and leases of all posts."""
        for status_id in self.waiting:
            self.db.run(("ZADD", keys.due_cards(partition_of(self.ann)), 0, status_id))

    @property
    def waiting(self) -> list[int]:
        """Return the ids of ann's posts that wait for a card."""
        rows = self.db.run(("ZRANGE", keys.due_cards(partition_of(self.ann)), 0, -1))
        return [int(row) for row in rows]

    def status(self, status_id: int) -> Status:
        return statuses.get(self.db, status_id, self.ann)

    def card(self, status_id: int) -> LinkCard | None:
        return self.status(status_id).card


@pytest.fixture
def linked(monkeypatch: pytest.MonkeyPatch) -> Iterator[LinkedSite]:
    """The server that posts link to."""
    with linked_site(monkeypatch) as site:
        yield site


@pytest.fixture
def scene(db: Db, config: Config, world: World, linked: LinkedSite) -> CardScene:
    """ann, and a server that she links to."""
    [ann] = world.people("ann")
    return CardScene(db, replace(config, link_cards="private"), ann, linked, world.apply_events)
