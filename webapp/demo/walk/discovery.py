"""People to follow."""

from __future__ import annotations

from collections.abc import Iterator

from webapp.suggestions import jobs
from webapp.suggestions import store as suggestions

from .context import Stop, WalkContext


def people_to_follow(context: WalkContext) -> Iterator[Stop]:
    """Compute suggestions for the featured member, who dismisses the last of them."""
    me = context.members.me
    jobs.compute(context.db, me.uid)
    found = suggestions.suggested(context.db, me.uid, jobs.SUGGESTIONS_MAX)
    if found:
        suggestions.dismiss(context.db, me.uid, found[-1].member.login)
    yield Stop("/explore/people", "whom you may want to follow, and why", "People to follow")
    yield Stop(f"/@{me.login}/mutuals", "who follows you and is followed back", "Mutual")
    yield Stop("/welcome/topics", "the first steps of new members", "Choose topics")
