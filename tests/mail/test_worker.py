"""Sending mails, to servers that take them and servers that do not."""

import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from aiosmtpd.controller import Controller

from tests.conftest import PASSWORD
from tests.support.processes import free_port
from webapp.accounts import registration
from webapp.accounts.email import keys as email_keys
from webapp.accounts.email.addresses import notify
from webapp.accounts.lifecycle import delete_account
from webapp.core.store import Site
from webapp.mail import keys, transport
from webapp.mail.letters import compose
from webapp.mail.queue import claim, parked
from webapp.mail.worker import MailSender


class Mailbox:
    """A server's handler that keeps what it gets, or answers with `refusal`."""

    def __init__(self) -> None:
        self.refusal = ""
        self.messages: list[bytes] = []

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        """Take a message."""
        if self.refusal:
            return self.refusal
        self.messages.append(envelope.content)
        return "250 OK"


@pytest.fixture
def mailbox() -> Iterator[tuple[Mailbox, str]]:
    """A mail server on loopback, and its URL."""
    handler = Mailbox()
    controller = Controller(handler, hostname="127.0.0.1", port=free_port())
    controller.start()
    yield handler, f"smtp://127.0.0.1:{controller.port}"
    controller.stop()


def notified(site: Site, url: str) -> tuple[Site, int]:
    """Return a site that sends by a server, and a member for whom a notice waits."""
    sending = Site(site.db, replace(site.config, smtp_url=url, mail_from="site@example.org"))
    uid = registration.sign_up(site, "ann", "Ann", PASSWORD).uid
    site.db.run(("HSET", email_keys.email(uid), "address", "ann@example.org"))
    notify(sending, uid, "password_changed")
    return sending, uid


def make_due(site: Site, uid: int) -> None:
    """Make the waiting mails due now."""
    for name in site.db.run(("ZRANGE", keys.mails(uid), 0, -1)):
        site.db.run(("ZADD", keys.mails(uid), 1, name))


def test_a_mail_is_sent_once_with_both_parts(site: Site, mailbox: tuple[Mailbox, str]) -> None:
    handler, url = mailbox
    sending, _ = notified(site, url)
    assert MailSender(sending).run_due() == 1 and MailSender(sending).run_due() == 0
    [content] = handler.messages
    assert b"text/plain" in content and b"text/html" in content


def test_a_worker_that_dies_after_sending_sends_the_same_message_again(
    site: Site, mailbox: tuple[Mailbox, str]
) -> None:
    handler, url = mailbox
    sending, uid = notified(site, url)
    [mail] = claim(site.db, sending.config, uid % 64)
    letter = compose(sending.config, mail.kind, mail.values or {}, "ann", "en")
    transport.send(sending.config, mail, letter)  # and it dies
    assert MailSender(sending).run_due() == 0  # leased
    make_due(site, uid)
    assert MailSender(sending).run_due() == 1
    ids = [line for one in handler.messages for line in one.splitlines() if b"Message-ID" in line]
    assert len(ids) == 2 and len(set(ids)) == 1


def test_a_mail_is_parked_after_five_tries(site: Site, mailbox: tuple[Mailbox, str]) -> None:
    handler, url = mailbox
    handler.refusal = "451 try later"
    sending, uid = notified(site, url)
    for _ in range(5):
        assert not site.db.read(parked())
        assert MailSender(sending).run_due() == 1 and MailSender(sending).run_due() == 0
        make_due(site, uid)
    assert len(site.db.read(parked())) == 1 and not handler.messages


def test_a_final_refusal_parks_a_mail_at_once(site: Site, mailbox: tuple[Mailbox, str]) -> None:
    handler, url = mailbox
    handler.refusal = "550 no such mailbox"
    sending, _ = notified(site, url)
    MailSender(sending).run_due()
    assert len(site.db.read(parked())) == 1


@pytest.mark.parametrize("greeting", [None, b"", b"220 x\r\n", b"\xff\r\n"])
def test_a_server_that_hangs_or_breaks_off_keeps_the_mail(
    site: Site, monkeypatch: pytest.MonkeyPatch, greeting: bytes | None
) -> None:
    monkeypatch.setattr(transport, "TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        sending, uid = notified(site, f"smtp://127.0.0.1:{server.getsockname()[1]}")
        if greeting is None:
            server.close()  # it refuses connections
        started = time.monotonic()
        MailSender(sending).run_due()
    assert time.monotonic() - started < 5
    assert site.db.run(("ZCARD", keys.mails(uid))) == 1


def test_the_mail_of_a_deleted_account_is_dropped(site: Site, mailbox: tuple[Mailbox, str]) -> None:
    handler, url = mailbox
    sending, uid = notified(site, url)
    delete_account(site, uid, None)
    MailSender(sending).run_due()
    assert not handler.messages and not site.db.run(("EXISTS", keys.mails(uid)))
