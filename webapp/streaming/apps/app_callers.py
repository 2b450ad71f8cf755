"""Who opens streams of the client API: a member through an app, an app alone, or a visitor."""

from typing import NamedTuple

from webapp.accounts.store import NO_UID
from webapp.accounts.tokens import store as tokens
from webapp.accounts.tokens.store import TokenHolder
from webapp.client_api.callers import TOKEN_INVALID, find_holder, require_scope
from webapp.client_api.streams import StreamKind
from webapp.core.errors import Forbidden, NotFound, Unauthorized
from webapp.core.store import Site
from webapp.core.web import rate_limits
from webapp.streaming.api_v1.connection_slots import SlotHolder
from webapp.streaming.delivery.credentials import CheckedCredentials
from webapp.streaming.delivery.hidden_authors import hidden_authors
from webapp.streaming.delivery.page_credentials import may_read
from webapp.streaming.hub.topics import Topic


class AppCaller(NamedTuple):
    """A caller. `network`: of the client, as rate limits count it. `token`: "" for none."""

    token: str
    network: str
    holder: TokenHolder | None

    @property
    def uid(self) -> int:
        """Return the uid of the member, NO_UID for anybody else."""
        return self.holder.member.uid if self.holder and self.holder.member else NO_UID

    @property
    def bot_owner(self) -> int:
        """Return the uid of the member whose bot it is, NO_UID for none."""
        return self.holder.member.bot_owner if self.holder and self.holder.member else NO_UID

    @property
    def slot_holder(self) -> SlotHolder:
        """Return whose slots its streams take: not those of the streaming API."""
        return f"apps-{self.uid or self.network}"

    def count_call(self, site: Site) -> None:
        """Count a call. One trip. Raises RateLimited."""
        subject = tokens.sha_of(self.token) if self.token else self.network
        rate_limits.consume(site.db, ("client_api", subject, site.config.limit_api))

    def require(self, kind: StreamKind) -> None:
        """Check that the caller may open a stream. Raises Unauthorized and Forbidden."""
        if self.holder:
            require_scope(self.holder, kind.scope)
        if not self.uid and not kind.public:
            raise Unauthorized("api_token", TOKEN_INVALID)


def identify(site: Site, token: str, network: str) -> AppCaller:
    """Return the caller with a token, "" for none. Three trips at most.

    Raises Unauthorized, also for visitors where they may not stream, Forbidden, RateLimited and
    Unavailable.
    """
    caller = AppCaller(token, network, None)
    caller.count_call(site)
    if token:
        caller = caller._replace(holder=find_holder(site, token))
    if not caller.uid and not site.config.anonymous_sample:
        raise Unauthorized("api_token", TOKEN_INVALID)
    return caller


class AppCredentials(CheckedCredentials):
    """The token for which a member was granted a stream of a topic."""

    def __init__(self, site: Site, caller: AppCaller, kind: StreamKind, topic: Topic) -> None:
        super().__init__(site.db)
        self._site = site
        self._caller = caller
        self._kind = kind
        self._topic = topic

    def load(self) -> None:
        """Check them, and load the hidden authors. Five trips at most.

        Raises Unauthorized and Forbidden for the token, NotFound for the list.
        """
        uid = self._caller.uid
        holder = find_holder(self._site, self._caller.token)
        if holder.member is None or holder.member.uid != uid:
            raise Unauthorized("api_token", TOKEN_INVALID)
        require_scope(holder, self._kind.scope)
        if not may_read(self._db, self._topic, uid):
            raise NotFound("no_list")
        self.hidden = self._db.read(hidden_authors(uid, self._topic))
        self.mark_checked()

    def _check(self) -> bool:
        try:
            self.load()
        except (Unauthorized, Forbidden, NotFound):
            return False
        return True
