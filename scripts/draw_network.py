#!/usr/bin/env python3
"""Draw the pictures of docs/network.md: torus, twist, cube and cross-connect.

usage: scripts/draw_network.py [--check]

Writes docs/images/{torus,twist,cube,cross-connect}.svg; --check: exits with 1 if one of them is not what would
be written.
"""
import pathlib
import sys

OUT = pathlib.Path(__file__).resolve().parent.parent / "docs/images"
INK, GREY, RED = "#445", "#8890a8", "#c0392b"
FILLS = ["#dfe7fd", "#d8f3dc", "#fff1c9", "#ffd9d0", "#ead9f7"]
LINES = ["#3a5fcd", "#2e8b57", "#c99700", "#d1495b"]


class Picture:
    def __init__(self, width, height):
        self.size = (width, height)
        self.body = []

    def line(self, x1, y1, x2, y2, color=INK, width=1.4, extra=""):
        self.body.append(f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{color}" '
                         f'stroke-width="{width:g}"{extra}/>')

    def path(self, d, color=INK, width=1.4, extra=""):
        self.body.append(f'<path d="{d}" fill="none" stroke="{color}" stroke-width="{width:g}"{extra}/>')

    def box(self, x, y, w, h, fill="#ffffff", color=INK, radius=6):
        self.body.append(f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{radius}" '
                         f'fill="{fill}" stroke="{color}" stroke-width="1.2"/>')

    def dot(self, x, y, r, fill="#ffffff", color=INK):
        self.body.append(f'<circle cx="{x:g}" cy="{y:g}" r="{r:g}" fill="{fill}" stroke="{color}" '
                         f'stroke-width="1.2"/>')

    def polygon(self, points, fill):
        text = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.body.append(f'<polygon points="{text}" fill="{fill}" fill-opacity="0.55" stroke="none"/>')

    def text(self, x, y, words, size=13, anchor="middle", color="#112", bold=False):
        weight = ' font-weight="bold"' if bold else ""
        self.body.append(f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}" '
                         f'fill="{color}"{weight}>{words}</text>')

    def svg(self):
        w, h = self.size
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" '
                f'font-family="Helvetica, Arial, sans-serif">\n<rect width="{w}" height="{h}" '
                'fill="#ffffff"/>\n' + "\n".join(self.body) + "\n</svg>\n")


def torus():
    """4 x 4: nodes, wraps, datelines, the ports of a node and two routes."""
    p = Picture(860, 470)
    left, top, step, n = 90, 90, 92, 4

    def at(x, y):
        return left + step * x, top + step * (n - 1 - y)

    dash = ' stroke-dasharray="6 4"'
    for i in range(n):
        (x0, y0), (x1, _) = at(0, i), at(n - 1, i)
        p.line(x0, y0, x1, y0)
        p.path(f"M{x1:g} {y0:g}C{x1 + 62:g} {y0 - 44:g} {x0 - 62:g} {y0 - 44:g} {x0:g} {y0:g}", GREY, 1.2, dash)
        (x0, y0), (_, y1) = at(i, 0), at(i, n - 1)
        p.line(x0, y0, x0, y1)
        p.path(f"M{x0:g} {y1:g}C{x0 + 44:g} {y1 - 62:g} {x0 + 44:g} {y0 + 62:g} {x0:g} {y0:g}", GREY, 1.2, dash)

    def route(points, color, wrap=None):
        for a, b in zip(points, points[1:]):
            (xa, ya), (xb, yb) = at(*a), at(*b)
            if wrap == (a, b):
                p.path(f"M{xa:g} {ya:g}C{xa + 62:g} {ya - 44:g} {xb - 62:g} {yb - 44:g} {xb:g} {yb:g}", color, 3.5)
            else:
                p.line(xa, ya, xb, yb, color, 3.5)

    route([(0, 0), (1, 0), (2, 0), (2, 1)], LINES[0])
    route([(3, 2), (0, 2), (0, 3)], LINES[1], ((3, 2), (0, 2)))
    for y in range(n):
        for x in range(n):
            px, py = at(x, y)
            p.dot(px, py, 17, FILLS[0])
            p.text(px, py + 5, x + n * y, 13, bold=True)
    p.text(left + 1.5 * step, 30, "4 x 4 torus", 15, bold=True)
    p.text(left + 1.5 * step, 440, "node = x + 4 y; wraps dashed", 12, color="#556")
    # A node and its ports.
    cx, cy = 640, 130
    p.text(cx, 30, "a node", 15, bold=True)
    p.box(cx - 62, cy - 42, 124, 84, FILLS[0])
    p.text(cx, cy - 6, "router", 14, bold=True)
    p.text(cx, cy + 14, "5 ports in 2-D", 12)
    for dx, dy, name, anchor in ((1, 0, "port 0: +x", "start"), (-1, 0, "port 1: -x", "end"),
                                 (0, -1, "port 2: +y", "middle"), (0, 1, "", "middle")):
        p.line(cx + 62 * dx, cy + 42 * dy, cx + (62 + 36) * dx, cy + (42 + 24) * dy, INK, 2)
        p.text(cx + 104 * dx, cy + 5 + 78 * dy, name, 12, anchor)
    p.text(cx + 12, cy + 60, "port 3: -y", 12, "start")
    p.line(cx - 40, cy + 42, cx - 62, cy + 74, INK, 2)
    p.box(cx - 122, cy + 74, 104, 44, FILLS[1])
    p.text(cx - 70, cy + 92, "interface", 13, bold=True)
    p.text(cx - 70, cy + 108, "port 4: chip", 11)
    # Legend.
    y = 300
    for color, head, lines in (
            (LINES[0], "0 to 6: legs (+x, 2 hops) (+y, 1 hop)",
             ("no wrap: the class of each leg is a hash,", "which shares the load between the classes")),
            (LINES[1], "11 to 12: legs (+x, 1 hop) (+y, 1 hop)",
             ("over the wrap of x: starts in class 0;", "the dateline there moves it to class 1"))):
        p.line(500, y - 5, 532, y - 5, color, 4)
        p.text(544, y, head, 13, "start", bold=True)
        for i, words in enumerate(lines):
            p.text(544, y + 19 + 17 * i, words, 12, "start", "#556")
        y += 76
    return p


def twist():
    """4 x 8 and its twist: where the x wraps lead, and what ring they make."""
    p = Picture(860, 500)
    step, n, m, top = 50, 4, 8, 84
    for left, title, shift in ((120, "regular 4 x 8", 0), (550, "twisted 4 x 8: +x wraps to y + 4", 4)):
        p.text(left + 1.5 * step, 34, title, 15, bold=True)

        def at(x, y, left=left):
            return left + step * x, top + step * (m - 1 - y)

        for x in range(n):
            p.line(*at(x, 0), *at(x, m - 1), "#c5cad8", 1.2)
        for y in range(m):
            ring = y % 4 if shift else y
            marked = ring == 1
            color = LINES[0] if marked else INK
            width = 3 if marked else 1.2
            (x0, py), (x1, _) = at(0, y), at(n - 1, y)
            p.line(x0 - 30, py, x1 + 30, py, color, width)
            p.text(x1 + 36, py + 4, f"to (0,{(y + shift) % m})", 11, "start", color, marked)
            p.text(x0 - 36, py + 4, f"to (3,{(y - shift) % m})", 11, "end", color, marked)
            for x in range(n):
                p.dot(*at(x, y), 11, FILLS[0] if marked else "#ffffff", color)
                p.text(at(x, y)[0], py + 4, y, 11)
    p.text(195, 474, "an x ring has 4 nodes; blue: the ring of y = 1", 12, color="#556")
    p.text(625, 474, "y and y + 4 share an x ring of 8 nodes; blue: one of them", 12, color="#556")
    p.text(410, 226, "mean hops", 12, color="#556")
    p.text(410, 246, "3.0 to 2.625", 13, bold=True)
    p.text(410, 282, "farthest", 12, color="#556")
    p.text(410, 302, "6 to 4", 13, bold=True)
    p.text(410, 338, "all-to-all bound", 12, color="#556")
    p.text(410, 358, "1.52 x", 13, bold=True)
    return p


def cube():
    """A cube of 4 x 4 x 4: cables inside, face links to the cross-connects."""
    p = Picture(860, 470)
    ex, ey, ez = (58, 17), (0, -62), (-40, 26)
    ox, oy = 230, 300

    def at(x, y, z):
        return (ox + x * ex[0] + y * ey[0] + z * ez[0], oy + x * ex[1] + y * ey[1] + z * ez[1])

    p.text(250, 34, "a cube: 4 x 4 x 4 nodes", 15, bold=True)
    front = [(x, y, 3) for x in range(4) for y in range(4)]
    right = [(3, y, z) for y in range(4) for z in range(4)]
    upper = [(x, 3, z) for x in range(4) for z in range(4)]
    seen = sorted(set(front + right + upper), key=lambda c: (c[2], c[0], c[1]))
    p.polygon([at(0, 0, 3), at(3, 0, 3), at(3, 3, 3), at(0, 3, 3)], FILLS[0])
    p.polygon([at(3, 0, 3), at(3, 0, 0), at(3, 3, 0), at(3, 3, 3)], FILLS[3])
    p.polygon([at(0, 3, 3), at(3, 3, 3), at(3, 3, 0), at(0, 3, 0)], FILLS[1])
    for c in seen:
        for d in range(3):
            other = list(c)
            other[d] += 1
            if tuple(other) in seen:
                p.line(*at(*c), *at(*other), INK, 1.2)
    # Face links: out of the +x face, the +y face and the far side of z.
    for y in range(4):
        for z in range(4):
            a = at(3, y, z)
            p.line(a[0], a[1], a[0] + 34, a[1] + 10, LINES[3], 1.6)
    for x in range(4):
        for z in range(4):
            a = at(x, 3, z)
            p.line(a[0], a[1], a[0], a[1] - 30, LINES[1], 1.6)
    for x in range(4):
        for y in range(4):
            a = at(x, y, 3)
            p.line(a[0], a[1], a[0] - 20, a[1] + 13, LINES[0], 1.6)
    for c in seen:
        p.dot(*at(*c), 6.5, "#ffffff")
    p.text(470, 330, "+x face", 12, "start", LINES[3], True)
    p.text(300, 62, "+y face", 12, "start", LINES[1], True)
    p.text(28, 452, "+z face", 12, "start", LINES[0], True)
    x = 560
    for i, (words, bold) in enumerate((
            ("inside: copper cables", True),
            ("3 x 4 x 4 x 3 = 144 cables,", False), ("always there", False), ("", False),
            ("faces: optical", True),
            ("6 faces x 16 links = 96 fibres", False),
            ("each to a cross-connect, by its", False),
            ("dimension and place on the face", False), ("", False),
            ("48 cross-connects in a pod", True),
            ("3 dimensions x 16 places; each", False),
            ("joins + faces of cubes with", False),
            ("- faces, any with any", False))):
        p.text(x, 110 + 22 * i, words, 13, "start", "#112" if bold else "#556", bold)
    return p


def cross_connect():
    """One cross-connect: slices are settings of its mirrors."""
    p = Picture(860, 400)
    p.text(430, 30, "one cross-connect (dimension z, one place on the face)", 15, bold=True)
    names = ["cube 0", "cube 1", "cube 2", "cube 3", "cube 4"]
    owner = [0, 1, 0, 2, 0]
    xs = [60 + 160 * i for i in range(5)]
    for i, name in enumerate(names):
        dead = i == 3
        p.box(xs[i], 60, 120, 66, "#f0f0f0" if dead else FILLS[owner[i]], RED if dead else INK)
        p.text(xs[i] + 60, 88, name, 14, bold=True)
        p.text(xs[i] + 60, 108, "failed" if dead else ("slice A" if owner[i] == 0 else "slice B"), 12,
               color=RED if dead else "#556")
        for dx, sign in ((32, "+z"), (88, "-z")):
            p.line(xs[i] + dx, 126, xs[i] + dx, 190, GREY if dead else INK, 1.4)
            p.text(xs[i] + dx + 5, 148, sign, 11, "start", "#556")
    p.box(30, 190, 800, 130, "#f6f7fb", GREY)
    p.text(50, 310, "mirrors", 12, "start", "#667")

    def joint(a, b, color, depth, extra=""):
        xa, xb = xs[a] + 32, xs[b] + 88
        p.path(f"M{xa:g} 190C{xa:g} {190 + depth:g} {xb:g} {190 + depth:g} {xb:g} 190", color, 2.6, extra)

    joint(0, 2, LINES[0], 88)
    joint(2, 4, LINES[0], 88)
    joint(4, 0, LINES[0], 150, ' stroke-dasharray="7 4"')
    joint(1, 1, LINES[1], 52, ' stroke-dasharray="7 4"')
    p.text(430, 350, "slice A, 4 x 4 x 12, is made of cubes 0, 2 and 4: neighbours need not stand side by side, and a cube that fails "
           "is replaced by a setting.", 12, color="#556")
    p.text(430, 370, "slice B, 4 x 4 x 4, closes on itself. No mirror joins two slices. Dashed: the wrap of a slice, "
           "where its dateline is.", 12, color="#556")
    return p


def main():
    pictures = {"torus": torus, "twist": twist, "cube": cube, "cross-connect": cross_connect}
    stale = []
    for name, draw in pictures.items():
        path, text = OUT / f"{name}.svg", draw().svg()
        if "--check" in sys.argv[1:]:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                stale.append(name)
        else:
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"not what scripts/draw_network.py draws: {', '.join(stale)}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
