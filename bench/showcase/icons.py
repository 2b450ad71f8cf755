"""Draw the site's icons as pixels, from `static/favicon.svg`: `python -m bench.showcase.icons`."""

from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from .screenshots import CHROMIUM

STATIC = Path(__file__).parents[2] / "static"
FOLDER = STATIC / "icons"
SIZES = {"icon-192": 192, "icon-512": 512, "apple-touch-icon": 180}
FAVICON_SIDES = ((16, 16), (32, 32), (48, 48))
# Systems cut their own corners, so the picture fills its square.
# A system may show a round part of this one, so its bird is smaller.
MASKABLE, MASKABLE_SCALE = "icon-maskable-512", 0.84
PAGE = "<style>*{margin:0}svg{display:block;width:512px}rect{rx:0}</style>"


def main() -> None:
    """Save each icon, and the small ones in one file."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM)
        page = browser.new_page(viewport={"width": 512, "height": 512})
        page.set_content(PAGE + (STATIC / "favicon.svg").read_text())
        drawn = Image.open(BytesIO(page.screenshot())).convert("RGB")
        browser.close()
    FOLDER.mkdir(exist_ok=True)
    for name, side in SIZES.items():
        resized = drawn.resize((side, side), Image.Resampling.LANCZOS)
        resized.save(FOLDER / f"{name}.png", optimize=True)
    drawn.save(FOLDER / "favicon.ico", sizes=FAVICON_SIDES)
    _with_margin(drawn).save(FOLDER / f"{MASKABLE}.png", optimize=True)


def _with_margin(drawn: Image.Image) -> Image.Image:
    """Return the icon at the same size, within more of its background."""
    side = round(drawn.width * MASKABLE_SCALE)
    smaller = drawn.resize((side, side), Image.Resampling.LANCZOS)
    padded = Image.new("RGB", drawn.size, drawn.getpixel((0, 0)))
    margin = (drawn.width - side) // 2
    padded.paste(smaller, (margin, margin))
    return padded


if __name__ == "__main__":
    main()
