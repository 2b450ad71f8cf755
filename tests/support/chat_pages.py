"""Send messages through the forms of the chat pages and read the pages that come back."""

import io
import re
from typing import NamedTuple

from flask.testing import FlaskClient
from PIL import Image
from werkzeug.test import TestResponse


class ChatMember(NamedTuple):
    """A member's browser and id."""

    client: FlaskClient
    uid: int


class Birds(NamedTuple):
    """Three members: Wren and Finch follow each other, Owl follows nobody."""

    wren: ChatMember
    finch: ChatMember
    owl: ChatMember


def send_message(client: FlaskClient, cid: str, text: str, **fields: object) -> TestResponse:
    """Send a message through the form."""
    form = {"text": text, **fields}
    return client.post(f"/chats/{cid}/messages", data=form, content_type="multipart/form-data")


def create_group(client: FlaskClient, **form: str) -> str:
    """Create a group through the form and return its id."""
    response = client.post("/chats/new", data={"name": "Hedge", "kind": "private", **form})
    assert response.status_code == 303
    created = re.fullmatch(r"/chats/(\d+)", response.location)
    assert created
    return created[1]


def message_texts(page: TestResponse) -> list[str]:
    """Return the texts of the messages on a page, in their order."""
    return re.findall(r'<p class="message-text[^>]*>(.*?)</p>', message_list(page), re.DOTALL)


def message_list(page: TestResponse) -> str:
    """Return the HTML of the message list; '' if the page has none."""
    found = re.search(r'<ol class="messages".*?</ol>', page.text, re.DOTALL)
    return found[0] if found else ""


def chat_badge(page: TestResponse) -> int:
    """Return the unread count at the link to the chats."""
    count = re.search(r'data-badge="chats"[^>]*><span>(\d+)<', page.text)
    assert count
    return int(count[1])


def png_file(size: tuple[int, int] = (300, 200), colour: str = "#b45") -> io.BytesIO:
    """Return a PNG of one colour."""
    content = io.BytesIO()
    Image.new("RGB", size, colour).save(content, "PNG")
    content.seek(0)
    return content
