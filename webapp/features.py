"""The optional systems of the site, which FEATURES switches on and off."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class Feature:
    """An optional system: a room that the rest of the site works without."""

    name: str  # in FEATURES
    room: str  # its folder below `webapp`, as a dotted name
    needs: tuple[str, ...] = ()  # the features that it cannot work without


FEATURES = (
    Feature("metrics", "metrics"),
    Feature("groups", "community.groups"),
    Feature("checkin", "rewards.points"),
    Feature("drops", "rewards.drops", needs=("checkin",)),
    Feature("market", "rewards.market", needs=("checkin",)),
    Feature("promotions", "rewards.promotions", needs=("checkin",)),
    Feature("jobs", "community.jobs"),
    Feature("nearby", "community.nearby"),
)
NONE = "none"
PACKAGE = Path(__file__).parent


@lru_cache(16)
def parse_features(text: str) -> frozenset[str]:
    """Return the features that a setting names: names with commas, or "none".

    Raises ValueError, with a sentence, for an unknown name and for one that lacks what it needs.
    """
    names = frozenset(name for part in text.split(",") if (name := part.strip()) != "")
    if names == {NONE}:
        return frozenset()
    known = {feature.name: feature for feature in FEATURES}
    if unknown := sorted(names - known.keys()):
        raise ValueError(f"{unknown[0]!r} is no feature; there are {', '.join(known)}")
    for name in sorted(names):
        if missing := sorted(set(known[name].needs) - names):
            raise ValueError(f"{name!r} needs {missing[0]!r} too")
    return names


def all_features() -> str:
    """Return the setting that switches every feature on."""
    return ",".join(feature.name for feature in FEATURES)


def feature_modules(part: str) -> Iterator[tuple[str, Any]]:
    """Yield the modules of this name in the rooms of features, by feature.

    A feature whose room is not installed is left out, as is one that needs it.
    """
    folders = {one.name: PACKAGE.joinpath(*one.room.split(".")) for one in FEATURES}
    for feature in FEATURES:
        names = (feature.name, *feature.needs)
        is_installed = all(folders[name].joinpath("__init__.py").exists() for name in names)
        if is_installed and folders[feature.name].joinpath(f"{part}.py").exists():
            yield feature.name, import_module(f"webapp.{feature.room}.{part}")
