"""Pictures that members upload: what is taken, what is kept of it, and what goes."""

from __future__ import annotations

import io
import os
import re
import struct
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from PIL import Image, ImageCms, ImageOps, PngImagePlugin

from tests.support.multipart import multipart
from webapp.accounts import keys as account_keys
from webapp.config import Config
from webapp.core.media import files as media_files
from webapp.core.media import images
from webapp.core.media import storage as media
from webapp.core.media.images import BadPicture
from webapp.errors import Unavailable

Join = Callable[[str], FlaskClient]
Save = Callable[..., str]
TYPES = {"JPEG": "image/jpeg", "PNG": "image/png", "WEBP": "image/webp", "GIF": "image/gif"}
QUICK: dict[str, dict[str, int]] = {
    "JPEG": {},
    "PNG": {"compress_level": 1},
    "WEBP": {"method": 0},
}  # to write
SIZE = (64, 48)
RED, GREEN, BLUE = (255, 0, 0), (0, 255, 0), (0, 0, 255)
OLD = 86_400  # seconds


def file(picture: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    """A picture as a file's content."""
    content = io.BytesIO()
    picture.save(content, kind, **options)
    return content.getvalue()


def plain(colour: Any = RED, size: tuple[int, int] = SIZE, mode: str = "RGB") -> Image.Image:
    """A picture of one colour."""
    return Image.new(mode, size, colour)


def noise(size: tuple[int, int] = (300, 200)) -> Image.Image:
    """A picture that compresses badly."""
    grey = Image.effect_noise(size, 80)
    return Image.merge("RGB", (grey, ImageOps.mirror(grey), ImageOps.flip(grey)))


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(
    size: tuple[int, int], row: bytes, *chunks: bytes, depth: int = 8, colours: int = 2
) -> bytes:
    """A PNG written by hand, all its rows the same."""
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", *size, depth, colours, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress((b"\0" + row) * min(size[1], 1_000)))
    return b"\x89PNG\r\n\x1a\n" + head + b"".join(chunks) + rows + chunk(b"IEND", b"")


def riff(content: bytes) -> list[bytes]:
    """The names of a WebP's chunks."""
    names, at = [], 12
    while at < len(content):
        names.append(content[at : at + 4])
        length = struct.unpack("<I", content[at + 4 : at + 8])[0]
        at += 8 + length + length % 2
    assert at == len(content) and struct.unpack("<I", content[4:8])[0] == len(content) - 8
    return names


@pytest.fixture
def save(app: Flask, settings: Config) -> Save:
    """`save(content, kind, declared, uid)` keeps a picture and gives its name."""

    def keep(content: bytes, kind: str = "avatar", declared: str = "", uid: int = 7) -> str:
        with app.test_request_context():
            return media.save(settings, uid, kind, io.BytesIO(content), declared)

    return keep


@pytest.fixture
def kept(save: Save, settings: Config) -> Callable[..., Image.Image]:
    """`kept(content, kind)` is what is left of a picture, in its largest size."""

    def read(content: bytes, kind: str = "avatar") -> Image.Image:
        return stored(settings, save(content, kind), media.PICTURE_KINDS[kind].sizes[0][0])

    return read


@pytest.fixture
def refused(save: Save, settings: Config) -> Callable[..., str]:
    """`refused(content)` is the reason why it is; nothing is written."""

    def refuse(content: bytes, declared: str = "") -> str:
        with pytest.raises(BadPicture) as refusal:
            save(content, "avatar", declared)
        assert refusal.value.sentence and not settings.media_path.exists()
        return refusal.value.reason

    return refuse


def stored(config: Config, name: str, width: int) -> Image.Image:
    """A stored picture of a width."""
    picture = Image.open(config.media_path / f"{name}-{width}.webp")
    picture.load()
    return picture


def middle(picture: Image.Image) -> Any:
    """The colour in the middle."""
    return picture.getpixel((picture.width // 2, picture.height // 2))


def near(found: Any, wanted: Any, within: int = 6) -> bool:
    """Whether colours are the same but for what WebP loses."""
    return len(found) == len(wanted) and all(
        abs(a - b) <= within for a, b in zip(found, wanted, strict=True)
    )


# What is taken


@pytest.mark.parametrize("size", [(16, 16), (64, 48), (301, 2000), (3100, 1601), (6000, 20)])
@pytest.mark.parametrize("kind", ["avatar", "header"])
@pytest.mark.parametrize("form", TYPES)
def test_each_format_becomes_webp_of_exact_sizes(
    form: str, kind: str, size: tuple[int, int], save: Save, settings: Config
) -> None:
    name = save(file(plain(GREEN, size), form), kind, TYPES[form])
    files = sorted(path.name for path in (settings.media_path / "7").iterdir())
    assert files == sorted(
        f"{name[2:]}-{width}.webp" for width, _ in media.PICTURE_KINDS[kind].sizes
    )
    for width, height in media.PICTURE_KINDS[kind].sizes:
        picture = stored(settings, name, width)
        assert (picture.format, picture.size, picture.mode) == ("WEBP", (width, height), "RGB")
        assert near(middle(picture), GREEN, 8)


def test_the_middle_of_a_picture_is_kept(kept: Callable[..., Image.Image]) -> None:
    wide = plain(BLUE, (900, 300))
    wide.paste(plain(RED, (300, 300)), (300, 0))
    picture = kept(file(wide))
    assert all(near(picture.getpixel((x, 200)), RED, 12) for x in (8, 200, 391))


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_picture_is_turned_upright(
    form: str, large: bool, orientation: int, kept: Callable[..., Image.Image]
) -> None:
    side = 1600 if large else 80
    upright = plain(BLUE, (2 * side, 2 * side))
    upright.paste(plain(RED, (side, side)), (0, 0))
    upright.paste(plain(GREEN, (side, side)), (side, 0))
    turned = {
        1: [],
        2: [Image.Transpose.FLIP_LEFT_RIGHT],
        3: [Image.Transpose.ROTATE_180],
        4: [Image.Transpose.FLIP_TOP_BOTTOM],
        5: [Image.Transpose.TRANSPOSE],
        6: [Image.Transpose.ROTATE_90],
        7: [Image.Transpose.TRANSVERSE],
        8: [Image.Transpose.ROTATE_270],
    }[orientation]
    seen = upright
    for turn in turned:
        seen = seen.transpose(turn)
    exif = Image.Exif()
    exif[0x0112] = orientation
    picture = kept(file(seen, form, exif=exif, **QUICK[form]))
    for place, colour in (
        ((100, 100), RED),
        ((300, 100), GREEN),
        ((100, 300), BLUE),
        ((300, 300), BLUE),
    ):
        assert near(picture.getpixel(place), colour, 12), place


def test_nothing_is_kept_but_the_picture(save: Save, settings: Config) -> None:
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
    sent = {
        "JPEG": file(
            noise(), "JPEG", exif=exif, xmp=xmp, icc_profile=profile, comment=b"SECRETCOMMENT"
        ),
        "PNG": file(noise(), "PNG", exif=exif, icc_profile=profile, pnginfo=text),
        "WEBP": file(noise(), "WEBP", exif=exif, xmp=xmp, icc_profile=profile),
        "GIF": file(noise(), "GIF", comment=b"SECRETCOMMENT"),
        "WEBP seen through": file(
            noise().convert("RGBA"), "WEBP", exif=exif, xmp=xmp, icc_profile=profile
        ),
    }
    assert all(b"SECRET" in content for content in sent.values())
    for content in sent.values():
        name = save(content)
        for width, _ in media.PICTURE_KINDS["avatar"].sizes:
            whole = (settings.media_path / f"{name}-{width}.webp").read_bytes()
            assert set(riff(whole)) <= {b"VP8 ", b"VP8L", b"VP8X", b"ALPH"}
            assert not re.search(rb"SECRET|EXIF|XMP |ICCP", whole)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_colours_of_another_profile_become_srgb(
    form: str, kept: Callable[..., Image.Image]
) -> None:
    swapped = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    red, blue = swapped.index(b"rXYZ"), swapped.index(b"bXYZ")
    swapped[red : red + 4], swapped[blue : blue + 4] = b"bXYZ", b"rXYZ"  # its red is our blue
    for mode in ("RGB", "RGBA") if form != "JPEG" else ("RGB",):
        colour = RED if mode == "RGB" else (*RED, 255)
        assert near(
            middle(kept(file(plain(colour, mode=mode), form, icc_profile=bytes(swapped))))[:3],
            BLUE,
            10,
        )
    assert near(middle(kept(file(plain(RED), form)))[:3], RED)


def test_a_palette_with_a_profile_becomes_srgb(kept: Callable[..., Image.Image]) -> None:
    swapped = bytearray(ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes())
    red, blue = swapped.index(b"rXYZ"), swapped.index(b"bXYZ")
    swapped[red : red + 4], swapped[blue : blue + 4] = b"bXYZ", b"rXYZ"
    palette = plain(RED).quantize(2)
    clear = (palette.getpixel((0, 0)) + 1) % 2
    picture = kept(file(palette, "PNG", icc_profile=bytes(swapped), transparency=clear))
    assert near(middle(picture)[:3], BLUE, 10)


@pytest.mark.parametrize("profile", [b"garbage" * 40, b"\0" * 128, None])
def test_a_profile_that_does_not_fit_is_left_aside(
    profile: bytes | None, kept: Callable[..., Image.Image]
) -> None:
    other = profile or ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    assert near(middle(kept(file(plain(RED), "JPEG", icc_profile=other))), RED)
    assert near(middle(kept(file(plain(99, mode="L"), icc_profile=other))), (99, 99, 99))


def test_a_picture_whose_exif_cannot_be_read_is_taken(kept: Callable[..., Image.Image]) -> None:
    for exif in (
        b"Exif\0\0MM\0*\0\0\0\x08\xff\xff\x01\x12garbage",
        b"Exif\0\0",
        b"Exif\0\0nonsense",
    ):
        assert near(middle(kept(file(plain(RED), "JPEG", exif=exif))), RED)


@pytest.mark.parametrize("form", ["GIF", "WEBP", "PNG"])
def test_a_film_gives_its_first_picture(form: str, kept: Callable[..., Image.Image]) -> None:
    film = file(
        plain(RED), form, save_all=True, append_images=[plain(BLUE), plain(GREEN)], duration=40
    )
    assert near(middle(kept(film)), RED)


def test_a_photo_with_further_ones_behind_it_gives_the_first(save: Save, settings: Config) -> None:
    several = file(plain(RED, (3200, 3200)), "MPO", save_all=True, append_images=[plain(BLUE)])
    assert (
        Image.open(io.BytesIO(several)).format == "MPO"
    )  # as phones write them, and call them JPEG
    assert near(middle(stored(settings, save(several, "avatar", "image/jpeg"), 400)), RED)


def test_what_can_be_seen_through_stays_so(kept: Callable[..., Image.Image]) -> None:
    half = (*GREEN, 128)
    palette = plain(GREEN).quantize(2)
    index = palette.getpixel((0, 0))
    for content, wanted in (
        (file(plain(half, mode="RGBA"), "PNG"), half),
        (file(plain(half, mode="RGBA"), "WEBP", lossless=True), half),
        (file(plain((99, 128), mode="LA"), "PNG"), (99, 99, 99, 128)),
        (file(palette, "PNG", transparency=bytes([128] * 2)), half),
    ):
        assert near(middle(kept(content)), wanted)
    for content in (
        file(palette, "PNG", transparency=index),
        file(palette, "GIF", transparency=index),
        file(plain(GREEN), "PNG", transparency=GREEN),
        file(plain(7, mode="L"), "PNG", transparency=7),
        file(plain(0, mode="1"), "PNG", transparency=0),
    ):
        assert middle(kept(content))[3] == 0


def test_a_large_picture_keeps_its_edge_between_seen_and_clear(
    kept: Callable[..., Image.Image],
) -> None:
    picture = plain((*RED, 0), (3200, 3200), "RGBA")
    picture.paste((*RED, 255), (0, 0, 1600, 3200))
    found = kept(file(picture, compress_level=1))
    assert near(found.getpixel((100, 200)), (*RED, 255), 8) and found.getpixel((300, 200))[3] == 0


@pytest.mark.parametrize(
    ("content", "wanted"),
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
    content: bytes, wanted: tuple[int, ...], kept: Callable[..., Image.Image]
) -> None:
    assert near(middle(kept(content)), wanted)


def test_foreign_bytes_in_and_behind_a_picture_are_gone(save: Save, settings: Config) -> None:
    script = b"*/=1;alert('SECRET');//<script>SECRET</script>"
    archive = b"PK\x03\x04SECRET.txt" + b"SECRET" * 50
    gif = file(noise(), "GIF")
    for content in (
        gif[:6] + b"/*" + gif[8:] + script,  # its width spells the beginning of a comment
        gif + archive,
        file(noise(), "JPEG") + archive,
        file(noise()) + script,
        file(noise(), "WEBP") + archive,
    ):
        assert b"SECRET" in content
        name = save(content)
        for width, _ in media.PICTURE_KINDS["avatar"].sizes:
            whole = (settings.media_path / f"{name}-{width}.webp").read_bytes()
            assert whole[:4] == b"RIFF" and riff(whole) and b"SECRET" not in whole


# What is refused


def canvas(width: int, height: int) -> bytes:
    """A WebP whose canvas claims another size than its picture has."""
    picture = file(plain((1, 2, 3, 4), mode="RGBA"), "WEBP", lossless=True)
    size = struct.pack("<I", width - 1)[:3] + struct.pack("<I", height - 1)[:3]
    body = b"WEBPVP8X" + struct.pack("<IBBBB", 10, 0x10, 0, 0, 0) + size + picture[12:]
    return b"RIFF" + struct.pack("<I", len(body)) + body


def claiming(content: bytes, at: int, size: bytes) -> bytes:
    """A file with other bytes where its size stands."""
    return content[:at] + size + content[at + len(size) :]


JPEG = file(plain(), "JPEG")
BALLOON = zlib.compress(b"\0" * 50_000_000, 9)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(png((50_000, 50_000), b"\0" * 100), "too_many_pixels", id="PNG"),
        pytest.param(
            png((8_000, 5_001), b"\0" * 100), "too_many_pixels", id="PNG of 40,008,000 pixels"
        ),
        pytest.param(
            claiming(JPEG, JPEG.index(b"\xff\xc0") + 5, struct.pack(">HH", 60_000, 60_000)),
            "too_many_pixels",
            id="JPEG",
        ),
        pytest.param(
            claiming(file(plain(), "GIF"), 6, struct.pack("<HH", 65_535, 65_535)),
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
        pytest.param(file(plain(size=(15, 400))), "too_small", id="15 pixels"),
    ],
)
def test_bombs_are_refused_by_what_they_claim(
    content: bytes, reason: str, refused: Callable[..., str]
) -> None:
    assert refused(content) == reason


def test_a_jpeg_of_thousands_of_scans_is_refused(refused: Callable[..., str], save: Save) -> None:
    content = file(plain(size=(2000, 2000)), "JPEG", progressive=True)
    scan = content.rindex(b"\xff\xda")
    assert refused(content[:-2] + content[scan:-2] * 5_000 + content[-2:]) == "broken"
    assert save(content[:-2] + content[scan:-2] * 20 + content[-2:])


def test_only_the_first_of_a_million_pictures_is_looked_at(
    kept: Callable[..., Image.Image],
) -> None:
    film = file(plain(RED), "GIF", save_all=True, append_images=[plain(BLUE)], duration=40)
    frame = film[film.rindex(b"\x21\xf9") : -1]
    assert near(middle(kept(film[:-1] + frame * 20_000 + b";")), RED)
    assert near(middle(kept(film[:-1] + b"\xff" * 1_000_000)), RED)


@pytest.mark.parametrize("form", TYPES)
@pytest.mark.parametrize("tenths", [0, 1, 3, 5, 8, 9])
def test_a_file_cut_short_is_refused(form: str, tenths: int, refused: Callable[..., str]) -> None:
    content = file(noise(), form)
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
@pytest.mark.parametrize("declared", ["", "image/png", "text/html"])
def test_other_files_are_refused(
    content: bytes, declared: str, refused: Callable[..., str]
) -> None:
    assert refused(content, declared) == "broken"


@pytest.mark.parametrize(
    ("form", "declared", "taken"),
    [
        ("JPEG", "image/png", False),
        ("PNG", "image/jpeg", False),
        ("GIF", "image/webp", False),
        ("WEBP", "image/heic", False),
        ("JPEG", "image/<script>", False),
        ("JPEG", "image/jpg", True),
        ("PNG", "image/apng", True),
        ("PNG", "application/octet-stream", True),
        ("GIF", "", True),
    ],
)
def test_a_lie_about_the_type_is_refused(
    form: str, declared: str, taken: bool, save: Save, refused: Callable[..., str]
) -> None:
    if taken:
        assert save(file(plain(), form), "avatar", declared)
    else:
        assert refused(file(plain(), form), declared) == "mislabelled"


def test_a_picture_that_waits_too_long_for_its_turn_is_put_off(
    save: Save, settings: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "DECODE_WAIT_SECONDS", 0.01)
    with images.decode_lock, pytest.raises(Unavailable) as refusal:
        save(file(plain()))
    assert refusal.value.retry_after and not settings.media_path.exists()
    assert save(file(plain()))


def test_where_nothing_can_be_written_the_answer_is_503(
    member: Join, settings: Config, caplog: pytest.LogCaptureFixture
) -> None:
    settings.media_path.parent.mkdir(parents=True, exist_ok=True)
    settings.media_path.write_text("in the way")
    ann = member("ann")
    assert send(ann, avatar=file(plain())).status_code == 503
    assert "pictures cannot be kept" in caplog.text
    settings.media_path.unlink()
    assert send(ann, avatar=file(plain())).status_code == 303


# The form


def send(client: FlaskClient, declared: str = "image/png", **fields: Any) -> Any:
    """Sends the profile form; bytes are files."""
    body, headers = multipart({"name": "Wren", **fields}, declared)
    return client.post("/settings/profile", input_stream=io.BytesIO(body), headers=headers)


@pytest.mark.parametrize(
    ("content", "declared", "sentence"),
    [
        (JPEG, "image/png", "That file claims to be PNG but is JPEG. Save it again."),
        (JPEG, "image/<script>", "claims to be &lt;SCRIPT&gt; but"),
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
        (
            file(plain(size=(9, 9))),
            "image/png",
            "That picture is too small. It needs at least 16 pixels.",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["avatar", "header"])
def test_a_refusal_names_the_reason_beside_the_form_as_it_was_left(
    kind: str, content: bytes, declared: str, sentence: str, member: Join
) -> None:
    ann = member("ann")
    answer = send(ann, declared, bio="as it was typed", **{kind: content})
    assert (
        answer.status_code == 422 and sentence in answer.text and "as it was typed" in answer.text
    )
    assert f'id="{kind}-error"' in answer.text
    assert "as it was typed" not in ann.get("/@ann").text


def test_a_form_of_seventeen_megabytes_is_too_much(member: Join) -> None:
    answer = send(member("ann"), avatar=b"\0" * (17 * 1024 * 1024))
    assert answer.status_code == 413 and "larger than we accept" in answer.text


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_pictures_with_the_ends_of_lines_in_them_are_taken(form: str, member: Join) -> None:
    content = file(noise((1200, 900)), form, lossless=True)
    assert len(content) > 4 * 65_536 and b"\r" in content
    ann = member("ann")
    for length in range(0, 200, 15):  # so that a line ends where a piece does
        assert (
            send(
                ann, "", bio="x" * (length % 160), location="y" * (length // 8), avatar=content
            ).status_code
            == 303
        )


def test_long_words_are_not_let_in_beside_pictures(member: Join) -> None:
    assert send(member("ann"), bio="x" * 200_000).status_code == 413


def test_two_pictures_of_the_largest_size_fit(member: Join, client: FlaskClient) -> None:
    padding = b"\0" * (8 * 1024 * 1024 - len(JPEG))
    answer = send(member("ann"), "image/jpeg", avatar=JPEG + padding, header=JPEG + padding)
    assert answer.status_code == 303
    assert client.get("/@ann").text.count('src="/media/') == 2


# Names and files


def test_the_same_picture_has_the_same_name_and_no_two_members_share_a_file(save: Save) -> None:
    first, second = file(plain(RED)), file(plain(BLUE))
    assert save(first) == save(first) != save(second)
    ours, theirs = save(first, uid=1), save(first, uid=2)
    assert ours.split("/")[0] == "1" and theirs.split("/")[0] == "2"
    assert ours.split("/")[1] == theirs.split("/")[1]


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
def test_the_address_is_of_the_smallest_size_that_is_sharp(
    kind: str, width: int, stored_width: int
) -> None:
    assert media.picture_url("7/abc", kind, width) == f"/media/7/abc-{stored_width}.webp"


def age(config: Config) -> None:
    """Makes every file a day old."""
    for path in config.media_path.rglob("*"):
        os.utime(path, (time.time() - OLD, time.time() - OLD))


def files(config: Config, uid: int = 7) -> set[str]:
    """The names a member's files belong to."""
    folder = config.media_path / str(uid)
    return {f"{uid}/{path.name[:32]}" for path in folder.iterdir()} if folder.exists() else set()


def test_a_sweep_keeps_what_is_in_use_and_what_is_young(save: Save, settings: Config) -> None:
    shown, gone, other = (
        save(file(plain(RED))),
        save(file(plain(BLUE))),
        save(file(plain(BLUE)), uid=8),
    )
    (settings.media_path / "7" / ".half-written").write_bytes(b"RIFF")
    age(settings)
    young = save(file(plain(GREEN)))
    media.sweep_folder(settings, 7, [shown])
    assert (
        files(settings) == {shown, young} and len(list((settings.media_path / "7").iterdir())) == 6
    )
    assert gone not in files(settings) and files(settings, 8) == {other}


def test_a_picture_saved_again_is_young_again(save: Save, settings: Config) -> None:
    again = save(file(plain(RED)))
    age(settings)
    save(file(plain(RED)))
    media.sweep_folder(settings, 7, [])
    assert files(settings) == {again}


def test_everything_of_a_member_can_be_removed(save: Save, settings: Config) -> None:
    save(file(plain(RED)))
    other = save(file(plain(RED)), uid=8)
    media.remove_all(settings, 7)
    assert not (settings.media_path / "7").exists() and files(settings, 8) == {other}


def test_folders_that_are_not_there_are_swept_and_removed_in_peace(settings: Config) -> None:
    for config in (
        settings,
        replace(settings, media_dir=str(settings.media_path / "not" / "there")),
    ):
        media.sweep_folder(config, 7, ["7/x"])
        media.remove_all(config, 7)
        assert not config.media_path.exists()


@pytest.mark.parametrize(
    "act",
    [lambda config: media.sweep_folder(config, 7, []), lambda config: media.remove_all(config, 7)],
)
def test_many_may_sweep_at_once(act: Callable[[Config], None], settings: Config) -> None:
    folder = settings.media_path / "7"
    folder.mkdir(parents=True)
    for number in range(500):
        (folder / f"{number:032x}-96.webp").write_bytes(b"RIFF")
    age(settings)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: act(settings), range(4)))
    assert not files(settings)


def test_nobody_reads_half_a_picture(save: Save, settings: Config) -> None:
    content = file(noise((800, 800)))
    path = settings.media_path / f"{save(content)}-400.webp"
    whole = path.read_bytes()
    with ThreadPoolExecutor(1) as threads:
        readings = threads.submit(lambda: {path.read_bytes() for _ in range(2_000)})
        while not readings.done():
            media_files.write(path.parent, {path.name: whole})
    assert readings.result() == {whole} and path.stat().st_mode & 0o777 == 0o644
    assert not list(path.parent.glob(".*"))


def test_two_forms_saved_at_once_leave_one_picture_after_the_next_edit(
    app: Flask, member: Join, settings: Config
) -> None:
    ann, db = member("ann"), app.extensions["linnet.db"]
    cookies = ann.get_cookie("linnet")
    assert cookies

    def change(colour: tuple[int, int, int]) -> int:
        other = app.test_client()
        other.set_cookie("linnet", cookies.value)
        return int(send(other, avatar=file(plain(colour))).status_code)

    with ThreadPoolExecutor(2) as threads:
        assert set(threads.map(change, [RED, BLUE])) == {303}
    uid = int(db.run(("GET", account_keys.login("ann"))).split(":")[0])
    shown = db.run(("HGET", account_keys.user(uid), "avatar"))
    assert shown in files(settings, uid)
    age(settings)
    assert send(ann, bio="swept").status_code == 303
    assert files(settings, uid) == {shown}


def test_pictures_whose_form_was_never_saved_go_with_the_next_edit(
    app: Flask, member: Join, save: Save, settings: Config
) -> None:
    ann, db = member("ann"), app.extensions["linnet.db"]
    uid = int(db.run(("GET", account_keys.login("ann"))).split(":")[0])
    lost = save(file(plain(RED)), uid=uid)  # and here the process died
    age(settings)
    assert files(settings, uid) == {lost}
    assert send(ann, avatar=file(plain(BLUE)), header=file(plain(GREEN))).status_code == 303
    fields = db.run(("HMGET", account_keys.user(uid), "avatar", "header"))
    assert files(settings, uid) == set(fields) and lost not in fields


# The pictures' own view


@pytest.fixture
def shown(save: Save) -> str:
    """The address of a picture."""
    return media.picture_url(save(file(noise())), "avatar", 48)


def test_a_picture_may_be_kept_for_ever_by_everybody(
    shown: str, client: FlaskClient, member: Join
) -> None:
    for browser in (client, member("ann")):
        answer = browser.get(shown)
        assert (answer.status_code, answer.content_type) == (200, "image/webp") and answer.data[
            :4
        ] == b"RIFF"
        assert {"public", "immutable", "max-age=31536000"} == set(
            answer.headers["Cache-Control"].split(", ")
        )
        assert not {"Set-Cookie", "Vary"} & set(answer.headers.keys())
        assert (
            answer.headers["X-Content-Type-Options"] == "nosniff"
            and "Content-Security-Policy" in answer.headers
        )
        head = browser.head(shown)
        assert (head.status_code, head.data, head.content_length) == (200, b"", len(answer.data))
        again = browser.get(shown, headers={"If-None-Match": answer.headers["ETag"]})
        assert (again.status_code, again.data) == (304, b"")
        assert "Set-Cookie" not in again.headers and "Vary" not in again.headers
        assert browser.post(shown).status_code == 405


def test_names_that_are_not_ours_are_not_found(
    shown: str, client: FlaskClient, settings: Config
) -> None:
    folder = settings.media_path / "7"
    stem = Path(shown).name.removesuffix("-96.webp")
    for name in (
        ".hidden",
        f"{stem}-96.webp.bak",
        f"{stem}-96.png",
        "x.webp",
        f"{stem}-96.webp\n",
        f"{stem.upper()}-96.webp",
    ):
        (folder / name).write_bytes(b"not to be seen")
    (settings.media_path / "secret_key").write_text("not to be seen")
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
        answer = client.get(path)
        assert answer.status_code in (404, 308), path
        assert b"not to be seen" not in answer.data and "Set-Cookie" not in answer.headers
    assert client.get(shown).status_code == 200
