"""`make lighthouse`: what Lighthouse thinks of three pages: accessibility, best practices, SEO,
performance.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

LIGHTHOUSE = Path(__file__).parents[2] / "tests/tools/node_modules/lighthouse/cli/index.js"
CHROMIUM = (
    shutil.which("chromium-headless-shell")
    or shutil.which("chromium")
    or shutil.which("google-chrome")
    or shutil.which("google-chrome-stable")
)
ALWAYS = ("accessibility", "best-practices", "seo")
ALL = (*ALWAYS, "performance")
PATIENCE = 180  # seconds for one page, on a machine that is busy
STATUS = re.compile(r'class="status-time" href="([^"]+)"')


def main() -> None:
    """Print the scores of a public timeline, a profile and a permalink of the demo site."""
    from .site import showcase

    if not available():
        sys.exit("Lighthouse needs node, Chromium and `make tools`.")
    print(f"| page | {' | '.join(ALL)} |\n| --- |{' ---: |' * len(ALL)}")
    wanting = []
    with showcase() as site:
        profile = f"/@{site.member.login}"
        for name, path in (
            ("public", "/public"),
            ("profile", profile),
            ("permalink", _permalink(site.url, profile)),
        ):
            found, missed = scores(site.url + path)
            print(
                f"| {name} | {' | '.join(str(found[category]) for category in ALL)} |", flush=True
            )
            wanting += [f"{name}: {one}" for one in missed]
    print("\n".join(wanting))


def _permalink(url: str, profile: str) -> str:
    with urlopen(url + profile, timeout=PATIENCE) as page:
        found = STATUS.search(page.read().decode())
    assert found, "the member has written nothing"
    return found[1]


def available() -> bool:
    """Return whether node, a browser and Lighthouse are installed."""
    return bool(CHROMIUM and shutil.which("node") and LIGHTHOUSE.exists())


def scores(
    url: str, categories: tuple[str, ...] = ALL, cookie: str = ""
) -> tuple[dict[str, int], list[str]]:
    """Return the scores of a page, 0 to 100, and the failed audits.

    Speed is that of a simulated slow phone and network. `cookie`: the header of a member's browser.
    Raises RuntimeError if the page redirects, as a member's does without a cookie.
    """
    command = [
        *(
            "node",
            str(LIGHTHOUSE),
            url,
            "--quiet",
            "--output=json",
            f"--only-categories={','.join(categories)}",
            "--throttling-method=simulate",
            *([f"--extra-headers={json.dumps({'Cookie': cookie})}"] if cookie else ()),
        ),
        "--chrome-flags=--headless=new --no-sandbox --disable-gpu",
    ]
    done = subprocess.run(
        command,
        capture_output=True,
        timeout=PATIENCE,
        env={**os.environ, "CHROME_PATH": str(CHROMIUM)},
        check=True,
    )
    report = json.loads(done.stdout)
    if report["finalDisplayedUrl"] != url:
        raise RuntimeError(f"{url} redirects to {report['finalDisplayedUrl']}")
    found = {name: round(100 * (one["score"] or 0)) for name, one in report["categories"].items()}
    wanting = [
        f"{name}: {report['audits'][audit['id']]['title']}"
        for name, one in report["categories"].items()
        for audit in one["auditRefs"]
        if audit["weight"]
        and (report["audits"][audit["id"]]["score"] or 0) < 1
        and name != "performance"
        and report["audits"][audit["id"]]["scoreDisplayMode"]
        not in ("notApplicable", "manual", "informative")
    ]
    return found, wanting


if __name__ == "__main__":
    main()
