"""With an address of https, requests that came to a trusted proxy by http are led there."""

from dataclasses import replace

import pytest

from tests.support.pages import serving
from webapp.config import Config

HTTP = {"X-Forwarded-Proto": "http", "Host": "other.example"}
SITE = "https://linnet.example"


@pytest.mark.parametrize(
    "path",
    "/login?next=/home / /@\u00e9?q=%C3%A9 /metrics /api/v1/accounts/1 /search?q=why?".split(),
)
def test_a_request_by_http_is_led_to_https(settings: Config, path: str) -> None:
    with serving(replace(settings, site_url=SITE, trusted_proxies=1)) as app:
        client = app.test_client()
        answer = client.get(path, headers=HTTP)
        assert answer.status_code == 308 and answer.location
        assert answer.location == SITE + path.replace("\u00e9", "%C3%A9")
        assert answer.cache_control.no_store, "a cache may keep one copy for both schemes"
        for form in ("/login", "/api/v1/statuses", "/oauth/token"):
            assert client.post(form, headers=HTTP).status_code == 308, "before it is read"
        https = client.get(path, headers={"X-Forwarded-Proto": "https"})
        assert https.status_code != 308


def test_health_checks_and_metrics_of_this_machine_work_by_http(settings: Config) -> None:
    with serving(replace(settings, site_url=SITE, trusted_proxies=1)) as app:
        client = app.test_client()
        for path in ("/healthz", "/readyz"):
            assert client.get(path, headers=HTTP).status_code == 200
        for path in ("/healthz", "/metrics", "/login"):
            assert client.get(path).status_code == 200, "no proxy was asked"


def test_a_site_of_http_or_without_proxies_leads_nobody_away(settings: Config) -> None:
    fewer_told = {"trusted_proxies": 2, "site_url": SITE}  # nobody knows what the outer one got
    for changes in ({"trusted_proxies": 1}, {"site_url": SITE}, fewer_told):
        with serving(replace(settings, **changes)) as app:
            assert app.test_client().get("/login", headers=HTTP).status_code == 200
