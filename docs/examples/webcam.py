# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""Gaze by a webcam, to Fovea's source `udp`.

    pip install eyetrax
    python webcam.py model.pkl     # look at nine points, the first time; then in another terminal:
    ./run demo --fullscreen --gaze udp --set gaze.space=pixels --set gaze.screen_px=[1920,1080]

The pixels are the screen's, whose size this says. They are off by degrees.
"""

import json
import os
import socket
import sys

import numpy as np
from eyetrax import GazeEstimator, run_9_point_calibration
from eyetrax.utils.screen import get_screen_size
from eyetrax.utils.video import camera, iter_frames

PORT = 5005  # gaze.udp.port
model = sys.argv[1] if len(sys.argv) > 1 else ""  # keeps the calibration

estimator = GazeEstimator()
if os.path.isfile(model):
    estimator.load_model(model)
else:
    run_9_point_calibration(estimator)
    if model:
        estimator.save_model(model)

out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
print("gaze.screen_px=[{},{}]".format(*get_screen_size()))
with camera(0) as frames:
    for frame in iter_frames(frames):
        features, blink = estimator.extract_features(frame)
        if features is None or blink:
            sample = {"blink": True}
        else:
            x, y = estimator.predict(np.array([features]))[0]
            sample = {"x": float(x), "y": float(y)}
        out.sendto(json.dumps(sample).encode(), ("127.0.0.1", PORT))
