"""The drill of a failover, on a primary, a replica and a Sentinel of the test's own."""

from dataclasses import replace
from pathlib import Path

import pytest
from redis import Redis

from tests.conftest import long
from tests.support.processes import until
from tests.support.replicated_store import Servers, servers as servers
from webapp.accounts.keys import last_uid
from webapp.admin.drill import drill as drills
from webapp.config import BadSetting, Config
from webapp.core.errors import StoreError

pytestmark = [pytest.mark.kill, pytest.mark.xdist_group("killing")]


@pytest.mark.parametrize("has_sentinel", [False, long(True)])
def test_a_drill_ends_the_primary_and_finds_every_acknowledged_write(
    servers: Servers, settings: Config, capsys: pytest.CaptureFixture[str], has_sentinel: bool
) -> None:
    place = f"{servers.sentinel_port}/birds" if has_sentinel else f"{servers.primary_port}"
    config = replace(settings, redis_url=f"redis://127.0.0.1:{place}", write_replicas=1)
    for port in (servers.primary_port, servers.replica_port):  # as in deploy/valkey/valkey.conf
        with Redis(port=port) as client:
            client.config_set("min-replicas-to-write", 1)
    assert drills.drill(config) == 0
    out = capsys.readouterr().out
    assert f"{servers.replica_port} took over" in out and "ok    0 of " in out
    assert servers.primary.poll() is not None
    with Redis(port=servers.replica_port) as client:
        assert client.role()[0] == b"master"
        assert not client.exists("drill_writes")


@pytest.mark.long
def test_what_is_lost_is_counted(
    servers: Servers,
    settings: Config,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The replica forgets a write, as one that lagged would."""
    end_primary = drills.end_primary

    def end_and_forget(db: object) -> None:
        end_primary(db)  # type: ignore[arg-type]
        with Redis(port=servers.replica_port) as client:
            client.config_set("replica-read-only", "no")
            client.srem("drill_writes", 7)

    monkeypatch.setattr(drills, "end_primary", end_and_forget)
    url = f"redis://127.0.0.1:{servers.primary_port}"
    assert drills.drill(replace(settings, redis_url=url)) == 1
    assert "FAIL  1 of " in capsys.readouterr().out


def test_only_a_test_site_with_a_replica_is_ended(
    servers: Servers, settings: Config, tmp_path: Path
) -> None:
    config = replace(settings, redis_url=f"redis://127.0.0.1:{servers.primary_port}")
    with pytest.raises(BadSetting, match="REDIS_URL"):
        drills.drill(Config(data_dir=tmp_path))
    with Redis(port=servers.primary_port) as client:
        client.set("schema", "linnet:2")
        client.set(last_uid(), 300)
        with pytest.raises(StoreError, match="add: --members 300"):
            drills.drill(config)
        servers.replica.kill()
        until(lambda: client.info("replication")["connected_slaves"] == 0)
        with pytest.raises(StoreError, match="nothing can take over"):
            drills.drill(config, 300)
    assert servers.primary.poll() is None
