"""Search, and people to follow."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.explore.suggestions import jobs
from webapp.explore.suggestions import store as suggestions
from webapp.search.saved import store as saved_searches
from webapp.search.saved.store import SavedSearch
from webapp.statuses.values.visibility import Visibility

from .context import Stop, WalkContext


def people_to_follow(context: WalkContext) -> Iterator[Stop]:
    """Compute suggestions for the featured member, who dismisses the last one."""
    me = context.members.me
    jobs.compute(context.db, me.uid)
    found = suggestions.suggested(
        context.db,
        me.uid,
        jobs.SUGGESTIONS_MAX,
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
    first_letters = login[:-1]
    yield Stop(
        f"/search?q={first_letters}&tab=people", "people by their first letters", f"@{login}"
    )
    yield Stop(f"/autocomplete/search?q={first_letters}", "suggestions of the search box", login)
    context.post(members.friends[0], "First frost on the allotment #hoopoewatch")
    yield Stop("/search?q=hoopoe&tab=tags", "hashtags by what they contain", "#hoopoewatch")
    saved_searches.save(context.db, members.me.uid, SavedSearch("latest", "hoopoe"))
    yield Stop("/search/saved", "searches you have saved", "hoopoe")
