"""Draw the picture of a link to a post, 1200 by 630 pixels as other sites expect it."""

import io
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from PIL import Image, ImageDraw
from PIL.ImageDraw import ImageDraw as Pen

from webapp.core.rendering.static.assets import STATIC_DIR
from webapp.core.rendering.static.site_icons import DEFAULTS

from . import fonts, typesetting

SIZE = (1200, 630)  # pixels
MARGIN = 80
WIDTH = SIZE[0] - 2 * MARGIN
TEXT_TOP, TEXT_HEIGHT = 208, 260
TEXT_SIZES = (72, 64, 56, 48, 42, 36)
NAME_SIZE, LOGIN_SIZE, SITE_SIZE = 46, 32, 36
BRAND_TOP, ICON_SIDE = 526, 56
COLOURS_MAX = 128  # letters have few; so a picture has some 30 KB
# The site's colours by day (static/css/core/tokens.css).
CANVAS, INK, INK_SOFT, ACCENT = "#f6f5f1", "#1a201f", "#5b6461", "#0c6a62"

LINNET, LINNET_ICON = "Linnet", STATIC_DIR / DEFAULTS[192]


@dataclass(frozen=True, slots=True)
class Card:
    """The parts of a post that are drawn, and the name and icon of the site."""

    name: str
    login: str
    text: str
    site: str = LINNET
    icon: Path = LINNET_ICON


def draw(card: Card) -> bytes:
    """Return the picture as PNG. Without its text if the fonts lack letters of it."""
    picture = Image.new("RGB", SIZE, CANVAS)
    pen = ImageDraw.Draw(picture)
    pen.rectangle((0, 0, 24, SIZE[1]), fill=ACCENT)
    text = typesetting.drawable(card.text)
    _draw_author(pen, card, top=MARGIN if text else 220)
    if text:
        _draw_text(pen, text)
    icon = _icon(card.icon)
    picture.paste(icon, (MARGIN, BRAND_TOP))
    baseline = BRAND_TOP + ICON_SIDE - 15
    site = typesetting.drawable(card.site) or ""
    _draw_line(pen, site, MARGIN + ICON_SIDE + 18, baseline, SITE_SIZE, ACCENT)
    content = io.BytesIO()
    picture.quantize(COLOURS_MAX, Image.Quantize.FASTOCTREE).save(content, "PNG")
    return content.getvalue()


def _draw_author(pen: Pen, card: Card, top: int) -> None:
    """Draw the name above the login; the login alone if the fonts lack letters of the name."""
    login, name = f"@{card.login}", typesetting.drawable(card.name)
    title = typesetting.cut(name or login, NAME_SIZE, WIDTH)
    _draw_line(pen, title, MARGIN, top + NAME_SIZE, NAME_SIZE, INK, weight=1)
    if name:
        _draw_line(pen, login, MARGIN, top + 92, LOGIN_SIZE, INK_SOFT)


def _draw_text(pen: Pen, text: str) -> None:
    size, lines = typesetting.fit(text, TEXT_SIZES, WIDTH, TEXT_HEIGHT)
    for number, line in enumerate(lines):
        baseline = TEXT_TOP + size + number * typesetting.line_height(size)
        _draw_line(pen, line, MARGIN, baseline, size, INK)


def _draw_line(
    pen: Pen, text: str, left: float, baseline: int, size: int, colour: str, weight: int = 0
) -> None:
    for run, font in fonts.runs(text, size):
        pen.text((left, baseline), run, colour, font, anchor="ls", stroke_width=weight)
        left += font.getlength(run)


@lru_cache(4)
def _icon(file: Path) -> Image.Image:
    with Image.open(file) as icon:
        side = (ICON_SIDE, ICON_SIDE)
        small = icon.convert("RGBA").resize(side, Image.Resampling.LANCZOS)
    ground = Image.new("RGBA", side, CANVAS)
    return Image.alpha_composite(ground, small).convert("RGB")
