"""Redirects after forms: only to pages of this site."""

import pytest
from flask import Flask

from webapp.core.web import redirect_back, safe_path


@pytest.mark.parametrize(
    "path", ["/", "/@ann", "/@ann?max_id=5#status-7", "/a//b", "/a:b", "/%2F%2Felsewhere.example"]
)
def test_a_path_of_this_site_is_safe(path: str) -> None:
    assert safe_path(path) == path


@pytest.mark.parametrize(
    "target",
    [
        *(None, "", " ", " /a", "/a b", "/a\n", "/\n/a.b", "/\r\nX-Y: z", "\t//a.b", "/\t/a.b"),
        *("/\0", "/\x7f", "/" * 2_000, "/" + "a" * 1_000),
        *("//a.b", "///a.b", "//[a", "/\\a.b", "\\\\a.b", "https://a.b/", "https:a.b"),
        *("HTTPS:/a.b", "javascript:alert(1)", "data:text/html,x", "a.b", "@a.b", "?x", "#x", "."),
    ],
)
def test_other_targets_are_not_safe(target: str | None) -> None:
    assert safe_path(target) is None


@pytest.mark.parametrize(
    ("next_", "anchor", "location"),
    [
        ("/@ann?max_id=5", "", "/@ann?max_id=5"),
        ("/@ann#status-1", "", "/@ann#status-1"),
        ("/@ann#status-1", "status-7", "/@ann#status-7"),
        ("", "status-7", "/home#status-7"),
        ("//elsewhere.example", "", "/home"),
        ("//elsewhere.example", "status-7", "/home#status-7"),
    ],
)
def test_a_form_redirects_back_to_its_page(next_: str, anchor: str, location: str) -> None:
    with Flask(__name__).test_request_context(method="POST", data={"next": next_}):
        response = redirect_back("/home", anchor)
    assert (response.status_code, response.location) == (303, location)
