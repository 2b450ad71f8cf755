"""The containers of deploy/: each name, file, command and setting in them is there."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import fields
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address, ip_network
from threading import Thread
from typing import Any

import pytest
import yaml
from click import Context

from tests.support.caddy import CADDY, CADDYFILE, needs_caddy
from tests.support.processes import ROOT
from webapp.cli import main
from webapp.config import Config, load

DEPLOY = ROOT / "deploy"
FILES = ("compose.yaml", "compose.cluster.yaml")
COMPOSES = {name: yaml.safe_load((DEPLOY / name).read_text()) for name in FILES}
SERVICES: dict[str, dict[str, Any]] = COMPOSES[FILES[0]]["services"]
each_file = pytest.mark.parametrize("file", FILES)
SECRETS = {"LINNET_ADDRESS": "birds.example", "SECRET_KEY": "k", "STORE_PASSWORD": "singing"}
VARIABLE = re.compile(r"\$\{(\w+):\?\}")


def ours(file: str) -> dict[str, dict[str, Any]]:
    """Return the services that run Linnet."""
    services = COMPOSES[file]["services"]
    return {name: service for name, service in services.items() if service["image"] == "linnet"}


def filled(value: str) -> str:
    """Return a value of compose.yaml with what .env gives it."""
    return VARIABLE.sub(lambda name: SECRETS[name[1]], value)


def instructions() -> Iterator[tuple[str, str]]:
    """Yield each instruction of the Dockerfile, and what follows it."""
    text = re.sub(r"^#.*\n", "", (DEPLOY / "Dockerfile").read_text(), flags=re.MULTILINE)
    for line in text.replace("\\\n", " ").splitlines():
        if line:
            name, _, rest = line.partition(" ")
            yield name, rest.strip()


def test_the_image_runs_linnet_as_a_user_without_rights() -> None:
    lines = list(instructions())
    values, names = dict(lines), [name for name, _ in lines]
    assert names.count("FROM") == 2, "the last of each name is that of the image"
    assert values["USER"] == "linnet" and any("useradd" in rest for _, rest in lines)
    assert not {"RUN", "COPY", "ADD"} & set(names[names.index("USER") :])
    assert json.loads(values["ENTRYPOINT"]) == ["linnet"]
    assert json.loads(values["CMD"])[0] in main.list_commands(Context(main))
    assert values["STOPSIGNAL"] == "SIGTERM"
    settings = dict(pair.split("=", 1) for pair in shlex.split(values["ENV"]))
    assert load({}, settings).host == "0.0.0.0"
    assert {name.lower() for name in settings} - {"path", "pythonunbuffered"} <= known_settings()


def test_the_image_has_all_that_the_site_reads_and_installs_only_hashed_packages() -> None:
    copied: set[str] = set()
    for name, rest in instructions():
        if name == "COPY" and not rest.startswith("--from"):
            copied |= set(rest.split()[:-1])
        if "pip install" in rest:
            assert "--require-hashes" in rest or "--no-deps" in rest
    assert {"webapp", "templates", "static", "requirements.lock", "pyproject.toml"} <= copied
    assert all((ROOT / path).exists() for path in copied)
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text().splitlines()
    assert {line[1:] for line in ignored if line.startswith("!")} == copied


@each_file
def test_services_run_commands_that_exist_with_settings_that_are_known(file: str) -> None:
    assert sorted(ours(file)) == ["stream", "web1", "web2", "worker1", "worker2"]
    for service in ours(file).values():
        assert service["command"][0] in main.list_commands(Context(main))
        assert len(service["command"]) == 1
        names = {name.lower() for name in service["environment"]}
        assert names <= known_settings()
        environment = {name: filled(value) for name, value in service["environment"].items()}
        config = load({}, environment)
        assert config.trusted_proxies == 1 and config.site_url == "https://birds.example"
        hosts = config.redis_url.split("@")[1].split("/")[0].split(",")
        assert {host.split(":")[0] for host in hosts} <= names_in(file)
        grace = int(service["stop_grace_period"].removesuffix("s"))
        assert grace > config.drain_seconds + 8
    example = (DEPLOY / "example.env").read_text()
    assert set(re.findall(r"^(\w+)=", example, re.MULTILINE)) == SECRETS.keys()
    assert set(VARIABLE.findall((DEPLOY / file).read_text())) == SECRETS.keys()


@each_file
def test_processes_of_the_site_get_further_settings_from_the_file_of_secrets(file: str) -> None:
    for name, service in COMPOSES[file]["services"].items():
        assert service.get("env_file") == ([".env"] if name in ours(file) else None), name


@each_file
def test_files_of_workers_outlive_their_containers(file: str) -> None:
    image = shlex.split(dict(instructions())["ENV"])
    data_dir = dict(pair.split("=", 1) for pair in image)["DATA_DIR"]
    folders = {}
    for name, service in ours(file).items():
        [folders[name]] = [one for one in service["volumes"] if one.endswith(f":{data_dir}")]
        assert data_dir not in service["tmpfs"]
    names = [name for name in folders if name.startswith("worker")]
    assert len({folders[name] for name in names} - {folders["web1"]}) == len(names) == 2
    assert [ours(file)[name]["hostname"] for name in names] == names


def names_in(file: str) -> set[str]:
    """Return the names by which containers reach each other."""
    services = COMPOSES[file]["services"]
    networks = [one["networks"] for one in services.values() if isinstance(one["networks"], dict)]
    return {*services, *(name for one in networks for name in one["store"].get("aliases", ()))}


@each_file
def test_every_service_has_few_rights_volumes_that_exist_and_a_health_check(file: str) -> None:
    compose, services = COMPOSES[file], COMPOSES[file]["services"]
    for name, service in services.items():
        for volume in service["volumes"]:
            source = volume.split(":")[0]
            exists = (
                (DEPLOY / source).exists() if source[0] == "." else source in compose["volumes"]
            )
            assert exists, (name, volume)
        assert set(service["networks"]) <= compose["networks"].keys()
        assert set(service.get("depends_on", ())) <= services.keys()
        assert service["cap_drop"] == ["ALL"]
        assert service["security_opt"] == ["no-new-privileges:true"]
        if name == "caddy":
            assert service["cap_add"] == ["NET_BIND_SERVICE"]
        else:
            assert service["read_only"] and not {"cap_add", "ports"} & service.keys()
        shell, *scripts = service.get("command", [""])[:2]
        for script in scripts if shell == "sh" else ():
            assert (DEPLOY / script.replace("/etc/linnet", "valkey")).exists()
    unchecked = {"caddy", "web1", "web2", "worker1", "worker2", "cluster"}
    assert all(services[name]["healthcheck"]["test"] for name in services.keys() - unchecked)


@each_file
def test_what_strangers_reach_does_not_reach_the_store(file: str) -> None:
    compose = COMPOSES[file]
    assert compose["networks"]["store"]["internal"] is True
    for name, service in compose["services"].items():
        is_ours, networks = service["image"] == "linnet", set(service["networks"])
        if name == "caddy":
            assert networks == {"front"} and not any("media" in one for one in service["volumes"])
        elif not is_ours:
            assert networks == {"store"}, "only Linnet talks to the store"
            assert "STORE_PASSWORD" in service["environment"] or name == "cluster"


@each_file
def test_the_store_has_the_addresses_that_its_servers_are_told(file: str) -> None:
    services = COMPOSES[file]["services"]
    subnet = ip_network(COMPOSES[file]["networks"]["store"]["ipam"]["config"][0]["subnet"])
    addresses = {}
    for name, service in services.items():
        if name.startswith(("valkey", "sentinel")):
            address = service["networks"]["store"]["ipv4_address"]
            assert service["environment"]["STORE_ADDRESS"] == address
            assert ip_address(address) in subnet and address not in addresses.values()
            addresses[name] = address
    if file == "compose.cluster.yaml":
        nodes = [f"{address}:6379" for address in addresses.values()]
        assert services["cluster"]["environment"]["NODES"].split() == nodes
        assert services["cluster"]["depends_on"].keys() == addresses.keys()
    else:
        assert services["valkey2"]["environment"]["REPLICA_OF"] == f"{addresses['valkey1']} 6379"
        sentinel = (DEPLOY / "valkey/sentinel.conf").read_text()
        assert f"\nsentinel monitor linnet {addresses['valkey1']} 6379 2\n" in sentinel


@pytest.mark.parametrize("service", ["web1", "stream"])
def test_health_checks_ask_the_port_of_the_process_and_fail_while_it_drains(service: str) -> None:
    own = SERVICES[service].get("healthcheck")
    image = next(rest for name, rest in instructions() if name == "HEALTHCHECK")
    command = own["test"][1:] if own else json.loads(image.partition("CMD ")[2])
    config = load({}, {})
    address = f"http://127.0.0.1:{config.stream_port if own else config.port}/healthz"
    assert command[0] == "python" and address in command[-1]
    for status in (HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE):
        with answering(status) as port:
            code = command[-1].replace(address, f"http://127.0.0.1:{port}/healthz")
            checked = subprocess.run([sys.executable, "-c", code], capture_output=True)
        assert (checked.returncode == 0) == (status == HTTPStatus.OK)


@contextmanager
def answering(status: HTTPStatus) -> Iterator[int]:
    """Answer a health check with a status while the block runs. Yield the port."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status if self.path == "/healthz" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.01,)).start()
        yield server.server_port
        server.shutdown()


@needs_caddy
@each_file
def test_caddy_reads_its_file_and_asks_the_processes_of_the_containers(file: str) -> None:
    environment = COMPOSES[file]["services"]["caddy"]["environment"]
    result = subprocess.run(
        [CADDY or "", "adapt", "--adapter", "caddyfile", "--config", str(CADDYFILE)],
        env={**os.environ, **{name: filled(value) for name, value in environment.items()}},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0 and "warn" not in result.stderr.lower(), result.stderr
    assert '"host":["birds.example"]' in result.stdout
    dialled = set(re.findall(r'"dial":"([^"]+)"', result.stdout))
    ports = {"serve": load({}, {}).port, "stream": load({}, {}).stream_port}
    commands = {name: service["command"][0] for name, service in ours(file).items()}
    assert dialled == {
        f"{name}:{ports[command]}" for name, command in commands.items() if command in ports
    }
    assert result.stdout.count('"uri":"/healthz"') == 2


def known_settings() -> set[str]:
    return {field.name for field in fields(Config)}


def test_nginx_passes_the_same_paths_to_the_streams_as_caddy() -> None:
    caddy = (ROOT / "deploy/Caddyfile").read_text().split("@streams path ")[1].splitlines()[0]
    operations = (ROOT / "docs/operations.md").read_text()
    nginx = re.compile(operations.split("location ~ ")[1].split(" {")[0])
    for path in caddy.split():
        assert nginx.match(path.replace("*", "x")), path
    assert not any(map(nginx.match, ("/statuses/7", "/streams", "/api/v1/statuses", "/1.10/x")))
