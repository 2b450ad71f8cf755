"""Test language, theme, times and the composer in a real browser."""

import re
from typing import Any

import pytest
from emoji import EMOJI_DATA
from playwright.sync_api import Page, Request, expect

from tests.conftest import long
from tests.e2e.conftest import OpenPage, sign_up
from webapp.core.text.parser import weight

# Shifts within posts, and of anything once the page is loaded. While it is parsed, a browser may
# paint a part of the composer or of a menu, and move it by some pixels.
SHIFTS = """const [navigation] = performance.getEntriesByType("navigation")
new PerformanceObserver(list => {
    const loadEventEnd = navigation?.loadEventEnd
    const inPost = ({ node }) => (node?.closest ? node : node?.parentElement)?.closest(".status")
    for (const entry of list.getEntries()) {
        const isLoaded = loadEventEnd && entry.startTime > loadEventEnd
        const moved = entry.sources.filter(one => isLoaded || inPost(one))
        if (moved.length && !entry.hadRecentInput)
            (window.shifts ??= []).push([entry.value, ...moved.map(({ node }) => node?.outerHTML)])
    }
}).observe({ type: "layout-shift", buffered: true })"""
# Emoji of a version that older browsers know too.
EMOJI = [emoji for emoji, facts in EMOJI_DATA.items() if facts["E"] <= 14]
TEXTS = (
    """
a|hello world|naïve café|e\u0301\u0301|ﬁ|Ａ|ｱｲｳ|Zürich straße|ÀÉÎÕÜ|ğışçö|œuvre
¿qué?|«да»|„gut“|it’s — fine…|1 234,50 €|½ ¾ ²
鸟|今天的鸟真多|今天 3 只 linnet|「こんにちは」、世界！|カタカナ
한국어 텍스트|각|繁體中文|𠮷野家|〇〇|全角　空格
привет мир|Ελληνικά|עברית|مرحبا بالعالم|हिन्दी में|বাংলা|ไทย|தமிழ்|አማርኛ|ქართული|հայերեն|ខ្មែរ|བོད་ཡིག
😀|😀😀|👍🏽|👨‍👩‍👧‍👦|👨👩|🏳️‍🌈|🏳‍🌈|🏴󠁧󠁢󠁳󠁣󠁴󠁿|🇨🇳🇳🇴|🇨|🇽🇽|1️⃣|1⃣|1|#️⃣|#|☺️|☺|☺︎|❤️‍🔥|❤|©|©️|™|😀️|😀‍😀|👩‍|🏽|a🏽|👩‍❤️‍💋‍👨|🧑🏿‍🚀x
\u200b|\u2060a|a\u00a0b|\u202eabc|\u2013\u2020\u2032\u2038|~`^|@ann #tag $ABC
100% & <b>|\\n\\0|()[]{}
""".strip()
    .replace("\n", "|")
    .split("|")
)


def count(page: Page, texts: list[str]) -> list[int]:
    """Return the lengths of texts as the browser counts them."""
    counts: list[int] = page.evaluate(
        "async texts => { const { weigh } = await import('/static/js/statuses/weigh.js');"
        " return texts.map(weigh) }",
        texts,
    )
    return counts


def test_hidden_numbers_stay_hidden_while_a_member_likes(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren", post="Five reed warblers")
    like = page.locator(".action-like")
    like.click()
    expect(like.locator("b")).to_have_text("1")
    expect(like).to_have_accessible_name("Like this post by Wren 1")
    page.goto("/settings/appearance")
    page.get_by_role("group", name="Numbers below posts").get_by_text("Hide").click()
    page.goto("/home")
    expect(like.locator("b")).to_be_hidden()
    expect(like).to_have_accessible_name("Like this post by Wren")
    for pressed in ("false", "true"):
        like.click()
        expect(like).to_have_attribute("aria-pressed", pressed)
        expect(like).to_have_accessible_name("Like this post by Wren")


def test_the_browser_counts_characters_and_emoji_as_the_server_does(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren")
    texts = [*TEXTS, *(f"a{text}鸟\n{text}" for text in TEXTS), "".join(TEXTS)]
    found = dict(zip(texts, count(page, texts), strict=True))
    assert found == {text: weight(text.strip()) for text in texts}
    assert len(EMOJI) > 3_000
    counts = dict(zip(EMOJI, count(page, EMOJI), strict=True))
    assert {emoji: number for emoji, number in counts.items() if number != weight(emoji)} == {}


def test_the_composer_shows_the_remaining_length_and_counts_links(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren")
    field = page.get_by_label("What’s happening?")
    number = page.locator("[data-number]")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url.rpartition("/")[2]))
    page.reload()
    field.focus()
    assert not any(name.startswith("weigh.") for name in requested), "there is nothing to count"
    field.fill("鸟" * 100)
    expect(number).to_be_empty()
    field.fill("鸟" * 136)
    expect(number).to_have_text("8")
    expect(page.locator("[data-spoken]")).to_have_text("Characters left: 8")
    field.fill("鸟" * 141)
    expect(number).to_have_text("-2")
    expect(page.locator("[data-spoken]")).to_have_text("Characters over the limit: 2")
    button = page.get_by_role("main").get_by_role("button", name="Post", exact=True)
    expect(button).to_have_attribute("aria-disabled", "true")
    field.fill(f"{'x' * 250} example.com/{'y' * 200}")
    expect(number).to_have_text("6")
    expect(button).to_have_attribute("aria-disabled", "false")
    field.fill(f"{'x' * 250}{chr(10) * 30}q{chr(0x301) * 40}")
    expect(number).to_have_text(str(280 - 250 - 2 - 9))
    field.fill(f"{'x' * 250} not.a-link-at-all-since-no-such-domain")
    expect(number).to_have_text(str(280 - 251 - 38))


def test_ctrl_enter_posts_once(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren")
    posted: list[str] = []

    def on_request(request: Request) -> None:
        if request.method == "POST":
            posted.append(request.url)

    page.on("request", on_request)
    page.get_by_label("What’s happening?").fill("once")
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).dblclick()
    expect(page.locator(".status-body")).to_have_text(["once"])
    assert len(posted) == 1
    page.get_by_label("What’s happening?").fill("by keys")
    page.keyboard.press("Control+Enter")
    expect(page.locator(".status-body")).to_have_text(["by keys", "once"])


@pytest.mark.long
def test_unsent_text_survives_leaving_the_page_until_it_is_posted(open_page: OpenPage) -> None:
    page = sign_up(open_page(), "wren")
    field = page.get_by_label("What’s happening?")
    field.fill("half a thought")
    # Wait for the script that saves the text: it draws the ring too.
    expect(page.locator("[data-ring]")).not_to_have_attribute("stroke-dasharray", "0 100")
    page.goto("/public")
    page.goto("/home")
    expect(field).to_have_value("half a thought")
    page.goto("/statuses/new")
    expect(field).to_have_value("half a thought")
    page.goto("/home")
    page.keyboard.press("Tab")
    page.get_by_role("main").get_by_role("button", name="Post", exact=True).click()
    expect(page.locator(".status-body")).to_have_text(["half a thought"])
    expect(field).to_have_value("")
    page.reload()
    expect(field).to_have_value("")


def test_times_are_relative_and_updated_without_layout_shifts(open_page: OpenPage) -> None:
    page = open_page(locale="en-US", timezone_id="Asia/Shanghai")
    page.add_init_script(SHIFTS)
    page.clock.install()
    sign_up(page, "wren", post="hello")
    time = page.locator(".status-time time")
    expect(time).to_have_text("now")
    moment = time.get_attribute("datetime")
    assert moment
    local = page.evaluate(
        "at => new Date(at).toLocaleDateString('en', { dateStyle: 'long' })", moment
    )
    expect(time).to_have_attribute("title", re.compile(f"^{local} at .*[AP]M$"))
    for jump, text in ((5 * 60, r"5m( ago)?"), (3 * 3600, r"3h( ago)?")):
        page.clock.fast_forward(jump * 1000)
        expect(time).to_have_text(re.compile(f"^{text}$"))
    assert page.evaluate("window.shifts ?? []") == []
    page.clock.fast_forward(400 * 86_400_000)
    expect(time).to_have_text(re.compile(r"^\w+ \d+, \d{4}$"))
    page.evaluate(
        """() => {
            const list = document.createElement("div")
            list.innerHTML = '<time data-relative datetime="2020-02-01T00:00:00+00:00">x</time>'
            document.querySelector("main").append(list)
            document.dispatchEvent(new CustomEvent("linnet:inserted", { detail: list }))
        }"""
    )
    expect(page.locator("main > div > time")).to_have_text("Feb 1, 2020")


@pytest.mark.long
def test_times_are_relative_in_chinese(open_page: OpenPage) -> None:
    page = open_page(locale="zh-CN")
    page.clock.install()
    page.goto("/signup")
    for label, text in (("用户名", "wren"), ("昵称", "麻雀"), ("密码", "correct horse battery")):
        page.get_by_label(label, exact=True).fill(text)
    page.get_by_role("button", name="创建账号").click()
    expect(page.locator(".welcome-progress")).to_be_visible()
    page.goto("/home")
    page.get_by_label("有什么新鲜事？").fill("早")
    page.get_by_role("main").get_by_role("button", name="发布", exact=True).click()
    time = page.locator(".status-time time")
    expect(time).to_have_text("刚刚")
    page.clock.fast_forward(5 * 60_000)
    expect(time).to_have_text(re.compile("^5 ?分钟前$"))


@pytest.mark.parametrize("scripts", [True, long(False)], ids=["with scripts", "without scripts"])
def test_language_and_theme_are_chosen_with_the_keyboard_and_remembered(
    open_page: OpenPage, scripts: bool
) -> None:
    page = open_page(scripts, color_scheme="light")
    page.goto("/public")
    page.get_by_role("button", name="简体中文").press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("探索")
    expect(page).to_have_url(re.compile("/public$"))
    expect(page.get_by_role("button", name="简体中文")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="深色").press("Enter")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    assert background(page) == "rgb(15, 19, 18)"
    page.goto("/login")
    expect(page.get_by_role("heading", level=1)).to_have_text("欢迎回来")
    assert background(page) == "rgb(15, 19, 18)"
    page.get_by_role("button", name="English").press("Enter")
    page.get_by_role("button", name="System").press("Enter")
    expect(page.locator("html")).not_to_have_attribute("data-theme", re.compile(".*"))
    assert background(page) == "rgb(246, 245, 241)"
    page.emulate_media(color_scheme="dark")
    assert background(page) == "rgb(15, 19, 18)"


def background(page: Page) -> Any:
    """Return the background colour of a page."""
    return page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
