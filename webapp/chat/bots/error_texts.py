"""Why a webhook's request failed, or its answer was not sent, in words."""

from flask_babel import gettext as _, lazy_gettext as _l

from webapp.core.errors import SENTENCES

DELIVERY_ERRORS = {
    "bad_address": _l("the address can’t be used"),
    "no_host": _l("the host name wasn’t found"),
    "not_public": _l("the address isn’t on the public internet"),
    "late": _l("no response in time"),
    "no_answer": _l("no response"),
    "no_secret": _l("its secret can’t be read; save the webhook again"),
    "too_many": _l("too many messages were waiting"),
}

ANSWER_ERRORS = {
    "answer_long": _l("it’s too long"),
    "bad_json": _l("it isn’t valid JSON"),
    "too_many": _l("the bot sends messages too often"),
    "not_in_chat": _l("the bot isn’t in this chat"),
    "cannot_write_them": _l("the bot can’t message this member"),
    "request_waits": _l("the other person hasn’t accepted yet"),
}


def delivery_error_text(error: str) -> str:
    """Return why a request of a webhook failed, in words."""
    kind, _space, status = error.partition(" ")
    if kind == "answer":
        return str(_("the response was %(status)s", status=status))
    return str(DELIVERY_ERRORS.get(kind, kind))


def answer_error_text(code: str) -> str:
    """Return why a webhook's answer was not sent, in words."""
    return str(ANSWER_ERRORS.get(code) or SENTENCES.get(code, code))
