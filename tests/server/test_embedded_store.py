"""The embedded store's settings, seen in the encodings of its values."""

from webapp.accounts import keys as account_keys
from webapp.chat import keys as chat_keys
from webapp.config import Config
from webapp.core.store import Site
from webapp.core.store.connection import connect
from webapp.core.text.parser import parse
from webapp.statuses import keys as status_keys
from webapp.statuses.store import post

LONG = "麻雀" * 70  # the maximum of a status


def test_a_status_is_stored_compactly_and_messages_of_a_chat_as_a_hash_table(
    settings: Config,
) -> None:
    db = connect(settings)
    db.run(("HSET", account_keys.user(3), "login", "wren"))
    status_id = post(Site(db, settings), 3, parse(LONG, settings.status_max), "form")
    messages = chat_keys.chat_messages("7")
    db.run(("HSET", messages, *(part for number in range(1, 101) for part in (number, LONG))))
    encodings = db.trip(
        ("OBJECT", "ENCODING", status_keys.status(status_id)), ("OBJECT", "ENCODING", messages)
    )
    db.close()
    assert encodings == ["listpack", "hashtable"]
