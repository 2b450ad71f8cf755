"""How a state machine is run: without a time limit, and with other steps each time."""

from hypothesis import HealthCheck, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test


def run_steps(machine: type[RuleBasedStateMachine], examples: int, steps: int) -> None:
    """Run a machine as often as `examples` says, with up to so many steps."""
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            suppress_health_check=list(HealthCheck),
            derandomize=False,
        ),
    )
