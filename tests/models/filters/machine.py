"""The state of the filters machine, and what its rules share."""

from collections import Counter
from collections.abc import Iterable, Iterator

from flask import Flask
from hypothesis import strategies as st

from tests.models.filters.model import matches
from tests.models.filters.pages import BOOST, FILTERED, QUOTE_CARD, STATUS, Token
from tests.support.state_machines.machine import MemberMachine
from webapp.statuses import Filter, Item, ViewerState, status_of
from webapp.statuses.items import Boost

READERS = (1, 2, 1, 2, 3)  # in turn: the first two have filters
readers = st.sampled_from(READERS[:2])


class FiltersMachineBase(MemberMachine):
    """A store, its site, and the model.

    `filters` are by member and number. `created` has how many each member ever created. `turn`
    chooses the next page and its reader.
    """

    app: Flask

    def __init__(self) -> None:
        super().__init__()
        self.filters: dict[int, dict[int, Filter]] = {}
        self.created = Counter[int]()
        self.turn = 0

    def matching_filters(self, uid: int, context: str, status_id: int) -> list[Filter]:
        """Return a member's filters that match a status in a context, the newest first.

        Nobody filters their own statuses.
        """
        status = self.statuses[status_id]
        if status.author == uid:
            return []
        newest_first = sorted(self.filters.get(uid, {}).items(), reverse=True)
        return [record for _, record in newest_first if matches(record, context, status)]

    def hides(self, uid: int, context: str, status_id: int) -> bool:
        """Return True if a filter leaves a status out."""
        return any(record.hide for record in self.matching_filters(uid, context, status_id))

    def without_hidden(self, uid: int, context: str, items: Iterable[Item]) -> list[Item]:
        """Return the items that no filter leaves out."""
        return [item for item in items if not self.hides(uid, context, status_of(item).id)]

    def filtered_by(self, uid: int, context: str, status_id: int) -> str:
        """Return the words of the filter that folds a status; "" if none does."""
        matching = self.matching_filters(uid, context, status_id)
        return matching[0].words if matching else ""

    def expected_tokens(
        self, uid: int, context: str, items: Iterable[Item], viewer_state: ViewerState
    ) -> Iterator[Token]:
        """Yield the tokens of items that no filter hides."""
        for item in items:
            status = status_of(item)
            if isinstance(item, Boost):
                yield BOOST, str(item.id)
            yield from self._folded_token(uid, context, status.id)
            yield STATUS, str(status.id)
            card = viewer_state.quote_cards.get(status.id)
            if card and card.status and not card.muted:
                yield from self._folded_token(uid, context, card.status.id)
                yield QUOTE_CARD, str(card.status.id)

    def _folded_token(self, uid: int, context: str, status_id: int) -> Iterator[Token]:
        if words := self.filtered_by(uid, context, status_id):
            yield FILTERED, words
