"""Landscapes: hills, a sun or moon, reeds and a flock."""

from __future__ import annotations

from .canvas import mix, shade
from .picture import Picture


class Landscape(Picture):
    """A landscape."""

    def scene(self) -> None:
        """Draw hills in layers under a sun or a moon, sometimes with a flock and reeds."""
        self.sky_and_sun()
        layers = self.rng.choice((3, 4, 5))
        for layer in range(layers):
            share = (layer + 1) / layers
            self.hill(
                48 + 40 * share,
                self.rng.uniform(4, 11),
                mix(self.horizon, self.shadow, 0.15 + 0.55 * share),
            )
        self.flock()
        if self.rng.random() < 0.5:
            self.reeds()

    def sky_and_sun(self) -> None:
        """Draw the sky, lighter towards the horizon, and a sun or a moon."""
        for y in range(100):
            self.shape(
                [(0, y), (self.width_units, y), (self.width_units, y + 1), (0, y + 1)],
                mix(self.sky, self.horizon, y / 80),
            )
        sun_x, sun_y, radius = (
            self.rng.uniform(0.14, 0.86) * self.width_units,
            self.rng.uniform(22, 46),
            self.rng.uniform(9, 17),
        )
        self.disc(sun_x, sun_y, radius, mix(self.horizon, (255, 252, 240), 0.7))

    def flock(self) -> None:
        """Draw distant birds that fly together."""
        middle = self.rng.uniform(0.2, 0.8) * self.width_units
        height = self.rng.uniform(18, 40)
        for _ in range(self.rng.randint(4, 13)):
            self.gull(
                middle + self.rng.gauss(0, 26),
                height + self.rng.gauss(0, 8),
                self.rng.uniform(1.6, 3.6),
            )

    def reeds(self) -> None:
        """Draw reeds at one edge."""
        edge = self.rng.choice((0, self.width_units - 70))
        for _ in range(40):
            x, height = edge + self.rng.uniform(0, 70), self.rng.uniform(58, 84)
            self.line(
                [(x, 101), (x + self.rng.uniform(-4, 4), height)], shade(self.shadow, 0.8), 0.7
            )

    def gull(self, x: float, y: float, span: float) -> None:
        """Draw a distant bird: two strokes."""
        wings = [(x - span, y - span * 0.5), (x - span * 0.4, y - span * 0.6), (x, y)]
        self.line(
            [*wings, (x + span * 0.4, y - span * 0.6), (x + span, y - span * 0.5)], self.shadow, 0.6
        )
