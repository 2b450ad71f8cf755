"""The defaults of posts that apps send, as the member chose them in an app."""

from typing import NamedTuple

from webapp.accounts.member import Member
from webapp.statuses import Visibility

VISIBILITIES = {
    "public": Visibility.PUBLIC,
    "unlisted": Visibility.UNLISTED,
    "private": Visibility.FOLLOWERS,
    "direct": Visibility.MENTIONED,
}


class PostingDefaults(NamedTuple):
    """Visibility, cover of pictures and language of posts that do not say these."""

    visibility: Visibility = Visibility.PUBLIC
    sensitive: bool = False
    language: str = ""

    @property
    def stored(self) -> str:
        """Return them as they are stored, "" for those of new members."""
        packed = f"{self.visibility.value},{'1' * self.sensitive},{self.language}"
        return "" if self == PostingDefaults() else packed


def posting_defaults(member: Member) -> PostingDefaults:
    """Return the defaults of posts that a member's apps send."""
    visibility, sensitive, language = (member.app_defaults or ",,").split(",")
    return PostingDefaults(Visibility(visibility), bool(sensitive), language)
