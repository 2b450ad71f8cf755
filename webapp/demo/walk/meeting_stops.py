"""Members who find each other: by suggestions, search, their skills, and around a place."""

from collections.abc import Iterator

from webapp.community.jobs import store as jobs
from webapp.community.jobs.skills import Skill
from webapp.community.nearby import people
from webapp.explore.suggestions import jobs as suggestion_jobs, store as suggestions
from webapp.search.saved import store as saved_searches
from webapp.search.saved.store import SavedSearch
from webapp.statuses import Visibility

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
    yield Stop("/nearby/people", "people nearby, who chose to be found for a day", "Under 2 km")


def people_to_follow(context: WalkContext) -> Iterator[Stop]:
    """Compute suggestions for the featured member, who dismisses the last one."""
    me = context.members.me
    suggestion_jobs.compute(context.db, me.uid)
    found = suggestions.suggested(
        context.db,
        me.uid,
        suggestion_jobs.SUGGESTIONS_MAX,
        context.db.read(suggestions.candidates(me.uid)),
    )
    if found:
        suggestions.dismiss(context.db, me.uid, found[-1].member.login)
    yield Stop("/explore/people", "whom you may want to follow, and why", "People to follow")
    yield Stop(f"/@{me.login}/mutuals", "who follows you and is followed back", "Mutual")
    yield Stop("/welcome/topics", "the first steps of new members", "Choose topics")


def search(context: WalkContext) -> Iterator[Stop]:
    """Post something that only its words lead back to."""
    members = context.members
    context.post(members.friends[0], "A hoopoe on the lawn this morning, crest up and in no hurry")
    context.post(
        members.me, "Note to self: hoopoes like short grass", visibility=Visibility.MENTIONED
    )
    yield Stop("/search?q=hoopoe", "posts with a word, in any of its forms", "crest up")
    yield Stop("/search?q=hoopoe&tab=own", "your own posts, whoever may see them", "Note to self")
    login = members.friends[0].login
    yield Stop(
        f"/search?q=from:{login}+has:media&tab=top", "operators, the best first", "Search tips"
    )
    yield Stop(f"/search?q={login[:-1]}&tab=people", "people by their first letters", f"@{login}")
    context.post(members.friends[0], "First frost on the allotment #hoopoewatch")
    yield Stop("/search?q=hoopoe&tab=tags", "hashtags by what they contain", "#hoopoewatch")
    saved_searches.save(context, members.me.uid, SavedSearch("latest", "hoopoe"))
    yield Stop("/search/saved", "searches you have saved", "hoopoe")
