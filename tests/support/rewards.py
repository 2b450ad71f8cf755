"""Points and commands of the operator, for tests of rewards."""

from collections.abc import Sequence

from click.testing import CliRunner

from webapp.cli import main
from webapp.config import Config
from webapp.core.store import Site
from webapp.rewards.points import ledger

PRICE = 10


def linnet(settings: Config, *arguments: str) -> str:
    """Run a command on the store. Return what it printed."""
    return CliRunner().invoke(main, arguments, env={"REDIS_URL": settings.store_url}).output


def give_points(site: Site, uids: Sequence[int], points: int = PRICE) -> None:
    """Give points to members, once each."""
    for uid in uids:
        ledger.book(site, uid, points, "gift", "first")
