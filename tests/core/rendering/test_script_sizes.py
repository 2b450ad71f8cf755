"""Limit the bytes of the scripts that pages load at once, and of those that wait until needed."""

import posixpath
import re

import pytest

from webapp.core.rendering.static.assets import STATIC_DIR, Assets

FOLDER = STATIC_DIR / "js"
HEAD = STATIC_DIR.parent / "templates/layout/head.html"
STATIC_IMPORT = re.compile(r'^import (?:.+ from )?"(\.+/[^"]+)\.js"$', re.MULTILINE)
SOURCES = {
    path.relative_to(FOLDER).with_suffix("").as_posix(): path.read_text()
    for path in FOLDER.rglob("*.js")
}
ONE_PAGE = """
    core/passwords core/picture-fields core/shortcuts-page
    notifications/new-notifications notifications/push-devices explore/suggestions
    streaming/try-streaming lists/pin-order timelines/reading-position
    community/position accounts/passkeys
""".split()
LATER = {  # when they are loaded: the bytes of all of them, and their names
    "a part of the composer is opened": (
        11_000,
        "statuses/attachments statuses/focal-point statuses/picture-order statuses/place "
        "statuses/poll-answers statuses/schedule",
    ),
    "a draft is kept while it is written": (1_500, "statuses/autosave"),
    "emoji are looked for": (4_200, "statuses/emoji"),
    "English emoji are shown": (4_000, "statuses/emoji-en"),
    "Chinese emoji are shown": (4_000, "statuses/emoji-zh"),
    "a post is written": (2_700, "statuses/character-count statuses/weigh"),
    "a post is added to a thread": (2_300, "statuses/thread"),
    "an @, a # or a search is typed": (6_900, "statuses/autocomplete statuses/caret"),
    "something is opened, sent or scrolled": (
        15_300,
        "core/header core/infinite-scroll core/popover-menu core/replace-parts core/shortcuts "
        "core/rows explore/suggestions-card statuses/lightbox statuses/post-in-place",
    ),
    "an open page waits for news": (3_500, "core/live core/posts"),
    "an open page has news": (
        5_300,
        "core/fetched-posts core/hidden-author core/pending-posts core/removed-post "
        "statuses/live-counts statuses/refresh-thread",
    ),
    "a new password is chosen": (1_200, "accounts/password-strength"),
    "a form is written in": (3_400, "core/kept-text"),
    "a picture is chosen": (3_800, "core/picture-files core/shrink-picture"),
    "a page renews its parts": (1_300, "core/live-parts"),
    "a picture may describe itself": (900, "statuses/own-description"),
    "a picture of a profile is chosen": (1_700, "core/picture-crop"),
    "a page to choose people is open": (1_300, "core/people-picker"),
    "a search box has the focus": (2_800, "search/recent"),
    "a page with posts is there": (1_300, "statuses/views"),
    "a page of a group is open": (1_100, "community/group-posts"),
    "a promoted post is there": (1_110, "rewards/promoted"),
    "a drop is not open yet": (500, "rewards/countdown"),
    "a member checks in for the first time": (200, "rewards/time-zone"),
    "an animated picture is there": (1_600, "core/animations"),
    "the browser registers the worker": (3_200, "core/service-worker"),
    "a chat is open": (
        23_900,
        "chat/composer chat/keyboard chat/message-list chat/messages chat/outbox chat/presence",
    ),
}


@pytest.fixture(scope="module")
def sizes() -> dict[str, int]:
    """Return the bytes of each module as it is sent, before compression."""
    assets = Assets()
    found = {name: assets.by_name(f"js/{name}.js") for name in SOURCES}
    return {name: len(asset.body("")) for name, asset in found.items() if asset}


def with_imports(names: set[str]) -> set[str]:
    """Return modules, and what they import when they load."""
    imported = {
        posixpath.normpath(posixpath.join(posixpath.dirname(name), path))
        for name in names
        for path in STATIC_IMPORT.findall(SOURCES[name])
    }
    return names if imported <= names else with_imports(names | imported)


def on_every_page(is_member: bool) -> set[str]:
    """Return the modules that the head of each page names, and what they import."""
    macro = HEAD.read_text().partition("macro script_modules")[2].partition("endmacro")[0]
    members, _, everybody = macro.partition("if member else")
    named = re.findall(r"'(\w+/[\w-]+)'", members * is_member + everybody)
    return with_imports(set(named))


def test_what_every_page_loads_is_small(sizes: dict[str, int]) -> None:
    visitor, member = on_every_page(False), on_every_page(True)
    assert visitor < member == visitor | member
    assert sum(sizes[name] for name in visitor) < 5_500
    assert sum(sizes[name] for name in member - {"chat/stream"}) < 13_600
    assert sizes["chat/stream"] < 2_500  # counts unread chats
    assert sizes["core/offline"] < 150


def test_what_one_page_loads_besides_is_small(sizes: dict[str, int]) -> None:
    assert sum(sizes[name] for name in ONE_PAGE) < 6_100
    beside = {name: with_imports({name}) - on_every_page(True) for name in ONE_PAGE}
    large = {
        name: loaded for name, loaded in beside.items() if sum(sizes[one] for one in loaded) > 2_700
    }
    assert large == {}


@pytest.mark.parametrize("moment", LATER)
def test_what_is_loaded_later_is_small(sizes: dict[str, int], moment: str) -> None:
    limit, names = LATER[moment]
    assert sum(sizes[name] for name in names.split()) < limit


@pytest.mark.tables
def test_each_module_has_one_limit() -> None:
    later = [name for _, names in LATER.values() for name in names.split()]
    assert sorted([*on_every_page(True), *ONE_PAGE, *later]) == sorted(SOURCES)
