"""A scheduled post that cannot be posted is told to its writer, each time that it fails."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime

from flask import Flask
from flask.testing import FlaskClient

from tests.support import worker
from tests.support.held_posts import run_worker
from tests.support.pages import page_text
from tests.support.settings import with_settings
from tests.support.world import World
from webapp.config import Config
from webapp.core.store import Db, Site
from webapp.notifications import keys as notification_keys, store
from webapp.notifications.groups import NotificationGroup
from webapp.notifications.kinds import kinds_in_tab
from webapp.site_settings import REVIEW, WORD, Ban, BanList
from webapp.statuses.drafts import keys as draft_keys, store as drafts

KEY = "failing-draft"


def schedule(site: Site, uid: int, text: str, **fields: str) -> None:
    """Schedule a post that is due at once."""
    drafts.save(site, uid, KEY, {"text": text, **fields}, datetime.now(UTC))


def schedule_long_ago(site: Site, uid: int, text: str) -> None:
    """Schedule a post that is due now, and let it wait since a second after 1970."""
    schedule(site, uid, text)
    site.db.run(("HSET", draft_keys.draft(uid, KEY), "saved", 1000))
    site.db.run(("ZADD", draft_keys.drafts(uid), 1000, KEY))


def failures(db: Db, uid: int) -> list[NotificationGroup]:
    """Return what a member's page shows of failed posts."""
    page = store.page(db, uid, kinds_in_tab("all"), None, 30, False)
    return [group for group in page.items if group.kind.name == "unposted"]


def test_a_post_that_fails_is_told_each_time_until_it_is_mended(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    schedule(world, ann, "too late", reply="5")
    run_worker(world)
    [group] = failures(world.db, ann)
    assert group.draft and group.draft.fields["text"] == "too late"
    assert group.draft.error_code == "no_status" and group.has_unread
    assert world.db.read(store.unread_count(ann)) == 1 and failures(world.db, ben) == []

    run_worker(world)
    schedule(world, ann, "x" * 300)
    assert failures(world.db, ann) == [], "it waits for its time again"
    run_worker(world)
    [group] = failures(world.db, ann)
    assert group.draft and group.draft.error_code == "draft_invalid"
    assert world.db.run(("ZCARD", notification_keys.notifications(ann))) == 2

    schedule(world, ann, "in time")
    run_worker(world)
    assert failures(world.db, ann) == []


def test_a_scheduled_post_that_is_held_is_told_but_not_one_that_is_posted_at_once(
    world: World,
) -> None:
    [ann] = world.people("ann")
    strict = with_settings(world, bans=BanList((Ban(WORD, "casino", REVIEW),)))
    schedule(strict, ann, "my casino")
    run_worker(strict)
    assert drafts.get(world.db, ann, KEY).error_code == "in_review"
    assert failures(world.db, ann) == []
    for _ in range(2):
        schedule_long_ago(strict, ann, "my casino")
        run_worker(strict)
        run_worker(strict)
        [group] = failures(world.db, ann)
        assert group.draft and group.draft.error_code == "in_review" and group.has_unread
        assert world.db.read(store.unread_count(ann)) == 1


def test_the_page_says_that_a_scheduled_post_waits_for_review(
    app: Flask, config: Config, member: Callable[[str], FlaskClient]
) -> None:
    ann, db = member("ann"), app.extensions["linnet.db"]
    strict = Site(db, replace(config, bans=BanList((Ban(WORD, "casino", REVIEW),))))
    schedule_long_ago(strict, 1, "my casino")
    run_worker(strict)
    text = page_text(ann.get("/notifications"))
    assert "A scheduled post is waiting for review" in text
    assert "couldn’t be posted" not in text and "A moderator reviews this" in text


def test_a_draft_that_was_deleted_meanwhile_is_not_told(world: World) -> None:
    [ann] = world.people("ann")
    schedule(world, ann, "x" * 300)
    worker.publish_due(world)
    drafts.delete(world.db, ann, KEY)
    worker.drain(world)
    assert world.db.read(store.unread_count(ann)) == 0


def test_full_outboxes_delay_the_news_but_lose_nothing(world: World) -> None:
    [ann] = world.people("ann")
    schedule(world, ann, "x" * 300)
    full = with_settings(world, outbox_max=0)
    worker.publish_due(full)
    assert drafts.get(world.db, ann, KEY).due
    run_worker(world)
    assert len(failures(world.db, ann)) == 1


def test_the_page_says_why_and_leads_to_the_draft(
    app: Flask, config: Config, member: Callable[[str], FlaskClient]
) -> None:
    ann, db = member("ann"), app.extensions["linnet.db"]
    schedule(Site(db, config), 1, "too <late>", reply="5")
    run_worker(Site(db, config))
    page = ann.get("/notifications")
    text = page_text(page)
    assert "A scheduled post couldn’t be posted" in text
    assert "This post doesn’t exist or was deleted." in text and "on time" not in text
    link = re.search(rf'<a href="/drafts/{KEY}">\s*too &lt;late&gt;\s*</a>', page.text)
    assert link and ann.get(f"/drafts/{KEY}").status_code == 200
    settings = ann.get("/settings/notifications")
    assert 'name="push_unposted"' in settings.text and 'name="unposted"' not in settings.text
