"""`make screenshots`: take the pictures of the README from a site with the demo community."""

import shutil
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, StorageState, sync_playwright

from .site import Showcase, showcase

CHROMIUM = (
    shutil.which("chromium")
    or shutil.which("google-chrome")
    or shutil.which("google-chrome-stable")
)
FOLDER = Path(__file__).parents[2] / "docs"
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 390, "height": 780}
BYTES_MAX = 400_000  # of a file with all its colours
COLOURS = 255  # in a picture's palette: enough for flat pages
LOADED = """() => [...document.images].every(image =>
    image.complete || !image.checkVisibility() || image.getBoundingClientRect().top > innerHeight
)"""
MOST_ANSWERED = """posts => {
    const replies = post => parseInt(post.querySelector(".action-reply")?.textContent) || 0
    return posts.reduce((a, b) => replies(b) > replies(a) ? b : a)
        .querySelector(".status-time").getAttribute("href")
}"""
GROUP = "Sunday walk"  # the chat that the demo's walk fills
GAP = 40  # pixels around each phone


def main() -> None:
    """Save pictures: home, a thread, a chat and a profile, on wide screens and on phones."""
    with showcase() as site, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        visits = Visits(browser, site.url, sign_in(browser, site))
        home, thread, chat, profile = paths(visits, site)
        wide = [
            picture(visits, home, "en-US", "light", DESK),
            picture(visits, thread, "en-US", "dark", DESK),
            picture(visits, chat, "zh-CN", "light", DESK),
            picture(visits, profile, "zh-CN", "dark", DESK),
        ]
        phones = [
            picture(visits, home, "en-US", "dark", PHONE),
            picture(visits, thread, "zh-CN", "light", PHONE),
            picture(visits, chat, "en-US", "dark", PHONE),
            picture(visits, profile, "en-US", "light", PHONE),
        ]
        save(wide[0], "screenshot.png")
        save(beside(wide[1:]), "wide.png")
        save(beside(phones), "phones.png")
        browser.close()


@dataclass(frozen=True, slots=True)
class Visits:
    """Open pages of the site as the member. One sign-in is enough for all of them."""

    browser: Browser
    url: str
    state: StorageState

    def page(self, **options: Any) -> Page:
        """Return a page in a context of its own, to be closed."""
        context = self.browser.new_context(
            base_url=self.url, storage_state=self.state, reduced_motion="reduce", **options
        )
        return context.new_page()


def paths(visits: Visits, site: Showcase) -> tuple[str, str, str, str]:
    """Return where a home, a thread with replies, a chat and the member's profile are."""
    profile = f"/@{site.member.login}"
    page = visits.page()
    page.goto(profile)
    thread = page.locator(".status").evaluate_all(MOST_ANSWERED)
    page.goto("/chats")
    chat = page.locator(".chat-row a", has_text=GROUP).get_attribute("href")
    page.context.close()
    return "/home", thread, str(chat), profile


def picture(
    visits: Visits, path: str, locale: str, scheme: str, size: dict[str, int]
) -> Image.Image:
    """Take a picture of a page."""
    page = visits.page(locale=locale, color_scheme=scheme, viewport=size)
    page.goto(path)
    page.wait_for_function(LOADED)
    taken = Image.open(BytesIO(page.screenshot())).convert("RGB")
    page.context.close()
    return taken


def sign_in(browser: Browser, site: Showcase) -> StorageState:
    """Sign in through the form. Return the cookies."""
    page = browser.new_page(base_url=site.url)
    page.goto("/login")
    page.locator("[name=login]").fill(site.member.login)
    page.locator("[name=password]").fill(site.member.password)
    page.locator("main form button").click()
    page.wait_for_url("**/home")
    state = page.context.storage_state()
    page.context.close()
    return state


def beside(pictures: list[Image.Image]) -> Image.Image:
    """Join pictures of one size in a row."""
    width, height = pictures[0].size
    row = Image.new("RGBA", (len(pictures) * (width + GAP) - GAP, height))
    for place, one in enumerate(pictures):
        row.paste(one, (place * (width + GAP), 0))
    return row


def save(image: Image.Image, name: str) -> None:
    """Save a picture, with fewer colours if it would be large."""
    file = FOLDER / name
    image.save(file, optimize=True)
    if file.stat().st_size > BYTES_MAX:
        with_fewer_colours(image).save(file, optimize=True, transparency=COLOURS)
    print(f"docs/{name}  {file.stat().st_size / 1024:.0f} KB")


def with_fewer_colours(image: Image.Image) -> Image.Image:
    """Return the picture with a palette. The colour after the last is transparent."""
    reduced = image.convert("RGB").quantize(
        COLOURS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE
    )
    if image.mode == "RGBA":
        gaps = image.getchannel("A").point(lambda alpha: 255 - alpha)
        reduced.paste(COLOURS, mask=gaps.convert("1"))
    return reduced


if __name__ == "__main__":
    main()
