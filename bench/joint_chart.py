"""Draw the recall curves of `bench/results/joint.md` as `docs/joint_recall.svg`.

    python bench/joint_chart.py

One panel a graph, k = 10, recall against epsilon on a logarithmic axis.
"""

from __future__ import annotations

import math
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS, CHART = ROOT / "bench" / "results" / "joint.md", ROOT / "docs" / "joint_recall.svg"
STYLES = {
    "SLD, largest degree declared": ("#8a8a8a", "5 3"),
    "degree": ("#0072b2", "none"),
    "version 2, no bound": ("#e69f00", "none"),
    "both, no bound": ("#b0003a", "none"),
}
WIDTH, HEIGHT, LEFT, TOP, GAP = 200, 150, 40, 50, 44

Curves = dict[str, list[float]]


def main() -> None:
    epsilons, panels = recorded(RESULTS.read_text(encoding="utf-8"))
    drawn = [panel(name, epsilons, curves, place) for place, (name, curves) in enumerate(panels.items())]
    total = LEFT + len(panels) * (WIDTH + GAP)
    CHART.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {TOP + HEIGHT + 50}" '
        f'font-family="sans-serif" font-size="12">\n<rect width="100%" height="100%" fill="white"/>\n'
        + legend()
        + "".join(drawn)
        + "</svg>\n",
        encoding="utf-8",
    )


def recorded(text: str) -> tuple[list[float], dict[str, Curves]]:
    """Read the tables of recall for k = 10."""
    epsilons: list[float] = []
    panels: dict[str, Curves] = {}
    name = ""
    for line in text.splitlines():
        if line.startswith("**"):
            name = line.split("**")[1]
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "k" and cells[2] == "method":
            epsilons = [float(cell) for cell in cells[3:]]
        if cells[0] == "10" and cells[2] in STYLES:
            panels.setdefault(name, {})[cells[2]] = [float(cell) for cell in cells[3:]]
    return epsilons, panels


def panel(name: str, epsilons: list[float], curves: Curves, place: int) -> str:
    """Return one graph's axes and curves."""
    left = LEFT + place * (WIDTH + GAP)
    first, last = math.log(epsilons[0]), math.log(epsilons[-1])

    def point(epsilon: float, value: float) -> tuple[float, float]:
        return left + WIDTH * (math.log(epsilon) - first) / (last - first), TOP + HEIGHT * (1 - value)

    parts = [f'<text x="{left}" y="{TOP - 8}" font-weight="bold">{name}</text>']
    for value in (0, 0.25, 0.5, 0.75, 1):
        y = point(epsilons[0], value)[1]
        parts.append(f'<line x1="{left}" x2="{left + WIDTH}" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
        parts.append(
            f'<text x="{left - 5}" y="{y + 4:.1f}" text-anchor="end" fill="#555555">{value:g}</text>'
        )
    for epsilon in epsilons:
        x = point(epsilon, 0)[0]
        parts.append(
            f'<text x="{x:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle" fill="#555555">{epsilon:g}</text>'
        )
    parts.append(f'<text x="{left + WIDTH / 2}" y="{TOP + HEIGHT + 34}" text-anchor="middle">epsilon</text>')
    for method, values in curves.items():
        color, dashes = STYLES[method]
        path = " ".join("{:.1f},{:.1f}".format(*point(*pair)) for pair in zip(epsilons, values, strict=True))
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2" stroke-dasharray="{dashes}"/>'
        )
    return "\n".join(parts) + "\n"


def legend() -> str:
    """Return the names of the methods with their strokes."""
    parts = []
    for place, (method, (color, dashes)) in enumerate(STYLES.items()):
        x = LEFT + 240 * place
        label = method if method.startswith("SLD") else f"joint, {method}"
        stroke = f'stroke="{color}" stroke-width="2" stroke-dasharray="{dashes}"'
        parts.append(f'<line x1="{x}" x2="{x + 24}" y1="16" y2="16" {stroke}/>')
        parts.append(f'<text x="{x + 30}" y="20">{label}</text>')
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    main()
