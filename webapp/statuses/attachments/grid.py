"""Statuses as a grid of their first pictures, covered behind a warning or a filter."""

from collections.abc import Iterable
from dataclasses import dataclass

from flask_babel import gettext as _

from webapp.core.media.signatures import current_signer
from webapp.statuses.filters.apply import filters_for
from webapp.statuses.items import Item, status_of
from webapp.statuses.status import Status
from webapp.statuses.values.pictures import Picture


@dataclass(frozen=True, slots=True)
class Tile:
    """One status in a grid of pictures.

    `warning`: of the author, `filtered`: words of the viewer's filter; "" for none. `query`: signs
    the addresses of a restricted picture.
    """

    status: Status
    picture: Picture
    warning: str
    filtered: str
    query: str


def picture_grid(items: Iterable[Item], filter_context: str) -> list[Tile]:
    """Return a tile for each status that has pictures, in order."""
    filter_set = filters_for(filter_context)
    statuses = [status for status in map(status_of, items) if status.pictures]
    signer = current_signer() if any(one.visibility.restricted for one in statuses) else None
    return [
        Tile(
            status,
            status.pictures[0],
            status.cw or (_("Sensitive pictures") if status.sensitive else ""),
            filter_set.warning_for(status),
            signer.query(status.pictures[0].name)
            if signer and status.visibility.restricted
            else "",
        )
        for status in statuses
    ]
