"""Pictures of measurements, as SVG: lines on two logarithmic scales, and bars."""
from math import ceil, floor, log10

COLOURS = ["#1f6feb", "#bc4c00", "#1a7f37", "#8250df", "#57606a", "#9a6700", "#bf3989", "#0550ae", "#cf222e", "#116329"]
LEFT, TOP, WIDE, HIGH = 70, 40, 430, 260


def _frame(title, wide, high, body):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" font-family="sans-serif" font-size="13">'
        f'<title>{title}</title><rect width="{wide}" height="{high}" fill="#fff"/>{body}</svg>\n'
    )


def short(value):
    """A number as it is written on an axis: 20k, 3M."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:g}{name}"
    return f"{value:g}"


def lines(title, across, series, at_ends=False):
    """A line for each of the series, a dictionary from a name to its points. The names are above, and each point has its value. With
    `at_ends`, for many lines, the names are right of the lines' ends instead, and points have no values."""
    points = [point for of_one in series.values() for point in of_one]
    first, last = floor(log10(min(x for x, _ in points))), ceil(log10(max(x for x, _ in points)))
    low, up = floor(log10(min(y for _, y in points))), ceil(log10(max(y for _, y in points)))
    at_x = lambda x: LEFT + WIDE * (log10(x) - first) / max(last - first, 1)
    at_y = lambda y: TOP + HIGH * (up - log10(y)) / max(up - low, 1)
    body = ""
    for power in range(first, last + 1):
        x = at_x(10**power)
        body += f'<path d="M{x:.1f},{TOP}v{HIGH}" stroke="#ddd"/><text x="{x:.1f}" y="{TOP + HIGH + 18}" text-anchor="middle">{short(10**power)}</text>'
    for power in range(low, up + 1):
        y = at_y(10**power)
        body += f'<path d="M{LEFT},{y:.1f}h{WIDE}" stroke="#ddd"/><text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{short(10.0**power)}</text>'
    colours = {name: COLOURS[number % len(COLOURS)] for number, name in enumerate(series)}
    for name, of_one in series.items():
        path = " ".join(f"{at_x(x):.1f},{at_y(y):.1f}" for x, y in of_one)
        body += f'<polyline points="{path}" fill="none" stroke="{colours[name]}" stroke-width="2"/>'
        body += "".join(f'<circle cx="{at_x(x):.1f}" cy="{at_y(y):.1f}" r="3" fill="{colours[name]}"/>' for x, y in of_one)
    if at_ends:
        body += f'<text x="{LEFT}" y="22">{title}</text>' + _names_at_ends(series, colours, at_y)
    else:
        body += _names_above(series, colours, at_x, at_y)
    body += f'<text x="{LEFT + WIDE / 2}" y="{TOP + HIGH + 42}" text-anchor="middle">{across}</text>'
    return _frame(title, LEFT + WIDE + (200 if at_ends else 40), TOP + HIGH + 56, body)


def _names_above(series, colours, at_x, at_y):
    """The names above the lines, and the value of each point."""
    body = ""
    for number, (name, of_one) in enumerate(series.items()):
        body += f'<text x="{LEFT + number * 150}" y="22" fill="{colours[name]}">{name}</text>'
        for x, y in of_one:
            value = f"{y:,.0f}" if y >= 100 else f"{y:.2g}"
            place = f'x="{at_x(x):.1f}" y="{at_y(y) - 8:.1f}" text-anchor="middle"'
            body += f'<text {place} font-size="11" fill="{colours[name]}">{value}</text>'
    return body


def _names_at_ends(series, colours, at_y):
    """The names right of the lines, from the top, so far apart that they can be read."""
    body, free = "", 0
    for name, of_one in sorted(series.items(), key=lambda one: -one[1][-1][1]):
        end = at_y(of_one[-1][1])
        y = max(end, free)
        free = y + 15
        body += f'<path d="M{LEFT + WIDE + 4},{end:.1f}L{LEFT + WIDE + 24},{y:.1f}" stroke="{colours[name]}"/>'
        body += f'<text x="{LEFT + WIDE + 28}" y="{y + 4:.1f}" fill="{colours[name]}">{name}</text>'
    return body


def bars(title, values):
    """A bar for each of the values, a dictionary from a name to a number, with the number beside it."""
    body, largest = f'<text x="12" y="22">{title}</text>', max(values.values())
    for number, (name, value) in enumerate(values.items()):
        y, wide = 38 + number * 30, 300 * value / largest
        body += f'<text x="190" y="{y + 15}" text-anchor="end">{name}</text>'
        body += f'<rect x="198" y="{y}" width="{wide:.1f}" height="20" fill="{COLOURS[0]}"/>'
        body += f'<text x="{204 + wide:.1f}" y="{y + 15}">{value:,.0f}</text>'
    return _frame(title, 580, 48 + len(values) * 30, body)
