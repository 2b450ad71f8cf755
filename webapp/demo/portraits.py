"""Draw members' pictures: birds of a few builds, and landscapes. A login always gets the same."""

from __future__ import annotations

from math import cos, pi, sin
from random import Random

from PIL import Image

from .canvas import Canvas, Colour, colour_of, mix, shade

AVATAR_SIZE = (400, 400)  # pixels
HEADER_SIZE = (1500, 500)
OWLS = "owl 鸮 鸺鹠".split()
WADERS = "heron egret crane stork bittern curlew godwit shank avocet 鹭 鹤 鹳 鹮 鹬".split()
DUCKS = (
    "duck goose swan teal eider grebe mallard pintail coot moorhen shoveler wigeon gadwall "
    "pochard smew greylag "
    "鸭 鹅 雁 䴙䴘 鸳鸯 骨顶"
).split()


def draw_avatar(login: str, name: str) -> Image.Image:
    """Return a square picture of a member's bird."""
    rng = Random(f"{login} avatar")
    picture = Picture(*AVATAR_SIZE, rng)
    picture.background()
    kind = name.lower()
    if any(word in kind for word in OWLS):
        picture.owl()
    elif any(word in kind for word in DUCKS):
        picture.duck()
    elif any(word in kind for word in WADERS):
        picture.wader()
    else:
        picture.songbird()
    return picture.finish()


def draw_header(login: str, name: str) -> Image.Image:
    """Return a wide picture of hills, a sun or moon, reeds and a flock."""
    picture = Picture(*HEADER_SIZE, Random(f"{login} header"))
    picture.landscape()
    return picture.finish()


class Picture(Canvas):
    """A bird or a landscape, in random colours that go together."""

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

    def background(self) -> None:
        """Draw a disc, hills, stripes, dots or leaves."""
        kind = self.rng.choice("disc hills stripes dots leaves".split())
        if kind == "disc":
            self.disc(50, 48, self.rng.uniform(34, 42), self.horizon)
        elif kind == "hills":
            self.disc(self.rng.uniform(20, 80), 24, 11, self.horizon)
            self.hill(62, 8, shade(self.sky, 0.85))
            self.hill(78, 5, shade(self.sky, 0.7))
        elif kind == "stripes":
            for x_offset in range(-100, 100, 22):
                self.shape(
                    [
                        (x_offset, 100),
                        (x_offset + 11, 100),
                        (x_offset + 111, 0),
                        (x_offset + 100, 0),
                    ],
                    mix(self.sky, self.horizon, 0.5),
                )
        elif kind == "dots":
            for x in range(6, 100, 16):
                for y in range(6, 100, 16):
                    self.disc(x + 4 * (y // 16 % 2), y, 2.6, mix(self.sky, self.horizon, 0.7))
        else:
            for _ in range(14):
                self.leaf(
                    self.rng.uniform(0, 100), self.rng.uniform(0, 100), self.rng.random() * 2 * pi
                )

    def songbird(self) -> None:
        """Draw a small bird on a twig, looking to the right."""
        plump = self.rng.uniform(0.92, 1.12)
        self.shape([(0, 84), (100, 78), (100, 81), (0, 88)], self.shadow)
        for x in (48, 56):
            self.line([(x, 70), (x + 1, 82)], self.beak, 1.6)
        tail = self.rng.uniform(6, 20)
        self.shape(
            [(34, 56), (30 - tail, 70 + tail * 0.5), (36 - tail, 76 + tail * 0.5), (46, 66)],
            self.wing,
        )
        self.oval(52, 56, 23, 17 * plump, self.body, 18)
        self.oval(59, 61, 15, 12 * plump, self.breast, 18)
        self.disc(66, 37, 13.5, self.body)
        if self.rng.random() < 0.5:
            self.oval(69, 42, 9, 7, self.breast)
        if self.rng.random() < 0.25:
            self.shape([(60, 28), (54, self.rng.uniform(12, 18)), (69, 25)], self.body)
        self.oval(45, 55, 17, 9.5, self.wing, 26)
        self.line([(33, 60), (52, 62)], shade(self.wing, 0.8), 1.2)
        beak_length = self.rng.choice((8, 9, 10, 18))
        self.shape([(78, 34), (78 + beak_length, 38), (78, 41)], self.beak)
        self.eye(70, 35, 2.6)

    def owl(self) -> None:
        """Draw an owl, from the front."""
        self.shape([(32, 34), (30, 12), (48, 26)], self.body)
        self.shape([(68, 34), (70, 12), (52, 26)], self.body)
        self.oval(50, 60, 25, 34, self.body)
        self.oval(50, 70, 17, 22, self.breast)
        for row in range(4):
            for x in range(-row % 2 * 4 + 38, 64, 8):
                self.oval(x, 62 + row * 7, 2.4, 1.6, self.wing)
        for x in (39, 61):
            self.disc(x, 40, 13, self.breast)
            self.disc(x, 40, 8, self.beak)
            self.eye(x, 40, 4.6)
        self.shape([(46, 46), (54, 46), (50, 56)], self.shadow)
        self.shape([(0, 92), (100, 88), (100, 94), (0, 98)], self.shadow)

    def duck(self) -> None:
        """Draw a duck, a goose or a swan on the water."""
        neck = self.rng.choice((30, 34, 40))
        self.shape([(16, 52), (8, 44), (34, 60)], self.wing)
        self.oval(46, 66, 32, 17, self.body)
        self.line([(66, 62), (70, neck)], self.body, 13)
        self.disc(71, neck, 10.5, self.rng.choice((self.body, self.wing, shade(self.breast, 0.8))))
        self.line([(65, 52), (74, 52)], self.breast, 3)
        self.oval(40, 63, 21, 10, self.wing, 8)
        self.oval(40, 60, 15, 4, self.breast, 8)
        self.oval(84, neck + 3, 8, 3, self.beak)
        self.eye(73, neck - 2, 2.2)
        self.shape([(0, 74), (100, 74), (100, 100), (0, 100)], mix(self.sky, self.shadow, 0.35))
        for y in (80, 87, 94):
            self.line(
                [(self.rng.uniform(5, 30), y), (self.rng.uniform(50, 95), y)], self.horizon, 1.2
            )

    def wader(self) -> None:
        """Draw a bird with long legs and a long beak, in shallow water."""
        self.shape([(0, 86), (100, 86), (100, 100), (0, 100)], mix(self.sky, self.shadow, 0.35))
        for x in (44, 52):
            self.line([(x, 62), (x - 2, 76), (x + 1, 92)], self.beak, 1.8)
        self.shape([(20, 58), (12, 66), (36, 64)], self.wing)
        self.oval(45, 54, 24, 13, self.body, -12)
        self.oval(40, 53, 18, 8, self.wing, -6)
        bend = self.rng.uniform(6, 12)
        self.line([(62, 50), (70, 42), (66 - bend / 2, 30), (70, 20)], self.body, 6.5)
        self.disc(71, 19, 7, self.body)
        self.shape(
            [(76, 16), (self.rng.uniform(92, 98), self.rng.uniform(20, 30)), (76, 22)], self.beak
        )
        self.eye(73, 17, 1.8)

    def landscape(self) -> None:
        """Draw hills in layers under a sun or a moon."""
        for y in range(100):
            self.shape(
                [(0, y), (self.width_units, y), (self.width_units, y + 1), (0, y + 1)],
                mix(self.sky, self.horizon, y / 80),
            )
        sun_x, sun_y, radius = (
            self.rng.uniform(40, 260),
            self.rng.uniform(22, 46),
            self.rng.uniform(9, 17),
        )
        self.disc(sun_x, sun_y, radius, mix(self.horizon, (255, 252, 240), 0.7))
        layers = self.rng.choice((3, 4, 5))
        for layer in range(layers):
            share = (layer + 1) / layers
            self.hill(
                48 + 40 * share,
                self.rng.uniform(4, 11),
                mix(self.horizon, self.shadow, 0.15 + 0.55 * share),
            )
        middle, height = self.rng.uniform(60, 240), self.rng.uniform(18, 40)
        for _ in range(self.rng.randint(4, 13)):
            self.gull(
                middle + self.rng.gauss(0, 26),
                height + self.rng.gauss(0, 8),
                self.rng.uniform(1.6, 3.6),
            )
        if self.rng.random() < 0.5:
            edge = self.rng.choice((0, self.width_units - 70))
            for _ in range(40):
                x, height = edge + self.rng.uniform(0, 70), self.rng.uniform(58, 84)
                self.line(
                    [(x, 101), (x + self.rng.uniform(-4, 4), height)], shade(self.shadow, 0.8), 0.7
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

    def leaf(self, x: float, y: float, angle: float) -> None:
        """Draw a pointed oval."""
        ends = [
            (x + 11 * cos(angle), y + 11 * sin(angle)),
            (x - 11 * cos(angle), y - 11 * sin(angle)),
        ]
        side = (4 * sin(angle), -4 * cos(angle))
        self.shape(
            [ends[0], (x + side[0], y + side[1]), ends[1], (x - side[0], y - side[1])],
            mix(self.sky, self.horizon, 0.7),
        )

    def gull(self, x: float, y: float, span: float) -> None:
        """Draw a distant bird: two strokes."""
        wings = [(x - span, y - span * 0.5), (x - span * 0.4, y - span * 0.6), (x, y)]
        self.line(
            [*wings, (x + span * 0.4, y - span * 0.6), (x + span, y - span * 0.5)], self.shadow, 0.6
        )

    def eye(self, x: float, y: float, radius: float) -> None:
        """Draw an eye: dark, with a light in it."""
        self.disc(x, y, radius, (22, 22, 28))
        self.disc(x + radius * 0.3, y - radius * 0.35, radius * 0.34, (255, 255, 255))
