#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Filters and states of the gaze against recordings with events of their tracker; prints the tables of docs/gaze.md.

    FOVEA_LIB=build/release/plugin/libfovea.so PYTHONPATH=python python3 tests/quality/gaze_filters.py

The recordings are those of the tests of eyelinkio 0.3, of an EyeLink; nothing says who looked at what. Needs eyelinkio, pymovements,
remodnav, I2MC and OneEuroFilter of the Python package index, and the package fovea. Fovea plays each as a scanpath and is asked at the time of
each sample, so it knows nothing of what comes after; remodnav, I2MC and pymovements are given the whole recording. Takes some minutes.

- Pixels a degree: 37 is what test_raw's own validation says. The others say none: what the 25th percentile of their saccades needs for
  the tracker's peak velocities is taken 6 % smaller, because test_raw is 6 % off by that.
- Left out are saccades that the tracker says a blink was in, blinks, and samples without a place.
"""

import contextlib
import ctypes
import io
import os
import pathlib
import tempfile
import warnings

import eyelinkio
import I2MC
import numpy as np
import pandas
import pymovements
import remodnav.clf
from OneEuroFilter import OneEuroFilter

from fovea import _gaze_source, _library, _settings

warnings.filterwarnings("ignore")
SCREEN_PX = (1920, 1080)
FIXATION, SACCADE = 3, 4
RECORDINGS = (("test_raw", 0, 37.0), ("test_2_raw", 0, 37.5), ("test_raw_binocular", 0, 50.0), ("test_raw_binocular", 1, 50.0))


# ---- Recordings


class Recording:
    def __init__(self, name, eye, ppd):
        path = pathlib.Path(eyelinkio.__file__).parent / "tests" / "data" / f"{name}.edf"
        edf = eyelinkio.read_edf(str(path))
        eyes = len(edf["samples"]) // 3
        self.name, self.hz = f"{name}, {'left' if eye == 0 else 'right'}", float(edf["info"]["sfreq"])
        self.px = np.stack([edf["samples"][eye], edf["samples"][eyes + eye]])
        self.ppd, distance = ppd, ppd * np.degrees(1.0)
        middle = np.array(SCREEN_PX)[:, None] / 2
        self.deg = np.degrees(np.arctan((self.px - middle) / distance))
        self.screen_deg = [2 * np.degrees(np.arctan(side / 2 / distance)) for side in SCREEN_PX]
        self.seen = np.isfinite(self.px).all(axis=0)
        events = {kind: rows[rows["eye"] == eye] for kind, rows in edf["discrete"].items() if kind in ("fixations", "saccades", "blinks")}
        self._mark(events)

    def _span(self, row):
        return int(round(row["stime"] * self.hz)), int(round(row["etime"] * self.hz)) + 1

    def _mark(self, events):
        blinks = events["blinks"]
        self.used, self.label = self.seen.copy(), np.zeros(self.seen.size, bool)
        self.saccades, self.fixations = [], [self._span(row) for row in events["fixations"]]
        for row in events["saccades"]:
            first, end = self._span(row)
            if np.any((blinks["stime"] <= row["etime"]) & (blinks["etime"] >= row["stime"])):
                self.used[first:end] = False
            else:
                self.label[first:end] = True
                self.saccades.append((first, end))
        for row in blinks:
            first, end = self._span(row)
            self.used[first:end] = False


def angle(a, b):
    """Degrees between lines of sight; rows are across and down."""
    a, b = np.tan(np.radians(a)), np.tan(np.radians(b))
    dot = 1 + (a * b).sum(axis=0)
    cross = np.sqrt(((a - b) ** 2).sum(axis=0) + (a[0] * b[1] - a[1] * b[0]) ** 2)
    return np.degrees(np.arctan2(cross, dot))


# ---- Fovea


def play(recording, **filters):
    """Degrees and states at each sample's time; no place where none is valid."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "gaze.csv")
        with open(path, "w") as file:
            file.write("t_ns,x,y\n")
            for i, (x, y) in enumerate(recording.px.T.tolist()):
                t_ns = round(i * 1e9 / recording.hz)
                file.write(f"{t_ns},{x!r},{y!r}\n" if recording.seen[i] else f"{t_ns},,\n")
        pairs = {
            "gaze.source": '"scanpath"', "gaze.scanpath.file": f'"{path}"', "gaze.scanpath.loop": "false", "gaze.space": '"pixels"',
            "gaze.screen_px": str(list(SCREEN_PX)), "gaze.screen_deg": str([float(side) for side in recording.screen_deg]),
        }  # fmt: skip
        pairs.update({f"gaze.filter.{name}": value if isinstance(value, str) else str(value) for name, value in filters.items()})
        return ask(tuple(pairs.items()), recording)


def ask(pairs, recording):
    library, messages, settings = _gaze_source._functions(), _library.Messages(), _settings.Settings(pairs)
    desc = _gaze_source.GazeSourceDesc(ctypes.sizeof(_gaze_source.GazeSourceDesc), settings.pointer, messages.log, True)
    source, gaze = ctypes.c_void_p(), _gaze_source.Gaze()
    _library.check(library.fovea_gaze_source_create(ctypes.byref(desc), ctypes.byref(source)), messages, "gaze")
    uv, states = np.full(recording.px.shape, np.nan), np.zeros(recording.seen.size, int)
    for i in range(recording.seen.size):
        library.fovea_gaze_source_read(source, round(i * 1e9 / recording.hz), *SCREEN_PX, ctypes.byref(gaze))
        states[i] = gaze.state
        if recording.seen[i]:
            uv[:, i] = gaze.point.x_uv, gaze.point.y_uv
    library.fovea_gaze_source_destroy(ctypes.byref(source))
    halves = np.tan(np.radians(np.array(recording.screen_deg) / 2))[:, None]
    return np.degrees(np.arctan((uv - 0.5) * 2 * halves)), states


# ---- Others


def by_pymovements(recording):
    velocities = smoothed_velocities(recording)
    events = pymovements.events.microsaccades(velocities=velocities.T, minimum_duration=int(6 * recording.hz / 1000))
    return spans(recording, events.frame["onset"].to_list(), events.frame["offset"].to_list())


def by_pymovements_ivt(recording):
    """What is no fixation of 20 degrees a second is a saccade."""
    speed = smoothed_velocities(recording)
    return np.hypot(*speed) > 20.0


def smoothed_velocities(recording):
    """Over five samples (Engbert and Kliegl 2003), as pymovements' default is."""
    velocities = np.full(recording.deg.shape, np.nan)
    deg = recording.deg
    velocities[:, 2:-2] = (deg[:, 4:] + deg[:, 3:-1] - deg[:, 1:-3] - deg[:, :-4]) * recording.hz / 6
    return velocities


def by_remodnav(recording):
    classifier = remodnav.clf.EyegazeClassifier(px2deg=1 / recording.ppd, sampling_rate=recording.hz)
    # It stops at samples without a place at either end.
    whole = [i for i in range(0, recording.seen.size - 100, 100) if recording.seen[i : i + 100].all()]
    data = np.rec.fromarrays(recording.px[:, whole[0] : whole[-1] + 100], names=["x", "y"])
    events = classifier(classifier.preproc(data), classify_isp=True)
    rapid = [event for event in events if event["label"] in ("SACC", "ISAC")]
    places = [[event[edge] * recording.hz + whole[0] for event in rapid] for edge in ("start_time", "end_time")]
    return spans(recording, *places)


def by_i2mc(recording):
    """It tells fixations: what lies between two of them, and is there, is a saccade."""
    data = pandas.DataFrame({"time": np.arange(recording.seen.size) * 1e3 / recording.hz})
    data["L_X"], data["L_Y"] = np.where(recording.seen, recording.px, -9999.0)
    distance_px = recording.ppd * np.degrees(1.0)
    options = {
        "xres": SCREEN_PX[0], "yres": SCREEN_PX[1], "freq": recording.hz, "missingx": -9999.0, "missingy": -9999.0,
        "scrSz": [side / distance_px * 60.0 for side in SCREEN_PX], "disttoscreen": 60.0,
    }  # fmt: skip
    fixations = I2MC.I2MC(data, options, logging=False)[0]
    ends, firsts = np.array(fixations["end"][:-1]) + 1, np.array(fixations["start"][1:]) - 1
    return spans(recording, ends, firsts) & recording.seen


def spans(recording, firsts, ends):
    marks = np.zeros(recording.seen.size, bool)
    for first, end in zip(firsts, ends):
        marks[int(round(first)) : int(round(end)) + 1] = True
    return marks


# ---- Measures


def runs(marks):
    edges = np.flatnonzero(np.diff(np.concatenate([[0], marks.astype(int), [0]])))
    return list(zip(edges[::2], edges[1::2]))


def agreement(recording, marks):
    """F1 of samples, F1 of events that overlap, how much later they begin (median, 90th percentile of its size), and their number."""
    marks, label = marks & recording.used, recording.label & recording.used
    samples = 2 * np.sum(marks & label) / max(1, np.sum(marks) + np.sum(label))
    found, taken, late_ms = runs(marks), set(), []
    for first, end in recording.saccades:
        for number, (start, stop) in enumerate(found):
            if number not in taken and start < end and stop > first:
                taken.add(number)
                late_ms.append((start - first) * 1e3 / recording.hz)
                break
    events = 2 * len(taken) / max(1, len(found) + len(recording.saccades))
    return samples, events, np.median(late_ms), np.percentile(np.abs(late_ms), 90), len(found)


def noise_deg(recording, deg):
    """RMS from sample to sample, the median of fixations of 100 ms and more, without 20 ms at either end."""
    margin, values = int(0.02 * recording.hz), []
    for first, end in recording.fixations:
        inner = slice(first + margin, end - margin)
        if end - first >= 0.1 * recording.hz and recording.used[inner].all():
            values.append(np.sqrt(np.mean(angle(deg[:, inner][:, 1:], deg[:, inner][:, :-1]) ** 2)))
    return np.median(values)


def way(recording):
    """Saccades of 2 to 30 degrees and up to 100 ms whose samples are all there, with 60 ms after them."""
    for first, end in recording.saccades:
        after = end + int(0.06 * recording.hz)
        if after >= recording.seen.size or not recording.seen[first - 1 : after].all() or end - first > 0.1 * recording.hz:
            continue
        if 2 <= angle(recording.deg[:, first], recording.deg[:, end]) <= 30:
            yield first, end, after


def delays_ms(recording, deg):
    """How much later than the samples half of the way is passed, for each saccade."""
    late_ms = []
    for first, end, after in way(recording):
        start = recording.deg[:, first]
        along = recording.deg[:, end] - start
        part = [((place[:, first:after].T - start) @ along) / (along @ along) for place in (recording.deg, deg)]
        times = []
        for values in part:
            i = int(np.argmax(values >= 0.5))
            if i > 0 and values[i] >= 0.5:
                times.append(i - (values[i] - 0.5) / (values[i] - values[i - 1]))
        if len(times) == 2:
            late_ms.append((times[1] - times[0]) * 1e3 / recording.hz)
    return late_ms


def misses_deg(recording, deg, wanted):
    """How far a gaze is from where it should be, at the samples of saccades that a prediction has changed; and without it."""
    predicted, plain = [], []
    for first, end, _ in way(recording):
        for i in range(first, end):
            if np.any(np.abs(deg[:, i] - recording.deg[:, i]) > 1e-6):
                target = recording.deg[:, wanted(i, end)]
                predicted.append(angle(deg[:, i], target))
                plain.append(angle(recording.deg[:, i], target))
    return predicted, plain


# ---- Tables


def table(head, rows):
    print("|", " | ".join(head), "|\n|" + "---|" * len(head))
    for row in rows:
        print("|", " | ".join(row), "|")
    print()


def told(deg_s, window_ms):
    return lambda recording: play(recording, velocity_deg_s=deg_s, velocity_ms=window_ms)[1] == SACCADE


def events_table(recordings):
    ways = [(f"Fovea, {deg_s} degrees a second over {ms} ms", told(deg_s, ms)) for deg_s, ms in ((30, 0), (30, 20), (40, 10), (60, 10))]
    ways += [("pymovements, 20 degrees a second (I-VT)", by_pymovements_ivt), ("pymovements, microsaccades", by_pymovements), ("remodnav", by_remodnav),
             ("I2MC, between its fixations", by_i2mc)]
    rows = []
    for name, find in ways:
        row = [name]
        for recording in recordings:
            samples, events, late, spread, count = agreement(recording, find(recording))
            row.append(f"{samples:.2f} / {events:.2f} / {late:.0f} ({spread:.0f}) / {count}")
        rows.append(row)
    table(("saccades by", *(f"{recording.name}: {len(recording.saccades)}" for recording in recordings)), rows)


FILTERS = (
    ("none", {}),
    ("one-euro", {"smooth": '"one-euro"'}),
    ("one-euro, velocity_deg_s 40", {"smooth": '"one-euro"', "velocity_deg_s": 40}),
    ("median", {"smooth": '"median"'}),
    ("median, velocity_deg_s 40", {"smooth": '"median"', "velocity_deg_s": 40}),
)


def filters_table(recordings):
    rows = []
    for name, settings in FILTERS:
        row, late_ms = [name], []
        for recording in recordings:
            deg, _ = play(recording, **settings)
            row.append(f"{noise_deg(recording, deg):.4f}")
            late_ms += delays_ms(recording, deg)
        rows.append((*row, f"{np.median(late_ms):.2f}", f"{np.percentile(late_ms, 90):.2f}"))
    table(("gaze.filter", *(f"noise, {recording.name}" for recording in recordings), "later, ms, p50", "p90"), rows)


def predictions_table(recordings):
    ahead = [(f"taylor, predict_ms {ms}", {"predict": '"taylor"', "predict_ms": ms}, ms) for ms in (5, 10, 20)]
    rows = []
    for name, settings, ms in (*ahead, ("landing", {"predict": '"landing"'}, None)):
        row = [name]
        for recording in recordings:
            deg, _ = play(recording, velocity_deg_s=40, **settings)
            step = 0 if ms is None else round(ms * recording.hz / 1000)
            predicted, plain = misses_deg(recording, deg, lambda i, end: end if ms is None else i + step)
            row.append(f"{np.mean(plain):.2f}, {np.mean(predicted):.2f} ({len(predicted)})")
        rows.append(row)
    table(("predict", *(recording.name for recording in recordings)), rows)


def one_euro_is_the_authors(recording):
    """Against the authors' own package, on the samples before the first that is missing."""
    end = int(np.argmin(recording.seen))
    deg, _ = play(recording, smooth='"one-euro"')
    worst = 0.0
    for axis in range(2):
        filtering = OneEuroFilter(freq=recording.hz, mincutoff=1.0, beta=1.0, dcutoff=1.0)
        for i in range(end):
            worst = max(worst, abs(filtering(recording.deg[axis, i], (i + 1) / recording.hz) - deg[axis, i]))
    print(f"one-euro differs from the authors' package by at most {worst:.2g} degrees in {end} samples of {recording.name}.\n")


def main():
    with contextlib.redirect_stdout(io.StringIO()):
        recordings = [Recording(*row) for row in RECORDINGS]
    for recording in recordings:
        print(f"{recording.name}: {recording.seen.size / recording.hz:.0f} s at {recording.hz:.0f} Hz, {np.mean(~recording.seen):.0%} lost, "
              f"{len(recording.saccades)} saccades without a blink, {sum(1 for _ in way(recording))} of them whole")  # fmt: skip
    print()
    one_euro_is_the_authors(recordings[0])
    events_table(recordings)
    filters_table(recordings)
    predictions_table(recordings)


if __name__ == "__main__":
    main()
