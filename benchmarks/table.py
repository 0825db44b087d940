"""What the benchmarks print and keep."""

from __future__ import annotations

from typing import Any


class Table:
    """Rows of figures, printed as they come and kept for a file."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []

    def title(self, text: str) -> None:
        """Begin a part of the table."""
        print(f"\n{text}")

    def row(self, label: str, value: float, unit: str, wanted: str = "", note: str = "") -> None:
        """Add a figure, and what is wanted of it."""
        self.rows.append({"label": label, "value": value, "unit": unit, "wanted": wanted, "note": note})
        print(f"  {label:52} {value:9.3g} {unit:10} {wanted:14} {note}", flush=True)
