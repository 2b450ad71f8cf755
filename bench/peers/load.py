"""`python load.py PLAN.json`: sends a web site what a plan says, and prints what it found as JSON.
All it knows of the site is in the plan; it needs Python and wrk alone, with load.lua beside it.

    {"base": "http://127.0.0.1:8000",
     "workloads": [
       {"name": "home", "connections": 16, "seconds": 2, "warm": 0.5, "requests": [REQUEST, …]},
       {"name": "fan-out", "times": 5, "post": REQUEST, "watch": [REQUEST, …]}]}

A workload with `requests` is sent by wrk, round and round, those with a greater `weight` as many
times more often. One with `post` sends that, and then looks at what is watched until all of it
shows the word that was posted as {unique}.

    REQUEST: {"path": "/statuses", "method": "POST", "headers": {"Cookie": "session=…"},
              "form": {"text": "…"},
              "token": {"path": "/home", "pattern": "name=\\"csrf\\" value=\\"([^\\"]+)\\""},
              "each": ["a", "b"], "weight": 7,
              "expect": {"status": 303, "location": "/home", "contains": "…"}}

Only `path` is needed. In a path or a form {unique} is another word each time, {each} the next of
the values of `each`. `token`: a page that is fetched first with the request's headers; what the
pattern's group finds in it stands for {token} in a form, and its cookies are sent from then on.
`expect`: what must be answered, else 200. Each request is tried once before; then an answer is an
error when its status is none that was expected of any.

    [{"name": "home", "seconds": 2.0, "requests": 1860, "rate": 930.0, "bytes": 19000000,
      "p50": 16.8, "p99": 31.0, "errors": 0},
     {"name": "fan-out", "times": [120.3, …], "p50": 118.9, "errors": 0}]

Times are in milliseconds, `rate` in answers a second.
"""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPException
from http.cookies import SimpleCookie
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote_plus, urlencode, urlsplit

SCRIPT = Path(__file__).with_name("load.lua")
NO_WRK = (
    "wrk is not here: `apt-get install wrk` brings it on Debian and Ubuntu, "
    "`brew install wrk` on a Mac."
)
PATIENCE = 60.0  # seconds for one answer, and for all that is watched
TIMEOUT = 10  # seconds after which wrk counts an answer as an error
FOUND = re.compile(r"^FIGURES (.+)$", re.MULTILINE)

Request = dict[str, Any]
Figures = dict[str, Any]


class Wrong(Exception):
    """Raised if a site does not answer as its plan says; the text explains."""


def run(plan: Mapping[str, Any]) -> list[Figures]:
    """Return the figures of all workloads of a plan in order. Raises Wrong."""
    return [run_workload(plan["base"], workload) for workload in plan["workloads"]]


def run_workload(base: str, workload: Mapping[str, Any]) -> Figures:
    """Return the figures of one workload. Raises Wrong."""
    measured = until(base, workload) if "post" in workload else load(base, workload)
    return {"name": workload["name"], **measured}


def load(base: str, workload: Mapping[str, Any]) -> Figures:
    """Run wrk and return its results after `warm` seconds."""
    requests = [prepared(base, request) for request in workload["requests"]]
    for request in requests:
        tried(base, request)
    with TemporaryDirectory(prefix="load-") as folder:
        plan = Path(folder, "plan.lua")
        for seconds in filter(None, (workload.get("warm"), workload["seconds"])):
            plan.write_bytes(f"return {lua(table(requests))}\n".encode())
            found = wrk(base, plan, workload.get("connections", 16), seconds)
    return found | {"rate": found["requests"] / found["seconds"]}


def until(base: str, workload: Mapping[str, Any]) -> Figures:
    """Measure `times` times how long a post takes to appear on all watched pages."""
    post, watched = (
        prepared(base, workload["post"]),
        [prepared(base, request) for request in workload["watch"]],
    )
    times = []
    for _ in range(workload.get("times", 1)):
        word = unique()
        began = time.perf_counter()
        expect(post, *send(base, post, word))
        for request in watched:
            while word not in send(base, request, word)[2]:
                if time.perf_counter() - began > PATIENCE:
                    raise Wrong(
                        f"{request['path']} does not show what was posted {PATIENCE:.0f} s ago."
                    )
        times.append((time.perf_counter() - began) * 1000)
    return {"times": times, "p50": median(times), "errors": 0}


def prepared(base: str, request: Request) -> Request:
    """Return the request with token, cookies and body, except {unique} and {each}."""
    headers, form, token = dict(request.get("headers", {})), dict(request.get("form", {})), ""
    if "token" in request:
        page = send(base, {"path": request["token"]["path"], "headers": headers})
        match = re.search(request["token"]["pattern"], page[2])
        if not match:
            raise Wrong(
                f"{request['token']['path']} answers {page[0]}, and there is no token in it."
            )
        token = match[1]
        headers["Cookie"] = joined(headers.get("Cookie", ""), page[1].get("set-cookie", ""))
    prepared_request = {"method": "GET", "weight": 1, "expect": {}, **request, "headers": headers}
    if form:
        filled = {name: value.replace("{token}", token) for name, value in form.items()}
        prepared_request["body"] = urlencode(filled, safe="{}", quote_via=quote_plus)
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    return prepared_request


def joined(cookies: str, set_cookies: str) -> str:
    """Merge Set-Cookie lines into a Cookie header, replacing equal names."""
    jar = SimpleCookie(cookies)
    for line in set_cookies.splitlines():
        jar.load(line)
    return "; ".join(f"{name}={morsel.value}" for name, morsel in jar.items())


def tried(base: str, request: Request) -> None:
    """Send a request once. Raises Wrong on an unexpected answer."""
    expect(request, *send(base, request, unique()))


def expect(request: Request, status: int, headers: Mapping[str, str], body: str) -> None:
    """Check an answer. Raises Wrong unless it is the expected one."""
    wanted = request["expect"]
    place = urlsplit(headers.get("location", "")).path
    if status != wanted.get("status", 200) or wanted.get("location", place) != place:
        raise Wrong(f"{request['method']} {request['path']} answers {status} {place}: {body[:300]}")
    if wanted.get("contains", "") not in body:
        raise Wrong(f"{request['method']} {request['path']} does not show {wanted['contains']!r}.")


def send(base: str, request: Request, word: str = "") -> tuple[int, dict[str, str], str]:
    """Send a single request. Return status, headers (lower case) and text of the answer."""
    headers = {
        name: value
        for name, value in request["headers"].items()
        if name.lower() != "accept-encoding"
    }
    status, pairs, body = ask(base, request | {"headers": headers}, word)
    found: dict[str, str] = {}
    for name, value in pairs:
        found[name.lower()] = f"{found[name.lower()]}\n{value}" if name.lower() in found else value
    return status, found, body.decode("utf-8", "replace")


def ask(base: str, request: Request, word: str = "") -> tuple[int, list[tuple[str, str]], bytes]:
    """Send a raw request. Return status, headers and raw body. Raises Wrong without an answer."""

    def fill(text: str) -> str:
        return text.replace("{unique}", word).replace("{each}", request.get("each", [""])[-1])

    parts = urlsplit(base)
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=PATIENCE)
    try:
        body = fill(request["body"]) if "body" in request else None
        connection.request(
            request.get("method", "GET"), fill(request["path"]), body, request["headers"]
        )
        answer = connection.getresponse()
        return answer.status, answer.getheaders(), answer.read()
    except (OSError, HTTPException) as error:
        raise Wrong(f"{base}{request['path']} does not answer: {error!r}") from error
    finally:
        connection.close()


def unique() -> str:
    """Return a word that was never used before."""
    return f"u{time.time_ns():x}"


def table(requests: list[Request]) -> dict[str, Any]:
    """Return the input of load.lua, with requests mixed by weight in a fixed order."""
    order = [place for place, request in enumerate(requests, 1) for _ in range(request["weight"])]
    if len(order) > len(requests):
        random.Random(1).shuffle(order)
    accepted = {request["expect"].get("status", 200) for request in requests}
    fields = ("method", "path", "headers", "body", "each")
    return {
        "run": unique(),
        "order": order,
        "check": accepted != {200},  # wrk counts what is 400 or more by itself, which costs less
        "accepted": dict.fromkeys(accepted, True),
        "requests": [
            {name: request[name] for name in fields if name in request} for request in requests
        ],
    }


def lua(value: Any) -> str:
    """Return a value as Lua source."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        plain = (
            chr(byte) if 31 < byte < 127 and byte not in b'"\\' else f"\\{byte:03}"
            for byte in value.encode()
        )
        return f'"{"".join(plain)}"'
    if isinstance(value, Mapping):
        return "{%s}" % ", ".join(f"[{lua(name)}] = {lua(item)}" for name, item in value.items())  # noqa: UP031
    return "{%s}" % ", ".join(map(lua, value))  # noqa: UP031


def wrk(base: str, plan: Path, connections: int, seconds: float) -> Figures:
    """Run wrk for whole seconds, at least one."""
    program = shutil.which("wrk")
    if not program:
        raise Wrong(NO_WRK)
    sizes = ["-t1", f"-c{connections}", f"-d{max(round(seconds), 1)}s", f"--timeout={TIMEOUT}s"]
    done = subprocess.run(
        [program, *sizes, "-s", str(SCRIPT), base, "--", str(plan)], capture_output=True, text=True
    )
    return figures(done.stdout, done.stderr)


def figures(output: str, errors: str = "") -> Figures:
    """Return the input of load.lua, with requests mixed by weight in a fixed order."""
    found = FOUND.search(output)
    if not found:
        raise Wrong(f"wrk found nothing: {output} {errors}")
    return dict(json.loads(found[1]))


def main(arguments: list[str]) -> Iterator[str]:
    """Run the plan and yield the JSON to print."""
    plan = json.loads(Path(arguments[0]).read_text())
    yield json.dumps(run(plan), indent=1)


if __name__ == "__main__":
    try:
        print(*main(sys.argv[1:]))
    except Wrong as wrong:
        sys.exit(str(wrong))
