"""The embedded store's settings, as its data shows them."""

from __future__ import annotations

from webapp.accounts import keys as account_keys
from webapp.chat import keys as chat_keys
from webapp.config import Config
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.statuses import keys as status_keys
from webapp.statuses.store import post

LONG = "麻雀" * 70  # as long as a status may be


def test_a_status_takes_little_memory_and_the_messages_of_a_chat_are_found_quickly(
    settings: Config,
) -> None:
    db = connect(settings)
    db.run(("HSET", account_keys.user(3), "login", "wren"))
    status_id = post(db, settings, 3, parse(LONG, settings.status_max), "form")
    messages = chat_keys.chat_messages("7")
    db.run(("HSET", messages, *(part for number in range(1, 101) for part in (number, LONG))))
    encodings = db.trip(
        ("OBJECT", "ENCODING", status_keys.status(status_id)), ("OBJECT", "ENCODING", messages)
    )
    db.close()
    assert encodings == ["listpack", "hashtable"]
