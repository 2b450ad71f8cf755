"""Building the index anew, while others write."""

from dataclasses import replace

import pytest

from tests.support.schema import live_keys
from tests.support.searching import latest
from tests.support.settings import with_settings
from tests.support.upgrades import run_upgrade
from tests.support.world import World, post
from webapp.core.errors import Conflict
from webapp.core.search.plan import Plan
from webapp.core.store import Db, Site
from webapp.core.text.parser import parse as parse_text
from webapp.search.index import rebuild as rebuilding
from webapp.search.index.layout import search_state
from webapp.statuses.edits import editing
from webapp.statuses.values.visibility import WIDEST_FIRST


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rebuilds go on at once: no other process has to learn of them."""
    monkeypatch.setattr(rebuilding, "LAYOUT_DELAY_SECONDS", 0)


def index(db: Db) -> dict[str, object]:
    """Return the index without its generation's number: what each key holds."""
    found = {}
    for key in live_keys(db):
        parts = key.split(":")
        if parts[0] != "search" or len(parts) < 5:
            continue
        command = ("GET", key) if parts[5] == "record" else ("ZRANGE", key, 0, -1, "WITHSCORES")
        found[":".join(parts[:3] + parts[4:])] = db.run(command)
    return found


def test_a_rebuilt_index_is_the_one_that_projections_wrote(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    ids = [post(world, ann, f"heron {one.slug}", visibility=one) for one in WIDEST_FIRST]
    world.apply_events()
    post(world, ben, "indeed", reply=ids[0])
    world.do(World.like, ben, ids[0])
    before = index(world.db)
    run_upgrade(world, "search")
    after = index(world.db)
    # Counts reach the index with an event a second later: the rebuild knows them already.
    counted = {key for key in after if key.endswith((":likes", ":replies"))}
    assert before == {key: value for key, value in after.items() if key not in counted}
    assert len(counted) == 2
    assert latest(world, "heron") == [ids[0]]


def test_a_rebuild_leaves_no_counts_of_posts_that_do_not_fit(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    for number in range(5):
        world.like(ben, post(world, ann, f"heron {number}"))
    world.apply_events()
    run_upgrade(with_settings(world, search_max=2 * world.config.search_shards), "search")
    liked = {key: found for key, found in index(world.db).items() if key.endswith("posts:likes")}
    assert [len(found) for found in liked.values()] == [4]  # type: ignore[arg-type]  # ids, scores


def test_a_rebuild_with_other_shards_finds_the_same(world: World) -> None:
    uids = world.people("ann", "ben", "cat")
    ids = [post(world, uid, "heron") for uid in uids]
    world.apply_events()
    fewer = with_settings(world, search_shards=2)
    newest_first = sorted(ids, reverse=True)
    assert latest(fewer, "heron") == newest_first  # in the shards of before
    rebuild = rebuilding.begin(fewer)
    ids.append(post(world, uids[0], "another heron"))  # written to both
    world.apply_events()
    assert latest(fewer, "heron") == [ids[-1], *newest_first]
    rebuild.add_members(uids)
    rebuilding.finish(rebuild)
    assert latest(fewer, "heron") == latest(world, "heron") == [ids[-1], *newest_first]
    assert search_state(fewer) == (2, False)
    shards = {key.split(":")[2] for key in live_keys(world.db) if key.startswith("search:")}
    assert shards == {"2"}
    followed = post(fewer, uids[1], "heron again")
    world.apply_events()
    assert latest(fewer, "heron")[0] == followed


def test_what_an_interrupted_rebuild_left_is_removed_by_the_next(world: World) -> None:
    uids = world.people("ann", "ben")
    ids = [post(world, uid, "heron") for uid in uids]
    world.apply_events()
    run_upgrade(world, "search")
    assert search_state(world) == (world.config.search_shards, False)
    for shards in (2, world.config.search_shards, 4):
        interrupted = rebuilding.begin(with_settings(world, search_shards=shards))
        interrupted.add_members(uids)
        assert search_state(world) == (world.config.search_shards, True)
        assert latest(world, "heron") == sorted(ids, reverse=True)
    with pytest.raises(Conflict):
        rebuilding.finish(rebuilding.Rebuild(world.db, replace(world.config, search_shards=2), 2))
    run_upgrade(world, "search")
    assert search_state(world) == (world.config.search_shards, False)
    assert latest(world, "heron") == sorted(ids, reverse=True)
    generations = {
        tuple(key.split(":")[2:4])
        for key in live_keys(world.db)
        if key.startswith("search:") and key.count(":") > 3
    }
    assert len(generations) == 1


def test_a_rebuild_that_died_before_it_removed_the_former_index(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    found = world.do(post, ann, "heron")

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    for removal, changed in (
        ("remove_generation", world.config),
        ("remove_layout", replace(world.config, search_shards=2)),
    ):
        rebuild = rebuilding.begin(Site(world.db, changed))
        rebuild.add_members([ann])
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(rebuilding, removal, die)
            rebuilding.finish(rebuild)
        assert search_state(Site(world.db, changed))[1]
        assert latest(Site(world.db, changed), "heron") == [found]
        run_upgrade(Site(world.db, changed), "search")
        assert search_state(Site(world.db, changed)) == (changed.search_shards, False)
        assert latest(Site(world.db, changed), "heron") == [found]
    shards = {key.split(":")[2] for key in live_keys(world.db) if key.startswith("search:")}
    assert shards == {"2"}


def test_what_changes_during_a_rebuild_is_in_both(world: World) -> None:
    [ann] = world.people("ann")
    edited, deleted = (post(world, ann, "grey heron") for _ in range(2))
    world.apply_events()
    rebuild = rebuilding.begin(world)
    editing.edit(world, ann, edited, parse_text("black stork"), "", "")
    world.delete(ann, deleted)
    new = world.do(post, ann, "white stork")
    rebuild.add_members([ann])
    assert latest(world, "stork") == [new, edited]
    rebuilding.finish(rebuild)
    assert latest(world, "stork") == [new, edited]
    assert latest(world, "heron") == []


def test_a_follow_during_a_rebuild_counts_in_both(world: World) -> None:
    ann, ben = world.people("ann", "ben")
    world.apply_events()
    rebuild = rebuilding.begin(with_settings(world, search_shards=world.config.search_shards + 1))
    rebuild.add_members([ann, ben])
    world.do(World.follow, ben, "ann")
    rebuilding.finish(rebuild)
    followers = [held for key, held in index(world.db).items() if key.endswith(":followers")]
    assert [str(ann), "1"] in followers


def test_a_post_deleted_between_read_and_write_is_not_left_behind(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    [ann] = world.people("ann")
    deleted = world.do(post, ann, "grey heron")
    rebuild = rebuilding.begin(world)
    read_document = rebuilding.status_document

    def delete_first(status: object) -> object:
        world.do(World.delete, ann, deleted)
        return read_document(status)  # type: ignore[arg-type]

    monkeypatch.setattr(rebuilding, "status_document", delete_first)
    rebuild.add_members([ann])
    rebuilding.finish(rebuild)
    assert not [key for key in index(world.db) if ":posts:" in key]


def test_a_second_rebuild_ends_the_first(world: World) -> None:
    [ann] = world.people("ann")
    found = world.do(post, ann, "grey heron")
    first = rebuilding.begin(world)
    first.add_members([ann])
    second = rebuilding.begin(world)
    with pytest.raises(Conflict):
        first.add_members([ann])
    with pytest.raises(Conflict):
        rebuilding.finish(first)
    second.add_members([ann])
    rebuilding.finish(second)
    assert latest(world, "heron") == [found]
    generations = {
        key.split(":")[3] for key in live_keys(world.db) if key.count(":") > 4 and "search" in key
    }
    assert generations == {str(second.building)}


def test_an_empty_plan_asks_for_nothing() -> None:
    assert Plan().is_empty
