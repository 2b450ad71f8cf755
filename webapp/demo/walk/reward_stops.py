"""Parts of the walk about points and what they are for."""

from __future__ import annotations

from collections.abc import Iterator

from .context import Stop, WalkContext

DAY_US = 86_400 * 1_000_000


def points(context: WalkContext) -> Iterator[Stop]:
    """Let the members check in for some days, and give the featured one points."""
    from webapp.rewards.points import check_ins, ledger

    members = context.members
    for place, member in enumerate((members.me, *members.friends)):
        for day in range(8 - place, -1, -1):
            context.db.advance(-day * DAY_US)
            check_ins.check_in(context, member.uid, "UTC")
            context.db.advance(day * DAY_US)
    ledger.book(context, members.me.uid, 25, "gift", "gift:demo", "for the map of the marsh")
    yield Stop("/check-in", "a streak of nine days in the calendar", "9 days")
    yield Stop("/points", "where each point came from", "for the map of the marsh")
    yield Stop("/boards?when=all", "who checked in most", members.friends[0].login)
