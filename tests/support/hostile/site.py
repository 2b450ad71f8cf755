"""A site with two members and what they have, for tests that attack it."""

import re
from collections.abc import Iterator
from typing import ClassVar

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.routing import Rule

from tests.conftest import SignUp
from tests.support import chat, worker
from tests.support.hostile.pages import PageReader
from tests.support.hostile.values import VALID_FIELDS
from webapp.accounts.sessions import store as sessions
from webapp.config import Config
from webapp.core.store import Db, Site
from webapp.core.store.reads import parse_info
from webapp.rewards.items import store as items
from webapp.statuses import keys as status_keys

WRITE_METHODS = {"POST", "PUT", "PATCH", "DELETE"}
# Keys that may change with any request: rate limits, last activity, cached pages, and log-ins.
VOLATILE = (
    *("limit:", "active:", "page:", "pages:", "views:"),
    *(
        "security_log:",
        "security_failures:",
        "passkey_challenge:",
    ),  # failed log-ins, and what passkeys were asked
)
# Returns the names of all keys and a digest of what each holds.
DIGESTS = """
local digests = {}
for _, key in ipairs(redis.call("KEYS", "*")) do
    digests[#digests + 1] = key
    digests[#digests + 1] = redis.sha1hex(redis.call("DUMP", key))
end
return digests
"""


def snapshot(db: Db) -> dict[str, str]:
    """Return a digest of what each key holds, but for the volatile ones."""
    flat = db.run(("EVAL", DIGESTS, 0))
    digests = zip(flat[::2], flat[1::2], strict=True)
    return {key: digest for key, digest in digests if not key.startswith(VOLATILE)}


def write_count(db: Db) -> int:
    """Return how often the store was written to. Without a write, snapshots are alike."""
    return int(parse_info(db.run(("INFO", "persistence")))["rdb_changes_since_last_save"])


class AttackedSite:
    """An app with two members who have one of everything, and their browsers."""

    run = Site.run

    _form_fields: ClassVar[dict[str, set[str]]] = {}  # alike on every such site

    def __init__(self, app: Flask, join: SignUp) -> None:
        self.app, self.db = app, app.extensions["linnet.db"]
        self.config: Config = app.extensions["linnet.config"]
        self.ann, self.ben = join("ann"), join("ben")
        for client in (self.ann, self.ben):
            client.post("/statuses", data={"text": "hello"})
            client.post("/settings/tokens", data={"name": "script"})
            client.post("/drafts", data={"text": "not yet", "key": "a-draft-1"})
            client.post("/lists", data={"name": "Birds"})
        poll = {**VALID_FIELDS, "text": "where?"}  # for Ann to vote in
        self.ben.post("/statuses", data=poll)
        self.status, self.others_status = (
            self.newest(uid, status_keys.profile_statuses(uid)) for uid in (1, 2)
        )
        self.params = {
            "login": "ben",
            "status_id": self.status,
            "act": "like",
            "sha": "0" * 64,
            "uid": "1",
            "name": "x",
            "number": "1",
        }
        self.params["form_key"] = "a-draft-1"
        self.params["key"] = f"1-{'0' * 24}"  # an app's
        self.params |= {
            "day": "20260101",
            "banned": "terms",
            "cid": self._group(),
            "message": "1",
            "message_id": "1",
            "member": "@ben",
            "emoji": "👍",
            "token": "1.none",
            "file": "none.webp",
            "slug": "birders",
            **dict.fromkeys(("gid", "quote_id", "group_key", "drop_id", "job_id"), "1"),
            "item_id": str(items.give(Site(self.db, self.config), 1, "thing", "Map")),
        }
        words = {"words": "x", "home": "y", "filter_action": "warn", "expires_in": "always"}
        self.ann.post("/settings/filters", data=words)
        group = {"slug": "birders", "name": "Birders", "kind": "open", "voting": "up"}
        self.ann.post("/groups/new", data=group)
        self.ann.post("/settings/bots", data={"login": "jay", "name": "Jay"})
        self.ann.post("/settings/bots/jay/webhook", data={"url": "https://bird.example/"})

    def _group(self) -> str:
        """Return a chat that Ann owns, with a message in it."""
        cid = chat.group(self, 1, [2])
        chat.send_messages(self, 1, cid, "hello")
        worker.drain(self)
        return cid

    def path(self, rule: Rule, **others: str) -> str:
        """Return an address of a route. `others` replace its usual parameters."""
        params = (
            self.params | ({"login": "jay"} if rule.endpoint.startswith("bots.") else {}) | others
        )
        variable = r"<(?:any\((\w+)[^>]*\):|\w+:)?(\w+)>"
        return re.sub(variable, lambda match: params.get(match[2]) or match[1], rule.rule)

    def newest(self, uid: int, key: str) -> str:
        """Return the newest member of a list."""
        return str(self.db.run(("ZRANGE", key, 0, 0, "REV"))[0])

    def sign_in_again(self, client: FlaskClient, uid: int = 1) -> None:
        """Sign a browser in if it has been signed out."""
        if not client.get_cookie("linnet"):
            client.set_cookie("linnet", sessions.start(self, uid))

    def write_routes(self) -> Iterator[tuple[Rule, str, str]]:
        """Yield each route that changes something, with its method and an address."""
        for rule in self.app.url_map.iter_rules():
            if rule.endpoint == "streams.serve":  # takes POST too, but only reads
                continue
            for method in sorted(WRITE_METHODS & (rule.methods or set())):
                yield rule, method, self.path(rule)

    def form_fields(self) -> dict[str, set[str]]:
        """Return the fields of each route's form, by endpoint, as the pages have them."""
        if not self._form_fields:
            self._form_fields.update(self._read_form_fields())
        return self._form_fields

    def _read_form_fields(self) -> dict[str, set[str]]:
        fields: dict[str, set[str]] = {}
        match = self.app.url_map.bind("localhost").match
        paths = "/ /home /@ann /@ben /login /signup /statuses/new /settings/bots/jay".split()
        paths.append(f"/@ann/{self.status}")
        paths += [
            f"/chats/{place}"
            for place in ("new", "1", "1?edit=1", "1?report=1", "1/settings", "1/people")
        ]
        paths += "/lists /lists/1/edit /@ann/lists/1/members /@ben/lists/add".split()
        paths += "/groups/new /groups/birders/settings /groups/birders/invitations".split()
        paths += "/jobs/new /jobs/skills /check-in/settings /nearby/people".split()
        paths += [f"/market/{self.params['item_id']}", f"/promote/{self.status}"]
        for rule in self.app.url_map.iter_rules():
            has_page = "GET" in (rule.methods or ()) and not rule.arguments
            if has_page and rule.rule.startswith("/settings/"):
                paths.append(rule.rule)
        for client in (self.ann, self.app.test_client()):
            for path in paths:
                for action, names in PageReader(client.get(path).text).forms:
                    if action:  # otherwise its buttons have addresses of their own
                        endpoint = match(action, method="POST")[0]
                        fields.setdefault(endpoint, set()).update(names)
        return {endpoint: names - {"csrf_token", "username"} for endpoint, names in fields.items()}
