"""Fonts to draw with: the system's, then Pillow's own, which has plain Latin letters only.

Pillow looks for a file's name in the system's folders of fonts.
"""

from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

from PIL import ImageFont
from PIL.ImageFont import FreeTypeFont

# Files with Chinese, and the place of the font within the file.
CHINESE_FONTS = (
    ("NotoSansCJK-Regular.ttc", 2),
    ("NotoSansCJKsc-Regular.otf", 0),
    ("NotoSansSC-Regular.otf", 0),
    ("SourceHanSansSC-Regular.otf", 0),
    ("SourceHanSansCN-Regular.otf", 0),
    ("wqy-microhei.ttc", 0),
    ("wqy-zenhei.ttc", 0),
    ("DroidSansFallbackFull.ttf", 0),
    ("Hiragino Sans GB.ttc", 0),
    ("msyh.ttc", 0),
)
LATIN_FONTS = (
    ("NotoSans-Regular.ttf", 0),
    ("LiberationSans-Regular.ttf", 0),
    ("DejaVuSans.ttf", 0),
    ("Arial.ttf", 0),
)
PROBE_SIZE = 32  # pixels at which glyphs are compared and measured
NO_CHARACTER = "\uffff"  # has no glyph in any font


def runs(text: str, size: int) -> Iterator[tuple[str, FreeTypeFont]]:
    """Cut a line into pieces, each with the font that draws it. `size` is in pixels."""
    for place, characters in groupby(text, _font_of):
        yield "".join(characters), _fonts(size)[max(place, 0)]


def can_draw(character: str) -> bool:
    """Return True if one of the fonts has this character."""
    return _font_of(character) >= 0


def advance(character: str, size: int) -> float:
    """Return the width of a character in pixels."""
    return _advance(character) * size / PROBE_SIZE


@lru_cache(20_000)
def _advance(character: str) -> float:
    [(_, font)] = runs(character, PROBE_SIZE)
    return font.getlength(character)


@lru_cache(20_000)
def _font_of(character: str) -> int:
    """Return the place of the first font with this character, -1 if none has it."""
    fonts = enumerate(_fonts(PROBE_SIZE))
    return next((place for place, font in fonts if _has_glyph(font, character)), -1)


def _has_glyph(font: FreeTypeFont, character: str) -> bool:
    """Return False if the font draws its box for missing characters."""
    return _glyph(font, character) != _missing_glyph(font)


@lru_cache(8)
def _missing_glyph(font: FreeTypeFont) -> tuple[tuple[int, int], bytes]:
    return _glyph(font, NO_CHARACTER)


def _glyph(font: FreeTypeFont, character: str) -> tuple[tuple[int, int], bytes]:
    mask = font.getmask(character)
    return mask.size, bytes(mask)


@lru_cache(32)
def _fonts(size: int) -> tuple[FreeTypeFont, ...]:
    """Return the fonts that there are, the preferred one first."""
    files = (_first_found(CHINESE_FONTS), _first_found(LATIN_FONTS))
    found = [_open(*file, size) for file in files if file]
    own = ImageFont.load_default(size)
    assert isinstance(own, FreeTypeFont)  # a size was given
    return (*found, own)


@lru_cache(8)
def _first_found(candidates: tuple[tuple[str, int], ...]) -> tuple[str, int] | None:
    """Return the path of the first font that the system has, and its place in the file."""
    for name, place in candidates:
        try:
            return str(_open(name, place, PROBE_SIZE).path), place
        except OSError:
            continue
    return None


def _open(file: str, place: int, size: int) -> FreeTypeFont:
    return ImageFont.truetype(file, size, index=place, layout_engine=ImageFont.Layout.BASIC)
