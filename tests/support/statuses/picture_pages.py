"""Pictures as pages show them."""

import re
from html import unescape

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from tests.support.multipart import Field, multipart

SRC = re.compile(r'<img src="(/media/posts/[^"]+)"[^>]* width="(\d+)" height="(\d+)" alt="([^"]*)"')
ADDRESS = re.compile(r"/media/posts/[^\s\"]+")


def post(
    client: FlaskClient,
    *pictures_on: tuple[bytes | None, str],
    path: str = "/statuses",
    **fields: str,
) -> TestResponse:
    """Post pictures, each as the content of a file and its alt text."""
    fields: list[Field] = [*{"text": "", **fields}.items()]
    for content, alt in pictures_on:
        fields += [("pictures", content), ("alt", alt)]
    body, headers = multipart(fields)
    return client.post(path, data=body, headers=headers)


def pictures_on(answer: TestResponse) -> list[tuple[str, int, int, str]]:
    """Return the pictures on a page: address, width, height and alt text."""
    return [
        (src, int(width), int(height), unescape(alt))
        for src, width, height, alt in SRC.findall(answer.text)
    ]


def alt_fields(answer: TestResponse) -> list[str]:
    """Return the values of the alt text fields of a form."""
    return [
        unescape(alt)
        for alt in re.findall(r'<textarea[^>]* name="alt"[^>]*>(.*?)</textarea>', answer.text)
    ]


def addresses(client: FlaskClient, path: str = "/@ann") -> list[str]:
    """Return all addresses of status pictures on a page."""
    return sorted(set(map(unescape, ADDRESS.findall(client.get(path).text))))


def opens(client: FlaskClient, *paths: str) -> list[bool]:
    """Return which addresses a browser gets a picture at."""
    return [client.get(path).status_code == 200 for path in paths]


def bare(address: str) -> str:
    """Return an address without its signature."""
    return address.partition("?")[0]
