"""Reports that the site makes itself, about texts with words that moderators want to see."""

from collections.abc import Sequence
from contextlib import suppress

from webapp.core.errors import Forbidden, NotFound
from webapp.core.events.outbox import Context, Event
from webapp.reports import keys
from webapp.reports.listing import open_since
from webapp.reports.store import report_by_site, report_draft

IMPORTED_MAX = 10  # open reports about one member, at which imported posts bring no more


def report_posts(context: Context, events: Sequence[Event]) -> None:
    """Report posts with such words, as they are now. Four trips for each."""
    for event in events:
        if term := event.data.get("flagged"):
            with suppress(NotFound, Forbidden):  # deleted, or suspended, meanwhile
                author, status_id = event.number("author"), event.number("id")
                report_by_site(context, author, term, _written_ms(event), status_id)


def report_imported(context: Context, events: Sequence[Event]) -> None:
    """Report imported posts in the same way: some of a member's, or they would push out others.

    Six trips for each.
    """
    for event in events:
        if event.data.get("flagged"):
            about = keys.report_queue(f"about.{event.number('author')}")
            newest = context.db.run(("ZRANGE", about, 0, IMPORTED_MAX - 1, "REV"))
            if len(context.db.read(open_since(newest))) < IMPORTED_MAX:
                report_posts(context, [event])


def report_drafts(context: Context, events: Sequence[Event]) -> None:
    """Report drafts that moderators see before they are published. Three trips for each."""
    for event in events:
        if term := event.data.get("flagged"):
            with suppress(NotFound):  # changed or deleted meanwhile
                report_draft(context, event.number("uid"), event.data["draft"], term)


def report_members(context: Context, events: Sequence[Event]) -> None:
    """Report members with such words in their names or profiles. Three trips for each."""
    for event in events:
        if term := event.data.get("flagged"):
            with suppress(NotFound, Forbidden):
                report_by_site(context, event.number("uid"), term, _written_ms(event))


def _written_ms(event: Event) -> int:
    """Return when the text of an event was written, in unix ms."""
    return int(event.id.partition("-")[0])
