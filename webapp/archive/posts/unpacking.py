"""Take the posts out of an uploaded archive, which may be a ZIP file."""

import io
import struct
import zipfile
import zlib

from webapp.core.errors import Invalid

from .old_posts import X_MARK

JSON_MAX = 32 * 1024 * 1024  # bytes of the posts, unpacked
ENTRIES_MAX = 20_000  # files in a ZIP
ENTRY_MARK = b"PK\x01\x02"  # begins each entry of a ZIP's table
PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # others unpack a whole entry at once
ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, OverflowError)
NAMES = ("outbox.json", "data/tweets.js", "data/tweet.js", "tweets.js")


def unpack(content: bytes) -> bytes:
    """Return the posts of an uploaded file, which is a ZIP or they alone.

    Raises Invalid for a file that has none, or too many.
    """
    try:
        found = _unzip(content) if content.startswith(b"PK") else content
    except (*ZIP_ERRORS, RuntimeError, ValueError):  # encrypted, or names that are no text
        raise Invalid("posts_bad") from None
    if len(found) > JSON_MAX:
        raise Invalid("posts_long")
    if not found.lstrip().startswith((b"{", X_MARK)):
        raise Invalid("posts_bad")
    return found


def _unzip(content: bytes) -> bytes:
    if content.count(ENTRY_MARK) > ENTRIES_MAX:
        raise Invalid("posts_long")
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in NAMES:
            found = archive.NameToInfo.get(name)
            if found and found.compress_type in PLAIN:
                with archive.open(found) as entry:
                    return entry.read(JSON_MAX + 1)
    return b""
