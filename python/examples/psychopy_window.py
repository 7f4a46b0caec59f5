# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""A PsychoPy window whose frames are foveated before they are shown, around the mouse or an eye tracker.

    python psychopy_window.py                                   # around the mouse; Esc ends
    python psychopy_window.py --set gaze.source=lsl             # a tracker's stream; docs/gaze.md lists the sources
    python psychopy_window.py --set foveation.model=physical --picture photograph.png --full-screen

What an own experiment takes of it is the class: `FoveatedWindow(foveator, size=..., ...)` instead of `visual.Window(size=..., ...)`.
Tried with PsychoPy 2026.2.5 and pyglet 1.5.27 (docs/experiments.md).
"""

import argparse
import json

from psychopy import core, event, visual

import fovea.gl


class FoveatedWindow(visual.Window):
    """Draws into the texture of its framebuffer object, which flip() foveates in place before it goes to the screen."""

    def __init__(self, config=None, *, way="auto", **options):
        self.foveator, self.gaze = None, None
        super().__init__(**{"units": "pix", **options, "useFBO": True, "multiSample": False})
        if not self.useFBO:
            raise RuntimeError("this OpenGL has no framebuffer objects")
        # Gazes are in pixels from the middle, y up, as the window's units are.
        self.foveator = fovea.gl.Foveator({"gaze.space": "pixels", "gaze.origin": "center", **(config or {})}, way=way)

    def _startOfFlip(self):
        """PsychoPy calls this when everything is drawn. self.gaze: x and y, a fovea.Gaze, a fovea.GazeSample that was read of one, or
        None: of the source that the settings name."""
        if self.foveator is not None:
            self.foveator(self.frameTexture, gaze=self.gaze)
        return super()._startOfFlip()

    def close(self):
        if self.foveator is not None:
            self.foveator.close()
        super().close()


def settings_of(texts):
    """PATH=VALUE, the value in JSON or a word."""
    config = {}
    for text in texts:
        path, _, value = text.partition("=")
        try:
            config[path] = json.loads(value)
        except ValueError:
            config[path] = value
    return config


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="a setting, as gaze.source=lsl")
    parser.add_argument("--way", default="auto", choices=["auto", "copied", "shared"])
    parser.add_argument("--picture", help="a picture; else gratings and words")
    parser.add_argument("--size", type=int, nargs=2, default=(1280, 720))
    parser.add_argument("--full-screen", action="store_true")
    parser.add_argument("--frames", type=int, default=0, help="so many, then end")
    arguments = parser.parse_args()
    config = settings_of(arguments.set)
    window = FoveatedWindow(config, way=arguments.way, size=arguments.size, fullscr=arguments.full_screen, color=(0, 0, 0))
    print("OpenGL textures are", window.foveator.way)
    if arguments.picture:
        stimuli = [visual.ImageStim(window, arguments.picture)]
    else:
        places = [(x, y) for x in range(-480, 481, 240) for y in range(-240, 241, 240)]
        stimuli = [visual.GratingStim(window, pos=place, size=200, sf=0.15, mask="gauss") for place in places]
        stimuli.append(visual.TextStim(window, "Look here, and the words beside fade.", pos=(0, 120), height=32))
    mouse, clock = event.Mouse(win=window), core.Clock()
    frames = 0
    while not event.getKeys(["escape"]) and frames != (arguments.frames or -1):
        for stimulus in stimuli:
            stimulus.draw()
        window.gaze = mouse.getPos() if config.get("gaze.source", "mouse") == "mouse" else None
        window.flip()
        frames += 1
    print(f"{frames} frames, {1000 * clock.getTime() / max(frames, 1):.2f} ms each")
    window.close()
    core.quit()


if __name__ == "__main__":
    main()
