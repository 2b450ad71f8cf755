"""The alarms and the dashboard of deploy/: they name figures that `/metrics` has."""

import json
import re

import yaml

from tests.support.processes import ROOT
from webapp.core.store import Site
from webapp.metrics import prometheus

GROUPS = yaml.safe_load((ROOT / "deploy/alerts.yml").read_text())["groups"]
RULES = [rule for group in GROUPS for rule in group["rules"]]
PANELS = json.loads((ROOT / "deploy/dashboard.json").read_text())["panels"]
OF_MISUSE = {"ManyRequests", "ManyRefusals", "ManySignups", "ManyPosts"}
NAME = re.compile(r"\blinnet_\w+")
LABEL = re.compile(r"(\w+)=\"(\w+)\"")


def test_alarms_are_about_figures_that_there_are(site: Site) -> None:
    text = prometheus.render(site.db, 1_700_000_000)
    names = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
    for rule in RULES:
        named = set(NAME.findall(rule["expr"]))
        assert named and named <= names, rule
        assert all(f'{label}="{value}"' in text for label, value in LABEL.findall(rule["expr"])), (
            rule
        )
        assert rule["expr"].count("(") == rule["expr"].count(")")
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert rule["annotations"]["summary"].endswith(".")


def test_the_dashboard_shows_figures_that_there_are(site: Site) -> None:
    text = prometheus.render(site.db, 1_700_000_000)
    names = set(re.findall(r"^# TYPE (\w+)", text, re.MULTILINE))
    for panel in PANELS:
        for target in panel["targets"]:
            named = {name.removesuffix("_bucket") for name in NAME.findall(target["expr"])}
            assert named and named <= names, panel["title"]
            assert target["expr"].count("(") == target["expr"].count(")")
    assert len({panel["id"] for panel in PANELS}) == len(PANELS)


def test_a_site_that_gives_no_figures_sounds_an_alarm() -> None:
    assert any(rule["expr"] == "absent(linnet_processes)" for rule in RULES)


def test_there_are_alarms_for_what_is_unusual() -> None:
    names = [rule["alert"] for rule in RULES]
    assert len(set(names)) == len(names) and set(names) >= OF_MISUSE
