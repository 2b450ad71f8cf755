"""Birds of a few builds, in front of a background."""

from math import cos, pi, sin

from .canvas import RandomPicture, mix, shade


class Bird(RandomPicture):
    """A bird."""

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

    def eye(self, x: float, y: float, radius: float) -> None:
        """Draw an eye: dark, with a light in it."""
        self.disc(x, y, radius, (22, 22, 28))
        self.disc(x + radius * 0.3, y - radius * 0.35, radius * 0.34, (255, 255, 255))
