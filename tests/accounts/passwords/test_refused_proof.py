"""A refused form gives the focus to its first refused field, not to the password at its end."""

import re

import pytest

from tests.conftest import SignUp
from webapp.accounts.sessions import password_proof

PATHS = "/settings/tokens /settings/apps /settings/bots /settings/username".split()


@pytest.mark.parametrize("path", PATHS)
def test_the_first_refused_field_has_the_focus(
    member: SignUp, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    ann = member("ann")
    monkeypatch.setattr(password_proof, "PROOF_SECONDS", -1)
    page = ann.post(path, data={}).text
    refused = re.findall(r'<input[^>]* aria-invalid="true"[^>]*>', page)
    assert len(refused) > 1 and 'name="current_password"' in refused[-1]
    assert [" autofocus" in tag for tag in refused] == [True, *[False] * (len(refused) - 1)]
