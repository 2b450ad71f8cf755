"""Static files as they are served: kept in memory, compressed, each at an address that holds a hash of its content, so
that browsers may keep it for ever. The style sheets go out as one; modules may import each other by `./name.js`.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from flask import Flask, Response, abort, current_app, redirect, request
from rjsmin import jsmin
from werkzeug.wrappers import Response as AnyResponse

from .compression import BEST, ENCODINGS, compress, negotiate_encoding

STATIC_DIR = Path(__file__).parents[3] / "static"
YEAR_SECONDS = 31_536_000  # seconds
SITE_STYLESHEET = "css/site.css"  # the name of all sheets together
STYLESHEETS = (
    "core/tokens core/base core/button core/avatar core/picture-field layout/header core/notice core/field "
    "statuses/composer statuses/place statuses/pictures statuses/card statuses/status statuses/poll statuses/thread "
    "core/live-updates accounts/member-row accounts/profile core/menu chat/inbox chat/chat chat/message chat/live "
    "notifications/notifications accounts/settings statuses/drafts lists/lists core/pager core/empty-state "
    "layout/aside core/error layout/landing layout/footer"
).split()  # a later one goes before an earlier one
PRINT_STYLESHEET = "layout/print"  # the sheet for paper, after all of them
IMPORT_PATTERN = re.compile(r"""((?:\bfrom|\bimport)\s*\(?\s*["'])(\.{1,2}/[\w/-]+\.js)(?=["'])""")
MIME_TYPES = {
    "css": "text/css",
    "js": "text/javascript",
    "svg": "image/svg+xml",
    "png": "image/png",
    "woff2": "font/woff2",
}
HASHED_PATH = re.compile(r"(?P<stem>.+)\.[0-9a-f]{12}(?P<suffix>\.\w+)")


class Asset:
    """A file as it is sent: `path`, which names its content, below /static/."""

    def __init__(self, name: str, content: bytes) -> None:
        stem, _, suffix = name.rpartition(".")
        self.hash = hashlib.sha256(content).hexdigest()[:12]
        self.path = f"{stem}.{self.hash}.{suffix}"
        self.mimetype = MIME_TYPES.get(suffix, "application/octet-stream")
        self._content = content

    def body(self, encoding: str) -> bytes:
        """The content in one of the encodings, or as it is for ""."""
        return self._compressed_bodies[encoding] if encoding else self._content

    @cached_property
    def _compressed_bodies(self) -> dict[str, bytes]:
        return {encoding: compress(self._content, encoding, BEST) for encoding in ENCODINGS}


class Assets:
    """All files of a folder, by their names (`js/live.js`; the sheets together are SITE) and by their paths."""

    def __init__(self, folder: Path = STATIC_DIR) -> None:
        self._folder = folder
        self.refresh()

    def refresh(self) -> None:
        """Reads the folder anew where anything in it has changed."""
        stamp = max(
            (file.stat().st_mtime_ns, str(file))
            for file in [self._folder, *self._folder.rglob("*")]
        )
        if stamp != getattr(self, "_stamp", None):
            self._by_name = _load(self._folder)
            self._by_path = {asset.path: asset for asset in self._by_name.values()}
            self._stamp = stamp

    def compress(self) -> None:
        """Compresses all of them, so that nobody who asks for one waits for that."""
        for asset in self._by_name.values():
            asset.body(ENCODINGS[0])

    def by_name(self, name: str) -> Asset | None:
        """The file of this name as it is now."""
        return self._by_name.get(name)

    def by_path(self, path: str) -> Asset | None:
        """The file of this path, which names its content too."""
        return self._by_path.get(path)


def init(app: Flask) -> None:
    """Serves the files, and gives templates their addresses by `asset(name)`."""
    app.extensions["linnet.assets"] = Assets()
    app.add_url_rule("/static/<path:filename>", endpoint="static", view_func=serve)
    app.jinja_env.globals["asset"] = asset_url


def asset_url(name: str) -> str:
    """Where a file is. Raises KeyError for a name there is not."""
    asset = _assets().by_name(name)
    if asset is None:
        raise KeyError(name)
    return f"/static/{asset.path}"


def serve(filename: str) -> AnyResponse:
    """A file; from an address that it had before another version came, the way to where it is now."""
    assets = _assets()
    asset = assets.by_path(filename)
    if asset is None:
        hashed_match = HASHED_PATH.fullmatch(filename)
        current = assets.by_name(
            hashed_match["stem"] + hashed_match["suffix"] if hashed_match else filename
        )
        if current is None:
            abort(404)
        response = redirect(f"/static/{current.path}")
        response.headers["Cache-Control"] = "no-store"
        return response
    return _asset_response(asset, negotiate_encoding(request.headers.get("Accept-Encoding", "")))


def _asset_response(asset: Asset, encoding: str) -> Response:
    response = Response(asset.body(encoding), mimetype=asset.mimetype)
    response.set_etag(f"{asset.hash}-{encoding or 'plain'}")
    response.headers["Cache-Control"] = f"public, max-age={YEAR_SECONDS}, immutable"
    response.vary.add("Accept-Encoding")
    if encoding:
        response.headers["Content-Encoding"] = encoding
    response.make_conditional(request)
    return response


def _assets() -> Assets:
    assets: Assets = current_app.extensions["linnet.assets"]
    if current_app.debug:
        assets.refresh()
    return assets


def _load(folder: Path) -> dict[str, Asset]:
    css_dir = folder / "css"
    print_css = (css_dir / f"{PRINT_STYLESHEET}.css").read_text()
    site_css = (
        "".join((css_dir / f"{name}.css").read_text() for name in STYLESHEETS)
        + f"@media print {{\n{print_css}}}\n"
    )
    assets = {SITE_STYLESHEET: Asset(SITE_STYLESHEET, site_css.encode())}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and file.suffix not in (".css", ".js"):
            assets[name] = Asset(name, file.read_bytes())
    js_dir = folder / "js"
    sources = {
        file.relative_to(js_dir).as_posix(): file.read_text() for file in js_dir.rglob("*.js")
    }

    def module_asset(name: str) -> Asset:
        """Return a module whose imports name the content of what they import, and so does its hash."""
        if (key := f"js/{name}") not in assets:
            source = _with_hashed_imports(name, sources[name], module_asset)
            assets[key] = Asset(key, jsmin(source).encode())
        return assets[key]

    for name in sources:
        module_asset(name)
    return assets


def _with_hashed_imports(name: str, source: str, module_asset: Callable[[str], Asset]) -> str:
    """Point a module's imports, relative to its folder, at the paths that name their content."""
    folder = posixpath.dirname(name)

    def rewritten(found: re.Match[str]) -> str:
        imported = posixpath.normpath(posixpath.join(folder, found[2]))
        path = posixpath.relpath(module_asset(imported).path.removeprefix("js/"), folder)
        return f"{found[1]}{path if path.startswith('../') else f'./{path}'}"

    return IMPORT_PATTERN.sub(rewritten, source)
