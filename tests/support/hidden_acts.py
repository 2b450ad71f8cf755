"""A site on which members do what neither visitors nor an unrelated member may notice.

Ann and Ben are public, Pia is protected and Ann follows her. Zoe follows nobody. Sam, the unrelated
member, follows Ben alone.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count

from flask import Flask
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.pages import join
from webapp.accounts.store import uid_by_login
from webapp.chat.bots import keys as bot_keys
from webapp.chat.bots.deliveries import ClaimedDelivery, Payload, finish
from webapp.chat.bots.store import create_bot
from webapp.chat.bots.webhooks import set_webhook
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.store import PARTITIONS, Db, Site, partition_of
from webapp.notifications.kinds import KINDS
from webapp.registry import REGISTRY
from webapp.statuses import keys as status_keys
from webapp.statuses.drafts import keys as draft_keys
from webapp.statuses.link_cards import keys as card_keys
from webapp.statuses.link_cards.queue import Claim, attach
from webapp.statuses.polls import keys as poll_keys
from webapp.statuses.values.card import LinkCard

POLL = {"option1": "yes", "option2": "no", "poll_minutes": "60"}
LONG_POLL = POLL | {"poll_minutes": "10080"}
LOGINS = ("ann", "ben", "pia", "zoe", "sam")
CLAIMED_UNTIL = 4_000_000_000_000  # unix ms: a link card that is being fetched


@dataclass
class ActSite:
    """The app, the members' browsers and ids by login, and the types of the events of all acts."""

    run = Site.run

    app: Flask
    config: Config
    clients: dict[str, FlaskClient] = field(default_factory=dict)
    uids: dict[str, int] = field(default_factory=dict)
    # name -> login of the author and id of a status; all but Pia's are for everybody
    posts: dict[str, tuple[str, str]] = field(default_factory=dict)
    bot: int = 0  # the uid of Ann's bot
    event_types: set[str] = field(default_factory=set)
    _numbers: Iterator[int] = field(default_factory=count)

    @property
    def db(self) -> Db:
        """The app's store."""
        db: Db = self.app.extensions["linnet.db"]
        return db

    @property
    def bens_post(self) -> str:
        """The id of a status that everybody sees."""
        return self.posts["ben"][1]

    def send(self, who: str, path: str, form: Mapping[str, object] = {}, **more: object) -> str:
        """Send a form that must be accepted. Return where it leads to."""
        response = self.clients[who].post(path, data={**form, **more})
        assert response.status_code in (201, 204, 303), (who, path, response.status_code)
        return response.location or ""

    def post(self, who: str, text: str, **form: object) -> str:
        """Post a status. Return its id."""
        data = {"text": f"{text} {next(self._numbers)}", **form}
        headers = {"Accept": "application/json"}
        response = self.clients[who].post("/statuses", data=data, headers=headers)
        assert response.status_code == 201, response.text
        status_id: str = response.json["id"]
        return status_id

    def settle(self) -> None:
        """Apply all events, and do the periodic work that they cause."""
        for _ in range(2):
            for partition in range(PARTITIONS):
                entries = self.db.run(("XRANGE", event_keys.outbox(partition), "-", "+"))
                self.event_types |= {fields[fields.index("type") + 1] for _, fields in entries}
            worker.drain(self)
            for due_job in REGISTRY.due_jobs:
                due_job(self, range(PARTITIONS))
        for row in REGISTRY.scheduled:
            row.compute(self)
        for job in REGISTRY.partition_jobs:
            for partition in {0, *map(partition_of, self.uids.values())}:
                job(self, partition)


def populate(app: Flask, config: Config) -> ActSite:
    """Sign the members up, and let them post what everybody may see, and protect Pia."""
    site = ActSite(app, config)
    for login in LOGINS:
        site.clients[login] = join(app, login)
        site.uids[login] = site.db.read(uid_by_login(login))
    for follower, followed in ("sam", "ben"), ("ann", "pia"), ("pia", "ann"):
        site.send(follower, f"/@{followed}/follow")
    site.settle()
    for login in ("ann", "ben", "pia"):
        site.posts[login] = login, site.post(login, f"a song by {login} #marsh")
    site.posts["poll"] = "ben", site.post("ben", "which song? #marsh", **LONG_POLL)
    site.posts["reply"] = "ann", site.post("ann", "@ben indeed", reply=site.bens_post)
    for who in ("ann", "zoe"):
        site.send(who, f"/statuses/{site.bens_post}/like")
    site.send("ann", f"/statuses/{site.bens_post}/boost")
    for private in "", "y":
        site.send("ben", "/lists", name=f"birds {private}", private=private)
        site.send("ben", "/lists/1/members", people="ann")
    site.send("pia", "/lists", name="waders")
    site.bot = create_bot(Site(site.db, config), site.uids["ann"], "chime", "Chime").uid
    set_webhook(Site(site.db, config), site.bot, "https://birds.press/hook")
    site.settle()
    site.send("pia", "/settings/privacy", protected="y", quote_policy="everyone")
    site.settle()
    site.event_types.clear()
    return site


def hidden_acts(site: ActSite) -> Iterator[str]:
    """Do one act after the other, and yield its name. Most are undone again."""
    for acts in ACTS.values():
        yield from acts(site)


def _statuses(site: ActSite) -> Iterator[str]:
    """Post statuses for few, and do to them all that can be done."""
    for visibility in ("followers", "mentioned"):
        text = f"@pia psst #marsh https://birds.press/{visibility}"
        one = site.post("ann", text, visibility=visibility)
        yield f"a post for {visibility}"
        for action in ("like", "bookmark", "unlike", "unbookmark"):
            site.send("pia", f"/statuses/{one}/{action}")
            yield f"{action} a post for {visibility}"
        for action in ("pin", "unpin"):
            site.send("ann", f"/statuses/{one}/{action}")
            yield f"{action} a post for {visibility}"
        site.send("ann", f"/@ann/{one}/edit", text=f"{text} again", version="0")
        yield f"an edit of a post for {visibility}"
        _attach_card(site, one)
        yield f"a link card of a post for {visibility}"
        site.post("pia", "@ann indeed", reply=one)
        yield f"a reply to a post for {visibility}"
        site.send("ann", f"/statuses/{one}/delete")
        yield f"a deletion of a post for {visibility}"
        poll = site.post("ann", "@pia which?", visibility=visibility, **POLL)
        yield f"a poll for {visibility}"
        site.send("pia", f"/statuses/{poll}/vote", option="0")
        yield f"a vote in a poll for {visibility}"
        deadlines = poll_keys.poll_deadlines(partition_of(int(poll)))
        site.db.run(("ZADD", deadlines, 1, poll))
        yield f"the end of a poll for {visibility}"


def _replies_and_quotes(site: ActSite) -> Iterator[str]:
    """Answer and quote, for few, what everybody sees."""
    for visibility in ("followers", "mentioned"):
        for field_name in ("reply", "quote"):
            name = f"a {field_name} for {visibility}"
            form = {field_name: site.bens_post, "visibility": visibility}
            one = site.post("ann", "@ben psst", **form)
            yield name
            if field_name == "quote":
                for action in ("detach", "reattach"):
                    site.send("ben", f"/statuses/{one}/{action}")
                    yield f"{action} {name}"
            site.send("ann", f"/statuses/{one}/delete")
            yield f"a deletion of {name}"


def _protected(site: ActSite) -> Iterator[str]:
    """Let a protected member post, and another answer, like, vote and turn the bell on."""
    site.send("ann", "/@pia/subscribe")
    yield "a subscription to a protected member"
    one = site.post("pia", "psst #marsh https://birds.press/pia", **POLL)
    yield "a post of a protected member"
    for action in ("like", "bookmark", "unlike", "unbookmark"):
        site.send("ann", f"/statuses/{one}/{action}")
        yield f"{action} a post of a protected member"
    site.send("ann", f"/statuses/{one}/vote", option="1")
    yield "a vote in a poll of a protected member"
    for action in ("pin", "unpin"):
        site.send("pia", f"/statuses/{one}/{action}")
        yield f"{action} a post of a protected member"
    site.send("pia", f"/@pia/{one}/edit", text="psst again #marsh", version="0")
    yield "an edit by a protected member"
    _attach_card(site, one)
    yield "a link card of a protected member"
    site.post("ann", "@pia indeed", reply=one)
    yield "a reply to a protected member"
    site.send("pia", f"/statuses/{one}/delete")
    yield "a deletion by a protected member"
    for field_name in ("reply", "quote"):
        one = site.post("pia", "look", **{field_name: site.bens_post})
        yield f"a {field_name} by a protected member"
        site.send("pia", f"/statuses/{one}/delete")
        yield f"a deleted {field_name} by a protected member"
    site.send("ann", "/@pia/unsubscribe")
    yield "the end of a subscription"
    site.send("zoe", "/@pia/follow")
    yield "a request to follow a protected member"
    site.send("zoe", "/@pia/unfollow")
    yield "a request that is taken back"
    site.send("zoe", "/@pia/follow")
    site.settle()
    site.send("pia", "/@zoe/refuse")
    yield "a request that is refused"


def _private_lists(site: ActSite) -> Iterator[str]:
    """Create a private list, change it and delete it."""
    number = site.send("ann", "/lists", name="secret", private="y").split("/")[-2]
    yield "a private list"
    site.send("ann", f"/lists/{number}/members", people="ben")
    yield "a member of a private list"
    site.send("ann", f"/lists/{number}/edit", name="secret too", private="y", exclusive="y")
    yield "a change of a private list"
    site.send("ann", f"/lists/{number}/members/ben/remove")
    yield "a member off a private list"
    site.send("ann", f"/lists/{number}/members", people="ben")
    site.settle()
    site.send("ann", f"/lists/{number}/delete")
    yield "a deleted private list"


def _relations(site: ActSite) -> Iterator[str]:
    """Hide members from another."""
    for action in ("mute", "unmute", "hide-boosts", "show-boosts", "block", "unblock", "dismiss"):
        site.send("zoe", f"/@ann/{action}")
        yield f"{action} a member"
    site.send("zoe", "/@ann/note", note="psst")
    yield "a note about a member"
    for action in ("mute", "unmute"):
        site.send("ann", f"/statuses/{site.bens_post}/{action}")
        yield f"{action} a conversation"
    for action in ("follow", "unfollow"):
        site.send("ann", f"/tags/marsh/{action}")
        yield f"{action} a hashtag"


def _private(site: ActSite) -> Iterator[str]:
    """Do what is a member's own: bookmarks, drafts, filters, settings, reports, sessions."""
    ben = site.bens_post
    for action in ("bookmark", "unbookmark"):
        site.send("ann", f"/statuses/{ben}/{action}")
        yield f"{action} a post"
    site.send(
        "ann",
        "/settings/filters",
        words="song",
        public="y",
        filter_action="hide",
        expires_in="always",
    )
    yield "a filter"
    site.send("ann", "/settings/filters/1/delete")
    yield "a deleted filter"
    draft = {"key": "draft-of-ann", "text": "a draft #marsh"}
    site.send("ann", "/drafts", draft)
    yield "a draft"
    at = (datetime.now(UTC) + timedelta(days=3)).strftime("%Y-%m-%dT%H:%M")
    site.send("ann", "/statuses", draft, at=at)
    yield "a scheduled post"
    _spoil_draft(site, draft["key"])
    yield "a scheduled post that cannot be posted"
    site.send("ann", "/drafts/draft-of-ann/delete")
    yield "a deleted draft"
    site.send("ann", f"/@ben/{ben}/report", reason="loud", category="spam")
    site.send("ann", "/@ben/report", reason="loud", category="spam")
    yield "a report"
    site.send("ann", "/notifications/read")
    site.send("ben", "/settings/notifications", dict.fromkeys(KINDS, "nobody"))
    yield "settings of notifications"
    _give_delivery_up(site)
    yield "a message that a bot does not take"
    site.send("ann", "/search/saved", q="song", tab="latest")
    yield "a saved search"
    site.send("ann", "/explore/hide", item="#marsh")
    yield "a hashtag that a member hides from themselves"
    site.send("ann", "/statuses/views", ids=ben)
    site.app.extensions["linnet.views"].flush()
    yield "a view of a post"
    site.send("ann", "/settings/tokens", name="script")
    yield "an access token"
    form = {"login": "ann", "password": "correct horse battery"}
    for address in ("127.0.0.1", "8.8.8.8", "2a00:1450::1"):  # the last from a new country
        elsewhere = site.app.test_client()
        elsewhere.environ_base["REMOTE_ADDR"] = address
        assert elsewhere.post("/login", data=form).status_code == 303
    yield "a sign-in"
    site.send("ann", "/settings/sessions/end")
    yield "the end of other sessions"


def _chats(site: ActSite) -> Iterator[str]:
    """Write messages, with and without a request, and in a private group."""
    group = {"name": "hedge", "people": "ann", "kind": "private", "key": "group-of-zoe"}
    for number, (who, path) in enumerate(
        (("ann", "/chats/@pia"), ("zoe", "/chats/@ben"), ("zoe", "/chats/new"))
    ):
        get = site.clients[who].get(path)
        chat = get.location if path != "/chats/new" else site.send(who, path, group)
        yield f"chat {number}"
        form = {"text": f"psst {number}", "key": f"message-{number}-a"}
        site.send(who, f"{chat}/messages", form)
        yield f"a message in chat {number}"
        site.send(who, f"{chat}/messages/1/react", emoji="👍")
        yield f"a reaction in chat {number}"
        site.send(who, f"{chat}/messages/1/delete")
        yield f"a deleted message in chat {number}"
    site.send("zoe", f"{chat}/people/add", people="ben")
    yield "a new member of a private group"
    site.send("ann", f"{chat}/leave")
    yield "a member who leaves a private group"
    site.send("zoe", f"{chat}/delete")
    yield "a deleted private group"


def _more_than_a_page(site: ActSite) -> Iterator[str]:
    """Leave more statuses for few, on each page that could count them, than a page shows."""
    for number in range(3):
        for who, visibility in (("ann", "followers"), ("ann", "mentioned"), ("pia", "public")):
            for form in {}, {"reply": site.bens_post}, {"quote": site.bens_post}:
                one = site.post(who, "@pia @ann psst #marsh", visibility=visibility, **form)
                if not number:
                    site.send("ann" if who == "pia" else "pia", f"/statuses/{one}/like")
                yield f"{number + 1}. for few by {who}: {visibility}, {list(form)}"


def _spoil_draft(site: ActSite, form_key: str) -> None:
    """Let a draft of Ann's be due that has no text."""
    uid = site.uids["ann"]
    site.db.run(("HSET", draft_keys.draft(uid, form_key), "fields", "{}", "due", 1))
    scheduled = draft_keys.scheduled_posts(partition_of(uid))
    site.db.run(("ZADD", scheduled, 1, f"{uid}:{form_key}"))


def _give_delivery_up(site: ActSite) -> None:
    """Give a delivery to Ann's bot up, as the thread that sends them does."""
    claim = ClaimedDelivery(site.bot, "1-1", Payload("64", 1, 1), "", "", str(CLAIMED_UNTIL))
    site.db.run(("ZADD", bot_keys.webhook_queue(site.bot), 1, claim.id))
    due_webhooks = bot_keys.due_webhooks(partition_of(site.bot))
    site.db.run(("ZADD", due_webhooks, CLAIMED_UNTIL, site.bot))
    finish(site, claim, "given up", claim.payload)


def _attach_card(site: ActSite, status_id: str) -> None:
    """Give a status a link card, as the process that fetches linked pages does."""
    claim = Claim(int(status_id), str(CLAIMED_UNTIL), owner=0)
    due_cards = card_keys.due_cards(partition_of(claim.status_id))
    edited = site.db.run(("HGET", status_keys.status(claim.status_id), "edited"))
    site.db.run(("ZADD", due_cards, CLAIMED_UNTIL, status_id))
    attach(site, claim, edited or "", LinkCard("https://birds.press/", "Birds"))


ACTS: dict[str, Callable[[ActSite], Iterator[str]]] = {
    "restricted statuses": _statuses,
    "restricted replies and quotes": _replies_and_quotes,
    "a protected member": _protected,
    "private lists": _private_lists,
    "relations": _relations,
    "what is a member's own": _private,
    "chats": _chats,
    "more than a page": _more_than_a_page,
}
