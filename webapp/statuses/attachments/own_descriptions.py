"""The description that a picture carries in its own metadata: in XMP, IPTC or EXIF."""

import io
import re
from collections.abc import Iterator
from contextlib import suppress
from html import unescape
from typing import IO, Final

from PIL import Image, IptcImagePlugin
from PIL.ImageFile import ImageFile

from webapp.core.media.decoding import FORMATS, check_parts, decode_lock, slot
from webapp.core.text.cleaning import clean_line
from webapp.core.text.parser import Unacceptable

EXIF_DESCRIPTION, IPTC_CAPTION = 0x010E, (2, 120)
METADATA_MAX: Final = 65_536  # bytes of XMP that are looked through
XMP_TEXT = re.compile(  # the description for people who can't see the picture comes first
    rb"<(Iptc4xmpCore:AltTextAccessibility|dc:description)>.{0,500}?<rdf:li[^>]{0,100}>([^<]*)<",
    re.DOTALL,
)
# What cameras and programs write by themselves.
NO_DESCRIPTION = re.compile(
    r"(?i)\A(.* digital camera|samsung.*|default|dcim.*|exif_jpeg.*|untitled.*|screenshot.*"
    r"|(created|processed|edited|file written) .*)\Z"
)


def own_description(data: IO[bytes], max_length: int) -> str:
    """Return the description within a picture's file, as one line; "" if there is none.

    Reads the head of the file, so its first part is enough. Never raises for a broken file, and
    finds nothing in one if other pictures are being decoded for too long.
    """
    data.seek(0)
    with suppress(Exception):  # Pillow has many errors for broken metadata
        content = data.read()
        check_parts(content)
        with slot(decode_lock), Image.open(io.BytesIO(content), formats=FORMATS) as picture:
            found = [_clean(raw, max_length) for raw in _descriptions(picture)]
        return next(filter(None, found), "")
    return ""


def _descriptions(picture: ImageFile) -> Iterator[bytes]:
    xmp = picture.info.get("xmp") or picture.info.get("XML:com.adobe.xmp") or b""
    xmp = xmp.encode() if isinstance(xmp, str) else xmp
    found = dict(XMP_TEXT.findall(xmp[:METADATA_MAX]))
    for name in sorted(found):
        yield unescape(found[name].decode(errors="replace")).encode()
    caption = (IptcImagePlugin.getiptcinfo(picture) or {}).get(IPTC_CAPTION, b"")
    yield caption[0] if isinstance(caption, list) else caption
    exif = Image.Image.getexif(picture)  # a PNG's own would decode all its pixels
    described = exif.get(EXIF_DESCRIPTION, "")
    yield described.encode("latin-1", "ignore") if isinstance(described, str) else described


def _clean(raw: bytes, max_length: int) -> str:
    text = raw.decode("utf-8", "replace").strip("\0 ")
    with suppress(Unacceptable):
        line = clean_line(text, max_length)
        return "" if NO_DESCRIPTION.match(line) or "\ufffd" in line else line
    return ""
