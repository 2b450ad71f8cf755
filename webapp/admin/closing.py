"""Maintenance and read-only mode: who may use the site meanwhile, and for what."""

from flask import current_app, g, request

from webapp.accounts.sessions.cookies import is_write
from webapp.accounts.viewer import ADMIN_RIGHT
from webapp.core.errors import Unavailable
from webapp.core.settings.live import CLOSED_SECONDS
from webapp.core.web import config, unwrap
from webapp.core.web.view_options import view_options

# Admins sign in, readers choose a language, and Prometheus watches, whatever the mode.
OPEN_ENDPOINTS = {
    *("accounts.login", "accounts.second_step", "accounts.logout", "preferences.choose"),
    *("accounts.passkey", "accounts.passkey_options", "metrics.show"),
}


def refuse_while_closed() -> None:
    """Refuse requests during maintenance, and writes while the site is read-only.

    Admins pass. No trip. Raises Unavailable.
    """
    settings = config()
    if not settings.is_closed:
        return
    flask_request = unwrap(request)
    view = unwrap(current_app).view_functions.get(flask_request.endpoint or "")
    if flask_request.endpoint in OPEN_ENDPOINTS or view_options(view).storeless:
        return
    if not settings.maintenance and not is_write():
        return
    if g.viewer and ADMIN_RIGHT in g.viewer.rights:
        return
    code = "maintenance" if settings.maintenance else "read_only"
    raise Unavailable(code, retry_after=CLOSED_SECONDS)
