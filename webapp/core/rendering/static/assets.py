"""Static files as they are served: from memory, compressed, at addresses that name their content.

So browsers may cache them for ever.
"""

import hashlib
import re
from functools import cache
from pathlib import Path

from flask import Flask, Response, abort, current_app, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.core.rendering.compression import ENCODINGS, negotiate_encoding
from webapp.core.web import storeless

from .asset_files import Asset, load

STATIC_DIR = Path(__file__).parents[4] / "static"
YEAR_SECONDS = 31_536_000
HASHED_PATH = re.compile(r"(?P<stem>.+)\.[0-9a-f]{12}(?P<suffix>\.\w+)")


class Assets:
    """All files of a folder, by name and by path. `digest` changes with any of them."""

    def __init__(self, folder: Path = STATIC_DIR) -> None:
        self._folder = folder
        self.refresh()

    def refresh(self) -> None:
        """Load the folder again if anything in it has changed."""
        files = [self._folder, *self._folder.rglob("*")]
        stamp = max((file.stat().st_mtime_ns, str(file)) for file in files)
        if stamp != getattr(self, "_stamp", None):
            self._by_name = load(self._folder)
            self._by_path = {asset.path: asset for asset in self._by_name.values()}
            self.digest = hashlib.sha256("\n".join(sorted(self._by_path)).encode()).hexdigest()
            self._stamp = stamp

    def compress(self) -> None:
        """Compress all files, so that no request waits for it."""
        for asset in self._by_name.values():
            asset.body(ENCODINGS[0])

    def by_name(self, name: str) -> Asset | None:
        """Return the current version of a file, such as `js/core/live.js`."""
        return self._by_name.get(name)

    def by_path(self, path: str) -> Asset | None:
        """Return the file of a path, which names its content too."""
        return self._by_path.get(path)


def init(app: Flask) -> None:
    """Serve the files, and give templates their addresses as `asset(name)`."""
    app.extensions["linnet.assets"] = site_assets()
    app.add_url_rule("/static/<path:filename>", endpoint="static", view_func=serve)
    app.jinja_env.globals["asset"] = asset_url


@cache
def site_assets() -> Assets:
    """Return the files of the site, which all apps of a process share."""
    return Assets()


def asset_url(name: str) -> str:
    """Return the address of a file. Raises KeyError if there is none of that name."""
    asset = _assets().by_name(name)
    if asset is None:
        raise KeyError(name)
    return f"/static/{asset.path}"


@storeless
def serve(filename: str) -> AnyResponse:
    """Send a file. An address of another version redirects to the current one."""
    asset = _assets().by_path(filename)
    if asset is None:
        return _redirect_to_current(filename)
    return _asset_response(asset, negotiate_encoding(request.headers.get("Accept-Encoding", "")))


def _redirect_to_current(filename: str) -> AnyResponse:
    match = HASHED_PATH.fullmatch(filename)
    name = match["stem"] + match["suffix"] if match else filename
    asset = _assets().by_name(name)
    if asset is None:
        abort(404)
    response = redirect(f"/static/{asset.path}")
    response.headers["Cache-Control"] = "no-store"
    return response


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
