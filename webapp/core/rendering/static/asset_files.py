"""Static files on the disk: read, bundled, and given addresses that name their content.

The style sheets become one. A module's imports (`./name.js`) are pointed at the addresses of their
modules, so a module's own address changes with all its imports.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from rjsmin import jsmin

from webapp.core.rendering.compression import BEST, ENCODINGS, compress

SITE_STYLESHEET = "css/site.css"  # all sheets together
STYLESHEETS = (
    "core/tokens core/base core/button core/avatar core/picture-field layout/header core/notice "
    "core/toast core/field core/people-picker statuses/composer statuses/place "
    "statuses/pictures statuses/card statuses/grid statuses/page-card statuses/status "
    "statuses/poll statuses/thread core/live-updates "
    "accounts/member-row accounts/profile core/menu statuses/autocomplete chat/inbox chat/chat "
    "chat/message chat/live core/clamp "
    "notifications/notifications accounts/settings admin/metrics statuses/drafts statuses/folders "
    "lists/lists timelines/hot "
    "core/pager explore/suggestions explore/onboarding core/empty-state about/document "
    "about/shortcuts about/more rewards/points rewards/promotions groups/groups "
    "sharing/embed layout/aside "
    "core/error layout/landing layout/footer search/search explore/explore "
    "community/jobs community/nearby moderation/desk"
).split()  # a later one overrides an earlier one
PRINT_STYLESHEET = "layout/print"  # after all of them, for paper
# Browsers before 2024 do not know `light-dark()`: they get the colours of the day.
DAY_PATTERN = re.compile(r"(--[\w-]+: )light-dark\((#\w+), #\w+\);")
DAY_RULE = "@supports not (color: light-dark(red, red)) {{ :root {{ {} }} }}\n"
IMPORT_PATTERN = re.compile(r"""((?:\bfrom|\bimport)\s*\(?\s*["'])(\.{1,2}/[\w/-]+\.js)(?=["'])""")
MIME_TYPES = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/vnd.microsoft.icon",
    "woff2": "font/woff2",
}


class Asset:
    """A file as it is sent. `path`, below /static/, names its content."""

    def __init__(self, name: str, content: bytes) -> None:
        stem, _, suffix = name.rpartition(".")
        self.hash = hashlib.sha256(content).hexdigest()[:12]
        self.path = f"{stem}.{self.hash}.{suffix}"
        self.mimetype = MIME_TYPES.get(suffix, "application/octet-stream")
        self._content = content

    def body(self, encoding: str) -> bytes:
        """Return the content in one of the encodings, or uncompressed for ""."""
        return self._compressed_bodies[encoding] if encoding else self._content

    @cached_property
    def _compressed_bodies(self) -> dict[str, bytes]:
        return {encoding: compress(self._content, encoding, BEST) for encoding in ENCODINGS}


def load(folder: Path) -> dict[str, Asset]:
    """Return all files of a folder by their names, such as `js/core/live.js`."""
    assets = {SITE_STYLESHEET: Asset(SITE_STYLESHEET, _site_css(folder / "css").encode())}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and file.suffix not in (".css", ".js"):
            assets[name] = Asset(name, file.read_bytes())
    return assets | _load_modules(folder / "js")


def _site_css(folder: Path) -> str:
    screen_css = "".join((folder / f"{name}.css").read_text() for name in STYLESHEETS)
    print_css = (folder / f"{PRINT_STYLESHEET}.css").read_text()
    colours = (f"{name}{day};" for name, day in DAY_PATTERN.findall(screen_css))
    screen_css += DAY_RULE.format("color-scheme: light !important; " + " ".join(colours))
    return f"{screen_css}@media print {{\n{print_css}}}\n"


def _load_modules(folder: Path) -> dict[str, Asset]:
    files = {file.relative_to(folder).as_posix(): file for file in folder.rglob("*.js")}
    modules: dict[str, Asset] = {}

    def module_asset(name: str) -> Asset:
        """Return a module, after all that it imports: their addresses are in its content."""
        key = f"js/{name}"
        if key not in modules:
            source = _with_hashed_imports(name, files[name].read_text(), module_asset)
            modules[key] = Asset(key, jsmin(source).encode())
        return modules[key]

    for name in files:
        module_asset(name)
    return modules


def _with_hashed_imports(name: str, source: str, module_asset: Callable[[str], Asset]) -> str:
    """Point a module's imports, relative to its folder, at the paths that name their content."""
    folder = posixpath.dirname(name)

    def rewritten(found: re.Match[str]) -> str:
        imported = posixpath.normpath(posixpath.join(folder, found[2]))
        path = posixpath.relpath(module_asset(imported).path.removeprefix("js/"), folder)
        return f"{found[1]}{path if path.startswith('../') else f'./{path}'}"

    return IMPORT_PATTERN.sub(rewritten, source)
