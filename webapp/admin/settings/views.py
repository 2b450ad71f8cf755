"""Live settings at /admin/settings: forms, the history, and undoing one of its changes."""

from collections.abc import Mapping

from flask import flash, g, redirect, render_template, request, url_for
from flask_babel import gettext as _

from webapp.about.documents import render
from webapp.accounts.factors.requirement import viewer_lacks
from webapp.accounts.viewer import admin_blueprint
from webapp.config import BadSetting, Config
from webapp.core.errors import Conflict, NotFound
from webapp.core.settings import store
from webapp.core.settings.declared import BY_NAME, GROUPS, SETTINGS, as_text, parse_change
from webapp.core.settings.store import SettingChange
from webapp.core.web import Response, config, db, done, live_settings, prefetch, rate_limited

bp = admin_blueprint("live_settings", __name__)
REASON_MAX = 200  # characters
STREAM_DIGITS = 19  # of both numbers of an entry's id, at most: 64 bits


@bp.get("/admin/settings")
@prefetch(lambda requester: store.history())
def index(history: list[SettingChange]) -> str:
    """Show the settings that can be changed, and who changed what."""
    return _page(history)


@bp.post("/admin/settings")
@rate_limited("edit")
def change() -> tuple[str, int] | Response:
    """Change settings of one group. Refuse if others changed them since the page was loaded."""
    sent = {name: text for name, text in request.form.items() if name in BY_NAME}
    values, errors = _parse(config(), sent)
    if "preview" in request.form or errors:
        return _page(db().read(store.history()), sent, errors), 422 if errors else 200
    if values.get("maintenance") == "yes" and "confirmed" not in request.form:
        errors = {"maintenance": _("This locks out everyone but admins. Confirm it below.")}
        return _page(db().read(store.history()), sent, errors), 422
    if locks_out := _locked_out(values):
        return _page(db().read(store.history()), sent, {"require_factors": locks_out}), 422
    try:
        _change(values, request.form.get("reason", ""), request.form.get("version", ""))
    except Conflict as refusal:
        g.pop("config", None)  # so that the page shows what the others chose
        history = db().read(store.history())
        return _page(history, sent, {"": str(refusal.sentence)}), refusal.status
    said = _("Saved. Every process uses it within a second.")
    return done(said, "live_settings.index", group=_group_of(sent))


@bp.post("/admin/settings/undo")
@rate_limited("edit")
def undo() -> Response:
    """Set a setting back to its value before a change of the history.

    Raises NotFound; Conflict if somebody changed that setting since the page was loaded.
    """
    found = _change_of(request.form.get("id", ""))
    try:
        if found.before is not None:
            parse_change(config(), found.name, found.before)
    except BadSetting as error:
        flash(str(error), "error")
    else:
        if locks_out := _locked_out({found.name: found.before}):
            flash(locks_out, "error")
        else:
            expected = request.form.get("version", "")
            _change({found.name: found.before}, _("Undone"), expected)
            flash(_("It’s as it was before."))
    return redirect(url_for("live_settings.index"), 303)


def _locked_out(values: Mapping[str, str | None]) -> str:
    """Return a sentence if a change closes these pages to the viewer, who lacks a factor."""
    text = values.get("require_factors", "no")
    required = live_settings().base.require_factors if text is None else text == "yes"
    if not required or not viewer_lacks():
        return ""
    return str(
        _(
            "You would lose access to these pages. Set up two-step login or a passkey first, and "
            "log in with it."
        )
    )


def _change_of(id: str) -> SettingChange:
    numbers = id.split("-")
    is_id = len(numbers) == 2 and all(
        one.isascii() and one.isdigit() and len(one) <= STREAM_DIGITS for one in numbers
    )
    found = db().read(store.one_change(id)) if is_id else None
    if found is None or found.name not in BY_NAME:
        raise NotFound("no_setting")
    return found


def _change(values: Mapping[str, str | None], reason: str, expected: str) -> None:
    reason = " ".join(reason.split())[:REASON_MAX]
    store.change(db(), live_settings(), values, g.viewer.login, reason, expected)


def _parse(
    settings: Config, sent: Mapping[str, str]
) -> tuple[dict[str, str | None], dict[str, str]]:
    """Return the values that were changed, and the errors, by the names of settings."""
    values: dict[str, str | None] = {}
    errors: dict[str, str] = {}
    for name, text in sent.items():
        try:
            value = parse_change(settings, name, text)
        except BadSetting as error:
            errors[name] = str(error)
            if error.remedy:
                errors[name] = _("This can’t be used. Use: %(value)s.", value=_(error.remedy))
            continue
        if value != as_text(getattr(settings, name)):
            values[name] = value
    return values, errors


def _group_of(sent: Mapping[str, str]) -> str | None:
    return next((BY_NAME[name].group for name in sent), None)


def _page(
    history: list[SettingChange],
    sent: Mapping[str, str] | None = None,
    errors: Mapping[str, str] | None = None,
) -> str:
    settings, live = config(), live_settings()
    shown = {one.name: as_text(getattr(settings, one.name)) for one in SETTINGS}
    current, texts = shown, {**shown, **(sent or {})}
    pages = [name for name in texts if name.startswith("page_") and texts[name] != current[name]]
    return render_template(
        "admin/settings.html",
        groups=GROUPS,
        opened=_group_of(sent or {}) or request.args.get("group", next(iter(GROUPS))),
        settings=SETTINGS,
        declared=BY_NAME,
        texts=texts,
        current=current,
        environment={one.name: as_text(getattr(live.base, one.name)) for one in SETTINGS},
        version=live.version,
        history=history,
        errors=errors or {},
        previews={name: render(texts[name], name[-2:]) for name in pages},
    )
