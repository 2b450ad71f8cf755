"""Members who meet by their skills, and around a place."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.community.jobs import store as jobs
from webapp.community.jobs.skills import Skill
from webapp.community.nearby import people

from .context import Stop, WalkContext
from .post_stops import EAST_HIDE


def jobs_by_skills(context: WalkContext) -> Iterator[Stop]:
    """Let members offer jobs, and name their skills."""
    me, friends = context.members.me, context.members.friends
    birding, writing = Skill("Bird ringing", 2, 3), Skill("Field notes", 1)
    offer = jobs.Offer(
        "Ring warblers at the marsh",
        "Ten mornings in May, from five to nine. Tea and a permit are provided.",
        "East hide, the marsh",
        False,
        (birding, writing),
    )
    own = jobs.save(context, me.uid, offer)
    jobs.save_skills(context, friends[0].uid, jobs.Candidate((birding, writing), shown=True))
    tidy = "Forty years of notebooks want to become one table."
    notes = jobs.Offer("Type up old notebooks", tidy, "", True, (writing,))
    jobs.save(context, friends[1].uid, notes)
    sheets = (*notes.skills, Skill("Spreadsheets", 2))
    jobs.save(context, friends[2].uid, jobs.Offer("Count the counts", tidy, "", True, sheets))
    jobs.save_skills(context, me.uid, jobs.Candidate((Skill("field notes", 3, 12),)))
    yield Stop("/jobs", "job offers by members", "Ring warblers")
    yield Stop("/jobs/mine", "the offers that fit your skills", "Type up old notebooks")
    yield Stop("/jobs/mine?missing=1", "those for which you lack one skill", "Spreadsheets")
    yield Stop(f"/jobs/{own}", "your own offer, and who fits", f"@{friends[0].login}")


def nearby(context: WalkContext) -> Iterator[Stop]:
    """Let the featured member and a friend be found near the hide."""
    point = EAST_HIDE.point or (0, 0)
    for member in (context.members.me, context.members.friends[1]):
        people.show(context.db, member.uid, point)
    at = f"{point[0]:.2f},{point[1]:.2f}"
    yield Stop(f"/nearby?at={at}", "public posts around a place", EAST_HIDE.name)
    yield Stop("/nearby/people", "people nearby, who chose to be found for a day", "under 2 km")
