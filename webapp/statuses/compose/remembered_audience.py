"""The audience that a member chose last: new posts begin with it, replies do not.

It is stored with the account, so it holds in all browsers of the member. The quote policy is the
one that the settings show.
"""

from dataclasses import dataclass

from webapp.accounts.member import Member
from webapp.accounts.settings import choices
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.core.store import Db
from webapp.statuses.values.reply_policy import ReplyPolicy
from webapp.statuses.values.visibility import Visibility


@dataclass(frozen=True, slots=True)
class Audience:
    """Who can see a post, reply to it, and quote it."""

    visibility: Visibility = Visibility.PUBLIC
    reply_policy: ReplyPolicy = ReplyPolicy.EVERYBODY
    quote_policy: QuotePolicy = QuotePolicy.EVERYONE

    @property
    def slugs(self) -> dict[str, str]:
        """Return its values in forms."""
        return {
            "visibility": self.visibility.slug,
            "reply_policy": self.reply_policy.slug,
            "quote_policy": self.quote_policy.slug,
        }


def remembered_audience(member: Member) -> Audience:
    """Return the audience that a member's next post begins with."""
    visibility, _, reply_policy = member.audience.partition(",")
    return Audience(Visibility(visibility), ReplyPolicy(reply_policy), member.quote_policy)


def remember(db: Db, member: Member, audience: Audience) -> None:
    """Remember an audience for a member's next post. One trip if it is another one.

    Raises NotFound, Forbidden, Unavailable.
    """
    if audience == remembered_audience(member):
        return
    choices.remember(
        db,
        member.uid,
        audience=f"{audience.visibility.value},{audience.reply_policy.value}",
        quote_policy=audience.quote_policy.value,
    )
