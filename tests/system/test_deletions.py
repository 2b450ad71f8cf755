"""What is deleted leaves nothing in the store and on the disk but what is declared here."""

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from flask import Flask
from flask.testing import FlaskClient

from tests.conftest import PASSWORD
from tests.support.chat_pages import create_group
from tests.support.full_site import picture_file
from tests.support.pages import join, serving_alone
from tests.support.push_service import encode, raw_point
from tests.support.store_dump import BOOKKEEPING, dump, shape_of
from tests.support.worker import drain
from webapp.accounts import keys as account_keys, store as accounts
from webapp.accounts.sessions import store as sessions
from webapp.accounts.sessions.cookie_value import sha_of
from webapp.accounts.tokens import apps, store as tokens
from webapp.chat.bots import store as bots, webhooks
from webapp.config import Config
from webapp.core.net.web_push import Subscription
from webapp.core.store import Db, Site, partition_of
from webapp.explore.suggestions import store as suggestions
from webapp.notifications.push import devices
from webapp.reports import keys as report_keys, store as reports
from webapp.statuses import keys as status_keys

Content = dict[tuple[str, str], Any]  # what a store holds, by key and field, member or entry
Undo = Callable[[], object]
POINT = encode(raw_point(ec.generate_private_key(ec.SECP256R1()).public_key()))
SUBSCRIPTION = Subscription("https://push.example/x", POINT, encode(b"0123456789abcdef"))
HASHES = {  # those whose fields have names
    *("user:{<tag>}:<uid>", "status:{<tag>}:<id>"),
    *("chat:{<tag>}:<cid>", "chat_state:{<tag>}:<uid>"),
}
LATER = f"{date.today() + timedelta(days=9)}T06:30"
POLL = {"option1": "a", "option2": "b", "poll_minutes": "60"}
# What else may stay, by the shape of its key and, in a hash, its field.
BOOKMARKS = "bookmarks:{<tag>}:<uid>"  # private; its page drops posts that are gone
BUILT_AGAIN = "active:{<tag>}"  # that the member's home is to be built again
CONTACT_OF = "contact_of:{<tag>}:<uid>"  # goes with either account
CONTACTS = "contacts:{<tag>}:<uid>"  # private: whom a member wrote to lately
FILTER_NUMBER = "user:{<tag>}:<uid> filters"  # numbers are never used again
HIDDEN_BOOSTS = "hidden_boosts:{<tag>}:<uid>"  # private; the uid is never used again
LIKES = "likes:{<tag>}:<uid>"  # unseen, until it is the oldest
LIST_NUMBER = "user:{<tag>}:<uid> lists"  # numbers are never used again
MUTED = "muted_conversations:{<tag>}:<uid>"  # private: the oldest go
SECURITY_LOG = "security_log:{<tag>}:<uid>"  # what was made and ended stays in it
NOTES = "notes:{<tag>}:<uid>"  # private; the uid is never used again
NOTIFIED = "notified:{<tag>}:<uid>"  # whose lists are cleaned with the account
PRIVATE_MENTIONS = "private_mentions:{<tag>}:<uid>"  # unseen, until it is the oldest
RECENT_TAGS = "recent_tags:{<tag>}:<uid>"  # private: the hashtags that a member used lately
REPORT_LISTS = ("reports:{reports}:words", "report_queue:{reports}:<name>")  # done ones too
REPORTS = ("reports:{reports}", *REPORT_LISTS)  # until the moderators have decided
TALLY = "status:{<tag>}:<id> tally"  # the vote of a deleted account stays counted
VOTES = "member_votes:{<tag>}:<uid>"  # a vote is given once; the oldest go
PLACE_OF_A_MESSAGE = (  # a deleted message keeps its number and its time among the others
    *(f"chat:{{<tag>}}:<cid> {field}" for field in ("last", "last_at", "rev")),
    *(f"chat:{{<tag>}}:<cid>:{part}" for part in ("changes", "messages", "read_receipts", "sent")),
    *(
        f"chat_state:{{<tag>}}:<uid> {field}"
        for field in ("deleted", "last", "read", "sent", "sent_read")
    ),
    *("chats:{<tag>}:<uid>", "chats_unfetched:{<tag>}:<uid>"),
)


class DeletionSite:
    """An app with three members: Ben and Cat follow Ann, who follows Ben.

    Ann has a post, a poll and a group with Ben, which all stay.
    """

    run = Site.run

    def __init__(self, app: Flask) -> None:
        self.app = app
        self.db: Db = app.extensions["linnet.db"]
        self.config: Config = app.extensions["linnet.config"]
        self.ann, self.ben, self.cat = (join(app, login) for login in ("ann", "ben", "cat"))
        self.uids = {self.ann: 1, self.ben: 2, self.cat: 3}
        for client, login in ((self.ben, "ann"), (self.cat, "ann"), (self.ann, "ben")):
            send(client, f"/@{login}/follow")
        self.post = self.write(self.ann, "stays")
        self.poll = self.write(self.ann, "stays?", **POLL)
        self.chat = create_group(self.ann, people="ben")

    def write(self, client: FlaskClient, text: str, **form: object) -> int:
        """Post a status and return its id."""
        send(client, "/statuses", text=text, **form)
        newest = status_keys.last_status_id(partition_of(self.uids[client]))
        return int(self.db.run(("GET", newest)))

    def content(self) -> Content:
        """Return all that is stored and does not expire by itself, and the files of pictures.

        A home drops what is gone as it is opened.
        """
        for client in (self.ann, self.ben, self.cat):
            client.get("/home")
        stored = dump(self.db)
        expiring = self.db.trip(*(("TTL", key) for key in stored))
        found: Content = {}
        for (key, value), seconds in zip(stored.items(), expiring, strict=True):
            if seconds < 0:
                found |= {(key, name): one for name, one in parts(value)}
        for path in self.config.media_path.rglob("*.*"):
            found["picture", str(path)] = ""
        return found


def parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield what a value consists of: fields, members or entries, each with its own value."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, list):
        yield from ((str(one), "") for one in value)
    else:
        yield "", value


def differences(before: Content, after: Content) -> set[str]:
    """Return the shapes of the keys that differ, with the fields that have names."""
    changed = {part for part in before.keys() | after.keys() if before.get(part) != after.get(part)}
    found = set()
    for key, field in changed:
        shape = shape_of(key)
        name = re.match(r"[a-z_]+(?=:\d+\Z|\Z)", field) if shape in HASHES else None
        found.add(f"{shape} {name[0]}" if name else shape)
    return found - BOOKKEEPING.keys()


def send(client: FlaskClient, path: str, **form: object) -> None:
    """Send a form that must be accepted."""
    response = client.post(path, data=form, content_type="multipart/form-data")
    assert response.status_code in (200, 201, 204, 303), (path, response.text)


def send_all(client: FlaskClient, *paths: str) -> None:
    """Send forms without fields."""
    for path in paths:
        send(client, path)


def picture() -> dict[str, object]:
    """Return the fields of a picture."""
    return {"pictures": picture_file(), "alt": "z"}


def delete_posts(client: FlaskClient, *ids: int) -> None:
    """Delete a member's own posts."""
    send_all(client, *(f"/statuses/{status}/delete" for status in ids))


def a_post(site: DeletionSite) -> Undo:
    place = {"lat": "31.23", "long": "-121.47", "place": "x", "cw": "y"}
    status = site.write(site.ann, "@ben https://example.com/a #fen", **place, **picture())
    send(site.ann, f"/statuses/{status}/pin")
    send(site.ann, f"/@ann/{status}/edit", text="@ben https://example.com/b #fen", version="0")
    return lambda: delete_posts(site.ann, status)


def restricted_posts(site: DeletionSite) -> Undo:
    audiences = ("mentioned", "followers")
    ids = [site.write(site.ann, "@ben one", visibility=one, **picture()) for one in audiences]
    return lambda: delete_posts(site.ann, *ids)


def a_post_with_reactions(site: DeletionSite) -> Undo:
    status = site.write(site.ann, "one #fen")
    send_all(site.ben, *(f"/statuses/{status}/{act}" for act in ("like", "boost", "bookmark")))
    send(site.cat, "/statuses/views", ids=str(status))
    return lambda: delete_posts(site.ann, status)


def a_poll_with_votes(site: DeletionSite) -> Undo:
    status = site.write(site.ann, "one?", **POLL)
    send(site.ben, f"/statuses/{status}/vote", option="0")
    return lambda: delete_posts(site.ann, status)


def a_thread_and_quotes(site: DeletionSite) -> Undo:
    first = site.write(site.ann, "one")
    second = site.write(site.ben, "@ann two", reply=first)
    third = site.write(site.cat, "@ben three", reply=second)
    quotes = [site.write(site.ben, "look", quote=status) for status in (first, first, site.post)]
    send_all(site.ann, *(f"/statuses/{status}/detach" for status in quotes[1:]))
    kept = site.write(site.ben, "@ann more", reply=site.post)

    def undo() -> None:
        delete_posts(site.ann, first)
        delete_posts(site.ben, second, kept, *quotes)
        delete_posts(site.cat, third)

    return undo


def interactions(site: DeletionSite) -> Undo:
    path = f"/statuses/{site.post}"
    send_all(site.ben, f"{path}/like", f"{path}/boost", f"{path}/bookmark")
    send(site.ann, f"{path}/pin")

    def undo() -> None:
        send_all(site.ben, f"{path}/unlike", f"{path}/unboost", f"{path}/unbookmark")
        send(site.ann, f"{path}/unpin")

    return undo


def drafts(site: DeletionSite) -> Undo:
    save_drafts(site.ann)
    return lambda: send_all(site.ann, "/drafts/draft-key-1/delete", "/drafts/draft-key-2/delete")


def save_drafts(client: FlaskClient) -> None:
    """Save a draft and a scheduled post."""
    send(client, "/drafts", key="draft-key-1", text="one", **picture())
    send(client, "/statuses", key="draft-key-2", text="two", at=LATER, **picture())


def relationships(site: DeletionSite) -> Undo:
    done = ("follow", "mute", "unfollow", "block", "hide-boosts")
    undone = ("unblock", "unmute", "show-boosts")
    send_all(site.cat, "/tags/fen/follow", *(f"/@ben/{act}" for act in done))
    return lambda: send_all(site.cat, "/tags/fen/unfollow", *(f"/@ben/{act}" for act in undone))


def a_list(site: DeletionSite) -> Undo:
    number = create_list(site, site.ann)
    status = site.write(site.ben, "listed")

    def undo() -> None:
        send(site.ann, f"/lists/{number}/delete")
        delete_posts(site.ben, status)

    return undo


def create_list(site: DeletionSite, client: FlaskClient) -> int:
    """Create a list that Ben is on, look at it, and return its number."""
    send(client, "/lists", name="x", exclusive="y")
    number = int(site.db.run(("HGET", account_keys.user(site.uids[client]), "lists")))
    send(client, f"/lists/{number}/members", people="ben")
    login = "ann" if client is site.ann else "dan"
    assert client.get(f"/@{login}/lists/{number}").status_code == 200
    return number


def private_things(site: DeletionSite) -> Undo:
    save_private_things(site.ann)
    number = int(site.db.run(("HGET", account_keys.user(1), "filters")))

    def undo() -> None:
        send(site.ann, f"/settings/filters/{number}/delete")
        send(site.ann, "/search/saved/remove", q="fen", tab="top")
        send(site.ann, "/explore/unhide", item="#fen")

    return undo


def save_private_things(client: FlaskClient) -> None:
    """Save a filter and a search, and hide a trend."""
    fields = {"public": "y", "filter_action": "warn", "expires_in": "week"}
    send(client, "/settings/filters", words="here", **fields)
    send(client, "/search/saved", q="fen", tab="top")
    send(client, "/explore/hide", item="#fen")


def credentials(site: DeletionSite) -> Undo:
    token, app, cookie = create_credentials(site, 1)

    def undo() -> None:
        tokens.revoke(site, 1, tokens.sha_of(token))
        apps.revoke(site, 1, app)
        sessions.end(site, cookie)
        drain(site)

    return undo


def create_credentials(site: DeletionSite, uid: int) -> tuple[str, str, str]:
    """Return a new token, the key of a new app, and the session of a device that gets pushes."""
    address = {"site_url": "http://localhost", "locale": "en"}
    cookie = sessions.start(site, uid)
    assert devices.subscribe(site, uid, sha_of(cookie), SUBSCRIPTION, **address)
    app = apps.create(site, uid, "y")
    return tokens.create(site, uid, "x"), app.consumer_key, cookie


def a_message(site: DeletionSite) -> Undo:
    path = f"/chats/{site.chat}/messages"
    send(site.ann, path, text="one #fen @ben", **picture())
    send(site.ben, f"{path}/1/react", emoji="👍")
    return lambda: send(site.ann, f"{path}/1/delete")


def a_group(site: DeletionSite) -> Undo:
    cid = create_group(site.ann, people="ben", text="hello @ben", kind="open")
    send(site.ben, f"/chats/{cid}/messages", text="one #fen @ann", **picture())
    send(site.ben, f"/chats/{cid}/messages/2/react", emoji="👍")
    send(site.ann, f"/chats/{cid}/invites", uses="2", hours="24")
    send(site.ben, f"/chats/{cid}/mute")
    return lambda: send(site.ann, f"/chats/{cid}/delete")


def a_bot(site: DeletionSite) -> Undo:
    create_bot(site, 1)

    def undo() -> None:
        bots.remove(site, 1, "robot")
        drain(site)

    return undo


def create_bot(site: DeletionSite, uid: int) -> None:
    """Create a bot with a token and a webhook."""
    bot = bots.create_bot(site, uid, "robot", "Bot")
    webhooks.set_webhook(site, bot.uid, "https://example.com/hook")
    tokens.create(site, bot.uid, "x")
    drain(site)


def a_report(site: DeletionSite) -> Undo:
    send(site.ben, f"/@ann/{site.post}/report", category="spam", reason="x")
    [entry] = site.db.run(("ZRANGE", report_keys.reports(), 0, -1))
    return lambda: reports.close(site, [entry], 1, "dismiss")


def an_account(site: DeletionSite) -> Undo:
    """Let a member do all of the above, and others act on them."""
    dan = join(site.app, "dan")
    uid = site.uids[dan] = accounts.get_by_login(site.db, "dan").uid
    pictures = {"avatar": picture_file(), "header": picture_file()}
    send(dan, "/settings/profile", name="Dan", bio="x", **pictures)
    send_all(dan, "/@ann/follow", "/@cat/mute", "/@cat/hide-boosts", "/tags/fen/follow")
    send_all(site.ben, "/@dan/follow", "/@dan/hide-boosts", "/@dan/subscribe", "/@dan/endorse")
    for client, login in ((dan, "cat"), (site.ben, "dan")):
        send(client, f"/@{login}/note", note="x")
    send_all(dan, "/@ann/subscribe", "/@ann/endorse", f"/statuses/{site.post}/mute")
    send(site.cat, "/@dan/block")
    status = site.write(dan, "@ann https://example.com/a #fen", lat="1", long="2", **picture())
    for act in ("like", "boost", "bookmark"):
        send(site.ben, f"/statuses/{status}/{act}")
        send(dan, f"/statuses/{site.post}/{act}")
    send(site.ben, f"/statuses/{status}/mute")
    site.write(dan, "one?", **POLL)
    site.write(dan, "@ann two", reply=site.post)
    for visibility in ("mentioned", "followers"):
        site.write(dan, "@ann the wren sings in the old hedge #fen", visibility=visibility)
    hot = site.write(dan, "the wren sings in the old hedge #fen")
    send(dan, f"/@dan/{hot}/edit", text="the wren sings in the old hedge", version="0")
    site.write(dan, "look", quote=site.post)
    send(dan, f"/statuses/{status}/pin")
    send(dan, f"/statuses/{site.poll}/vote", option="0")
    save_drafts(dan)
    create_list(site, dan)
    save_private_things(dan)
    create_credentials(site, uid)
    create_bot(site, uid)
    suggestions.dismiss(site.db, uid, "cat")
    send(site.ann, f"/@dan/{status}/report", category="spam", reason="x")
    for path in ("/home", "/explore", "/explore/people"):
        assert dan.get(path).status_code == 200
    return lambda: send(dan, "/settings/delete", password=PASSWORD)


REMAINS: dict[Callable[[DeletionSite], Undo], tuple[str, ...]] = {
    a_post: (CONTACT_OF, CONTACTS, RECENT_TAGS),
    restricted_posts: (CONTACT_OF, CONTACTS),
    a_post_with_reactions: (BOOKMARKS, LIKES, RECENT_TAGS),
    a_poll_with_votes: (VOTES,),
    a_thread_and_quotes: (CONTACT_OF, CONTACTS, NOTIFIED),
    interactions: (),
    drafts: (),
    relationships: (BUILT_AGAIN, NOTIFIED),
    a_list: (LIST_NUMBER,),
    private_things: (FILTER_NUMBER,),
    credentials: (SECURITY_LOG,),
    a_message: PLACE_OF_A_MESSAGE,
    a_group: (),
    a_bot: (),
    a_report: REPORT_LISTS,
    an_account: (
        *(BOOKMARKS, HIDDEN_BOOSTS, LIKES, MUTED, NOTES, NOTIFIED, PRIVATE_MENTIONS, TALLY),
        *REPORTS,
    ),
}


@pytest.fixture(scope="module")
def app(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flask]:
    """An app whose store is emptied before each test."""
    with serving_alone(tmp_path_factory.mktemp("deletions")) as app:
        yield app


@pytest.fixture
def site(app: Flask) -> DeletionSite:
    """The site, with nothing but what its members have."""
    db: Db = app.extensions["linnet.db"]
    db.on_every_primary("FLUSHALL")
    return DeletionSite(app)


@pytest.mark.parametrize("create", REMAINS, ids=lambda create: create.__name__)
def test_deletion_leaves_exactly_what_is_declared(
    site: DeletionSite, create: Callable[[DeletionSite], Undo]
) -> None:
    before = site.content()
    delete = create(site)
    assert differences(before, site.content()) - set(REMAINS[create]), "there is something"
    delete()
    assert differences(before, site.content()) == set(REMAINS[create])
