"""Static files as they are served: kept in memory, compressed, each at an address that holds a hash of its content, so
that browsers may keep it for ever. The style sheets go out as one; modules may import each other by `./name.js`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from functools import cached_property
from pathlib import Path

from flask import Flask, Response, abort, current_app, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from .compression import ENCODINGS, THOROUGH, chosen, compress

FOLDER = Path(__file__).parent.parent / "static"
YEAR = 31_536_000  # seconds
SITE = "css/site.css"  # the name of all sheets together
SHEETS = (
    "tokens base button avatar picture nav notice field composer place pictures status card poll thread live person "
    "profile "
    "menu chats chat chat-message chat-live notifications settings drafts lists pager empty aside error landing footer"
).split()  # a later one goes before an earlier one
PAPER = "print"  # the sheet for paper, after all of them
IMPORT = re.compile(r"""((?:\bfrom|\bimport)\s*\(?\s*["'])\./([\w-]+\.js)(?=["'])""")
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "png": "image/png", "woff2": "font/woff2"}
HASHED = re.compile(r"(?P<stem>.+)\.[0-9a-f]{12}(?P<suffix>\.\w+)")


class Asset:
    """A file as it is sent: `path`, which names its content, below /static/."""

    def __init__(self, name: str, content: bytes) -> None:
        stem, _, suffix = name.rpartition(".")
        self.hash = hashlib.sha256(content).hexdigest()[:12]
        self.path = f"{stem}.{self.hash}.{suffix}"
        self.mimetype = TYPES.get(suffix, "application/octet-stream")
        self._content = content

    def body(self, encoding: str) -> bytes:
        """The content in one of the encodings, or as it is for ""."""
        return self._bodies[encoding] if encoding else self._content

    @cached_property
    def _bodies(self) -> dict[str, bytes]:
        return {encoding: compress(self._content, encoding, THOROUGH) for encoding in ENCODINGS}


class Assets:
    """All files of a folder, by their names (`js/live.js`; the sheets together are SITE) and by their paths."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self.refresh()

    def refresh(self) -> None:
        """Reads the folder anew where anything in it has changed."""
        stamp = max((file.stat().st_mtime_ns, str(file)) for file in [self._folder, *self._folder.rglob("*")])
        if stamp != getattr(self, "_stamp", None):
            self._named = _load(self._folder)
            self._paths = {asset.path: asset for asset in self._named.values()}
            self._stamp = stamp

    def compress(self) -> None:
        """Compresses all of them, so that nobody who asks for one waits for that."""
        for asset in self._named.values():
            asset.body(ENCODINGS[0])

    def named(self, name: str) -> Asset | None:
        """The file of this name as it is now."""
        return self._named.get(name)

    def at(self, path: str) -> Asset | None:
        """The file of this path, which names its content too."""
        return self._paths.get(path)


def init(app: Flask) -> None:
    """Serves the files, and gives templates their addresses by `asset(name)`."""
    app.extensions["linnet.assets"] = Assets()
    app.add_url_rule("/static/<path:filename>", endpoint="static", view_func=serve)
    app.jinja_env.globals["asset"] = address


def address(name: str) -> str:
    """Where a file is. Raises KeyError for a name there is not."""
    found = _assets().named(name)
    if found is None:
        raise KeyError(name)
    return f"/static/{found.path}"


def serve(filename: str) -> AnyResponse:
    """A file; from an address that it had before another version came, the way to where it is now."""
    assets = _assets()
    found = assets.at(filename)
    if found is None:
        old = HASHED.fullmatch(filename)
        now = assets.named(old["stem"] + old["suffix"] if old else filename)
        if now is None:
            abort(404)
        response = redirect(f"/static/{now.path}")
        response.headers["Cache-Control"] = "no-store"
        return response
    return _sent(found, chosen(request.headers.get("Accept-Encoding", "")))


def _sent(asset: Asset, encoding: str) -> Response:
    response = Response(asset.body(encoding), mimetype=asset.mimetype)
    response.set_etag(f"{asset.hash}-{encoding or 'plain'}")
    response.headers["Cache-Control"] = f"public, max-age={YEAR}, immutable"
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
    sheets = folder / "css"
    paper = (sheets / f"{PAPER}.css").read_text()
    site = "".join((sheets / f"{name}.css").read_text() for name in SHEETS) + f"@media print {{\n{paper}}}\n"
    found = {SITE: Asset(SITE, site.encode())}
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and file.suffix not in (".css", ".js"):
            found[name] = Asset(name, file.read_bytes())
    sources = {file.name: file.read_text() for file in folder.glob("js/*.js")}

    def module(name: str) -> Asset:
        """A module whose imports name the content of what they import; so its own hash does too."""
        if (key := f"js/{name}") not in found:
            found[key] = Asset(key, IMPORT.sub(_imported(module), sources[name]).encode())
        return found[key]

    for name in sources:
        module(name)
    return found


def _imported(module: Callable[[str], Asset]) -> Callable[[re.Match[str]], str]:
    return lambda found: f"{found[1]}./{module(found[2]).path.removeprefix('js/')}"
