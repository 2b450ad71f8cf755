"""Check who reads a page's stream: the member of a session cookie or of an access token."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from webapp.accounts.sessions import store as sessions
from webapp.accounts.store import NO_UID, Member
from webapp.accounts.tokens import store as tokens
from webapp.config import Config
from webapp.core.errors import Forbidden, NotFound
from webapp.core.store import Db, Site
from webapp.lists import access
from webapp.statuses.threads import store as threads
from webapp.streaming.http.requests import Request
from webapp.streaming.hub.followed_topics import List
from webapp.streaming.hub.page_topics import Thread
from webapp.streaming.hub.topics import Topic

from .credentials import CheckedCredentials
from .hidden_authors import hidden_authors

NEVER_TOUCH = 10**9  # seconds
LoadMember = Callable[[], Member | None]


class PageCredentials(CheckedCredentials):
    """The credentials of a request for a topic.

    A cookie only counts for pages of this site: another site's page must not read with it.
    """

    def __init__(self, site: Site, request: Request, topic: Topic) -> None:
        super().__init__(site.db)
        self._topic = topic
        self._load_member = _member_loader(site, request)
        self.bot_owner = NO_UID  # the member whose bot it is

    def load_viewer(self) -> int | None:
        """Return the member's uid, None if the credentials are not good. Three trips at most.

        Loads the hidden authors, too.
        """
        member = self._load_member() if self._load_member else None
        if member is None or member.suspended:
            return None
        self.bot_owner = member.bot_owner
        self.hidden = self._db.read(hidden_authors(member.uid, self._topic))
        self.mark_checked()
        return member.uid

    def _check(self) -> bool:
        uid = self.load_viewer()
        return uid is not None and may_read(self._db, self._topic, uid)


def may_read(db: Db, topic: Topic, viewer: int | None) -> bool:
    """Return True if a viewer may read a topic; the owner of a list or thread may block them.

    Two trips at most. Raises Unavailable.
    """
    if isinstance(topic, List):
        return db.read(access.may_read(topic.owner, topic.list_id, viewer))
    if isinstance(topic, Thread):
        try:
            threads.require_streamable(db, topic.status_id, viewer)
        except (NotFound, Forbidden):
            return False
    return True


def session_member(site: Site, cookie: str) -> Member | None:
    """Return a session cookie's member, None if it is invalid. One trip."""
    # Only pages note the time, place and device of a session's last use.
    session = sessions.load(Site(site.db, replace(site.config, session_touch=NEVER_TOUCH)), cookie)
    return session.member if session else None


def _member_loader(site: Site, request: Request) -> LoadMember | None:
    """Return the function that loads who asks, None for a visitor."""
    if request.token is not None:
        return partial(tokens.authenticate, site, request.token)
    cookie = credential(site.config, request)
    if cookie and request.is_same_origin(site.config):
        return partial(session_member, site, cookie)
    return None


def credential(config: Config, request: Request) -> str:
    """Return the access token of a request, else its session cookie, "" with neither."""
    if request.token is not None:
        return request.token
    return request.session_cookie(config)
