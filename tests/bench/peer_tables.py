# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Tables of what other packages take on the same GPU (docs/blur.md, docs/lightfield.md, docs/saliency.md), for tables.py: from
docs/bench/peers.json (./run bench --peers --json)."""


class PeerTables:
    """load, time, table: those of tables.py."""

    OURS = "Fovea"

    def __init__(self, load, time, table):
        self.load, self.time, self.table = load, time, table

    def all(self):
        return {"peers_machine": self.machine, "peers_blur": self.blurs, "peers_lightfield": lambda: self.plain("lightfield"),
                "peers_blobs": lambda: self.plain("blobs")}  # fmt: skip

    def rows(self, task):
        return [row for row in self.load("peers")["rows"] if row["task"] == task]

    def machine(self):
        of = self.load("peers")["machine"]
        packages = ", ".join(f"{name.removesuffix('-cuda13x').removesuffix('-cu13')} {version}" for name, version in of["packages"].items())
        return f"{of['CUDA device']}, commit {of['commit'][:7]}, {of['date'][:10]}; {packages}"

    def cell(self, row, ours):
        """A time, and how many times ours that is."""
        if not row or "us" not in row:
            return ""
        mark = {"calls": "*", "one call": "**"}.get(row["how"], "")
        return self.time(row["us"]) + mark + ("" if row is ours or not ours else f" ({self.factor(row['us'] / ours['us'])})")

    def factor(self, times):
        return f"{times:.1f}" if times < 100 else f"{times:,.0f}"

    def blurs(self):
        rows = self.rows("blur")
        sigmas, peers = (list(dict.fromkeys(row[key] for row in rows)) for key in ("sigma_px", "peer"))
        lines = []
        for size in dict.fromkeys(row["size"] for row in rows):
            at = {(row["peer"], row["sigma_px"]): row for row in rows if row["size"] == size}
            for peer in peers:
                errors = [row["error_levels"] for (other, _), row in at.items() if other == peer and "error_levels" in row]
                cells = [self.cell(at.get((peer, sigma)), at.get((self.OURS, sigma))) for sigma in sigmas]
                if errors:
                    lines.append([size, peer, *cells, f"{max(errors):.2f}"])
        return self.table(["", "sigma in px:", *(f"{sigma:g}" for sigma in sigmas), "levels off"], lines)

    def plain(self, task):
        rows = [row for row in self.rows(task) if "us" in row]
        ours = next((row for row in rows if row["peer"].startswith(self.OURS)), None)
        has_errors = any("error_levels" in row for row in rows)
        lines = [[row["peer"], self.cell(row, ours), *([f"{row['error_levels']:.2f}"] if has_errors else [])] for row in rows]
        return self.table(["", "time", *(["levels off"] if has_errors else [])], lines)
