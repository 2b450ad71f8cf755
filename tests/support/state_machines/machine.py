"""The machine that tests extend, and how it is run."""

from dataclasses import replace
from typing import Any, TypeVar

from tests.support.schema import check_schema
from tests.support.state_machines.member_rules import MemberRules
from tests.support.state_machines.runs import run_steps
from tests.support.state_machines.worker_rules import WorkerRules
from webapp.config import Config

Machine = TypeVar("Machine", bound="MemberMachine")


class MemberMachine(MemberRules, WorkerRules):
    """Let members act and workers apply events and die, in any order."""

    def teardown(self) -> None:
        """Apply all events and check everything once more."""
        self.apply_events()
        check_schema(self.db)
        self.db.close()


def on_small_site(machine: type[Machine], config: Config, **changes: Any) -> type[Machine]:
    """Return a machine whose site has short pages, and these settings."""
    small = replace(config, merged_seconds=0, page_size=2, attempts_max=1_000, **changes)
    return type(machine.__name__, (machine,), {"config": small})


def run_machine(
    machine: type[MemberMachine], config: Config, examples: int, **changes: Any
) -> None:
    """Run a machine with this number of examples and these settings of the site."""
    run_steps(on_small_site(machine, config, **changes), examples, steps=50)
