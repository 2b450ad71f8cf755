"""schemathesis calls every endpoint by the OpenAPI document: no fault, no answer off its schema."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.client_api import OUT_OF_BAND, SCOPES
from tests.support.client_site import MISSING, PROGRAMS, ClientSite
from tests.support.processes import PATIENCE
from webapp.client_api.oauth import apps, codes
from webapp.core.text.parser import parse
from webapp.statuses import store as statuses

SCHEMATHESIS = PROGRAMS / "schemathesis"
CHECKS = """
    not_a_server_error status_code_conformance content_type_conformance
    response_schema_conformance ignored_auth
""".split()
EXAMPLES = 20  # of each endpoint
SECONDS_MAX = 240
pytestmark = [pytest.mark.long, pytest.mark.skipif(not SCHEMATHESIS.exists(), reason=MISSING)]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[ClientSite]:
    """The running site, on which two members have posted."""
    # On a busy machine the store may wait for the disk: that is no fault of an endpoint.
    site = ClientSite(tmp_path, store_timeout=PATIENCE)
    site.start_pages()
    site.join("ann"), site.join("ben")
    for uid in (1, 2):
        statuses.post(site, uid, parse("A swift #birds"), f"form-{uid}")
    yield site
    site.close()


def test_every_answer_is_as_the_document_says(site: ClientSite) -> None:
    app, _ = apps.register(site, "schemathesis", "", [OUT_OF_BAND], SCOPES.split())
    code = codes.grant(site, 1, app, OUT_OF_BAND, tuple(SCOPES.split()), "")
    token = codes.exchange(site, app, code, OUT_OF_BAND, "")
    assert token
    command = [
        *(SCHEMATHESIS, "run", f"{site.url}/api/openapi.json"),
        *("--header", f"Authorization: Bearer {token.access_token}", "--checks", ",".join(CHECKS)),
        *("--phases", "coverage,fuzzing", "--max-examples", str(EXAMPLES), "--seed", "1"),
        *("--suppress-health-check", "all", "--continue-on-failure", "--no-color"),
        *("--max-time", str(SECONDS_MAX)),
    ]
    env = {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=site.folder)
    assert done.returncode == 0, done.stdout[-20_000:] + done.stderr[-2_000:]
