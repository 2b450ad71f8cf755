"""Mails go to servers with a certificate that the system trusts, and to no other by TLS."""

import ssl
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword

from tests.support.certificates import make_certificate
from tests.support.processes import free_port
from webapp.config import Config
from webapp.mail.letters import Letter
from webapp.mail.queue import Mail
from webapp.mail.transport import SendFailed, send

MAIL = Mail("0abc", 1, "ann@example.org", "verify", {}, 0, "0")
LETTER = Letter("Hello", "A text\n", "<p>A text</p>", "https://site.example/unsubscribe?token=x")
USER, PASSWORD = "linnet", "a/b@c:d"
# It cannot tell that the whole connection is encrypted.
pytestmark = pytest.mark.filterwarnings("ignore:Requiring AUTH")


class Mailbox:
    """A server's handler that keeps what it gets."""

    def __init__(self) -> None:
        self.messages: list[bytes] = []

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Any) -> str:
        """Take a message."""
        self.messages.append(envelope.content)
        return "250 OK"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 that it signed itself, and its key."""
    return make_certificate(tmp_path_factory.mktemp("tls"), "mail", "127.0.0.1")


@pytest.fixture(params=["smtps", "smtp+starttls"])
def mail_server(
    request: pytest.FixtureRequest, certificate: tuple[Path, Path]
) -> Iterator[tuple[Mailbox, str]]:
    """A mail server that wants TLS and a password, and its URL."""
    handler = Mailbox()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    tls: dict[str, Any] = (
        {"ssl_context": context, "auth_require_tls": False}
        if request.param == "smtps"
        else {"tls_context": context, "require_starttls": True}
    )

    def authenticate(*arguments: Any) -> AuthResult:
        data = arguments[-1]
        assert isinstance(data, LoginPassword)
        right = (data.login, data.password) == (USER.encode(), PASSWORD.encode())
        return AuthResult(success=right, handled=right)

    controller = Controller(
        handler,
        hostname="127.0.0.1",
        port=free_port(),
        authenticator=authenticate,
        auth_required=True,
        **tls,
    )
    controller.start()
    yield handler, f"{request.param}://{USER}:a%2Fb%40c%3Ad@127.0.0.1:{controller.port}"
    controller.stop()


def test_a_trusted_server_gets_the_mail_with_the_password_and_the_way_to_end_such_mails(
    settings: Config,
    mail_server: tuple[Mailbox, str],
    certificate: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    handler, url = mail_server
    config = replace(settings, smtp_url=url, mail_from="Site <site@example.org>")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    send(config, MAIL, LETTER)
    [content] = handler.messages
    assert b"List-Unsubscribe: <https://site.example/unsubscribe?token=x>" in content
    assert b"List-Unsubscribe-Post: List-Unsubscribe=One-Click" in content
    with pytest.raises(SendFailed) as failure:
        send(replace(config, smtp_url=url.replace("%3Ad", "x")), MAIL, LETTER)
    assert not failure.value.is_final and "c:d" not in str(failure.value)


def test_a_server_whose_certificate_nobody_trusts_gets_nothing(
    settings: Config, mail_server: tuple[Mailbox, str]
) -> None:
    handler, url = mail_server
    config = replace(settings, smtp_url=url, mail_from="site@example.org")
    with pytest.raises(SendFailed) as failure:
        send(config, MAIL, LETTER)
    assert not failure.value.is_final and handler.messages == []
