"""The service worker, and the page that it shows while the site cannot be reached.

The worker keeps static files and that page. Both are the same for everybody with one language and
theme, and are sent without a session. So nothing of a member is ever kept.
"""

import hashlib

import orjson
from flask import Blueprint, Response, current_app, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from webapp.core.net import vapid
from webapp.core.rendering.static.asset_files import SITE_STYLESHEET
from webapp.core.rendering.static.assets import Assets, asset_url
from webapp.core.rendering.static.site_icons import icon_url
from webapp.core.web import config, storeless, vary

bp = Blueprint("offline", __name__)
SCRIPT = "js/core/service-worker.js"


@bp.get("/offline")
@storeless
def page() -> str:
    """Show that the site cannot be reached, in the reader's language and theme."""
    return _page()


@bp.get("/service-worker.js")
@storeless
def service_worker() -> AnyResponse:
    """Send the worker with its version. Another one replaces it and all that it has kept."""
    assets: Assets = current_app.extensions["linnet.assets"]
    push_key = vapid.public_key(config())
    content = "\n".join((assets.digest, _page(), push_key, icon_url(192)))
    version = hashlib.sha256(content.encode()).hexdigest()[:12]
    files = [url_for("offline.page"), asset_url(SITE_STYLESHEET)]
    script = assets.by_name(SCRIPT)
    assert script is not None
    values = {"VERSION": version, "FILES": files, "ICON": icon_url(192), "PUSH_KEY": push_key}
    header = "".join(
        f"const {name}={orjson.dumps(value).decode()};" for name, value in values.items()
    )
    response = Response(f"{header}\n{script.body('').decode()}", mimetype="text/javascript")
    response.set_etag(version)
    vary(response, "Accept-Language")
    response.make_conditional(request)
    return response


def _page() -> str:
    return render_template("sharing/offline.html")
