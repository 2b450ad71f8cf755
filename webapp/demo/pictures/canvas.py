"""A canvas in units of a hundredth of its height, and pictures in colours that go together."""

from colorsys import hls_to_rgb
from math import cos, pi, sin
from random import Random

from PIL import Image, ImageDraw

Colour = tuple[int, int, int]
Point = tuple[float, float]
SUPERSAMPLING = 2  # drawn so many times larger, then reduced for smooth edges


class Canvas:
    """Shapes, measured from the upper left."""

    def __init__(self, width: int, height: int, background: Colour) -> None:
        self.size = (width, height)
        self.unit = height * SUPERSAMPLING / 100
        self.width_units = 100 * width / height
        self.image = Image.new("RGB", (width * SUPERSAMPLING, height * SUPERSAMPLING), background)
        self.draw = ImageDraw.Draw(self.image)

    def reduced(self) -> Image.Image:
        """Return the picture in its final size."""
        return self.image.resize(self.size, Image.Resampling.BOX)

    def disc(self, x: float, y: float, radius: float, colour: Colour) -> None:
        """Fill a circle."""
        self.draw.ellipse(
            [v * self.unit for v in (x - radius, y - radius, x + radius, y + radius)], colour
        )

    def oval(
        self,
        x: float,
        y: float,
        radius_x: float,
        radius_y: float,
        colour: Colour,
        degrees: float = 0,
    ) -> None:
        """Fill an ellipse, turned clockwise by so many degrees."""
        c, s = cos(degrees * pi / 180), sin(degrees * pi / 180)
        outline = [
            (radius_x * cos(step * pi / 36), radius_y * sin(step * pi / 36)) for step in range(72)
        ]
        self.shape([(x + a * c - b * s, y + a * s + b * c) for a, b in outline], colour)

    def shape(self, points: list[Point], colour: Colour) -> None:
        """Fill a polygon."""
        self.draw.polygon([(x * self.unit, y * self.unit) for x, y in points], colour)

    def line(self, points: list[Point], colour: Colour, width: float) -> None:
        """Draw a line through the points, with round ends."""
        self.draw.line(
            [(x * self.unit, y * self.unit) for x, y in points],
            colour,
            round(width * self.unit),
            "curve",
        )
        for x, y in points:
            self.disc(x, y, width / 2, colour)


def colour_of(hue: float, lightness: float, saturation: float) -> Colour:
    """Return a colour. All values are between 0 and 1; hues repeat."""
    red, green, blue = hls_to_rgb(hue % 1, lightness, saturation)
    return round(red * 255), round(green * 255), round(blue * 255)


def shade(colour: Colour, factor: float) -> Colour:
    """Return a darker colour, or a lighter one with a factor above 1."""
    red, green, blue = (min(255, round(part * factor)) for part in colour)
    return red, green, blue


def mix(colour: Colour, other_colour: Colour, share: float) -> Colour:
    """Return a mixture of two colours, with this share of the second."""
    share = min(share, 1)
    red, green, blue = (
        round(a + (b - a) * share) for a, b in zip(colour, other_colour, strict=True)
    )
    return red, green, blue


class RandomPicture(Canvas):
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
