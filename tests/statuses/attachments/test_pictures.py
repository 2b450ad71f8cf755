"""Pictures of statuses in the store and on disk.

After crashes and races, exactly the files of visible pictures remain.
"""

import io
import random
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from operator import call

import pytest
from PIL import Image
from werkzeug.datastructures import FileStorage

from tests.support.animations import animation
from tests.support.concurrently import at_once
from tests.support.crashing_db import Crashed, CrashingDb, death_after
from tests.support.statuses.pictures import (
    FORM,
    NO_WORDS,
    Stage,
    expire_in_flight as expire_in_flight,
    files,
    files_of,
    photo,
    stage as stage,
    unused_names,
)
from tests.support.world import World
from webapp.accounts.profile import About
from webapp.config import Config
from webapp.core.errors import Conflict
from webapp.core.forms.fields import UploadedPicture
from webapp.core.media import files as media_files, removal, storage as media
from webapp.core.store import Site, partition_of
from webapp.core.text.parser import Parsed
from webapp.statuses import BoostRef, Picture, keys as status_keys, store
from webapp.statuses.attachments import staging
from webapp.statuses.values.pictures import pack_pictures, unpack_pictures
from webapp.statuses.visibility.author_page import author_page
from webapp.streaming.serializers.boosts import boost_json
from webapp.streaming.serializers.entities import media_json
from webapp.streaming.serializers.statuses import status_json
from webapp.streaming.serializers.users import Person, RelatedData


def post(site: Site, uid: int, pictures: list[Picture], form: str = FORM) -> int:
    return store.post(site, uid, NO_WORDS, form, pictures=pictures)


def test_a_status_has_its_pictures_with_size_alt_text_and_colours(
    world: World, stage: Stage
) -> None:
    (ann,) = world.people("ann")
    pictures = stage(ann, "#ff0000", "#0000ff")
    status = post(world, ann, pictures)
    visible = world.status(status).pictures
    assert list(visible) == pictures and not unused_names(world.db, ann)
    assert [(picture.width, picture.height, picture.alt) for picture in visible] == [
        (60, 40, "all #ff0000"),
        (60, 40, "all #0000ff"),
    ]
    assert visible[0].colours == "ff0000" * 9
    assert visible[1].colour_grid[5] == ("0000ff", 2, 1)
    assert files(world.config) == files_of(*visible)
    assert len({picture.name for picture in visible}) == 2
    page = world.db.read(author_page(ann, None, 5)).statuses(world.status(status).author)
    assert [picture.pictures for picture in page] == [visible]


def test_packed_pictures_unpack_unchanged() -> None:
    pictures = (
        Picture("posts/1/x", 2048, 3, 'a "b" <c> 鳥\n', "ab" * 27),
        Picture("posts/1/y", 1, 1),
        Picture("posts/1/z", 1, 1, animated=True),
    )
    assert unpack_pictures(pack_pictures(pictures)) == pictures
    assert unpack_pictures(None) == unpack_pictures("") == ()
    assert pack_pictures(()) == ""


@pytest.mark.parametrize(
    ("size", "widths"),
    [
        ((60, 40), [60]),
        ((640, 20), [640]),
        ((641, 641), [640, 641]),
        ((1500, 1200), [640, 1280, 1500]),
        ((1000, 4000), [160, 320, 512]),
        ((9000, 16), [640, 1280, 2048]),
    ],
)
def test_exactly_the_named_sizes_are_stored(
    settings: Config, size: tuple[int, int], widths: list[int]
) -> None:
    name = f"posts/7/{'0' * 32}"
    saved = media.save_in_status(settings, name, io.BytesIO(photo(size)))
    picture = Picture(name, saved.width, saved.height)
    assert [w for _, w, _ in picture.paths] == widths
    assert files(settings) == files_of(picture)
    for path, w, h in picture.paths:
        with Image.open(settings.media_path / path.removeprefix("/media/")) as stored:
            assert stored.format == "WEBP"
            assert stored.width == w
            assert abs(stored.height - h) <= 1
    removal.remove_status_pictures(settings, [name])
    assert not files(settings)


def test_a_transparent_picture_has_no_placeholder_colours(settings: Config) -> None:
    found = []
    for alpha in (255, 0):
        content = io.BytesIO()
        Image.new("RGBA", (40, 40), (255, 0, 0, alpha)).save(content, "PNG")
        found.append(media.save_in_status(settings, f"posts/7/{'0' * 32}", content).colours)
    assert found == ["ff0000" * 9, ""]


def test_a_form_sent_twice_posts_once_and_its_second_files_are_removed(
    world: World, stage: Stage, expire_in_flight: Callable[[], None]
) -> None:
    (ann,) = world.people("ann")
    first, again, other = stage(ann, "red"), stage(ann, "red"), stage(ann, "blue")
    status = post(world, ann, first)
    assert post(world, ann, again) == status != post(world, ann, other)
    assert unused_names(world.db, ann) == [again[0].name]
    expire_in_flight()
    staging.remove_stale(world, partition_of(ann))
    assert files(world.config) == files_of(*first, *other) and not unused_names(world.db, ann)


def test_cleanup_removes_only_expired_uploads(
    world: World, stage: Stage, expire_in_flight: Callable[[], None]
) -> None:
    (ann,) = world.people("ann")
    pictures = stage(ann, "red", "blue")
    staging.remove_stale(world, partition_of(ann))
    assert files(world.config) == files_of(*pictures)
    expire_in_flight()
    for _ in range(2):
        staging.remove_stale(world, partition_of(ann))
    assert not files(world.config) and not unused_names(world.db, ann)
    world.refuses(Conflict, post, ann, pictures)
    assert not world.db.run(("EXISTS", status_keys.profile_statuses(ann)))


def test_pictures_of_an_interrupted_cleanup_cannot_be_posted(
    world: World,
    stage: Stage,
    expire_in_flight: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (ann,) = world.people("ann")
    pictures = stage(ann, "red")
    expire_in_flight()

    def die(*_: object) -> None:
        raise Crashed

    with monkeypatch.context() as patch, pytest.raises(Crashed):
        patch.setattr(removal, "remove_status_pictures", die)
        staging.remove_stale(world, partition_of(ann))
    world.refuses(Conflict, post, ann, pictures)
    staging.remove_stale(world, partition_of(ann))
    assert not files(world.config) and not unused_names(world.db, ann)


def test_cleanup_removes_files_after_a_crash_at_any_step(
    world: World, stage: Stage, expire_in_flight: Callable[[], None]
) -> None:
    (ann,) = world.people("ann")
    expire_in_flight()
    for module, step in (
        (removal, "remove_status_pictures"),
        (media_files, "write"),
        (media, "save_in_status"),
    ):
        with death_after(module, step):
            staging.discard(world, ann, [stage(ann, "red")[0].name])
        staging.remove_stale(world, partition_of(ann))
        assert not files(world.config) and not unused_names(world.db, ann), step
    with suppress(Crashed):
        stage(ann, "red", with_=CrashingDb(world.db, 0))
    assert not files(world.config)  # files are written after the store knows them


def test_deleting_a_status_deletes_only_its_pictures(world: World, stage: Stage) -> None:
    (ann,) = world.people("ann")
    pictures, deleted_pictures = stage(ann, "red"), stage(ann, "red", "blue")
    post(world, ann, pictures, "form-key-2")
    names = store.delete(world, ann, post(world, ann, deleted_pictures))
    assert (
        sorted(names)
        == sorted(picture.name for picture in deleted_pictures)
        == sorted(unused_names(world.db, ann))
    )
    staging.remove_stale(world, partition_of(ann))  # as after a crash between both steps
    assert files(world.config) == files_of(*pictures) and not unused_names(world.db, ann)
    assert store.delete(world, ann, store.post(world, ann, Parsed("x", 1, ()), "form-key-3")) == ()


def test_concurrent_posts_deletions_and_cleanups_keep_exactly_the_visible_files(
    world: World, stage: Stage, expire_in_flight: Callable[[], None]
) -> None:
    (ann,) = world.people("ann")
    expire_in_flight()  # a cleanup then also removes uploads in flight
    rng = random.Random(7)

    def write(number: int) -> None:
        pictures = stage(ann, "red")
        names: Collection[str] = ()
        try:
            status = post(world, ann, pictures, f"form-{number:08}")
            if number % 3 == 0:
                names = store.delete(world, ann, status)
        except Conflict:
            names = [picture.name for picture in pictures]
        staging.discard(world, ann, names)

    def sweep(_: int) -> None:
        staging.remove_stale(world, partition_of(ann))

    jobs = [partial(write, number) for number in range(50)] + [partial(sweep, 0)] * 50
    rng.shuffle(jobs)
    at_once(8, call, jobs)
    sweep(0)
    ids = [
        int(picture)
        for picture in world.db.run(("ZRANGE", status_keys.profile_statuses(ann), 0, -1))
    ]
    visible = [picture for status in ids for picture in world.status(status).pictures]
    assert files(world.config) == files_of(*visible) and not unused_names(world.db, ann)


def test_streams_send_pictures_at_the_end_of_boosts(world: World, stage: Stage) -> None:
    (ann,) = world.people("ann")
    status = world.status(post(world, ann, stage(ann, "red", "blue")))
    related = RelatedData({}, {ann: Person(status.author, About(), 1, 0, 0)}, {})
    boost = boost_json(BoostRef(9, ann, status.id, ann), status, related, "")
    end = len(boost["text"])
    places = [
        picture["indices"]
        for name in ("entities", "extended_entities")
        for picture in boost[name]["media"]
    ]
    assert places == [[end, end]] * 3


def test_streams_send_pictures_in_the_version_1_1_format(world: World, stage: Stage) -> None:
    (ann,) = world.people("ann")
    pictures = stage(ann, "red", "blue")
    status = world.status(post(world, ann, pictures))
    person = Person(status.author, About(), 1, 0, 0)
    related = RelatedData({}, {status.author.uid: person}, {})
    json = status_json(status, related, "https://birds.example")
    first, second = json["extended_entities"]["media"]
    assert json["entities"]["media"] == [first] and first["id"] != second["id"]
    assert first["id_str"] == str(first["id"])
    assert first["id"] < 2**53
    assert first["type"] == "photo"
    assert first["media_url_https"] == f"https://birds.example{pictures[0].path}"
    assert first["ext_alt_text"] == "all red"
    assert first["expanded_url"] == f"https://birds.example/@ann/{status.id}"
    assert first["indices"] == [0, 0]
    assert set(first["sizes"]) == {"thumb", "small", "medium", "large"}
    large = Picture("posts/1/" + "0" * 32, 2048, 1024)
    sizes = media_json(large, "", "", 0)["sizes"]
    expected = [(640, 320), (640, 320), (1280, 640), (2048, 1024)]
    assert [(picture["w"], picture["h"]) for picture in sizes.values()] == expected
    assert sizes["medium"]["url"] == f"/media/{large.name}-1280.webp"
    assert large.path == sizes["large"]["url"]
    without_pictures = world.status(store.post(world, ann, Parsed("x", 1, ()), "form-key-2"))
    json = status_json(without_pictures, related, "https://birds.example")
    assert "media" not in json["entities"] and "extended_entities" not in json


def stage_animation(site: Site, uid: int) -> list[Picture]:
    """Stage an animated picture, as a form does."""
    upload = FileStorage(io.BytesIO(animation()), content_type="image/gif")
    return staging.stage(site, uid, [UploadedPicture(upload, "a blinking light")])


def test_an_animated_picture_has_its_animation_as_long_as_its_status(world: World) -> None:
    (ann,) = world.people("ann")
    status = post(world, ann, stage_animation(world, ann))
    [shown] = world.status(status).pictures
    assert shown.animated and shown.alt == "a blinking light"
    assert shown.full_path == f"/media/{shown.name}-animated.webp"
    assert files(world.config) == {f"{shown.name}-640.webp", f"{shown.name}-animated.webp"}
    assert media_json(shown, "", "", 0)["type"] == "photo"
    assert media_json(shown, "", "", 0)["media_url"] == f"/media/{shown.name}-640.webp"
    staging.discard(world, ann, store.delete(world, ann, status))
    assert not files(world.config) and not unused_names(world.db, ann)


def test_pictures_that_were_stored_before_animations_are_stills() -> None:
    stored = '[["posts/1/x",60,40,"words","ab","top"],["posts/1/y",60,40,"","","","digest"]]'
    first, second = unpack_pictures(stored)
    assert first == Picture("posts/1/x", 60, 40, "words", "ab", "top") and not first.animated
    assert second.digest == "digest" and not second.animated
    assert first.full_path == first.path
