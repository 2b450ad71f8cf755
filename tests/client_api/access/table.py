"""The table of all endpoints: what the path of each names, and which page shows the same.

Kinds of an endpoint, by what it names:

- `site`: nothing, and everybody gets the same. `own`: nothing, it is about the caller.
- `status`: a status that the caller may open. `act`: the same, and the call changes something.
  `author`: a status of the caller.
- `member`: a member. `person`: the same, and the call changes something.
- `list`, `filter`, `phrase` and `filtered` (a phrase and a status of a filter), `notification`,
  `group` (of notifications), `conversation`, `media`, `scheduled`: a number of the caller's own.

The page, if one shows the same, must show the same statuses to the same viewer. `{status}` and
`{member}` are the addresses of the status and the member. A line of the table is the declaration
without `<` and `>`. An endpoint without a line fails a test, and so does a line without one.
"""

from typing import NamedTuple

OWNED = (
    *("list", "filter", "phrase", "filtered", "notification", "group", "conversation", "media"),
    "scheduled",
)
KINDS = ("site", "own", "status", "act", "author", "member", "person", *OWNED)


class Row(NamedTuple):
    """A line of the table."""

    route: str
    kind: str
    page: str


LINES = """
POST   /api/v1/accounts                                      site
GET    /api/v1/accounts                                      own
GET    /api/v1/accounts/familiar_followers                   own
GET    /api/v1/accounts/id:uid                               member
POST   /api/v1/accounts/id:uid/endorse                       person
GET    /api/v1/accounts/id:uid/endorsements                  member        {member}/featured
GET    /api/v1/accounts/id:uid/identity_proofs               member
POST   /api/v1/accounts/id:uid/block                         person
GET    /api/v1/accounts/id:uid/featured_tags                 member
POST   /api/v1/accounts/id:uid/follow                        person
GET    /api/v1/accounts/id:uid/followers                     member        {member}/followers
GET    /api/v1/accounts/id:uid/following                     member        {member}/following
GET    /api/v1/accounts/id:uid/lists                         member
POST   /api/v1/accounts/id:uid/mute                          person
POST   /api/v1/accounts/id:uid/note                          person
POST   /api/v1/accounts/id:uid/pin                           person
POST   /api/v1/accounts/id:uid/remove_from_followers         person
GET    /api/v1/accounts/id:uid/statuses                      member        {member}/replies
POST   /api/v1/accounts/id:uid/unblock                       person
POST   /api/v1/accounts/id:uid/unendorse                     person
POST   /api/v1/accounts/id:uid/unfollow                      person
POST   /api/v1/accounts/id:uid/unmute                        person
POST   /api/v1/accounts/id:uid/unpin                         person
GET    /api/v1/accounts/lookup                               site
GET    /api/v1/accounts/relationships                        own
GET    /api/v1/accounts/search                               own
PATCH  /api/v1/accounts/update_credentials                   own
GET    /api/v1/accounts/verify_credentials                   own
GET    /oauth/userinfo                                       own
GET    /api/v1/announcements                                 site
POST   /api/v1/announcements/id:number/dismiss               own
POST   /api/v1/apps                                          site
GET    /api/v1/apps/verify_credentials                       site
GET    /api/v1/blocks                                        own
GET    /api/v1/bookmarks                                     own           /bookmarks
GET    /api/v1/conversations                                 own
DELETE /api/v1/conversations/id:number                       conversation
POST   /api/v1/conversations/id:number/read                  conversation
POST   /api/v1/conversations/id:number/unread                conversation
GET    /api/v1/custom_emojis                                 site
GET    /api/v1/directory                                     own
GET    /api/v1/domain_blocks                                 own
POST   /api/v1/domain_blocks                                 own
DELETE /api/v1/domain_blocks                                 own
POST   /api/v1/emails/confirmations                          own
GET    /api/v1/endorsements                                  own
GET    /api/v1/favourites                                    own
GET    /api/v1/featured_tags                                 own
POST   /api/v1/featured_tags                                 own
DELETE /api/v1/featured_tags/name                            own
GET    /api/v1/featured_tags/suggestions                     own
POST   /api/v1/filters                                       own
GET    /api/v1/filters                                       own
GET    /api/v1/filters/id:number                             phrase
PUT    /api/v1/filters/id:number                             phrase
DELETE /api/v1/filters/id:number                             phrase
GET    /api/v1/follow_requests                               own
POST   /api/v1/follow_requests/id:uid/authorize              person
POST   /api/v1/follow_requests/id:uid/reject                 person
GET    /api/v1/followed_tags                                 own
GET    /api/v1/instance                                      site
GET    /api/v1/instance/activity                             site
GET    /api/v1/instance/domain_blocks                        site
GET    /api/v1/instance/extended_description                 site
GET    /api/v1/instance/languages                            site
GET    /api/v1/instance/peers                                site
GET    /api/v1/instance/privacy_policy                       site
GET    /api/v1/instance/rules                                site
GET    /api/v1/instance/terms_of_service                     site
GET    /api/v1/instance/translation_languages                site
POST   /api/v1/lists                                         own
GET    /api/v1/lists                                         own
GET    /api/v1/lists/id:number                               list
PUT    /api/v1/lists/id:number                               list
DELETE /api/v1/lists/id:number                               list
POST   /api/v1/lists/id:number/accounts                      list
GET    /api/v1/lists/id:number/accounts                      list
DELETE /api/v1/lists/id:number/accounts                      list
POST   /api/v1/markers                                       own
GET    /api/v1/markers                                       own
POST   /api/v1/media                                         own
GET    /api/v1/media/id:number                               media
DELETE /api/v1/media/id:number                               media
PUT    /api/v1/media/id:number                               media
GET    /api/v1/mutes                                         own
GET    /api/v1/notifications                                 own
POST   /api/v1/notifications/clear                           own
GET    /api/v1/notifications/id:number                       notification
POST   /api/v1/notifications/id:number/dismiss               notification
GET    /api/v1/notifications/policy                          own
PATCH  /api/v1/notifications/policy                          own
GET    /api/v1/notifications/requests                        own
GET    /api/v1/notifications/requests/merged                 own
POST   /api/v1/notifications/requests/accept                 own
POST   /api/v1/notifications/requests/dismiss                own
GET    /api/v1/notifications/unread_count                    own
GET    /api/v1/polls/id:status_id                            status
POST   /api/v1/polls/id:status_id/votes                      act
GET    /api/v1/preferences                                   own
DELETE /api/v1/profile/avatar                                own
DELETE /api/v1/profile/header                                own
POST   /api/v1/push/subscription                             own
GET    /api/v1/push/subscription                             own
PUT    /api/v1/push/subscription                             own
DELETE /api/v1/push/subscription                             own
POST   /api/v1/reports                                       own
GET    /api/v1/scheduled_statuses                            own
GET    /api/v1/scheduled_statuses/id:number                  scheduled
PUT    /api/v1/scheduled_statuses/id:number                  scheduled
DELETE /api/v1/scheduled_statuses/id:number                  scheduled
POST   /api/v1/statuses                                      own
GET    /api/v1/statuses                                      own
GET    /api/v1/statuses/id:number                            status
DELETE /api/v1/statuses/id:number                            author
PUT    /api/v1/statuses/id:status_id                         author
POST   /api/v1/statuses/id:status_id/bookmark                act
GET    /api/v1/statuses/id:status_id/context                 status
POST   /api/v1/statuses/id:status_id/favourite               act
GET    /api/v1/statuses/id:status_id/favourited_by           status        {status}/likes
GET    /api/v1/statuses/id:status_id/history                 status        {status}/history
PUT    /api/v1/statuses/id:status_id/interaction_policy      author
POST   /api/v1/statuses/id:status_id/mute                    act
POST   /api/v1/statuses/id:status_id/pin                     author
GET    /api/v1/statuses/id:status_id/quotes                  status        {status}/quotes
POST   /api/v1/statuses/id:status_id/quotes/id:quote_id/revoke author
POST   /api/v1/statuses/id:status_id/reblog                  act
GET    /api/v1/statuses/id:status_id/reblogged_by            status        {status}/boosts
GET    /api/v1/statuses/id:status_id/source                  status
POST   /api/v1/statuses/id:status_id/unbookmark              act
POST   /api/v1/statuses/id:status_id/unfavourite             act
POST   /api/v1/statuses/id:status_id/unmute                  act
POST   /api/v1/statuses/id:status_id/unpin                   act
POST   /api/v1/statuses/id:status_id/unreblog                act
DELETE /api/v1/suggestions/id:uid                            own
GET    /api/v1/suggestions                                   own
GET    /api/v1/tags/name                                     site
POST   /api/v1/tags/name/follow                              own
POST   /api/v1/tags/name/unfollow                            own
POST   /api/v1/tags/name/feature                             own
POST   /api/v1/tags/name/unfeature                           own
GET    /api/v1/timelines/direct                              own
GET    /api/v1/timelines/home                                own           /home
GET    /api/v1/timelines/link                                own
GET    /api/v1/timelines/list/id:number                      list
GET    /api/v1/timelines/public                              own           /public
GET    /api/v1/timelines/tag/name                            own           /tags/marsh
GET    /api/v1/trends                                        own
GET    /api/v1/trends/links                                  own
GET    /api/v1/trends/statuses                               own           /explore?lang=all
GET    /api/v1/trends/tags                                   own
POST   /api/v2/filters                                       own
GET    /api/v2/filters                                       own
GET    /api/v2/filters/id:number                             filter
PUT    /api/v2/filters/id:number                             filter
DELETE /api/v2/filters/id:number                             filter
POST   /api/v2/filters/id:number/keywords                    filter
GET    /api/v2/filters/id:number/keywords                    filter
POST   /api/v2/filters/id:number/statuses                    filter
GET    /api/v2/filters/id:number/statuses                    filter
GET    /api/v2/filters/statuses/id:number                    filtered
DELETE /api/v2/filters/statuses/id:number                    filtered
GET    /api/v2/filters/keywords/id:number                    phrase
PUT    /api/v2/filters/keywords/id:number                    phrase
DELETE /api/v2/filters/keywords/id:number                    phrase
GET    /api/v2/instance                                      site
POST   /api/v2/media                                         own
GET    /api/v2/notifications                                 own
GET    /api/v2/notifications/group_key                       group
GET    /api/v2/notifications/group_key/accounts              own
POST   /api/v2/notifications/group_key/dismiss               own
GET    /api/v2/notifications/policy                          own
PATCH  /api/v2/notifications/policy                          own
GET    /api/v2/notifications/unread_count                    own
GET    /api/v1/search                                        own           /search?q=marsh
GET    /api/v2/search                                        own           /search?q=marsh
GET    /api/v2/suggestions                                   own
"""


def rows() -> list[Row]:
    """Return the lines of the table."""
    parts = [line.split() for line in LINES.strip().splitlines()]
    return [Row(f"{one[0]} {one[1]}", one[2], [*one, ""][3]) for one in parts]
