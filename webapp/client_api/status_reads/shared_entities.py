"""Statuses as entities that readers share who see no difference.

What one reader sees must never be in the entity of another: a test compares them.
"""

from collections.abc import Sequence

from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.client_api.entities.status import Status, View, status_entity
from webapp.statuses import Item, status_of
from webapp.statuses.items import members_shown
from webapp.statuses.status import Status as Stored
from webapp.statuses.viewer.viewer_state import QuoteCard


def shared_entities(items: Sequence[Item], view: View, alike: dict[object, Status]) -> list[Status]:
    """Return the entities of items. `alike`: those that readers without a part in them share."""
    found = []
    for item in items:
        has_accounts = all(member.uid in view.accounts for member in members_shown(item))
        if not has_accounts or view.filters.hides(status_of(item)):
            continue
        if key := _key_of_others(item, view):
            entity = alike.get(key) or alike.setdefault(key, status_entity(item, view))
        else:
            entity = status_entity(item, view)
        found.append(entity)
    return found


def _key_of_others(item: Item, view: View) -> object:
    """Return a key that is equal for readers who see the same of an item.

    None for a reader who wrote it or what it quotes, has acted on either or filters either.
    """
    status, cards = status_of(item), view.state.quote_cards
    card = cards.get(status.id)
    quoted = [card.status] if card and card.status else []
    if any(_is_of_reader(one, view) for one in (status, *quoted)):
        return None
    policies = {one.quote_policy for one in (status, *quoted)}
    followed = [
        member.uid in view.follows
        for member in (*members_shown(item), *(one.author for one in quoted))
        if member.protected or QuotePolicy.FOLLOWERS in policies
    ]
    seen = [_seen_of(cards.get(one.id)) for one in (status, *quoted)]
    return item.id, bool(view.viewer), *followed, *seen


def _is_of_reader(status: Stored, view: View) -> bool:
    """Return True if the reader wrote a status, has acted on it, or filters or mutes it."""
    acted = status.id in view.state.interacted_ids() or status.id in view.state.votes
    hidden = status.conversation in view.muted or view.filters.matching(status)
    return acted or status.author.uid == view.viewer or bool(hidden)


def _seen_of(card: QuoteCard | None) -> object:
    """Return a quoted status as a reader sees it: others may see less."""
    return card and (card.status and card.status.id, card.muted)
