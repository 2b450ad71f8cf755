"""What is being written is kept as a draft by itself."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape

from tests.support.concurrently import at_once
from tests.support.pages import join, page_text, serving
from tests.support.statuses.picture_pages import post
from tests.support.statuses.pictures import photo
from tests.support.world import Web
from webapp.config import Config, Rate
from webapp.core.store import Db
from webapp.statuses.drafts import keys as draft_keys, store as drafts

KEY = "abcdefgh-1"
PATH = "/drafts/automatic"


def texts(db: Db, uid: int = 1) -> list[str]:
    """Return the texts of a member's drafts, the newest first."""
    waiting, unscheduled = drafts.list_all(db, uid)
    return [one.fields["text"] for one in (*waiting, *unscheduled)]


def test_a_draft_is_replaced_while_it_is_written_and_gone_once_posted(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    for text in ("one", "one two"):
        kept = ann.post(PATH, data={"text": text, "more1": "three", "key": KEY})
        assert kept.json == {"saved": True} and texts(db) == [text]
    assert drafts.get(db, 1, KEY).number_of_posts == 2
    ann.post("/statuses", data={"text": "one two", "key": KEY})
    assert texts(db) == []


def test_a_draft_is_thrown_away_when_it_is_emptied(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    ann.post(PATH, data={"text": "one", "key": KEY})
    for _ in range(2):
        emptied = ann.post(PATH, data={"text": " ", "key": KEY})
        assert emptied.json == {"saved": False} and texts(db) == []
    ann.post(PATH, data={"text": "one", "key": KEY})
    assert ann.post(PATH, data={"text": "", "more1": "two", "key": KEY}).json == {"saved": False}
    assert texts(db) == ["one"], "its further posts are not lost"


def test_a_scheduled_post_stays_as_it_is(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    at = f"{datetime.now(UTC) + timedelta(days=1):%Y-%m-%dT%H:%M}"
    ann.post("/statuses", data={"text": "later", "at": at, "key": KEY})
    assert ann.post(PATH, data={"text": "late", "at": at, "key": KEY}).json == {"saved": False}
    assert ann.post(PATH, data={"text": " ", "key": KEY}).json == {"saved": False}
    assert texts(db) == ["later"] and drafts.get(db, 1, KEY).due
    assert "data-autosave" not in ann.get(f"/drafts/{KEY}").text
    assert "data-autosave" in ann.get("/home").text


def test_a_withheld_post_keeps_its_text_and_reason_until_its_author_saves_it(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    ann.post(PATH, data={"text": "my casino", "key": KEY})
    db.run(("HSET", draft_keys.draft(1, KEY), "failed", "withheld"))
    reason = "decided not to publish this"
    assert "data-autosave" not in ann.get(f"/drafts/{KEY}").text
    for text in ("my poker", " "):
        assert ann.post(PATH, data={"text": text, "key": KEY}).json == {"saved": False}
        assert texts(db) == ["my casino"] and reason in page_text(ann.get(f"/drafts/{KEY}"))
    ann.post("/drafts", data={"text": "my garden", "key": KEY, "draft": KEY})
    assert texts(db) == ["my garden"] and reason not in page_text(ann.get(f"/drafts/{KEY}"))
    assert ann.post(PATH, data={"text": "my gardens", "key": KEY}).json == {"saved": True}


def test_a_draft_keeps_the_pictures_that_it_has(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    post(ann, (photo(), "a red sky"), path="/drafts", text="one", key=KEY)
    token = re.search(r'name="stored" value="([^"]+)"', ann.get(f"/drafts/{KEY}").text)
    assert token
    fields = {"text": "two", "stored": unescape(token[1]), "alt": "a sky", "key": KEY}
    assert ann.post(PATH, data=fields).json == {"saved": True}
    assert [one.alt for one in drafts.get(db, 1, KEY).pictures] == ["a sky"]


def test_only_their_writer_keeps_a_draft_and_within_the_limits(settings: Config) -> None:
    with serving(replace(settings, limit_autosave=Rate(3, 3600), drafts_max=1)) as app:
        db = app.extensions["linnet.db"]
        ann, ben = join(app, "ann"), join(app, "ben")
        assert app.test_client().post(PATH, data={"text": "x", "key": KEY}).status_code == 303
        ann.post(PATH, data={"text": "of ann", "key": KEY})
        ben.post(PATH, data={"text": "", "key": KEY})
        assert texts(db) == ["of ann"]
        full = ann.post(PATH, data={"text": "more", "key": "abcdefgh-2"})
        assert full.status_code == 409 and "draft" in page_text(full)
        ann.post(PATH, data={"text": "of Ann", "key": KEY})
        assert ann.post(PATH, data={"text": "x", "key": KEY}).status_code == 429
        assert texts(db) == ["of Ann"]


def test_fifty_at_once_are_one_draft(web: Web) -> None:
    web.member("ann")

    def save(number: int) -> bool:
        with web.app.app_context():
            from webapp.core.web.context import site

            return drafts.save(site(), 1, KEY, {"text": f"{number}"}, replaces=False)

    assert all(at_once(10, save, range(50)))
    assert web.db.run(("ZCARD", draft_keys.drafts(1))) == 1 and len(texts(web.db)) == 1
