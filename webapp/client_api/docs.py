"""Write `docs/client-api.md` from the declarations: `python -m webapp.client_api.docs > …`."""

from collections.abc import Iterator

from .declaration import Endpoint
from .endpoints import ENDPOINTS
from .openapi import PART
from .streams import KINDS, PATH

START = """# The client API

Phone apps and tools made for Mastodon sign in to this site with its address alone.
`webapp/client_api/` has it, and `/api/openapi.json` describes each parameter and answer. Run
`python -m webapp.client_api.docs > docs/client-api.md` after a change of an endpoint; a test fails
for an outdated page. Try it with [toot](https://toot.bezdomni.net):
`toot login --instance http://localhost:8000`.

- The site says that it is compatible with Mastodon 4.5. Calls carry a bearer token; a session
  cookie counts for nothing here.
- A text is weighed as twitter-text does: a Chinese character counts 2, a link 23. A client that
  counts characters may let a text through that is answered with 422.
- A token may be used 300 times in five minutes (`LIMIT_API`). The limits of pages hold besides.
- The answer to a write waits for the worker: 0.2 seconds at most, two calls a process.
  So a client that then reads a thread or a list finds it there.
- Posts of apps begin with the `source` of `update_credentials`: `privacy`, `sensitive`, `language`,
  `quote_policy`. What a member chose last on the pages of the site counts for these alone. Without
  a `language` of ISO 639 the text tells it.
- Public posts are those of this site; there are no others. A home ends after `HOME_MAX` entries.
- Members on lists need not be followed. A vote is final. Only a public post is boosted or quoted.
  A `display_name` is empty where it is the login. `@name@host` of this host is kept as `@name`.
- Differs: there are no videos and sounds, translations, blocked domains or hidden totals of polls.
  The `language` of a scheduled status is ignored, as are `languages` of a follow and
  `replies_policy` of a list, and `hide_collections`. A status is scheduled for a year at most. A
  quote needs a text. The focus of a picture is kept in steps of 0.2.
- `uses` of a hashtag or a link are the members who used it. Lists of found and followed hashtags
  leave `history` empty. `stats` and `usage` of the site are 0: it does not publish them.
- What is paged by `offset` ends after 200 entries or little more.
- Ids are numbers below 2^53. A larger cursor is a time: an id as Mastodon would give it then.
- A profile has the fields `Website` and `Location`; others are refused. `bot` is true of bots made
  here, and cannot be changed. Apps sign up members while `SIGNUP` is `open`; while
  it is `approval`, their token is answered with 403 until a moderator accepts them.
- A poll lasts whole minutes. A status may be edited for `EDIT_MINUTES`; its pictures and its poll
  stay.
- A boost has an id of its own. What is done to it is done to the boosted status.
- A conversation is a thread among the same people, of posts that only they may see.
- All posts of a `locked` account are `private`, those from before too.
- A post in a closed group is `private`. Only those in the group get it, and answers stay there.
- A quote of something that is gone or not for the reader is `unauthorized`: the two look the same.
- Apps may send a member's password for a token only where `OAUTH_PASSWORD_GRANT` allows it, with
  the login, not an e-mail. An app has five tokens of a member at most; a sixth ends the oldest.
- Pictures for few people have addresses that open for a day for whoever has them, because apps load
  pictures without their token. Those of a status that an app deletes can be posted again for a day,
  unless it sends `delete_media`.
- Pushes are encrypted as RFC 8291 says if a subscription is `standard`, else as its draft did
  (`aesgcm`). `POST` and `PUT` replace all alerts. A push service is a public host, https at the
  usual port.
- Notifications are grouped by their status, follows by their day. A group is on the page of its
  newest part alone. `filter` of a policy changes nothing: the site keeps no notifications apart.

| endpoint | scope | what it does |
| --- | --- | --- |
"""

STREAMS_START = """
## Streams

Open them by WebSocket at `/api/v1/streaming`, up to 20 on one socket, or each as Server-Sent Events
at its own address. A frame without the hashtag or the list that it needs is answered with an
error, one with an unknown stream with nothing. The token is in the `Authorization` header, in
`access_token=`, or the protocol of the WebSocket. Visitors may open those for everybody, if
`ANONYMOUS_SAMPLE` is on. A member may have 16 sockets and responses open
(`APP_STREAMS_PER_MEMBER`); a new one ends the oldest. Statuses are as the endpoints answer them.

| stream | events at | scope | what it sends |
| --- | --- | --- | --- |
"""


def page() -> str:
    """Return the page."""
    lines = "".join(f"{line}\n" for line in _rows())
    return START + lines + STREAMS_START + "".join(f"{line}\n" for line in _stream_rows())


def _rows() -> Iterator[str]:
    for one in sorted(ENDPOINTS, key=lambda endpoint: (endpoint.path, endpoint.method)):
        path = PART.sub(r":\2", one.path)
        summary = (one.view.__doc__ or "").partition("\n")[0]
        yield f"| `{one.method} {path}` | {_scope(one)} | {summary} |"


def _stream_rows() -> Iterator[str]:
    for one in KINDS.values():
        scope = f"`{one.scope}`, none for visitors" if one.public else f"`{one.scope}`"
        query = f"?{one.parameter}=" if one.parameter else ""
        yield f"| `{one.name}` | `{PATH}/{one.path}{query}` | {scope} | {one.about} |"


def _scope(one: Endpoint) -> str:
    if one.public and not one.scope:
        return "none"
    return f"`{one.scope}`" if one.scope else "any"


if __name__ == "__main__":
    print(page(), end="")
