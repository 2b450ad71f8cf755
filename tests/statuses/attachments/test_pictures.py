"""Pictures of statuses in the store and in their folder: no file stays that no status shows, and none goes that one
does, whoever dies when.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest
from PIL import Image
from werkzeug.datastructures import FileStorage

from tests.following.test_blocks import Dying, Killed
from webapp.accounts import lifecycle
from webapp.accounts.profile import About
from webapp.config import Config
from webapp.core.forms.fields import UploadedPicture
from webapp.core.media import files as media_files
from webapp.core.media import storage as media
from webapp.core.store.client import Db
from webapp.core.store.ids import partition_of
from webapp.core.text.parser import Parsed
from webapp.errors import Conflict, NotFound
from webapp.statuses import keys as status_keys
from webapp.statuses import store
from webapp.statuses.attachments import keys as attachment_keys
from webapp.statuses.attachments import staging
from webapp.statuses.attachments.pictures import Picture, pack_pictures, unpack_pictures
from webapp.statuses.author_page import author_page
from webapp.streaming.api_v1.serializers.entities import media_json
from webapp.streaming.api_v1.serializers.statuses import Person, status_json

People = Callable[..., list[int]]
Keep = Callable[..., list[Picture]]
FORM = "form-key-1"
NO_WORDS = Parsed("", 0, ())


def photo(size: tuple[int, int] = (60, 40), colour: str = "#b45", kind: str = "PNG") -> bytes:
    """A picture of one colour."""
    content = io.BytesIO()
    Image.new("RGB", size, colour).save(content, kind)
    return content.getvalue()


def files(config: Config) -> set[str]:
    """All files of pictures of statuses."""
    return {
        path.relative_to(config.media_path).as_posix()
        for path in config.media_path.glob("posts/*/*")
    }


def of(*pictures: Picture) -> set[str]:
    """The files that pictures have."""
    return {path.removeprefix("/media/") for picture in pictures for path, _, _ in picture.paths}


def listed(db: Db, uid: int) -> list[str]:
    """The pictures that no status shows, as the store knows them."""
    return [
        str(name) for name in db.run(("ZRANGE", attachment_keys.uploads(partition_of(uid)), 0, -1))
    ]


@pytest.fixture
def keep(db: Db, config: Config, tmp_path: Path) -> Keep:
    """`keep(uid, "red", "blue")` keeps pictures of these colours, as a form's."""

    def run(uid: int, *colours: str, with_: Db = db) -> list[Picture]:
        sent = [
            FileStorage(io.BytesIO(photo(colour=colour)), content_type="image/png")
            for colour in colours
        ]
        return staging.stage(
            with_,
            config,
            uid,
            [UploadedPicture(file, f"all {c}") for file, c in zip(sent, colours, strict=True)],
        )

    return run


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Lets so much time go by that no form is under way any more."""
    return lambda: monkeypatch.setattr(media, "IN_FLIGHT_SECONDS", 0)


def publish(db: Db, config: Config, uid: int, pictures: list[Picture], form: str = FORM) -> int:
    return store.post(db, config, uid, NO_WORDS, form, pictures=pictures)


def test_a_status_names_its_pictures_with_size_words_and_colours(
    db: Db, config: Config, people: People, keep: Keep
) -> None:
    (ann,) = people("ann")
    kept = keep(ann, "#ff0000", "#0000ff")
    status = publish(db, config, ann, kept)
    shown = store.get(db, status).pictures
    assert list(shown) == kept and not listed(db, ann)
    assert [(one.width, one.height, one.alt) for one in shown] == [
        (60, 40, "all #ff0000"),
        (60, 40, "all #0000ff"),
    ]
    assert shown[0].colours == "ff0000" * 9 and shown[1].colour_grid[5] == ("0000ff", 2, 1)
    assert files(config) == of(*shown) and len({one.name for one in shown}) == 2
    page = db.read(author_page(ann, None, 5)).statuses(store.get(db, status).author)
    assert [one.pictures for one in page] == [shown]


def test_what_is_stored_of_pictures_comes_back_the_same() -> None:
    some = (Picture("posts/1/x", 2048, 3, 'a "b" <c> 鳥\n', "ab" * 27), Picture("posts/1/y", 1, 1))
    assert unpack_pictures(pack_pictures(some)) == some
    assert unpack_pictures(None) == unpack_pictures("") == () and pack_pictures(()) == ""


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
def test_each_size_that_is_named_is_kept_and_no_other(
    settings: Config, size: tuple[int, int], widths: list[int]
) -> None:
    name = f"posts/7/{'0' * 32}"
    width, height, _, _ = media.save_in_status(settings, name, io.BytesIO(photo(size)), "image/png")
    picture = Picture(name, width, height)
    assert [w for _, w, _ in picture.paths] == widths and files(settings) == of(picture)
    for path, w, h in picture.paths:
        with Image.open(settings.media_path / path.removeprefix("/media/")) as stored:
            assert stored.format == "WEBP" and stored.width == w and abs(stored.height - h) <= 1
    media.remove_status_pictures(settings, [name])
    assert not files(settings)


def test_one_that_can_be_seen_through_has_no_colours_behind_it(settings: Config) -> None:
    found = []
    for alpha in (255, 0):
        content = io.BytesIO()
        Image.new("RGBA", (40, 40), (255, 0, 0, alpha)).save(content, "PNG")
        found.append(media.save_in_status(settings, f"posts/7/{'0' * 32}", content, "image/png")[2])
    assert found == ["ff0000" * 9, ""]


def test_a_form_that_is_sent_twice_posts_once_and_the_second_files_go(
    db: Db, config: Config, people: People, keep: Keep, late: Callable[[], None]
) -> None:
    (ann,) = people("ann")
    first, again, other = keep(ann, "red"), keep(ann, "red"), keep(ann, "blue")
    status = publish(db, config, ann, first)
    assert publish(db, config, ann, again) == status != publish(db, config, ann, other)
    assert listed(db, ann) == [again[0].name]
    late()
    staging.remove_stale(db, config, partition_of(ann))
    assert files(config) == of(*first, *other) and not listed(db, ann)


def test_what_is_under_way_is_not_swept_and_what_never_came_is(
    db: Db, config: Config, people: People, keep: Keep, late: Callable[[], None]
) -> None:
    (ann,) = people("ann")
    pictures = keep(ann, "red", "blue")
    staging.remove_stale(db, config, partition_of(ann))
    assert files(config) == of(*pictures)
    late()
    for _ in range(2):
        staging.remove_stale(db, config, partition_of(ann))
    assert not files(config) and not listed(db, ann)
    with pytest.raises(Conflict):
        publish(db, config, ann, pictures)
    assert not db.run(("EXISTS", status_keys.profile_statuses(ann)))


def test_a_sweep_that_died_halfway_lets_nobody_post_what_it_took(
    db: Db,
    config: Config,
    people: People,
    keep: Keep,
    late: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (ann,) = people("ann")
    pictures = keep(ann, "red")
    late()

    def die(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch, pytest.raises(Killed):
        patch.setattr(media, "remove_status_pictures", die)
        staging.remove_stale(db, config, partition_of(ann))
    with pytest.raises(Conflict):
        publish(db, config, ann, pictures)
    staging.remove_stale(db, config, partition_of(ann))
    assert not files(config) and not listed(db, ann)


def test_whoever_dies_between_a_picture_and_its_status_leaves_no_file_for_ever(
    db: Db,
    config: Config,
    people: People,
    keep: Keep,
    late: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (ann,) = people("ann")
    late()
    for module, step in (
        (media, "remove_status_pictures"),
        (media_files, "write"),
        (media, "save_in_status"),
    ):
        whole = getattr(module, step)

        def die(*given: object, whole: Callable[..., object] = whole) -> None:
            whole(*given)
            raise Killed

        with monkeypatch.context() as patch, pytest.raises(Killed):
            patch.setattr(module, step, die)
            staging.discard(db, config, ann, [keep(ann, "red")[0].name])
        staging.remove_stale(db, config, partition_of(ann))
        assert not files(config) and not listed(db, ann), step
    with suppress(Killed):
        keep(ann, "red", with_=Dying(db, 0))
    assert not files(config)  # which is written only once the store knows of it


def test_deleting_a_status_takes_its_pictures_along_and_no_others(
    db: Db, config: Config, people: People, keep: Keep
) -> None:
    (ann,) = people("ann")
    kept, gone = keep(ann, "red"), keep(ann, "red", "blue")
    publish(db, config, ann, kept, "form-key-2")
    names = store.delete(db, config, ann, publish(db, config, ann, gone))
    assert sorted(names) == sorted(one.name for one in gone) == sorted(listed(db, ann))
    staging.remove_stale(
        db, config, partition_of(ann)
    )  # where who deleted it died before they removed them
    assert files(config) == of(*kept) and not listed(db, ann)
    assert (
        store.delete(db, config, ann, store.post(db, config, ann, Parsed("x", 1, ()), "form-key-3"))
        == ()
    )


def test_deleting_an_account_takes_all_its_pictures_along_and_what_it_was_about_to_post(
    db: Db,
    config: Config,
    people: People,
    keep: Keep,
    settle: Callable[[], None],
    late: Callable[[], None],
) -> None:
    ann, ben = people("ann", "ben")
    others = keep(ben, "red")
    for uid, pictures in ((ann, keep(ann, "red")), (ben, others)):
        publish(db, config, uid, pictures)
    lifecycle.delete_account(db, config, ann, None)
    settle()
    assert files(config) == of(*others) and not (config.media_path / f"posts/{ann}").exists()
    with pytest.raises(NotFound):
        publish(db, config, ann, keep(ann, "blue"), "form-key-2")
    late()
    staging.remove_stale(db, config, partition_of(ann))
    assert files(config) == of(*others)


def test_members_who_post_and_delete_while_it_is_swept_have_the_files_of_what_is_there(
    db: Db, config: Config, people: People, keep: Keep, late: Callable[[], None]
) -> None:
    (ann,) = people("ann")
    late()  # so that a sweep takes whatever is under way
    chance = random.Random(7)

    def write(number: int) -> None:
        pictures = keep(ann, "red")
        names: Collection[str] = ()
        try:
            status = publish(db, config, ann, pictures, f"form-{number:08}")
            if number % 3 == 0:
                names = store.delete(db, config, ann, status)
        except Conflict:
            names = [one.name for one in pictures]
        staging.discard(db, config, ann, names)

    def sweep(_: int) -> None:
        staging.remove_stale(db, config, partition_of(ann))

    with ThreadPoolExecutor(8) as pool:
        acts = [(write, number) for number in range(50)] + [(sweep, 0)] * 50
        chance.shuffle(acts)
        for one in [pool.submit(act, number) for act, number in acts]:
            one.result()
    sweep(0)
    ids = [int(one) for one in db.run(("ZRANGE", status_keys.profile_statuses(ann), 0, -1))]
    shown = [picture for status in ids for picture in store.get(db, status).pictures]
    assert files(config) == of(*shown) and not listed(db, ann)


def test_streams_tell_of_pictures_as_version_1_1_does(
    db: Db, config: Config, people: People, keep: Keep
) -> None:
    (ann,) = people("ann")
    kept = keep(ann, "red", "blue")
    status = store.get(db, publish(db, config, ann, kept))
    person = Person(status.author, About(), 1, 0, 0)
    told = status_json(status, person, {}, "https://birds.example")
    first, second = told["extended_entities"]["media"]
    assert told["entities"]["media"] == [first] and first["id"] != second["id"]
    assert first["id_str"] == str(first["id"]) and first["id"] < 2**53 and first["type"] == "photo"
    assert (
        first["media_url_https"] == f"https://birds.example{kept[0].path}"
        and first["ext_alt_text"] == "all red"
    )
    assert first["expanded_url"] == f"https://birds.example/@ann/{status.id}" and first[
        "indices"
    ] == [0, 0]
    assert set(first["sizes"]) == {"thumb", "small", "medium", "large"}
    large = Picture("posts/1/" + "0" * 32, 2048, 1024)
    sizes = media_json(large, "", "", 0)["sizes"]
    assert [(one["w"], one["h"]) for one in sizes.values()] == [
        (640, 320),
        (640, 320),
        (1280, 640),
        (2048, 1024),
    ]
    assert (
        sizes["medium"]["url"] == f"/media/{large.name}-1280.webp"
        and large.path == sizes["large"]["url"]
    )
    words = store.get(db, store.post(db, config, ann, Parsed("x", 1, ()), "form-key-2"))
    told = status_json(words, person, {}, "https://birds.example")
    assert "media" not in told["entities"] and "extended_entities" not in told
