"""Handing mails on: to an SMTP server, or as files to a folder."""

import os
import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formatdate
from pathlib import Path
from urllib.parse import unquote, urlsplit

from webapp.config import Config

from .letters import Letter
from .queue import Mail

TIMEOUT = 10.0  # seconds for each answer of the server
PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}


class SendFailed(Exception):
    """A mail that was not accepted. `is_final`: it never will be."""

    def __init__(self, reason: str, is_final: bool = False) -> None:
        super().__init__(reason)
        self.is_final = is_final


def send(config: Config, mail: Mail, letter: Letter) -> None:
    """Hand a mail on. Raises SendFailed."""
    message = compose(config, mail, letter)
    try:
        if config.smtp_url:
            _send_by_smtp(config.smtp_url, message)
        else:
            _write_file(Path(config.mail_folder), mail.name, message)
    except smtplib.SMTPRecipientsRefused as error:
        codes = [code for code, _ in error.recipients.values()]
        raise SendFailed(f"refused: {codes}", all(code >= 500 for code in codes)) from None
    except smtplib.SMTPResponseException as error:
        is_final = error.smtp_code >= 500 and not isinstance(error, smtplib.SMTPAuthenticationError)
        raise SendFailed(f"{type(error).__name__} {error.smtp_code}", is_final) from None
    except (OSError, smtplib.SMTPException) as error:
        raise SendFailed(repr(error)) from None


def compose(config: Config, mail: Mail, letter: Letter) -> EmailMessage:
    """Return the message of a mail. Its Message-ID is the same at each try."""
    sender = config.mail_from or "linnet@localhost"
    message = EmailMessage()
    message["Subject"], message["From"], message["To"] = letter.subject, sender, mail.to
    message["Date"] = formatdate()
    message["Message-ID"] = f"<{mail.name}@{sender.rpartition('@')[2].rstrip('>')}>"
    message["Auto-Submitted"] = "auto-generated"
    if letter.unsubscribe:
        message["List-Unsubscribe"] = f"<{letter.unsubscribe}>"
        message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    message.set_content(letter.text)
    message.add_alternative(letter.html, subtype="html")
    return message


def _send_by_smtp(url: str, message: EmailMessage) -> None:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or PORTS[parts.scheme]
    context = ssl.create_default_context()
    if parts.scheme == "smtps":
        client: smtplib.SMTP = smtplib.SMTP_SSL(host, port, timeout=TIMEOUT, context=context)
    else:
        client = smtplib.SMTP(host, port, timeout=TIMEOUT)
    try:
        if parts.scheme == "smtp+starttls":
            client.starttls(context=context)
        if parts.username:
            client.login(unquote(parts.username), unquote(parts.password or ""))
        client.send_message(message)
    finally:
        client.close()  # the server has the mail already: its goodbye changes nothing


def _write_file(folder: Path, name: str, message: EmailMessage) -> None:
    """Write a mail whole, so that nobody reads half of one."""
    folder.mkdir(0o700, parents=True, exist_ok=True)
    part = folder / f"{name}.part"
    part.write_bytes(message.as_bytes())
    os.replace(part, folder / f"{name}.eml")
