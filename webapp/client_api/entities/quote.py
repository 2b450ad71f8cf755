"""Who may quote a status, as newer clients have it."""

from __future__ import annotations

from collections.abc import Set

import msgspec

from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.statuses.status import Status

AUTOMATIC = {  # who may quote without being asked, by the policy of a status
    QuotePolicy.EVERYONE: ["public"],
    QuotePolicy.FOLLOWERS: ["followers"],
    QuotePolicy.NOBODY: [],
}


class QuoteApproval(msgspec.Struct):
    """Who may quote a status. Nobody is asked. `current_user`: automatic, or denied."""

    automatic: list[str]
    manual: list[str]
    current_user: str


def quote_approval(status: Status, viewer: int | None, follows: Set[int]) -> QuoteApproval:
    """Return who may quote a status. `follows`: authors whom the viewer follows."""
    is_denied = (
        not viewer
        or not status.quotable_by(viewer)
        or (
            status.quote_policy is QuotePolicy.FOLLOWERS
            and status.author.uid != viewer
            and status.author.uid not in follows
        )
    )
    automatic = [] if status.visibility.restricted else AUTOMATIC[status.quote_policy]
    return QuoteApproval(automatic, [], "denied" if is_denied else "automatic")
