"""The icon that an operator chose for the site, in the sizes that browsers and phones ask for.

Its files are `site/<hash>-<side>.png` in the media folder. Without one, the site has Linnet's own.
"""

import hashlib
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from webapp.config import Config
from webapp.core.media import decoding, files, images
from webapp.core.media.images import Crop
from webapp.core.web import config

from .assets import STATIC_DIR, asset_url

SIDES = (512, 192, 180, 48)  # pixels
APPLE_SIDE = 180  # of phones that show no transparency
ICON_FILE = re.compile(r"site/[0-9a-f]{32}-(?:512|192|180|48)\.png")
FOLDER = "site"
KEPT_MAX = 20  # icons, so that a change can be undone
DEFAULTS = {
    512: "icons/icon-512.png",
    192: "icons/icon-192.png",
    180: "icons/apple-touch-icon.png",
}


def save(config: Config, data: IO[bytes], crop: Crop) -> str:
    """Store a part of a picture as an icon in all sizes, and return its name.

    Raises BadPicture; Unavailable if too many pictures wait to be decoded, or the disk is full.
    """
    with decoding.decoded(config, data, decoding.SIDE_MIN) as picture:
        renditions = [
            images.png_of(one, opaque=one.width == APPLE_SIDE)
            for one in images.cropped(picture, crop, *((side, side) for side in SIDES))
        ]
    name = hashlib.sha256(renditions[0]).hexdigest()[: files.HASH_LENGTH]
    pairs = zip(SIDES, renditions, strict=True)
    files.write(config.media_path, {_file(name, side): content for side, content in pairs})
    for file in _surplus(config.media_path / FOLDER):
        file.unlink(missing_ok=True)
    return name


def own_icon(side: int) -> str:
    """Return the address of the site's own icon, "" if it has none."""
    return icon_path(config(), side)


def icon_url(side: int) -> str:
    """Return the address of the site's icon, or of Linnet's. `side`: one of DEFAULTS."""
    return own_icon(side) or asset_url(DEFAULTS[side])


def icon_path(config: Config, side: int) -> str:
    """Return the path of the site's own icon, "" if it has none."""
    return f"/media/{_file(config.icon, side)}" if config.icon else ""


def icon_file(config: Config) -> Path:
    """Return the file of the icon with 192 pixels: Linnet's, if the site's own is not there."""
    own = config.media_path / _file(config.icon, 192)
    return own if config.icon and own.exists() else STATIC_DIR / DEFAULTS[192]


def _file(name: str, side: int) -> str:
    return f"{FOLDER}/{name}-{side}.png"


def _surplus(folder: Path) -> Iterator[Path]:
    """Yield the files of the oldest icons, beyond KEPT_MAX."""
    written: list[tuple[float, Path]] = []
    for file in folder.iterdir():
        with suppress(FileNotFoundError):  # another process has removed it
            written.append((file.stat().st_mtime, file))
    yield from (file for _, file in sorted(written, reverse=True)[KEPT_MAX * len(SIDES) :])
