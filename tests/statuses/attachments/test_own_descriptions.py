"""Reading the description that a picture carries in its own metadata."""

import io
import struct
from typing import Any

import pytest
from PIL import Image
from PIL.PngImagePlugin import PngImageFile, PngInfo

from tests.conftest import BASE
from webapp.config import load
from webapp.core.media import decoding
from webapp.core.media.decoding import BadPicture, decoded
from webapp.statuses.attachments.own_descriptions import own_description

XMP = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF><rdf:Description>
<dc:description><rdf:Alt><rdf:li xml:lang="x-default">A fox &amp; a hen</rdf:li></rdf:Alt>
</dc:description>{}</rdf:Description></rdf:RDF></x:xmpmeta>"""
ALT = """<Iptc4xmpCore:AltTextAccessibility><rdf:Alt><rdf:li xml:lang="x-default">A fox looks at
a hen</rdf:li></rdf:Alt></Iptc4xmpCore:AltTextAccessibility>"""


def picture(kind: str = "JPEG", **options: Any) -> io.BytesIO:
    """Return a picture's file with metadata."""
    content = io.BytesIO()
    Image.new("RGB", (60, 40)).save(content, kind, **options)
    return content


def exif(description: str | bytes) -> Image.Exif:
    """Return EXIF data with a description."""
    found = Image.Exif()
    found[0x010E] = description
    return found


def with_iptc(caption: bytes) -> io.BytesIO:
    """Return a JPEG with a caption in an IPTC block."""
    block = b"\x1c\x02\x78" + struct.pack(">H", len(caption)) + caption
    resource = b"Photoshop 3.0\x008BIM\x04\x04\x00\x00" + struct.pack(">I", len(block)) + block
    segment = b"\xff\xed" + struct.pack(">H", len(resource) + 2) + resource
    data = picture().getvalue()
    return io.BytesIO(data[:2] + segment + data[2:])


def test_a_description_is_found_in_xmp_iptc_and_exif() -> None:
    both = XMP.format(ALT).encode()
    assert own_description(picture(xmp=both), 100) == "A fox looks at a hen"
    assert own_description(picture(xmp=XMP.format("").encode()), 100) == "A fox & a hen"
    assert own_description(picture("WEBP", xmp=both), 100) == "A fox looks at a hen"
    info = PngInfo()
    info.add_itxt("XML:com.adobe.xmp", XMP.format(""))
    assert own_description(picture("PNG", pnginfo=info), 100) == "A fox & a hen"
    assert own_description(with_iptc("Ein Füchslein".encode()), 100) == "Ein Füchslein"
    assert own_description(picture(exif=exif("狐狸".encode())), 100) == "狐狸"
    assert own_description(picture(exif=exif("A fox")), 100) == "A fox"


def test_a_file_is_read_only_while_no_picture_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decoding, "DECODE_WAIT_SECONDS", 0.01)
    with decoding.decode_lock:
        assert own_description(picture(exif=exif("A fox")), 100) == ""
    assert own_description(picture(exif=exif("A fox")), 100) == "A fox"


def test_the_first_part_of_a_large_file_is_enough() -> None:
    content = io.BytesIO()
    Image.effect_noise((1500, 1500), 90).save(content, "JPEG", exif=exif("A fox"), quality=95)
    assert len(content.getvalue()) > 1_000_000
    assert own_description(io.BytesIO(content.getvalue()[:262_144]), 100) == "A fox"


def test_no_pixel_of_a_picture_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[PngImageFile] = []
    monkeypatch.setattr(PngImageFile, "load", lambda self: decoded.append(self))
    assert own_description(picture("PNG"), 100) == ""
    assert own_description(picture("PNG", exif=exif("A fox")), 100) == "A fox"
    assert decoded == []


def test_a_picture_with_hundreds_of_parts_of_exif_is_not_opened() -> None:
    data = picture(exif=exif("A fox")).getvalue()
    part = b"\xff\xe1\x00\x09Exif\0\0x"
    assert own_description(io.BytesIO(data), 100) == "A fox"
    crowded = io.BytesIO(data[:-2] + 501 * part + data[-2:])
    assert own_description(crowded, 100) == ""
    with pytest.raises(BadPicture), decoded(load(BASE, {}), crowded):
        pass


@pytest.mark.parametrize(
    "text", ["OLYMPUS DIGITAL CAMERA", "SAMSUNG CAMERA PICTURES", "default", "x" * 101, " \0", ""]
)
def test_what_cameras_write_and_what_is_too_long_is_no_description(text: str) -> None:
    assert own_description(picture(exif=exif(text)), 100) == ""


@pytest.mark.parametrize("data", [b"", b"no picture", b"\xff\xd8\xff\xe1\x00\x10Exif\x00\x00MM"])
def test_a_broken_file_has_none(data: bytes) -> None:
    assert own_description(io.BytesIO(data), 100) == ""
