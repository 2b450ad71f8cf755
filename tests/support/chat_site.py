"""A site for tests of what each role may read and do in a chat."""

from collections.abc import Mapping
from typing import Any

from flask import Flask
from redis import Redis

from tests.conftest import PASSWORD
from tests.support.chat import draft, key
from tests.support.chat_pages import png_file
from tests.support.worker import drain
from webapp.accounts import registration
from webapp.accounts.sessions import store as sessions
from webapp.accounts.tokens import store as tokens
from webapp.chat.bots import store as bots
from webapp.chat.keys import ChatKey, chat_partition
from webapp.chat.members.keys import chat_removed
from webapp.chat.messages import sending
from webapp.chat.models import Picture
from webapp.config import Config
from webapp.core.events import keys as event_keys
from webapp.core.media import storage as media
from webapp.core.store import Site
from webapp.core.store.schema_docs import rooms
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses

BEFORE, AFTER, NAME, QUIET = "sealedbefore", "plainafter", "Nestboxes", "Quiet Fourthbird"
CHAT_KEYS = [
    key
    for keys in rooms().values()
    for key in keys.values()
    if isinstance(key, ChatKey) and key is not chat_removed
]
MARKERS = {"b": BEFORE, "a": AFTER, "n": NAME, "p": QUIET}


def markers_in(text: str) -> str:
    """Return the letters of the secrets that a text contains."""
    return "".join(letter for letter, secret in MARKERS.items() if secret in text)


class ChatSite:
    """A site whose members have different roles in a chat, and whose store can be restored."""

    run = Site.run

    def __init__(self, app: Flask, config: Config) -> None:
        self.db, self.config, self.app = app.extensions["linnet.db"], config, app
        self.raw = Redis.from_url(config.store_url)
        self.uids: dict[str, int] = {}
        self.cookies: dict[str, str] = {}
        self.bot_token = ""
        self.values: dict[str, object] = {}  # fill the placeholders of paths and forms

    def join(self, role: str, name: str = "") -> int:
        """Sign a member up and in; return the uid."""
        uid = registration.sign_up(self, role, name or role.title(), PASSWORD).uid
        self.cookies[role] = sessions.start(self, uid)
        self.uids[role] = self.values[role] = uid
        return uid

    def add_bot(self, owner: str) -> None:
        """Create a bot that belongs to no chat."""
        bot = bots.create_bot(self, self.uids[owner], "robot", "Robot")
        self.bot_token = tokens.create(self, bot.uid, "test")

    def send(self, role: str, cid: str, text: str, **more: Any) -> str:
        """Send a message with a picture; return the name of the picture's file."""
        saved = media.save_in_chat(self.config, media.new_in_chat(cid), png_file((40, 30)))
        message = draft(text, pictures=(Picture(saved.name, saved.width, saved.height),), **more)
        message_id = sending.send(self, self.uids[role], cid, message, key())
        return f"{message_id}-{saved.name.rpartition('/')[2]}.webp"

    def post_status(self, role: str) -> None:
        """Post a status that may be forwarded."""
        self.values["status"] = statuses.post(self, self.uids[role], parse("hello"), key())

    def save(self) -> None:
        """Apply all events and remember the store's contents."""
        drain(self)
        raw = self.raw
        self._saved = {name: (max(raw.pttl(name), 0), raw.dump(name)) for name in raw.keys("*")}

    def restore(self) -> None:
        """Restore the store to the remembered contents."""
        self.raw.flushall()
        pipeline = self.raw.pipeline(transaction=False)
        for name, (life_ms, value) in self._saved.items():
            pipeline.restore(name, life_ms, value)
        pipeline.execute()

    def request(self, role: str, path: str, form: Mapping[str, Any] | None = None) -> str:
        """Submit a form or get a page as a role; return its cell."""
        client, headers = self.app.test_client(), {"Sec-Fetch-Site": "same-origin"}
        if role == "bot":
            headers = {"Authorization": f"Bearer {self.bot_token}"}
        elif role in self.cookies:
            client.set_cookie("linnet", self.cookies[role])
        path = path.format(**self.values)
        if form is None:
            response = client.get(path, headers=headers)
        else:
            fields = {self._fill(name): self._fill(value) for name, value in form.items()}
            encoding = "json" if path.startswith("/api/") else "data"
            response = client.post(path, headers=headers, **{encoding: fields})
        if response.status_code == 303 and "/login" in response.headers["Location"]:
            return "login"
        visible = markers_in(response.get_data().decode(errors="replace"))
        if response.mimetype == "image/webp":
            visible = "b" if path.endswith(str(self.values["old"])) else "a"
        return f"{response.status_code} {visible}".strip()

    def submit(self, role: str, path: str, form: Mapping[str, Any]) -> str:
        """Submit a form and restore the store; return the cell, starred if the chat changed."""
        before = self._state()
        cell = self.request(role, path, form)
        star = "*" if self._state() != before else ""
        self.restore()
        return cell + star

    def close(self) -> None:
        """Close the connections to the store."""
        self.raw.close()
        self.db.close()

    def _state(self) -> list[Any]:
        cid = str(self.values["cid"])
        keys = [key(cid) for key in CHAT_KEYS]
        return [self.raw.dump(key) for key in (*keys, event_keys.outbox(chat_partition(cid)))]

    def _fill(self, value: Any) -> Any:
        return value.format(**self.values) if isinstance(value, str) else value
