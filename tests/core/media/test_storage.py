"""Uploaded pictures: accepted formats, stored files, and their removal."""

import io
import os
import re
import struct
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cache
from pathlib import Path
from threading import BoundedSemaphore, Lock
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image, ImageCms, ImageOps, PngImagePlugin

from tests.conftest import long
from tests.support.concurrently import at_once
from tests.support.multipart import multipart
from tests.support.world import Web, World
from webapp.accounts import keys as account_keys, profile
from webapp.config import Config
from webapp.core.errors import Unavailable
from webapp.core.media import decoding, files as media_files, removal, storage as media

Save = Callable[..., str]
FORMATS = ("JPEG", "PNG", "WEBP", "GIF")
FAST: dict[str, dict[str, int]] = {  # options of the fastest encoders
    "JPEG": {},
    "PNG": {"compress_level": 1},
    "WEBP": {"method": 0},
}
SIZE = (64, 48)
RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
DAY = 86_400  # seconds


def file(picture: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    """Return a picture as the content of a file."""
    content = io.BytesIO()
    picture.save(content, kind, **options)
    return content.getvalue()


def plain(colour: Any = RED, size: tuple[int, int] = SIZE, mode: str = "RGB") -> Image.Image:
    """Return a picture of one colour."""
    return Image.new(mode, size, colour)


def noise(size: tuple[int, int] = (300, 200)) -> Image.Image:
    """Return a picture that compresses badly."""
    grey = Image.effect_noise(size, 80)
    return Image.merge("RGB", (grey, ImageOps.mirror(grey), ImageOps.flip(grey)))


@cache
def noise_file(form: str, size: tuple[int, int] = (300, 200), **options: Any) -> bytes:
    """Return a picture that compresses badly as the content of a file, always the same."""
    return file(noise(size), form, **options)


@cache
def green_file(form: str, size: tuple[int, int]) -> bytes:
    """Return a green picture as the content of a file, encoded fast."""
    if form != "GIF":
        return file(plain(GREEN, size), form, **FAST[form])
    palette = Image.new("P", size)  # without a search for the best colours
    palette.putpalette(GREEN)
    return file(palette, form)


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(
    size: tuple[int, int], row: bytes, *chunks: bytes, depth: int = 8, colours: int = 2
) -> bytes:
    """Return a PNG written by hand, whose rows are all the same."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", *size, depth, colours, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress((b"\0" + row) * min(size[1], 1_000)))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + rows + chunk(b"IEND", b"")


def chunk_names(content: bytes) -> list[bytes]:
    """Return the names of a WebP's chunks."""
    names, offset = [], 12
    while offset < len(content):
        names.append(content[offset : offset + 4])
        length = struct.unpack("<I", content[offset + 4 : offset + 8])[0]
        offset += 8 + length + length % 2
    assert offset == len(content) and struct.unpack("<I", content[4:8])[0] == len(content) - 8
    return names


@pytest.fixture
def save(wording_app: Flask, settings: Config) -> Save:
    """Return a function that stores a picture and returns its name."""

    def store(content: bytes, kind: str = "avatar", uid: int = 7) -> str:
        with wording_app.test_request_context():
            return media.save(settings, uid, kind, io.BytesIO(content))

    return store


@pytest.fixture
def saved(save: Save, settings: Config) -> Callable[..., Image.Image]:
    """Return a function that stores a picture and reads it back in its largest size."""

    def read(content: bytes, kind: str = "avatar") -> Image.Image:
        return load_stored(settings, save(content, kind), media.PICTURE_SIZES[kind][0][0])

    return read


def load_stored(config: Config, name: str, width: int) -> Image.Image:
    """Load a stored picture of a width."""
    picture = Image.open(config.media_path / f"{name}-{width}.webp")
    picture.load()
    return picture


def middle(picture: Image.Image) -> Any:
    """Return the colour in the middle."""
    return picture.getpixel((picture.width // 2, picture.height // 2))


def near(colour: Any, expected: Any, tolerance: int = 6) -> bool:
    """Return True if colours are equal but for WebP's losses."""
    return len(colour) == len(expected) and all(
        abs(a - b) <= tolerance for a, b in zip(colour, expected, strict=True)
    )


# Accepted pictures


@pytest.mark.slow
@pytest.mark.parametrize("size", [(16, 16), (64, 48), (301, 2000), (3100, 1601), (6000, 20)])
@pytest.mark.parametrize("kind", ["header", long("avatar")])
@pytest.mark.parametrize("form", FORMATS)
def test_each_format_becomes_webp_of_exact_sizes(
    form: str, kind: str, size: tuple[int, int], save: Save, settings: Config
) -> None:
    name = save(green_file(form, size), kind)
    names = sorted(path.name for path in (settings.media_path / "7").iterdir())
    assert names == sorted(f"{name[2:]}-{width}.webp" for width, _ in media.PICTURE_SIZES[kind])
    for width, height in media.PICTURE_SIZES[kind]:
        picture = load_stored(settings, name, width)
        assert (picture.format, picture.size, picture.mode) == ("WEBP", (width, height), "RGB")
        assert near(middle(picture), GREEN, 8)


def test_a_picture_is_cropped_to_its_middle(saved: Callable[..., Image.Image]) -> None:
    wide = plain(BLUE, (900, 300))
    wide.paste(plain(RED, (300, 300)), (300, 0))
    picture = saved(file(wide))
    assert all(near(picture.getpixel((x, 200)), RED, 12) for x in (8, 200, 391))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("large", [False, long(True)])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_rotated_upright(
    form: str, large: bool, orientation: int, saved: Callable[..., Image.Image]
) -> None:
    side = 1600 if large else 80
    upright = plain(BLUE, (2 * side, 2 * side))
    upright.paste(plain(RED, (side, side)), (0, 0))
    upright.paste(plain(GREEN, (side, side)), (side, 0))
    transposes = {
        1: [],
        2: [Image.Transpose.FLIP_LEFT_RIGHT],
        3: [Image.Transpose.ROTATE_180],
        4: [Image.Transpose.FLIP_TOP_BOTTOM],
        5: [Image.Transpose.TRANSPOSE],
        6: [Image.Transpose.ROTATE_90],
        7: [Image.Transpose.TRANSVERSE],
        8: [Image.Transpose.ROTATE_270],
    }[orientation]
    rotated = upright
    for transpose in transposes:
        rotated = rotated.transpose(transpose)
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = saved(file(rotated, form, exif=exif, **FAST[form]))
    for place, colour in (
        ((100, 100), RED),
        ((300, 100), GREEN),
        ((100, 300), BLUE),
        ((300, 300), BLUE),
    ):
        assert near(picture.getpixel(place), colour, 12), place


def test_metadata_is_removed(save: Save, settings: Config) -> None:
    exif = Image.Exif()
    exif[0x010F] = "SECRETCAMERA"
    exif.get_ifd(0x8825)[2] = (51.0, 30.0, 0.0)
    exif[0x8825] = exif.get_ifd(0x8825)
    xmp = b"<x:xmpmeta xmlns:x='adobe:ns:meta/'>SECRETXMP</x:xmpmeta>"
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "SECRETTEXT")
    text.add_itxt("Place", "SECRETTEXT", zip=True)
    text.add_itxt("XML:com.adobe.xmp", xmp.decode())
    uploads = {
        "JPEG": file(
            noise(), "JPEG", exif=exif, xmp=xmp, icc_profile=profile, comment=b"SECRETCOMMENT"
        ),
        "PNG": file(noise(), "PNG", exif=exif, icc_profile=profile, pnginfo=text),
        "WEBP": file(noise(), "WEBP", exif=exif, xmp=xmp, icc_profile=profile),
        "GIF": file(noise(), "GIF", comment=b"SECRETCOMMENT"),
        "WEBP with alpha": file(
            noise().convert("RGBA"), "WEBP", exif=exif, xmp=xmp, icc_profile=profile
        ),
    }
    assert all(b"SECRET" in content for content in uploads.values())
    for content in uploads.values():
        name = save(content)
        for width, _ in media.PICTURE_SIZES["avatar"]:
            webp = (settings.media_path / f"{name}-{width}.webp").read_bytes()
            assert set(chunk_names(webp)) <= {b"VP8 ", b"VP8L", b"VP8X", b"ALPH"}
            assert not re.search(rb"SECRET|EXIF|XMP |ICCP", webp)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_colours_of_other_profiles_are_converted_to_srgb(
    form: str, saved: Callable[..., Image.Image]
) -> None:
    swapped = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    red, blue = swapped.index(b"rXYZ"), swapped.index(b"bXYZ")
    swapped[red : red + 4], swapped[blue : blue + 4] = b"bXYZ", b"rXYZ"  # its red is blue in sRGB
    for mode in ("RGB", "RGBA") if form != "JPEG" else ("RGB",):
        colour = RED if mode == "RGB" else (*RED, 255)
        content = file(plain(colour, mode=mode), form, icc_profile=bytes(swapped))
        assert near(middle(saved(content))[:3], BLUE, 10)
    assert near(middle(saved(file(plain(RED), form)))[:3], RED)


def test_a_palette_with_a_profile_is_converted_to_srgb(saved: Callable[..., Image.Image]) -> None:
    swapped = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    red, blue = swapped.index(b"rXYZ"), swapped.index(b"bXYZ")
    swapped[red : red + 4], swapped[blue : blue + 4] = b"bXYZ", b"rXYZ"
    palette = plain(RED).quantize(2)
    clear = (palette.getpixel((0, 0)) + 1) % 2
    picture = saved(file(palette, "PNG", icc_profile=bytes(swapped), transparency=clear))
    assert near(middle(picture)[:3], BLUE, 10)


@pytest.mark.parametrize("profile", [b"garbage" * 40, b"\0" * 128, None])
def test_an_unusable_profile_is_ignored(
    profile: bytes | None, saved: Callable[..., Image.Image]
) -> None:
    other = profile or ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    assert near(middle(saved(file(plain(RED), "JPEG", icc_profile=other))), RED)
    assert near(middle(saved(file(plain(99, mode="L"), icc_profile=other))), (99, 99, 99))


def test_a_picture_with_broken_exif_is_accepted(saved: Callable[..., Image.Image]) -> None:
    for exif in (
        b"Exif\0\0MM\0*\0\0\0\x08\xff\xff\x01\x12garbage",
        b"Exif\0\0",
        b"Exif\0\0nonsense",
    ):
        assert near(middle(saved(file(plain(RED), "JPEG", exif=exif))), RED)


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_an_animation_becomes_its_first_frame(form: str, saved: Callable[..., Image.Image]) -> None:
    animation = file(
        plain(RED), form, save_all=True, append_images=[plain(BLUE), plain(GREEN)], duration=40
    )
    assert near(middle(saved(animation)), RED)


def test_a_multi_picture_file_becomes_its_first_picture(save: Save, settings: Config) -> None:
    content = file(plain(RED, (3200, 3200)), "MPO", save_all=True, append_images=[plain(BLUE)])
    assert Image.open(io.BytesIO(content)).format == "MPO"
    assert near(middle(load_stored(settings, save(content, "avatar"), 400)), RED)


def test_transparency_is_preserved(saved: Callable[..., Image.Image]) -> None:
    half = (*GREEN, 128)
    palette = plain(GREEN).quantize(2)
    index = palette.getpixel((0, 0))
    for content, expected in (
        (file(plain(half, mode="RGBA"), "PNG"), half),
        (file(plain(half, mode="RGBA"), "WEBP", lossless=True), half),
        (file(plain((99, 128), mode="LA"), "PNG"), (99, 99, 99, 128)),
        (file(palette, "PNG", transparency=bytes([128] * 2)), half),
    ):
        assert near(middle(saved(content)), expected)
    for content in (
        file(palette, "PNG", transparency=index),
        file(palette, "GIF", transparency=index),
        file(plain(GREEN), "PNG", transparency=GREEN),
        file(plain(7, mode="L"), "PNG", transparency=7),
        file(plain(0, mode="1"), "PNG", transparency=0),
    ):
        assert middle(saved(content))[3] == 0


def test_a_large_picture_keeps_its_edge_of_transparency(saved: Callable[..., Image.Image]) -> None:
    picture = plain((*RED, 0), (3200, 3200), "RGBA")
    picture.paste((*RED, 255), (0, 0, 1600, 3200))
    result = saved(file(picture, compress_level=1))
    assert near(result.getpixel((100, 200)), (*RED, 255), 8) and result.getpixel((300, 200))[3] == 0


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (file(plain(77, mode="L")), (77, 77, 77)),
        (file(plain(77, mode="L"), "JPEG"), (77, 77, 77)),
        (file(plain(1, mode="1")), (255, 255, 255)),
        (file(plain(0, mode="1")), (0, 0, 0)),
        (file(plain((0, 255, 255, 0), mode="CMYK"), "JPEG"), RED),
        (file(plain(0x8000, mode="I;16")), (128, 128, 128)),
        (file(plain(0x40FF, mode="I;16")), (64, 64, 64)),
        (png(SIZE, struct.pack(">HHH", 0x8000, 0x4000, 0xC000) * 64, depth=16), (128, 64, 192)),
        (
            png(SIZE, b"\x80\0" * 64, chunk(b"tRNS", b"\x80\0"), depth=16, colours=0),
            (128, 128, 128),
        ),
        (png(SIZE, b"\x80\0\x40\0" * 64, depth=16, colours=4), (128, 128, 128, 64)),
        (
            png(SIZE, struct.pack(">HHHH", 0xFF00, 0, 0, 0x8000) * 64, depth=16, colours=6),
            (*RED, 128),
        ),
    ],
)
def test_unusual_pictures_keep_their_brightness(
    content: bytes, expected: tuple[int, ...], saved: Callable[..., Image.Image]
) -> None:
    assert near(middle(saved(content)), expected)


def test_foreign_bytes_in_and_after_a_picture_are_removed(save: Save, settings: Config) -> None:
    script = b"*/=1;alert('SECRET');//<script>SECRET</script>"
    archive = b"PK\x03\x04SECRET.txt" + b"SECRET" * 50
    gif = noise_file("GIF")
    for content in (
        gif[:6] + b"/*" + gif[8:] + script,  # its width is the start of a comment
        gif + archive,
        noise_file("JPEG") + archive,
        noise_file("PNG") + script,
        noise_file("WEBP") + archive,
    ):
        assert b"SECRET" in content
        name = save(content)
        for width, _ in media.PICTURE_SIZES["avatar"]:
            webp = (settings.media_path / f"{name}-{width}.webp").read_bytes()
            assert webp[:4] == b"RIFF" and chunk_names(webp) and b"SECRET" not in webp


# Refused files


def canvas(width: int, height: int) -> bytes:
    """Return a WebP whose canvas size differs from its picture's size."""
    picture = file(plain((1, 2, 3, 4), mode="RGBA"), "WEBP", lossless=True)
    size = struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]
    body = b"WEBPVP8X" + struct.pack("<IBBBB", 10, 0x10, 0, 0, 0) + size + picture[12:]
    return b"RIFF" + struct.pack("<I", len(body)) + body


def with_size(content: bytes, offset: int, size: bytes) -> bytes:
    """Return a file with these bytes in place of its size."""
    return content[:offset] + size + content[offset + len(size) :]


JPEG = file(plain(), "JPEG")
BALLOON = zlib.compress(b"\0" * 50_000_000, 1)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(png((50_000, 50_000), b"\0" * 100), "too_many_pixels", id="PNG"),
        pytest.param(
            png((8_000, 5_001), b"\0" * 100), "too_many_pixels", id="PNG of 40,008,000 pixels"
        ),
        pytest.param(
            with_size(JPEG, JPEG.index(b"\xff\xc0") + 5, struct.pack(">HH", 60_000, 60_000)),
            "too_many_pixels",
            id="JPEG",
        ),
        pytest.param(
            with_size(file(plain(), "GIF"), 6, struct.pack("<HH", 65_535, 65_535)),
            "too_many_pixels",
            id="GIF",
        ),
        pytest.param(canvas(65_536, 65_535), "too_many_pixels", id="WebP"),
        pytest.param(canvas(1_000, 1_000), "broken", id="WebP whose canvas lies"),
        pytest.param(
            png(SIZE, b"\0" * 192, chunk(b"zTXt", b"a\0\0" + BALLOON)), "broken", id="zTXt"
        ),
        pytest.param(
            png(SIZE, b"\0" * 192, chunk(b"iCCP", b"a\0\0" + BALLOON)), "broken", id="iCCP"
        ),
        pytest.param(
            png(SIZE, b"\0" * 192, *[chunk(b"iCCP", b"a\0\0" + zlib.compress(b"\0"))] * 9),
            "broken",
            id="many iCCP",
        ),
    ],
)
def test_decompression_bombs_are_refused(
    content: bytes, reason: str, refused: Callable[..., str]
) -> None:
    assert refused(content) == reason


def test_a_jpeg_with_thousands_of_scans_is_refused(refused: Callable[..., str], save: Save) -> None:
    content = file(plain(size=(2000, 2000)), "JPEG", progressive=True)
    scan = content.rindex(b"\xff\xda")
    assert refused(content[:-2] + content[scan:-2] * 5_000 + content[-2:]) == "broken"
    assert save(content[:-2] + content[scan:-2] * 20 + content[-2:])


def test_only_the_first_of_many_frames_is_decoded(saved: Callable[..., Image.Image]) -> None:
    animation = file(plain(RED), "GIF", save_all=True, append_images=[plain(BLUE)], duration=40)
    frame = animation[animation.rindex(b"\x21\xf9") : -1]
    assert near(middle(saved(animation[:-1] + frame * 20_000 + b";")), RED)
    assert near(middle(saved(animation[:-1] + b"\xff" * 1_000_000)), RED)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("tenths", [0, 1, 3, 5, 8, 9])
def test_a_truncated_file_is_refused(form: str, tenths: int, refused: Callable[..., str]) -> None:
    content = noise_file(form)
    assert refused(content[: 20 + len(content) * tenths // 10]) == "broken"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0",
        b"<!doctype html><script>alert(1)</script>",
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        b"%PDF-1.7\n%%EOF",
        b"RIFF\x04\0\0\0WEBP",
        b"GIF89a/*",
        b"\x89PNG\r\n\x1a\n",
        b"\xff\xd8\xff\xe0",
        file(plain(), "BMP"),
        file(plain(), "TIFF"),
        file(plain(), "ICO"),
        file(plain(), "PPM"),
        file(plain(), "EPS"),
    ],
)
def test_other_files_are_refused(content: bytes, refused: Callable[..., str]) -> None:
    assert refused(content) == "broken"


def test_a_picture_is_refused_while_the_decoder_is_busy(
    save: Save, settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(decoding, "DECODE_WAIT_SECONDS", 0.01)
    with decoding.decode_lock, pytest.raises(Unavailable) as refusal:
        save(file(plain()))
    assert refusal.value.retry_after and not settings.media_path.exists()
    assert save(file(plain()))


def test_pictures_leave_threads_for_pages(save: Save, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "decoding_threads", BoundedSemaphore(1))
    monkeypatch.setattr(decoding, "DECODE_WAIT_SECONDS", 10_000.0)
    with decoding.slot(Lock()), decoding.decode_lock, pytest.raises(Unavailable):
        save(file(plain()))
    assert save(file(plain()))


def test_a_picture_with_a_side_that_is_too_long_is_refused(refused: Callable[..., str]) -> None:
    assert refused(file(plain(size=(1, 40_000)))) == "broken"


def test_an_unwritable_folder_gives_503(web: Web, caplog: pytest.LogCaptureFixture) -> None:
    web.config.media_path.parent.mkdir(parents=True, exist_ok=True)
    web.config.media_path.write_text("in the way")
    ann = web.member("ann")
    assert send(ann, avatar=file(plain())).status_code == 503
    assert "pictures cannot be kept" in caplog.text
    web.config.media_path.unlink()
    assert send(ann, avatar=file(plain())).status_code == 303


@pytest.mark.parametrize("kind", list(media.PICTURE_SIZES))
def test_a_picture_that_is_chosen_again_while_it_is_removed_stays(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    [ann] = world.people("ann")
    sweep_folder = removal.sweep_folder

    def choose(colour: Any) -> None:
        name = media.save(world.config, ann, kind, io.BytesIO(file(plain(colour))))
        profile.edit(world, ann, {kind: name})

    def choose_again(config: Config, folder: int, used: Any, replaced: Any) -> None:
        if replaced and not again:
            again.extend(replaced)
            choose(RED)
        sweep_folder(config, folder, used, replaced)

    again: list[str] = []
    monkeypatch.setattr(removal, "sweep_folder", choose_again)
    choose(RED)
    choose(GREEN)
    world.apply_events()
    [name] = world.db.run(("HMGET", account_keys.user(ann), kind))
    assert again
    for width, _ in media.PICTURE_SIZES[kind]:
        assert load_stored(world.config, name, width)


# The form


def send(client: FlaskClient, declared: str = "image/png", **fields: Any) -> Any:
    """Send the profile form, with bytes as files."""
    body, headers = multipart({"name": "Wren", **fields}, declared)
    return client.post("/settings/profile", input_stream=io.BytesIO(body), headers=headers)


@pytest.mark.parametrize(
    ("content", "declared", "sentence"),
    [
        (file(plain(), "BMP"), "image/png", "We can’t read that picture."),
        (b"<svg/>", "image/svg+xml", "We can’t read that picture."),
        (b"", "image/png", "We can’t read that picture."),
        (
            b"\0" * (8 * 1024 * 1024 + 1),
            "image/png",
            "That file is too big. Pictures can be up to 8 MB.",
        ),
        (b"\0" * (8 * 1024 * 1024), "image/png", "We can’t read that picture."),
        (
            png((50_000, 50_000), b"\0" * 100),
            "image/png",
            "That picture has more than 40 megapixels.",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["avatar", "header"])
def test_a_refused_picture_shows_its_error_and_the_form_with_its_values(
    kind: str, content: bytes, declared: str, sentence: str, ann: FlaskClient
) -> None:
    response = send(ann, declared, bio="as it was typed", **{kind: content})
    assert response.status_code == 422
    assert sentence in response.text
    assert "as it was typed" in response.text
    assert f'id="{kind}-error"' in response.text
    assert "as it was typed" not in ann.get("/@ann").text


@pytest.mark.parametrize("declared", ["image/png", "image/heic", "text/html", ""])
@pytest.mark.parametrize("form", FORMATS)
def test_the_bytes_of_a_file_decide_its_format_whatever_its_label(
    form: str, declared: str, ann: FlaskClient
) -> None:
    assert send(ann, declared, avatar=file(plain(), form)).status_code == 303
    assert 'src="/media/' in ann.get("/@ann").text


def test_a_form_of_seventeen_megabytes_is_refused(web: Web) -> None:
    response = send(web.member("ann"), avatar=b"\0" * (17 * 1024 * 1024))
    assert response.status_code == 413 and "Those pictures are too big." in response.text


@pytest.mark.slow
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_pictures_that_contain_line_ends_are_accepted(form: str, web: Web) -> None:
    content = noise_file(form, (680, 480), lossless=True, quality=90)
    assert len(content) > 4 * 65_536 and b"\r" in content
    ann = web.member("ann")
    for length in range(0, 200, 15):  # so that a line ends where a chunk does
        texts = {"bio": "x" * (length % 160), "location": "y" * (length // 8)}
        assert send(ann, "", avatar=content, **texts).status_code == 303


def test_long_texts_are_refused_in_forms_with_pictures(web: Web) -> None:
    assert send(web.member("ann"), bio="x" * 200_000).status_code == 413


def test_two_pictures_of_the_largest_size_fit(web: Web) -> None:
    padding = b"\0" * (8 * 1024 * 1024 - len(JPEG))
    response = send(web.member("ann"), "image/jpeg", avatar=JPEG + padding, header=JPEG + padding)
    assert response.status_code == 303
    assert web.client.get("/@ann").text.count('src="/media/') == 2


# Names and files


def test_each_upload_has_files_of_its_own_in_its_members_folder(save: Save) -> None:
    content = file(plain(RED))
    names = [save(content, uid=uid) for uid in (1, 1, 2)]
    assert [name.split("/")[0] for name in names] == ["1", "1", "2"]
    assert len({name.split("/")[1] for name in names}) == 3


@pytest.mark.parametrize(
    ("kind", "width", "stored_width"),
    [
        ("avatar", 40, 96),
        ("avatar", 48, 96),
        ("avatar", 49, 192),
        ("avatar", 96, 192),
        ("avatar", 400, 400),
        ("header", 300, 750),
        ("header", 600, 1500),
        ("header", 1500, 1500),
    ],
)
def test_the_url_names_the_smallest_sharp_size(kind: str, width: int, stored_width: int) -> None:
    assert media.picture_url("7/abc", kind, width) == f"/media/7/abc-{stored_width}.webp"


def age_files(config: Config) -> None:
    """Make every file a day old."""
    for path in config.media_path.rglob("*"):
        os.utime(path, (time.time() - DAY, time.time() - DAY))


def stored_names(config: Config, uid: int = 7) -> set[str]:
    """Return the names of a member's pictures."""
    folder = config.media_path / str(uid)
    return {f"{uid}/{path.name[:32]}" for path in folder.iterdir()} if folder.exists() else set()


def test_a_sweep_deletes_old_unused_pictures(save: Save, settings: Config) -> None:
    used = save(file(plain(RED)))
    unused = save(file(plain(BLUE)))
    other = save(file(plain(BLUE)), uid=8)
    (settings.media_path / "7" / ".half-written").write_bytes(b"RIFF")
    age_files(settings)
    recent = save(file(plain(GREEN)))
    removal.sweep_folder(settings, 7, [used])
    assert stored_names(settings) == {used, recent}
    assert len(list((settings.media_path / "7").iterdir())) == 6
    assert unused not in stored_names(settings) and stored_names(settings, 8) == {other}


def test_a_picture_stored_again_counts_as_recent(save: Save, settings: Config) -> None:
    save(file(plain(RED)))
    age_files(settings)
    name = save(file(plain(RED)))
    removal.sweep_folder(settings, 7, [])
    assert stored_names(settings) == {name}


def test_all_pictures_of_a_member_are_removed(save: Save, settings: Config) -> None:
    save(file(plain(RED)))
    other = save(file(plain(RED)), uid=8)
    removal.remove_all(settings, 7)
    assert not (settings.media_path / "7").exists() and stored_names(settings, 8) == {other}


def test_missing_folders_are_swept_and_removed_without_error(settings: Config) -> None:
    for config in (
        settings,
        replace(settings, media_dir=str(settings.media_path / "not" / "there")),
    ):
        removal.sweep_folder(config, 7, ["7/x"])
        removal.remove_all(config, 7)
        assert not config.media_path.exists()


@pytest.mark.parametrize(
    "sweep",
    [
        lambda config: removal.sweep_folder(config, 7, []),
        lambda config: removal.remove_all(config, 7),
    ],
)
def test_concurrent_sweeps_delete_all_files(
    sweep: Callable[[Config], None], settings: Config
) -> None:
    folder = settings.media_path / "7"
    folder.mkdir(parents=True)
    for number in range(500):
        (folder / f"{number:032x}-96.webp").write_bytes(b"RIFF")
    age_files(settings)
    at_once(4, lambda _: sweep(settings), range(4))
    assert not stored_names(settings)


def test_a_picture_is_replaced_atomically(save: Save, settings: Config) -> None:
    content = file(noise((800, 800)))
    path = settings.media_path / f"{save(content)}-400.webp"
    webp = path.read_bytes()
    with ThreadPoolExecutor(1) as threads:
        reads = threads.submit(lambda: {path.read_bytes() for _ in range(2_000)})
        while not reads.done():
            media_files.write(settings.media_path, {f"7/{path.name}": webp})
    assert reads.result() == {webp} and path.stat().st_mode & 0o777 == 0o600
    assert not list((settings.media_path / "tmp").iterdir())


def test_concurrent_forms_leave_one_picture_after_the_next_edit(web: Web) -> None:
    ann, db = web.member("ann"), web.db
    cookies = ann.get_cookie("linnet")
    assert cookies

    def change(colour: tuple[int, int, int]) -> int:
        other = web.app.test_client()
        other.set_cookie("linnet", cookies.value)
        return int(send(other, avatar=file(plain(colour))).status_code)

    assert set(at_once(2, change, [RED, BLUE])) == {303}
    uid = int(db.run(("GET", account_keys.login("ann"))).split(":")[0])
    avatar = db.run(("HGET", account_keys.user(uid), "avatar"))
    assert avatar in stored_names(web.config, uid)
    age_files(web.config)
    assert send(ann, bio="swept").status_code == 303
    assert stored_names(web.config, uid) == {avatar}


def test_pictures_of_unsaved_forms_are_deleted_by_the_next_edit(web: Web, save: Save) -> None:
    ann, db = web.member("ann"), web.db
    uid = int(db.run(("GET", account_keys.login("ann"))).split(":")[0])
    unsaved = save(file(plain(RED)), uid=uid)  # as left by a process that died here
    age_files(web.config)
    assert stored_names(web.config, uid) == {unsaved}
    assert send(ann, avatar=file(plain(BLUE)), header=file(plain(GREEN))).status_code == 303
    fields = db.run(("HMGET", account_keys.user(uid), "avatar", "header"))
    assert stored_names(web.config, uid) == set(fields) and unsaved not in fields


# The view of pictures


@pytest.fixture
def picture_url(save: Save) -> str:
    """Return the URL of a stored picture."""
    return media.picture_url(save(noise_file("PNG")), "avatar", 48)


def test_a_picture_is_publicly_cached_for_a_year(picture_url: str, web: Web) -> None:
    for browser in (web.client, web.member("ann")):
        response = browser.get(picture_url)
        assert (response.status_code, response.content_type) == (200, "image/webp")
        assert response.data[:4] == b"RIFF"
        found = set(response.headers["Cache-Control"].split(", "))
        assert found == {"public", "immutable", "max-age=31536000"}
        assert not {"Set-Cookie", "Vary"} & set(response.headers.keys())
        assert response.headers["X-Content-Type-Options"] == "nosniff"
        assert "Content-Security-Policy" in response.headers
        head = browser.head(picture_url)
        assert (head.status_code, head.data, head.content_length) == (200, b"", len(response.data))
        again = browser.get(picture_url, headers={"If-None-Match": response.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
        assert "Set-Cookie" not in again.headers and "Vary" not in again.headers
        assert browser.post(picture_url).status_code == 405


def test_other_paths_are_not_found(picture_url: str, web: Web) -> None:
    folder = web.config.media_path / "7"
    stem = Path(picture_url).name.removesuffix("-96.webp")
    for name in (
        ".hidden",
        f"{stem}-96.webp.bak",
        f"{stem}-96.png",
        "x.webp",
        f"{stem}-96.webp\n",
        f"{stem.upper()}-96.webp",
    ):
        (folder / name).write_bytes(b"not to be seen")
    (web.config.media_path / "secret_key").write_text("not to be seen")
    for path in (
        "/media/7/.hidden",
        f"/media/7/{stem}-96.webp.bak",
        f"/media/7/{stem}-96.png",
        f"/media/7/{stem.upper()}-96.webp",
        f"/media/7/{stem}-96.webp%0A",
        f"/media/7/{stem}-96.webp%00",
        f"/media/7/{stem}-97.webp",
        f"/media/7/{stem}-٩٦.webp",
        f"/media/07/{stem}-96.webp",
        f"/media/٧/{stem}-96.webp",
        f"/media/-7/{stem}-96.webp",
        f"/media/8/{stem}-96.webp",
        f"/media/{'7' * 300}/{stem}-96.webp",
        f"/media/{'7' * 5_000}/{stem}-96.webp",
        f"/media/7/{'a' * 5_000}.webp",
        f"/media/7/..%2F7%2F{stem}-96.webp",
        f"/media/7%2F..%2F7/{stem}-96.webp",
        "/media/7/..%2Fsecret_key",
        "/media/7/../secret_key",
        "/media/../secret_key",
        "/media/./secret_key",
        "/media/7/%2Fetc%2Fpasswd",
        "/media/7/",
        "/media/7",
        "/media/",
    ):
        response = web.client.get(path)
        assert response.status_code in (404, 308), path
        assert b"not to be seen" not in response.data and "Set-Cookie" not in response.headers
    assert web.client.get(picture_url).status_code == 200
