"""Animated pictures: kept in motion within bounds, and refused beyond them."""

import io
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from PIL import Image, ImageSequence

from tests.conftest import long
from tests.support.animations import (
    BLUE,
    GREEN,
    RED,
    animated,
    animation,
    apng_that_claims,
    frame_outside,
    gif,
)
from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.media import animations, decoding, storage as media

NAME = f"posts/7/{'a' * 32}"
FORMATS = ("GIF", "WEBP", "PNG")
Save = Callable[..., media.StoredPicture]


@pytest.fixture
def save(wording_app: Flask, settings: Config) -> Save:
    """Return a function that stores a picture of a status, with other settings if given."""

    def store(content: bytes, **others: int) -> media.StoredPicture:
        with wording_app.test_request_context():
            return media.save_in_status(replace(settings, **others), NAME, io.BytesIO(content))

    return store


@pytest.fixture
def undecoded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a test fail that decodes further frames."""

    def fail(*_: object) -> None:
        raise AssertionError("a frame was decoded")

    monkeypatch.setattr(animations, "_decode_frame", fail)


def stored_frames(config: Config) -> list[tuple[Image.Image, float]]:
    """Return the frames of the stored animation, each with the ms it is shown for."""
    with Image.open(config.media_path / f"{NAME}-animated.webp") as picture:
        assert picture.format == "WEBP" and picture.info["loop"] == 0
        return [(frame.copy(), frame.info["duration"]) for frame in ImageSequence.Iterator(picture)]


def near(colour: Any, expected: tuple[int, ...]) -> bool:
    """Return True if colours are equal but for WebP's losses."""
    return all(abs(a - b) < 12 for a, b in zip(colour, expected, strict=True))


@pytest.mark.parametrize("kind", FORMATS)
def test_an_animation_stays_one_and_its_first_frame_is_the_still(
    kind: str, save: Save, settings: Config
) -> None:
    stored = save(animation(kind, duration=[100, 200, 300]))
    assert stored.animated and (stored.width, stored.height) == (64, 48)
    frames = stored_frames(settings)
    assert [duration for _, duration in frames] == [100, 200, 300]
    for (frame, _), colour in zip(frames, (RED, GREEN, BLUE), strict=True):
        assert frame.size == (64, 48) and near(frame.convert("RGB").getpixel((30, 20)), colour)
    with Image.open(settings.media_path / f"{NAME}-640.webp") as still:
        assert getattr(still, "n_frames", 1) == 1 and near(still.getpixel((30, 20)), RED)
    assert len(list((settings.media_path / "posts/7").iterdir())) == 2


@pytest.mark.parametrize("kind", [*FORMATS, "JPEG"])
def test_a_still_picture_has_no_animation(kind: str, save: Save, settings: Config) -> None:
    content = io.BytesIO()
    Image.new("RGB", (64, 48), RED).save(content, kind)
    assert not save(content.getvalue()).animated
    expected = [f"{'a' * 32}-640.webp"]
    assert [path.name for path in (settings.media_path / "posts/7").iterdir()] == expected


def test_an_animation_whose_frames_look_alike_is_a_still(save: Save) -> None:
    still = Image.new("P", (64, 48), 1)
    assert not save(gif(3, (64, 48))).animated
    content = io.BytesIO()
    still.save(content, "WEBP", save_all=True, append_images=[still], duration=100)
    assert not save(content.getvalue()).animated


def test_the_still_of_a_png_for_programs_without_animations_is_no_frame(
    save: Save, settings: Config
) -> None:
    frames = [Image.new("RGB", (64, 48), colour) for colour in (RED, GREEN, BLUE)]
    stored = save(animated(frames, "PNG", default_image=True, duration=[150, 250]))
    shown = [(frame.getpixel((30, 20)), duration) for frame, duration in stored_frames(settings)]
    assert stored.animated and [duration for _, duration in shown] == [150, 250]
    assert near(shown[0][0], GREEN) and near(shown[1][0], BLUE)
    assert not save(animated(frames[:2], "PNG", default_image=True)).animated


def test_a_picture_near_the_limit_of_pixels_is_stored_without_a_warning(save: Save) -> None:
    still = io.BytesIO()
    Image.new("RGB", (64, 48), RED).save(still, "PNG")
    assert not save(still.getvalue(), upload_pixels=64 * 48).animated
    assert save(animation(), upload_pixels=64 * 48).animated


@pytest.mark.parametrize("kind", ["WEBP", "PNG"])
def test_an_animation_is_stored_without_what_a_camera_wrote(
    kind: str, save: Save, settings: Config
) -> None:
    exif = Image.Exif()
    exif[0x010F] = "Secret Camera"
    content = animation(kind, exif=exif.tobytes())
    assert b"Secret" in content and save(content).animated
    for path in (settings.media_path / "posts/7").iterdir():
        assert b"Secret" not in path.read_bytes()


def test_a_gif_without_its_last_byte_moves(save: Save) -> None:
    assert save(animation()[:-1]).animated


@pytest.mark.parametrize(
    ("kind", "options"),
    [("GIF", {"disposal": 2}), ("WEBP", {}), ("PNG", {"disposal": 1, "blend": 0})],
)
def test_transparent_parts_stay_transparent_in_every_frame(
    kind: str, options: dict[str, int], save: Save, settings: Config
) -> None:
    blocks = [Image.new("RGBA", (64, 48)) for _ in range(3)]
    for number, frame in enumerate(blocks):
        frame.paste((*RED, 255), (20 * number, 0, 20 * number + 16, 48))
        frame.paste((0, 0, 0, 0), (20 * number + 4, 4, 20 * number + 12, 10))
    save(animated(blocks, kind, **options))
    alphas = [
        [frame.getchannel("A").getpixel((x, 20)) for x in (8, 28, 48)]
        for frame, _ in stored_frames(settings)
    ]
    assert alphas == [[255, 0, 0], [0, 255, 0], [0, 0, 255]]


def test_frames_are_640_pixels_at_most_and_the_stills_as_large_as_ever(
    save: Save, settings: Config
) -> None:
    stored = save(animation("GIF", 3, (1500, 750)))
    assert (stored.width, stored.height) == (1500, 750)
    assert {frame.size for frame, _ in stored_frames(settings)} == {(640, 320)}
    sides = {path.name[33:] for path in (settings.media_path / "posts/7").iterdir()}
    assert sides == {"640.webp", "1280.webp", "2048.webp", "animated.webp"}


def test_many_frames_are_thinned_and_play_as_long(save: Save, settings: Config) -> None:
    colours = [(number * 40 % 256, number * 90 % 256, 0) for number in range(700)]
    save(animation("PNG", 700, (16, 16), colours, duration=50))
    frames = stored_frames(settings)
    assert len(frames) == 234 and sum(duration for _, duration in frames) == 700 * 50
    assert {duration for _, duration in frames[:-1]} == {150}


def test_frames_of_many_pixels_together_are_made_smaller(
    save: Save, settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(animations, "PIXELS_MAX", 20_000)
    save(animation("GIF", 10, (200, 100)))
    assert {frame.size for frame, _ in stored_frames(settings)} == {(63, 31)}


def test_frames_without_a_time_are_shown_for_100_ms_as_in_browsers(
    save: Save, settings: Config
) -> None:
    save(animation("GIF", duration=[0, 10, 20]))
    assert [duration for _, duration in stored_frames(settings)] == [100, 100, 20]


def test_two_animations_that_begin_alike_have_different_digests(save: Save) -> None:
    found = save(animation(colours=(RED, GREEN))).digest
    assert found != save(animation(colours=(RED, BLUE))).digest


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(gif(100_000), id="100,000 frames"),
        pytest.param(gif(340_000), id="frames of 8 MB"),
        pytest.param(gif(3_000), id="3,001 frames"),
        pytest.param(gif(75, (2_000, 2_000)), id="304 megapixels in all frames"),
        pytest.param(gif(1, (3_001, 3_000)), id="9,003,000 pixels in one frame"),
        pytest.param(apng_that_claims(2**31), id="2,147,483,648 frames that are not there"),
    ],
)
def test_an_animation_beyond_the_bounds_is_refused_before_its_frames_are_decoded(
    content: bytes, refused: Callable[[bytes], str], undecoded: None
) -> None:
    assert refused(content) == "animation_too_long"


def test_an_animation_of_more_than_a_minute_is_refused(
    save: Save, refused: Callable[[bytes], str]
) -> None:
    assert refused(animation("GIF", 3, duration=20_010)) == "animation_too_long"
    assert save(animation("GIF", 3, duration=20_000)).animated


def test_an_animation_that_takes_long_to_decode_is_refused(
    refused: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(animations, "DECODE_SECONDS_MAX", 0)
    assert refused(animation()) == "animation_too_long"


def test_an_animation_of_too_many_bytes_is_refused(
    refused: Callable[[bytes], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(animations, "_encode", lambda *_: bytes(8 * 1024 * 1024 + 1))
    assert refused(animation()) == "animation_too_long"


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(gif(1, frame=frame_outside((17, 16))), id="a frame larger than the canvas"),
        pytest.param(gif(2, frame=frame_outside((9_000, 9_000), 2)), id="81 megapixels to clear"),
        pytest.param(gif(2, frame=frame_outside((65_535, 65_535), 2)), id="4 gigapixels to clear"),
        pytest.param(gif(1, frame=frame_outside((16, 16))), id="a frame without its data"),
        pytest.param(animation("GIF", 3)[:-20], id="a truncated GIF"),
        pytest.param(animation("PNG", 3)[:-40], id="a truncated PNG"),
        pytest.param(animation("WEBP", 3)[:-20], id="a truncated WebP"),
        pytest.param(apng_that_claims(4), id="a PNG that lacks a frame"),
    ],
)
def test_an_animation_with_broken_frames_is_refused(
    content: bytes, refused: Callable[[bytes], str]
) -> None:
    assert refused(content) in ("broken", "too_many_pixels")


def test_one_animation_is_encoded_at_a_time_and_stills_do_not_wait_for_it(
    save: Save, settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoding, "DECODE_WAIT_SECONDS", 0.01)
    with animations.animation_lock:
        with pytest.raises(Unavailable):
            save(animation())
        with pytest.raises(Unavailable):  # reading a still GIF may take as much memory
            save(still("GIF"))
        assert not settings.media_path.exists()
        assert not any(save(still(kind)).animated for kind in ("PNG", "JPEG", "WEBP"))
    assert save(animation()).animated and not save(still("GIF")).animated


def still(kind: str) -> bytes:
    """Return a file of a picture that does not move."""
    content = io.BytesIO()
    Image.new("RGB", (64, 48), RED).save(content, kind)
    return content.getvalue()


def test_pictures_of_members_stay_stills(wording_app: Flask, settings: Config) -> None:
    with wording_app.test_request_context():
        for kind, sizes in media.PICTURE_SIZES.items():
            name = media.save(settings, 7, kind, io.BytesIO(animation()))
            names = {path.name for path in settings.media_path.glob(f"{name}-*")}
            assert names == {f"{name[2:]}-{width}.webp" for width, _ in sizes}
        name = media.save_chat_avatar(settings, "1", io.BytesIO(gif(100_000)))
    expected = [f"{name[7:]}.webp"]
    assert [path.name for path in (settings.media_path / "chat/1").iterdir()] == expected


MEASURE = """
import io, re, sys
from pathlib import Path
from unittest.mock import Mock
from webapp.core.media import animations
peak = lambda: int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
config = Mock(upload_pixels=40_000_000, upload_max=8 * 1024 * 1024)
before = peak()
assert animations.encode_animation(config, io.BytesIO(Path(sys.argv[1]).read_bytes()))
print((peak() - before) // 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("count", "size"), [(300, (360, 300)), long(12, (3_000, 3_000))])
def test_a_largest_animation_takes_less_than_300_megabytes(
    count: int, size: tuple[int, int], tmp_path: Path
) -> None:
    file = tmp_path / "large.gif"
    file.write_bytes(animation("GIF", count, size))
    measured = subprocess.run(
        [sys.executable, "-c", MEASURE, str(file)], capture_output=True, check=True, text=True
    )
    assert 60 < int(measured.stdout) < 300
