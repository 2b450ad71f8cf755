"""The names and types of downloads are the site's own, whatever an address says."""

import pytest
from flask.testing import FlaskClient

from tests.conftest import SignUp

DOWNLOADS = {
    "/settings/data/table.csv?of=mutes": "muted_accounts.csv",
    "/settings/data/table.csv?of=lists": "lists.csv",
    "/moderation/log.csv": "moderation.csv",
}
TRICKS = ("filename=evil.bat", "name=evil.bat", "download=evil.bat")


@pytest.mark.parametrize(("path", "name"), DOWNLOADS.items())
def test_a_download_has_a_fixed_name_and_type(member: SignUp, path: str, name: str) -> None:
    jay = member("jay", "moderator")
    for trick in ("", *TRICKS):
        answer = jay.get(f"{path}{'&' if '?' in path else '?'}{trick}")
        disposition = answer.headers["Content-Disposition"].replace('"', "")
        assert disposition == f"attachment; filename={name}"
        assert answer.mimetype == "text/csv"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
    bare = path.partition("?")[0]
    for other in (f"{bare};/evil.bat", f"{bare}/evil.bat", f"{bare};evil.bat"):
        assert jay.get(other).status_code == 404


@pytest.mark.parametrize("path", ["/api/v1/instance", "/.well-known/oauth-authorization-server"])
def test_an_answer_of_an_api_is_no_file_of_ones_own_words(client: FlaskClient, path: str) -> None:
    answer = client.get(f"{path}?callback=evil&q=%22||evil||")
    assert answer.mimetype == "application/json" and "evil" not in answer.text
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    for other in (f"{path}/evil.bat", f"{path};/evil.bat"):
        assert client.get(other).status_code == 404
