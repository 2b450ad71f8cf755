"""Projections and jobs write by scripts, which refuse a worker that has lost its lease.

A raw command after a read may come late, when the state has changed again. Those that do no harm
then are listed here, each with the reason.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.modules import MODULES, PACKAGE, reads_modules, tree_of

pytestmark = [reads_modules, pytest.mark.tables]

WRITES = {
    *("SADD", "SREM", "SPOP", "ZADD", "ZREM", "ZINCRBY", "ZREMRANGEBYSCORE", "ZREMRANGEBYRANK"),
    *("HSET", "HSETNX", "HDEL", "HINCRBY", "SET", "GETDEL", "INCR", "INCRBY", "DEL", "UNLINK"),
    *("EXPIRE", "EXPIREAT", "PERSIST", "RENAME", "GEOADD"),
    *("XADD", "XDEL", "XTRIM", "LPUSH", "RPUSH"),
}
ROWS = ("LOG", "FANOUT", "DISCOVERY", "BULK", "LOG_COMPARISONS", "FANOUT_COMPARISONS", "WORK")
JOBS = ("due_jobs", "partition_jobs", "scheduled")
HARMLESS = {
    "what it removes is gone for good, and its number is never used again": {
        "accounts.invitations.invites.cancel_commands",
        "autocomplete.contact_projections._add_contacts",
        "chat.bots.projections.remove_commands",
        "community.jobs.work.announce_new",
        "community.nearby.people.hide",
        "community.nearby.points.remove_commands",
        "lists.listed_on.remove_listed_on",
        "lists.projections._delete_list",
        "search.index.bookmark_projections.unlist_bookmarks",
        "statuses.listings.pipeline.page",
        "statuses.projections._retract",
        "timelines.home_page._remove_deleted",
    },
    "what it removes is too old, and stays so": {
        "access_log.reader._remove_old",
        "community.nearby.work._index",
        "explore.suggestions.jobs.compute_due",
    },
    "the act is done, and cannot be done again": {
        "moderation.acting.finish",
        "moderation.acting.finish_answer",
        "rewards.chains.chain.ChainKind",
        "rewards.market.trading.pay_out",
    },
    "the first one counts": {"metrics.work._note_first_members"},
    "whoever reads the list takes off what does not belong there": {
        "moderation.projections.list_waiting"
    },
    "the account is asked again afterwards": {"timelines.fanout.backfill._switch_to_pull"},
    "it only changes when something is computed, sent or tried again": {
        "explore.suggestions.jobs.bring_nearer",
        "lists.listed_on.sync_listed_on",
        "statuses.drafts.publishing.publish",
        "streaming.log.projections.append_tallies",
    },
    "the next run or use writes a newer value": {
        "explore.open_group_chats.rank",
        "timelines.trends.uses.candidate_commands",
    },
    "all write the same": {
        "moderation.acting._note_declined",
        "search.index.layout.written_configs",
    },
}
PURGES = ("purge_", "_purge")  # of accounts and statuses that are deleted
Name = tuple[str, str]  # a module, and a name at its top


class Modules:
    """The definitions at the top of all modules, and what they name."""

    def __init__(self) -> None:
        self.defined: dict[Name, ast.stmt] = {}
        self._imported: dict[str, dict[str, Name]] = {}
        for path in MODULES:
            self._add(path)

    def reached(self, roots: dict[Name, ast.AST]) -> dict[Name, ast.AST]:
        """Return the definitions that some name, directly or not, without those of the store."""
        found, waiting = dict(roots), list(roots)
        while waiting:
            name = waiting.pop()
            for other in self._named(name[0], found[name]):
                if other not in found and not other[0].startswith("webapp.core.store"):
                    found[other] = self.defined[other]
                    waiting.append(other)
        return found

    def _add(self, path: Path) -> None:
        parts = ("webapp", *path.relative_to(PACKAGE).with_suffix("").parts)
        package = parts[:-1]
        module = ".".join(package if parts[-1] == "__init__" else parts)
        tree = tree_of(path)
        self._imported[module] = {
            alias.asname or alias.name: (_source(node, package), alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            for alias in node.names
        }
        for node in tree.body:
            for name in _names_of(node):
                self.defined[module, name] = node

    def _named(self, module: str, node: ast.AST) -> Iterator[Name]:
        for part in ast.walk(node):
            found = None
            if isinstance(part, ast.Name):
                found = self._find((module, part.id))
            elif isinstance(part, ast.Attribute) and isinstance(part.value, ast.Name):
                source = self._imported[module].get(part.value.id)
                found = self._find((".".join(source), part.attr)) if source else None
            if found:
                yield found

    def _find(self, name: Name) -> Name | None:
        while name not in self.defined:
            source = self._imported.get(name[0], {}).get(name[1])
            if source is None or source == name:
                return None
            name = source
        return name


def _source(node: ast.ImportFrom, package: tuple[str, ...]) -> str:
    up = package[: len(package) - node.level + 1] if node.level else ()
    return ".".join((*up, *filter(None, [node.module])))


def _names_of(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target.id for target in targets if isinstance(target, ast.Name)]


@cache
def raw_writes() -> dict[str, set[str]]:
    """Return the raw commands of projections and jobs that write, by where they are."""
    modules = Modules()
    roots: dict[Name, ast.AST] = {
        name: node
        for name, node in modules.defined.items()
        if name[1] in ROWS and (".registry." in name[0] or name[1] == "WORK")
    }
    [site] = [node for name, node in modules.defined.items() if name == ("webapp.registry", "SITE")]
    jobs = [part for part in ast.walk(site) if isinstance(part, ast.keyword) and part.arg in JOBS]
    roots |= {("webapp.registry", str(job.arg)): job for job in jobs}
    found: dict[str, set[str]] = {}
    for (module, name), node in modules.reached(roots).items():
        for part in ast.walk(node):
            if isinstance(part, ast.Tuple) and part.elts and isinstance(part.elts[0], ast.Constant):
                word = part.elts[0].value
                if word in WRITES:
                    found.setdefault(f"{module.removeprefix('webapp.')}.{name}", set()).add(word)
    return found


def test_projections_and_jobs_write_by_scripts() -> None:
    known = set().union(*HARMLESS.values())
    unknown = {
        place: words
        for place, words in raw_writes().items()
        if place not in known and not place.rpartition(".")[2].startswith(PURGES)
    }
    assert not unknown, "a late one may do harm: use SYNC_ENTRY or another script that is FENCED"


def test_every_place_on_the_list_writes() -> None:
    assert not set().union(*HARMLESS.values()) - raw_writes().keys()
