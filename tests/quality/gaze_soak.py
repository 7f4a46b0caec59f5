# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""What sources of gaze cost at 1 kHz, and whether their memory stays while senders stall, flood, send garbage and die.

    FOVEA_LIB=build/release/plugin/libfovea.so PYTHONPATH=python:tests python3 tests/quality/gaze_soak.py [SECONDS]
"""

import json
import os
import random
import socket
import subprocess
import sys
import time
from pathlib import Path

PORTS = {"udp": 5105, "osc": 9105, "opengaze": 4342, "neon": 8186}
SAMPLE = {
    "udp": json.dumps({"x": 0.25, "y": 0.75}).encode(),
    "osc": b"/tracking/eye/LeftRightPitchYaw\0,ffff\0\0\0" + bytes(16),
    "opengaze": b'<REC TIME="%.5f" BPOGX="0.25" BPOGY="0.75" BPOGV="1" />\r\n',
}


def connect(kind):
    """What sends a sample, or bytes; of TCP, once Fovea has connected."""
    if kind == "neon":
        from neon_companion import Companion

        companion = Companion(PORTS[kind])
        return (lambda data=None: companion.send(data) if data else companion.look(400, 900)), companion.close
    if kind == "opengaze":
        with socket.create_server(("127.0.0.1", PORTS[kind])) as server:
            out = server.accept()[0]
        return (lambda data=None: out.sendall(data or SAMPLE[kind] % time.monotonic())), out.close
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    return (lambda data=None: out.sendto(data or SAMPLE[kind], ("127.0.0.1", PORTS[kind]))), out.close


def send(kind, seed):
    """1 kHz for 20 s; then, with a seed, whatever may go wrong, for ever."""
    chance = random.Random(seed)
    while True:
        put, end = connect(kind)
        try:
            began = time.monotonic()
            for i in range(chance.randint(100, 20000) if seed else 20000):
                time.sleep(max(0.0, began + i / 1000 - time.monotonic()))
                put()
            for _ in range(chance.randint(0, 20000) if seed else 0):  # as fast as it goes
                put(chance.randbytes(chance.randint(1, 700)) if chance.random() < 0.5 else None)
        except OSError:
            pass
        end()
        if not seed:
            return
        time.sleep(chance.choice([0, 0.5, 6]))


def cpu_s(kind):
    """Of the source's thread."""
    for task in Path("/proc/self/task").iterdir():
        if (task / "comm").read_text().strip() == f"fovea-gaze-{kind}"[:15]:
            return int((task / "schedstat").read_text().split()[0]) * 1e-9
    return 0.0


def memory_kib():
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024


def main(seconds):
    import fovea

    settings = {"gaze.udp.port": PORTS["udp"], "gaze.osc.port": PORTS["osc"], "gaze.opengaze.port": PORTS["opengaze"],
                "gaze.neon.port": PORTS["neon"], "gaze.screen_px": [1600, 1200], "gaze.screen_deg": [100, 96]}  # fmt: skip
    spaces = {"osc": "degrees"}
    sources = {k: fovea.Gaze({**settings, "gaze.source": k, "gaze.space": spaces.get(k, "uv")}, size_px=(1600, 1200)) for k in PORTS}
    for kind, source in sources.items():
        with subprocess.Popen([sys.executable, __file__, "--send", kind, "0"]) as sender:
            time.sleep(5)
            before = cpu_s(kind), time.monotonic(), source.read().sample_count
            time.sleep(10)
            spent, took, count = (b - a for a, b in zip(before, (cpu_s(kind), time.monotonic(), source.read().sample_count)))
            print(f"{kind}: {count / took:.0f} samples a second take {100 * spent / took:.2f} % of a core", flush=True)
            sender.kill()
    senders = [subprocess.Popen([sys.executable, __file__, "--send", kind, str(seed)]) for seed, kind in enumerate(PORTS, 1)]
    began, seen = time.monotonic(), []
    while time.monotonic() - began < seconds:
        for _ in range(100):
            time.sleep(0.1)
            reads = {kind: source.read() for kind, source in sources.items()}
        seen.append(memory_kib())
        print(f"{time.monotonic() - began:.0f} s: {seen[-1]} KiB;", {k: (r.sample_count, r.rejected_count) for k, r in reads.items()}, flush=True)
    for sender in senders:
        sender.kill()


if sys.argv[1:2] == ["--send"]:
    send(sys.argv[2], int(sys.argv[3]))
elif __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 600.0)
