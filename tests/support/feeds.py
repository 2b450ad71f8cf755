"""Atom feeds."""

from xml.etree import ElementTree

from flask.testing import FlaskClient

ATOM = {"a": "http://www.w3.org/2005/Atom"}


def read_feed(client: FlaskClient, path: str) -> ElementTree.Element:
    answer = client.get(path)
    assert (answer.status_code, answer.mimetype) == (200, "application/atom+xml"), path
    return ElementTree.fromstring(answer.data)


def texts(feed: ElementTree.Element) -> list[str | None]:
    return [
        entry.findtext("a:content", namespaces=ATOM) for entry in feed.iterfind("a:entry", ATOM)
    ]
