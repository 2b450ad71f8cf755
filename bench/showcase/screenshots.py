"""`make screenshots`: takes the pictures of the README, of the site with the demo community in it."""

from __future__ import annotations

import shutil
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from .site import Showcase, showcase

CHROMIUM = (
    shutil.which("chromium")
    or shutil.which("google-chrome")
    or shutil.which("google-chrome-stable")
)
FOLDER = Path(__file__).parents[2] / "docs"
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 780}
COLOURS = 255  # in a picture's palette: flat pages need no more
LOADED = """() => [...document.images].every(one => one.complete || one.getBoundingClientRect().top > innerHeight)"""
GAP = 40  # pixels around each phone


def main() -> None:
    """A home page on a desk; a home, a profile and the public timeline on phones side by side."""
    with showcase() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        profile = f"/@{site.member.login}"
        phones = [
            picture(browser, site, "/home", "en-US", "dark", PHONE),
            picture(browser, site, profile, "en-US", "light", PHONE),
            picture(browser, site, "/public", "zh-CN", "light", PHONE),
            picture(browser, site, profile, "zh-CN", "dark", PHONE),
        ]
        save(picture(browser, site, "/home", "en-US", "light", DESK), "screenshot.png")
        save(beside(phones), "phones.png")
        browser.close()


def picture(
    browser: Browser, site: Showcase, path: str, locale: str, scheme: str, size: dict[str, int]
) -> Image.Image:
    """A page as the shown member sees it."""
    context = browser.new_context(
        base_url=site.url,
        locale=locale,
        color_scheme=scheme,
        viewport=size,
        reduced_motion="reduce",
    )
    page = context.new_page()
    sign_in(page, site)
    page.goto(path)
    page.wait_for_function(LOADED)
    taken = Image.open(BytesIO(page.screenshot())).convert("RGB")
    context.close()
    return taken


def sign_in(page: Page, site: Showcase) -> None:
    """Through the form."""
    page.goto("/login")
    page.locator("[name=login]").fill(site.member.login)
    page.locator("[name=password]").fill(site.member.password)
    page.locator("main form button").click()
    page.wait_for_url("**/home")


def beside(pictures: list[Image.Image]) -> Image.Image:
    """Pictures of one size in a row, with nothing between."""
    width, height = pictures[0].size
    row = Image.new("RGBA", (len(pictures) * (width + GAP) - GAP, height))
    for place, one in enumerate(pictures):
        row.paste(one, (place * (width + GAP), 0))
    return row


def save(image: Image.Image, name: str) -> None:
    """With as few colours as look the same."""
    method = Image.Quantize.FASTOCTREE if image.mode == "RGBA" else Image.Quantize.MEDIANCUT
    image.quantize(COLOURS, method, dither=Image.Dither.NONE).save(FOLDER / name, optimize=True)
    print(f"docs/{name}  {(FOLDER / name).stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main()
