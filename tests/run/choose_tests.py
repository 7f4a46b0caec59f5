# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Which of a build's tests a stage of ./run test runs: ctest's list (--show-only=json-v1) comes by standard input; for
`ctest -I` their numbers go to standard output, and to a file the names of those that are left out, each with its reason.

Some kinds of tests take turns, by the number of the commit: what one commit leaves out, one of the next runs."""

import argparse
import json
import pathlib
import re
import sys

# Says within how many commits in a row each of them has run: by the size of the run and by the stage.
TURNS = {
    "quick": {"gcc": {"emulated": 5, "long": 3, "papers": 15, "vulkan": 6}},
    # The sanitizers' stage has a half of gcc's third of Vulkan: drivers take several times as long for their shaders under
    # a sanitizer, and find those that gcc's stage has had made. Of what computes for long each runs once a commit.
    "full": {"gcc": {"emulated": 5, "papers": 15, "vulkan": 3}, "asan": {"long": 4, "papers": 30, "vulkan": 6}},
    "nightly": {},
}
# Compute for five to forty seconds, or take a program that is long to build.
LONG = {
    "test_bench_cpu",
    "test_blobs",
    "test_blur_engines",
    "test_cuda_tile_list",
    "test_foveate_cpu",
    "test_foveate_properties",
    "test_gradient_batch",
    "test_gradient_exact",
    "test_lens_calibration",
    "test_lens_headsets",
    "test_light_depth",
    "test_lightfield",
    "test_lightfield_calibrate",
    "test_lightfield_scenes",
    "test_map_law",
    "test_map_store",
    "test_operators_exact",
    "test_quality_quick",
    "test_search_cpu",
}
# Other emulated tests run the same kernels, in fewer combinations.
NIGHTLY_ALONE = {"test_emulated_kernels"}


def kind_of(name, labels):
    if "gpu" in labels:
        return "gpu"
    if re.search("_bench_.*-(paper|thesis)$", name):  # kernels of others, which nobody uses but fovea_bench
        return "papers"
    if "vulkan" in labels:
        return "vulkan"
    if name in LONG:
        return "long"
    return "emulated" if name.startswith("test_emulated_") and name != "test_emulated_core" else "unit"


def program_of(name):
    """One program runs for several backends, whose shaders are the same: all of them have their turn together."""
    return re.sub("_(vulkan|recorded|cpu)$", "", name)


def choose(tests, size, stage, commit, has_gpu):
    """Yields for each test its number, its name, and why it is left out: None where it runs."""
    places = {}
    turns_of = TURNS[size].get(stage, {})
    for number, test in enumerate(tests, 1):
        labels = next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])
        kind = kind_of(test["name"], labels)
        of_kind = places.setdefault(kind, {})
        # gcc's stage leaves out the long ones that the sanitizers' stage runs: places are those of the names, since
        # the stages need not have the same tests.
        place = sorted(LONG).index(test["name"]) if kind == "long" else len(of_kind)
        turn = of_kind.setdefault(program_of(test["name"]), place) + commit
        why = None
        if kind == "gpu" and not (has_gpu and stage == "gcc"):
            why = "needs an NVIDIA GPU" if not has_gpu else "runs in gcc's stage"
        elif test["name"] in NIGHTLY_ALONE and size != "nightly":
            why = "--nightly runs it"
        elif turn % turns_of.get(kind, 1):
            why = "runs in gcc's stage" if stage == "asan" and kind == "long" else "another commit's turn"
        elif stage == "gcc" and kind == "long" and size == "full" and turn % TURNS["full"]["asan"]["long"] == 0:
            why = "runs in the sanitizers' stage"
        yield number, test["name"], why


def programs_of(build, names):
    """The programs of tests with these names, as targets of the build. ctest says none where they are not built."""
    tests = re.findall(r'^add_test\(\[(=*)\[(.*?)\]\1\] "([^"]+)"', (build / "tests" / "CTestTestfile.cmake").read_text(), re.MULTILINE)
    return {str(pathlib.Path(program).relative_to(build)) for _, name, program in tests if name in names}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", choices=TURNS, required=True)
    parser.add_argument("--stage", required=True)
    parser.add_argument("--commit", type=int, required=True)
    parser.add_argument("--gpu", action="store_true", help="this machine has an NVIDIA GPU")
    parser.add_argument("--left-out", required=True, help="file for the names of those that do not run")
    parser.add_argument("--build", type=pathlib.Path, help="folder of the build")
    parser.add_argument("--programs", help="file for the programs of those that run, of that build")
    options = parser.parse_args()
    chosen = list(choose(json.load(sys.stdin)["tests"], options.size, options.stage, options.commit, options.gpu))
    with open(options.left_out, "w") as file:
        file.writelines(f"{name}: {why}\n" for _, name, why in chosen if why)
    if options.programs:
        with open(options.programs, "w") as file:
            file.writelines(f"{name}\n" for name in sorted(programs_of(options.build, {name for _, name, why in chosen if not why})))
    print("0,0,0," + ",".join(str(number) for number, _, why in chosen if not why))


if __name__ == "__main__":
    main()
