"""The base of pictures of birds and landscapes: their colours, hills and final size."""

from __future__ import annotations

from math import pi, sin
from random import Random

from PIL import Image

from .canvas import Canvas, Colour, colour_of, shade


class Picture(Canvas):
    """A picture in random colours that go together."""

    def __init__(self, width: int, height: int, rng: Random) -> None:
        self.rng = rng
        self.hue = rng.random()
        night = rng.random() < 0.22
        self.sky = colour_of(
            self.hue, 0.22 if night else rng.uniform(0.72, 0.88), rng.uniform(0.3, 0.65)
        )
        self.horizon = colour_of(self.hue + rng.uniform(0.04, 0.16), 0.36 if night else 0.9, 0.6)
        self.shadow = colour_of(self.hue + 0.5, 0.2, 0.3)
        self.body = colour_of(
            self.hue + rng.uniform(0.35, 0.65), rng.uniform(0.28, 0.5), rng.uniform(0.3, 0.6)
        )
        self.breast = colour_of(
            self.hue + rng.uniform(0.4, 0.6), rng.uniform(0.66, 0.85), rng.uniform(0.5, 0.9)
        )
        self.wing = shade(self.body, 0.72)
        self.beak = colour_of(rng.uniform(0.06, 0.13), 0.52, 0.85)
        super().__init__(width, height, self.sky)

    def finish(self) -> Image.Image:
        """Return the picture in its final size. Half of the birds look the other way."""
        small = self.reduced()
        return (
            small.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if self.rng.random() < 0.5 else small
        )

    def hill(self, height: float, amplitude: float, colour: Colour) -> None:
        """Draw a wavy line, filled below."""
        frequency, overtone = self.rng.uniform(0.5, 1.2), self.rng.uniform(1.6, 3)
        phase = self.rng.random() * 2 * pi
        xs = [self.width_units * step / 60 for step in range(61)]
        ys = [
            height
            + amplitude
            * (sin(phase + x * frequency / 30) + 0.5 * sin(phase * 2 + x * overtone / 30))
            for x in xs
        ]
        self.shape([*zip(xs, ys, strict=True), (self.width_units, 101), (0, 101)], colour)
