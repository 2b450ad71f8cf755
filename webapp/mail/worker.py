"""The part of a worker that sends mails."""

from collections.abc import Sequence

from webapp.accounts import keys as account_keys
from webapp.core.events.leased_work import LeasedWork
from webapp.core.i18n.preferences import LANGUAGES
from webapp.core.logs import log
from webapp.core.store import Site

from . import keys
from .letters import CODE, KINDS, compose
from .queue import Mail, claim, finish
from .transport import SendFailed, send

MAILS_MAX = 4  # that one worker sends at the same time
TRIES_MAX = 5
PAUSES_MS = (60_000, 5_000)  # after the first failure: of notices, of codes, which soon expire
PAUSE_FACTOR = 3  # each pause is so many times the one before


class MailSender(LeasedWork[Mail]):
    """Sends mails."""

    name = "mail"
    queue = keys.mails

    def __init__(self, site: Site) -> None:
        super().__init__(site, MAILS_MAX, enabled=site.config.has_mail)

    def claim(self, partition: int, busy_owners: Sequence[int]) -> list[Mail]:
        """Claim a due mail. One trip."""
        return claim(self._site.db, self._site.config, partition)

    def do(self, piece: Mail) -> None:
        """Send a mail in its member's language, or note why it failed. Two trips.

        That of a deleted account is dropped.
        """
        db, config = self._site.db, self._site.config
        login, language = db.run(("HMGET", account_keys.user(piece.uid), "login", "language"))
        if not login or piece.values is None or piece.kind not in KINDS:
            return finish(db, piece, "done")
        code = language or piece.values.get("language", "")
        locale = LANGUAGES.get(code, LANGUAGES[config.default_language]).locale
        try:
            send(config, piece, compose(config, piece.kind, piece.values, login, locale))
        except SendFailed as failure:
            return self._postpone(piece, failure)
        finish(db, piece, "done")

    def _postpone(self, mail: Mail, failure: SendFailed) -> None:
        """Put a mail back for a while, or park it."""
        is_last = failure.is_final or mail.tries + 1 >= TRIES_MAX
        log.warning("mail %s: %s, %s", mail.name, failure, "parked" if is_last else "tried again")
        pause_ms = PAUSES_MS[mail.name.startswith(str(CODE))] * PAUSE_FACTOR**mail.tries
        outcome = "parked" if is_last else "again"
        finish(self._site.db, mail, outcome, pause_ms, str(failure))
