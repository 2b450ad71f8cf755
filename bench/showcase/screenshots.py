"""`make screenshots`: take the pictures of the README from a site with the demo community."""

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
COLOURS = 255  # in a picture's palette: enough for flat pages
LOADED = """() => [...document.images].every(
    image => image.complete || image.getBoundingClientRect().top > innerHeight
)"""
GAP = 40  # pixels around each phone


def main() -> None:
    """Save pictures: home, a thread, a chat and a profile, on wide screens and on phones."""
    with showcase() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        home, thread, chat, profile = paths(browser, site)
        wide = [
            picture(browser, site, home, "en-US", "light", DESK),
            picture(browser, site, thread, "en-US", "dark", DESK),
            picture(browser, site, chat, "zh-CN", "light", DESK),
            picture(browser, site, profile, "zh-CN", "dark", DESK),
        ]
        phones = [
            picture(browser, site, home, "en-US", "dark", PHONE),
            picture(browser, site, thread, "zh-CN", "light", PHONE),
            picture(browser, site, chat, "en-US", "dark", PHONE),
            picture(browser, site, profile, "en-US", "light", PHONE),
        ]
        save(wide[0], "screenshot.png")
        save(beside(wide[1:]), "wide.png")
        save(beside(phones), "phones.png")
        browser.close()


def paths(browser: Browser, site: Showcase) -> tuple[str, str, str, str]:
    """Return where a home, a thread with replies, a chat and the member's profile are."""
    page = browser.new_page(base_url=site.url)
    sign_in(page, site)
    page.goto("/public")
    answered = page.locator(".status").filter(has=page.locator(".action-reply", has_text="1"))
    thread = answered.locator(".status-time").first.get_attribute("href")
    page.goto("/chats")
    chat = page.locator(".chat-row a").first.get_attribute("href")
    page.context.close()
    return "/home", str(thread), str(chat), f"/@{site.member.login}"


def picture(
    browser: Browser, site: Showcase, path: str, locale: str, scheme: str, size: dict[str, int]
) -> Image.Image:
    """Take a picture of a page as the chosen member."""
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
    """Sign in through the form."""
    page.goto("/login")
    page.locator("[name=login]").fill(site.member.login)
    page.locator("[name=password]").fill(site.member.password)
    page.locator("main form button").click()
    page.wait_for_url("**/home")


def beside(pictures: list[Image.Image]) -> Image.Image:
    """Join pictures of one size in a row."""
    width, height = pictures[0].size
    row = Image.new("RGBA", (len(pictures) * (width + GAP) - GAP, height))
    for place, one in enumerate(pictures):
        row.paste(one, (place * (width + GAP), 0))
    return row


def save(image: Image.Image, name: str) -> None:
    """Reduce the colours without visible loss."""
    method = Image.Quantize.FASTOCTREE if image.mode == "RGBA" else Image.Quantize.MEDIANCUT
    image.quantize(COLOURS, method, dither=Image.Dither.NONE).save(FOLDER / name, optimize=True)
    print(f"docs/{name}  {(FOLDER / name).stat().st_size / 1024:.0f} KB")


if __name__ == "__main__":
    main()
