"""Measure figures in alternating rounds and print them as a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

Round = Callable[[], float]  # does its work once and returns a rate: more is better


@dataclass(frozen=True, slots=True)
class Figure:
    """Hold one line of the table.

    `value` and `reference` are medians; `ratio` is the median of the rounds' ratios. `target` is
    the least ratio that passes or, with `at_most`, the greatest value; None if only reported.
    """

    name: str
    value: float
    unit: str
    reference: float | None = None
    ratio: float | None = None
    target: float | None = None
    at_most: bool = False

    @property
    def met(self) -> bool | None:
        """Return whether the target is met, or None without a target."""
        if self.target is None:
            return None
        return self.value <= self.target if self.at_most else (self.ratio or 0) >= self.target


def compare(
    name: str, unit: str, ours: Round, reference: Round, rounds: int, target: float | None = None
) -> Figure:
    """Run both in alternating order and return their figure. One round of each warms up."""
    ours(), reference()
    pairs = []
    for number in range(rounds):
        if number % 2:
            other, own = reference(), ours()
        else:
            own, other = ours(), reference()
        pairs.append((own, other))
    return Figure(
        name,
        median(own for own, _ in pairs),
        unit,
        median(other for _, other in pairs),
        median(own / other for own, other in pairs),
        target,
    )


def markdown(figures: Sequence[Figure]) -> str:
    """Return the figures as a Markdown table."""
    lines = [
        "| figure | ours | reference | ratio | target | met |",
        "| --- | ---: | ---: | ---: | ---: | --- |",
    ]
    return "\n".join(lines + [_line(figure) for figure in figures])


def _line(figure: Figure) -> str:
    reference = "" if figure.reference is None else f"{figure.reference:,.0f}"
    ratio = "" if figure.ratio is None else f"{figure.ratio:.2f}"
    target = (
        ""
        if figure.target is None
        else f"≤ {figure.target:g}"
        if figure.at_most
        else f"≥ {figure.target:g}"
    )
    met = {None: "", True: "yes", False: "NO"}[figure.met]
    value = f"{figure.value:,.0f} {figure.unit}"
    return f"| {figure.name} | {value} | {reference} | {ratio} | {target} | {met} |"
