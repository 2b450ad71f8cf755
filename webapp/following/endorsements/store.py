"""Feature a followed member on one's profile, which everybody sees. It ends with the follow."""

from webapp.following import keys
from webapp.following.member_collection import MemberCollection

ENDORSEMENTS_MAX = 100  # members on the profile of one member
ENDORSEMENTS = MemberCollection(
    keys.endorsements,
    bound=lambda _config: ENDORSEMENTS_MAX,
    full="ENDORSEMENTSFULL",
    added="profile_edited",
    removed="profile_edited",
    within=keys.following,
    outside="ENDORSENOTFOLLOWED",
)
endorse, unendorse = ENDORSEMENTS.add_login, ENDORSEMENTS.remove_login
