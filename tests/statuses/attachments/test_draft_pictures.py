"""Pictures of drafts and scheduled posts in the store and on disk.

After crashes and races, exactly the files of visible pictures and of drafts remain.
"""

import random
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from operator import call
from typing import Any

import pytest
from redis.exceptions import ConnectionError

from tests.support import worker
from tests.support.concurrently import at_once
from tests.support.crashing_db import Crashed, CrashingDb, death_after
from tests.support.statuses.pictures import (
    FORM,
    NO_WORDS,
    Stage,
    expire_in_flight as expire_in_flight,
    files,
    files_of,
    stage as stage,
    unused_names,
)
from tests.support.upgrades import run_upgrade
from tests.support.world import World
from webapp.accounts.settings.quote_policy import QuotePolicy
from webapp.core.errors import Conflict, NotFound, Refused
from webapp.core.media import files as media_files, removal, restrictions
from webapp.core.store import Db, Site, client, partition_of
from webapp.core.store.servers.circuit_breaker import CircuitBreaker
from webapp.core.store.servers.routing import Batches
from webapp.core.text.parser import parse
from webapp.statuses import Picture, keys as status_keys, store
from webapp.statuses.attachments import staging
from webapp.statuses.compose.new_status import StatusOptions
from webapp.statuses.drafts import store as drafts

DUE = datetime.now(UTC) - timedelta(days=1)


def save(site: Site, uid: int, pictures: list[Picture], due: datetime | None = None) -> None:
    drafts.save(site, uid, FORM, {"text": "hello"}, due, pictures)


def sweep(site: Site, uid: int) -> None:
    staging.remove_stale(site, partition_of(uid))


def posted(db: Db, uid: int) -> list[tuple[Picture, ...]]:
    """Return the pictures of each of a member's statuses."""
    ids = db.run(("ZRANGE", status_keys.profile_statuses(uid), 0, -1))
    return [store.get(db, int(status_id)).pictures for status_id in ids]


def pictures_of_draft(db: Db, uid: int) -> list[Picture]:
    with suppress(NotFound):
        return list(drafts.get(db, uid, FORM).pictures)
    return []


def test_a_draft_keeps_its_pictures_and_removes_those_it_shows_no_longer(
    world: World, stage: Stage, expire_in_flight: Callable[[], None]
) -> None:
    (ann,) = world.people("ann")
    expire_in_flight()
    red, blue, green = stage(ann, "red", "blue", "green")
    save(world, ann, [red, blue])
    assert pictures_of_draft(world.db, ann) == [red, blue]
    assert [one.digest for one in pictures_of_draft(world.db, ann)] == [red.digest, blue.digest]
    save(world, ann, [green, red])
    sweep(world, ann)
    assert pictures_of_draft(world.db, ann) == [green, red]
    assert files(world.config) == files_of(green, red) and not unused_names(world.db, ann)
    names = drafts.delete(world.db, ann, FORM)
    assert set(names) == {green.name, red.name} == set(unused_names(world.db, ann))
    sweep(world, ann)  # as after a crash between both steps
    assert not files(world.config) and not unused_names(world.db, ann)


def test_a_draft_takes_only_staged_pictures_and_its_own(
    world: World, stage: Stage, expire_in_flight: Callable[[], None]
) -> None:
    (ann,) = world.people("ann")
    [own], [of_status], [expired] = stage(ann, "red"), stage(ann, "blue"), stage(ann, "green")
    save(world, ann, [own])
    store.post(world, ann, NO_WORDS, "form-key-2", pictures=[of_status])
    expire_in_flight()
    sweep(world, ann)
    for wrong in (of_status, expired, Picture(f"posts/{ann}/{'0' * 32}", 1, 1)):
        world.refuses(Conflict, save, ann, [own, wrong])
        world.refuses(Conflict, drafts.save, ann, "form-key-3", {}, None, [wrong])
    with pytest.raises(Conflict):  # of another draft
        drafts.save(world, ann, "form-key-3", {}, None, [own])
    assert pictures_of_draft(world.db, ann) == [own]
    assert files(world.config) == files_of(own, of_status)


@pytest.mark.parametrize("is_due", [True, False])
def test_posting_a_draft_moves_its_pictures_to_the_status(
    world: World, stage: Stage, expire_in_flight: Callable[[], None], is_due: bool
) -> None:
    (ann,) = world.people("ann")
    pictures = stage(ann, "red", "blue")
    save(world, ann, pictures, DUE if is_due else None)
    for _ in range(2):
        if is_due:
            worker.publish_due(world)
        else:
            chosen = staging.stage(world, ann, pictures)
            store.post(world, ann, parse("hello"), FORM, pictures=chosen)
    [shown] = posted(world.db, ann)
    assert [(one.alt, one.colours) for one in shown] == [(one.alt, one.colours) for one in pictures]
    assert not {one.name for one in shown} & {one.name for one in pictures}
    expire_in_flight()
    sweep(world, ann)
    assert files(world.config) == files_of(*shown) and not unused_names(world.db, ann)
    assert pictures_of_draft(world.db, ann) == []


def test_the_writer_and_the_worker_post_a_draft_once(world: World, stage: Stage) -> None:
    (ann,) = world.people("ann")
    pictures = stage(ann, "red")
    save(world, ann, pictures, DUE)
    worker.publish_due(world)
    late = staging.stage(world, ann, pictures)  # from a form that was open before
    as_form = StatusOptions(cw="", quote_policy=QuotePolicy.EVERYONE, pictures=late)
    store.post(world, ann, parse("hello"), FORM, **as_form)
    assert len(posted(world.db, ann)) == 1


def test_pictures_without_words_are_published(world: World, stage: Stage) -> None:
    (ann,) = world.people("ann")
    drafts.save(world, ann, FORM, {"text": ""}, DUE, stage(ann, "red"))
    worker.publish_due(world)
    assert len(posted(world.db, ann)[0]) == 1


def test_a_draft_whose_files_are_lost_is_not_published(
    world: World, stage: Stage, expire_in_flight: Callable[[], None]
) -> None:
    (ann,) = world.people("ann")
    pictures = stage(ann, "red", "blue")
    save(world, ann, pictures, DUE)
    removal.remove_status_pictures(world.config, [pictures[1].name])
    worker.publish_due(world)
    assert posted(world.db, ann) == []
    draft = drafts.get(world.db, ann, FORM)
    assert draft.error_code == "no_upload" and list(draft.pictures) == pictures
    expire_in_flight()
    sweep(world, ann)
    assert files(world.config) == files_of(pictures[0]) and not unused_names(world.db, ann)


def test_file_systems_without_links_copy_the_files(
    world: World, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    (ann,) = world.people("ann")
    save(world, ann, stage(ann, "red"), DUE)
    monkeypatch.setattr(media_files.os, "link", refuse)
    worker.publish_due(world)
    [[shown]] = posted(world.db, ann)
    sweep(world, ann)
    assert files(world.config) == files_of(shown)


@pytest.mark.parametrize("trips", range(8))
def test_nothing_is_left_after_a_crash_at_any_trip(
    world: World, stage: Stage, expire_in_flight: Callable[[], None], trips: int
) -> None:
    (ann,) = world.people("ann")
    expire_in_flight()
    crashing = CrashingDb(world.db, trips)
    with suppress(Crashed):
        save(Site(crashing, world.config), ann, stage(ann, "red", with_=crashing), DUE)
        worker.publish_due(Site(crashing, world.config))
    sweep(world, ann)
    shown = [picture for pictures in posted(world.db, ann) for picture in pictures]
    assert files(world.config) == files_of(*pictures_of_draft(world.db, ann), *shown)
    assert not unused_names(world.db, ann)
    worker.publish_due(world)
    sweep(world, ann)
    found = files(world.config)
    assert found == files_of(*[one for pictures in posted(world.db, ann) for one in pictures])


def test_a_crash_while_files_are_written_leaves_nothing(
    world: World, stage: Stage, expire_in_flight: Callable[[], None]
) -> None:
    (ann,) = world.people("ann")
    save(world, ann, stage(ann, "red"), DUE)
    expire_in_flight()
    for step in ("write", "link"):
        with death_after(media_files, step) as patch:
            patch.setattr(staging, "discard", lambda *_: None)  # the process is gone
            save(world, ann, stage(ann, "blue")) if step == "write" else worker.publish_due(world)
        sweep(world, ann)
        assert files(world.config) == files_of(*pictures_of_draft(world.db, ann)), step


def test_concurrent_saves_and_publishes_leave_one_set_of_files(
    world: World, stage: Stage, expire_in_flight: Callable[[], None]
) -> None:
    (ann,) = world.people("ann")
    rng = random.Random(7)

    def save_new(number: int) -> None:
        due = DUE if number % 2 else None
        save(world, ann, staging_of_draft(world, ann, stage), due)

    def save_kept(_: int) -> None:
        kept = pictures_of_draft(world.db, ann)
        with suppress(Conflict):
            save(world, ann, kept)

    def post(_: int) -> None:
        kept = pictures_of_draft(world.db, ann)
        staged = staging.stage(world, ann, kept)
        try:
            store.post(world, ann, parse("hello"), FORM, pictures=staged)
        except Refused:
            staging.withdraw(world, ann, staged, kept)

    jobs = [partial(act, n) for act in (save_new, save_kept, post) for n in range(50)]
    jobs += [partial(worker.publish_due, world), partial(sweep, world, ann)] * 20
    rng.shuffle(jobs)
    at_once(8, call, jobs)
    expire_in_flight()
    sweep(world, ann)
    shown = [picture for pictures in posted(world.db, ann) for picture in pictures]
    assert files(world.config) == {
        *files_of(*pictures_of_draft(world.db, ann), *shown),
        *(f"{one.name}.restricted" for one in pictures_of_draft(world.db, ann)),
    }
    assert not unused_names(world.db, ann)


def staging_of_draft(site: Site, uid: int, stage: Stage) -> list[Picture]:
    """Stage a picture of one colour as the form of a draft does."""
    [picture] = stage(uid, "red")
    restrictions.restrict(site.config, [picture.name])
    return [picture]


def test_after_a_restore_the_pictures_of_drafts_are_restricted(world: World, stage: Stage) -> None:
    (ann,) = world.people("ann")
    [picture] = stage(ann, "red")
    save(world, ann, [picture])
    [path] = files_of(picture)
    assert not restrictions.is_restricted(world.config, path)
    run_upgrade(world, "pictures")
    assert restrictions.is_restricted(world.config, path)


def test_a_lost_reply_takes_no_pictures_from_a_post_that_was_published(
    world: World, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ann,) = world.people("ann")
    world.post(ann, "the server knows the script")
    save(world, ann, stage(ann, "red"), DUE)
    exchange, lost = client.exchange, []

    def lose(batches: Batches, breaker: CircuitBreaker) -> dict[int, Any]:
        replies = exchange(batches, breaker)
        if not lost and any(store.POST.sha in one.command for [one, *_] in batches.values()):
            lost.append(replies)
            raise ConnectionError("Connection closed by server.")
        return replies

    monkeypatch.setattr(client, "exchange", lose)
    worker.publish_due(world)
    assert lost
    _, shown = posted(world.db, ann)
    assert files(world.config) >= files_of(*shown)
