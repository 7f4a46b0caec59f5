# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Programs under Fovea's Vulkan layer: on a virtual display, with a folder of their own for settings,
manifests, logs and dumped frames."""

import json
import os
import re
import resource
import subprocess
import time
from pathlib import Path

import numpy
from conftest import ROOT
from layer_manifest import manifest

FOVEA = "VK_LAYER_FOVEA_foveation"
FAULT = "VK_LAYER_FOVEA_fault"
VALIDATION = "VK_LAYER_KHRONOS_validation"
LAVAPIPE = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"
GAZE = (0.3, 0.4)
# The library's own model, where the layer's is one for a desk: its blur shows in small pictures too.
SETS = {"gaze.source": "fixed", "gaze.fixed.x": GAZE[0], "gaze.fixed.y": GAZE[1], "foveation.model": "paper"}

# Validation 1.3.239 says this of itself when it has stood still for so long; for fences it is "most likley".
STANDSTILL, STANDSTILL_S = " a validation bug", 10

VALIDATION_SETTINGS = """\
khronos_validation.enables = VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT
khronos_validation.debug_action = VK_DBG_LAYER_ACTION_LOG_MSG
khronos_validation.report_flags = error,warn,info
khronos_validation.log_filename = {log}
"""


def cpu_of_children_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Done:
    """How a program ended, what Fovea said and what validation said."""

    def __init__(self, code, output, log, validation):
        self.code, self.output = code, output
        self.log = log.read_text() if log.exists() else ""
        self.validation = validation.read_text() if validation.exists() else ""

    @property
    def foveated(self):
        """Frames were: the layer says how many when a swapchain goes; where a signal has ended the program, it has
        said only that it was about to."""
        if self.code < 0:
            return re.search(r"fovea: backend \w+ on ", self.log) is not None
        return any(int(count) > 0 for count in re.findall(r"(\d+) frames foveated", self.log))

    @property
    def foveations(self):
        """Frames that were foveated and frames that were passed through, of all contexts."""
        found = re.findall(r"(\d+) frames foveated, (\d+) passed through", self.log)
        return sum(int(made) for made, _ in found), sum(int(passed) for _, passed in found)

    @property
    def messages(self):
        """The errors and warnings of the validation layer: how often each came."""
        found = {}
        text = "\n".join(line for line in self.validation.splitlines() if STANDSTILL not in line)
        for _, name in re.findall(r"(Error|Warning|ERROR|WARNING)[^\[\n]*\[ *([\w-]+) *\]", text):
            found[name] = found.get(name, 0) + 1
        return found

    @property
    def standstills(self):
        """How often validation stood still over a signal of the host's to a timeline (the cpu backend's)."""
        return self.validation.count(STANDSTILL)

    @property
    def counts(self):
        """Presents, and submits of Fovea's, as the layer of faults counted them."""
        found = re.search(r"fault: (\d+) presents, (\d+) submits", self.output)
        assert found, self.output
        return int(found[1]), int(found[2])

    def new_messages(self, alone):
        """What the program under Fovea causes and alone does not; each as validation first said it."""
        new = set(self.messages) - set(alone.messages)
        return [next(line for line in self.validation.splitlines() if f"[ {name} ]" in line) for name in sorted(new)]

    def assert_validated(self):
        active = "Current Enables: VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION."
        assert active in self.validation, f"validation was not active\n{self.validation}{self.output}"


class Rig:
    """One display, and a folder for every run."""

    def __init__(self, build_dir, display, folder):
        self.build_dir, self.display, self.folder = build_dir, display, folder
        self.library = build_dir / "plugin" / "layer" / "libVkLayer_fovea.so"
        assert self.library.exists(), f"{self.library} was not built"
        self.program = build_dir / "tests" / "layer_program"
        self.sanitizers = self.find_sanitizers(build_dir, folder)
        self.runs = 0
        # This makes allocations of the layer fail and files slow (fault/preload.c).
        preload = build_dir / "tests" / "fovea_storm_preload.so"
        self.preload = ":".join(filter(None, [self.sanitizers.get("LD_PRELOAD"), str(preload)]))
        self.write(folder / "data" / "vulkan" / "implicit_layer.d", "fovea.json", FOVEA, self.library)
        self.write(folder / "explicit", "fovea.json", FOVEA, self.library)
        fault = build_dir / "tests" / "VkLayer_fovea_fault.so"
        self.write(folder / "fault", "fault.json", FAULT, fault, environment=False)

    @staticmethod
    def find_sanitizers(build_dir, folder):
        """Of a build with gcc's sanitizers; their library must come first in programs of others. Leaks are
        looked for in our own programs, which link it."""
        if "-fsanitize=address" not in (build_dir / "CMakeCache.txt").read_text():
            return {}
        # Layers and drivers that are unloaded leave only this name in reports; nothing of ours calls it.
        suppressions = folder / "lsan.supp"
        suppressions.write_text((ROOT / "tests" / "lsan.supp").read_text() + "leak:operator new\n")
        name = subprocess.run(["gcc", "-print-file-name=libasan.so"], capture_output=True, text=True, check=True)
        return {
            "LD_PRELOAD": os.path.realpath(name.stdout.strip()),
            "ASAN_OPTIONS": "detect_leaks=0:abort_on_error=0:quarantine_size_mb=1",
            "LSAN_OPTIONS": f"suppressions={suppressions}:print_suppressions=0",
            "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        }

    @staticmethod
    def write(folder, file, name, library, environment=True):
        folder.mkdir(parents=True, exist_ok=True)
        text = json.loads(manifest(library))
        text["layer"]["name"] = name
        if not environment:
            del text["layer"]["enable_environment"], text["layer"]["disable_environment"]
        (folder / file).write_text(json.dumps(text))

    def environment(self, run, on, sets, validate, fault, dump, extra):
        """What the program sees; nothing of the person who runs the tests."""
        env = {k: v for k, v in os.environ.items() if not k.startswith(("VK_", "FOVEA_", "MANGOHUD", "XDG_"))}
        env.update(
            DISPLAY=self.display,
            XDG_DATA_HOME=str(self.folder / "data"),
            XDG_CONFIG_HOME=str(self.folder / "none"),
            XDG_CACHE_HOME=str(self.folder / "cache"),
            FOVEA_LOG_FILE=str(run / "fovea.log"),
            FOVEA_SET=",".join(f"{key}={value}" for key, value in {**SETS, **sets}.items() if value is not None),
        )
        if Path(LAVAPIPE).exists():
            env["VK_DRIVER_FILES"] = LAVAPIPE
        env.update(self.sanitizers)
        layers = []
        if on:
            env["FOVEA_ENABLE"] = "1"
        if fault:
            layers.append(FAULT)
            env.update(FOVEA_FAULT=fault, VK_ADD_LAYER_PATH=str(self.folder / "fault"))
        if validate:
            layers.append(VALIDATION)
            settings = run / "vk_layer_settings.txt"
            settings.write_text(VALIDATION_SETTINGS.format(log=run / "validation.txt"))
            env["VK_LAYER_SETTINGS_PATH"] = str(settings)
        if layers:
            env["VK_INSTANCE_LAYERS"] = ":".join(layers)
        if dump:
            (run / "frames").mkdir()
            env["FOVEA_LAYER_DUMP"] = str(run / "frames")
        env.update(extra)
        return {k: v for k, v in env.items() if v is not None}

    def start(self, *command, on=True, sets=(), validate=False, fault=None, dump=False, extra=()):
        """-> (process, folder of the run)."""
        self.runs += 1
        run = self.folder / f"run{self.runs}"
        run.mkdir()
        env = self.environment(run, on, dict(sets), validate, fault, dump, dict(extra))
        with open(run / "output.txt", "w") as output:
            process = subprocess.Popen(
                [str(part) for part in command],
                env=env,
                cwd=run,
                stdin=subprocess.PIPE,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        return process, run

    def done(self, process, run, timeout=60):
        process.stdin.close()
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait(10)
        done = Done(code, (run / "output.txt").read_text(), run / "fovea.log", run / "validation.txt")
        assert "fovea: fovea" not in done.log + done.output, "who speaks is said once"
        return done

    def run(self, *command, timeout=60, **options):
        """-> Done; its frames with dump=True."""
        process, run = self.start(*command, **options)
        done = self.done(process, run, timeout)
        done.run = run
        done.frames = self.frames(run)
        return done

    @staticmethod
    def frames(run):
        folder = run / "frames"
        return [Frame(text) for text in sorted(folder.glob("*.txt"))] if folder.exists() else []

    def case(self, name, **options):
        if self.sanitizers:
            leaks = {"ASAN_OPTIONS": self.sanitizers["ASAN_OPTIONS"].replace("leaks=0", "leaks=1")}
            options["extra"] = {**leaks, **dict(options.get("extra", {}))}
        began_s, cpu_began_s = time.monotonic(), cpu_of_children_s()
        done = self.run(self.program, name, **options)
        waited_s = time.monotonic() - began_s - STANDSTILL_S * done.standstills
        busy_s = cpu_of_children_s() - cpu_began_s
        assert waited_s < 8 + 20 * busy_s, f"{name} stood still: {waited_s:.1f} s, of which it computed {busy_s:.1f} s"
        return done

    def expected(self, frame, sets=()):
        """What Fovea's operator makes of a dumped picture, without the layer."""
        env = {k: v for k, v in os.environ.items() if not k.startswith("FOVEA_")}
        wanted = {**SETS, **dict(sets)}
        wanted.pop("backend", None)
        env["FOVEA_SET"] = ",".join(f"{key}={value}" for key, value in wanted.items())
        env["XDG_CONFIG_HOME"] = str(self.folder / "none")
        out = frame.path("-expected.raw")
        subprocess.run(
            [
                str(part)
                for part in (
                    self.build_dir / "tests" / "layer_expect",
                    frame.path("-before.raw"),
                    out,
                    frame.width,
                    frame.height,
                    frame["gaze_x"],
                    frame["gaze_y"],
                )
            ],
            env=env,
            check=True,
            timeout=60,
        )
        return pixels(out, frame.width, frame.height)


class Frame(dict):
    """A frame that the layer has dumped: what NUMBER.txt says, and the two pictures."""

    def __init__(self, text):
        super().__init__(line.split(" ", 1) for line in text.read_text().splitlines())
        self.text = text
        self.width, self.height = int(self.get("width", 0)), int(self.get("height", 0))

    def path(self, suffix):
        return self.text.with_name(self.text.stem + suffix)

    def is_whole(self):
        """False for the one that was being written when its program was stopped."""
        return "gaze_usable" in self and self.path("-after.raw").stat().st_size == 4 * self.width * self.height

    @property
    def before(self):
        return pixels(self.path("-before.raw"), self.width, self.height)

    @property
    def after(self):
        return pixels(self.path("-after.raw"), self.width, self.height)


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def pixels(path, width, height):
    """Four bytes a pixel, as they are stored."""
    return numpy.fromfile(path, numpy.uint8).reshape(height, width, 4).astype(int)
