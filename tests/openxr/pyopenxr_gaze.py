# SPDX-License-Identifier: MIT
# SPDX-FileCopyrightText: The Fovea authors
"""A program with pyopenxr that asks for the eyes (XR_EXT_eye_gaze_interaction) and draws nothing. What it was told is its last
line, as JSON.

    python3 pyopenxr_gaze.py [unasked]

unasked: it does not enable the extension."""

import json
import sys
import time
from ctypes import byref, c_uint32, c_void_p, cast, create_string_buffer, pointer

import xr

RAW = xr.raw_functions
EYES, GAZE = "/user/eyes_ext", "/user/eyes_ext/input/gaze_ext/pose"
HAND, AIM = "/user/hand/left", "/user/hand/left/input/aim/pose"
PROFILE, SIMPLE = "/interaction_profiles/ext/eye_gaze_interaction", "/interaction_profiles/khr/simple_controller"
HERE = xr.Posef(xr.Quaternionf(0, 0, 0, 1), xr.Vector3f(0, 0, 0))
OFF = xr.Posef(xr.Quaternionf(0, 0, 0, 1), xr.Vector3f(0, 0, -2))
told = {}


def number(value):
    return int(getattr(value, "value", value))


def name_of(result):
    return xr.Result(number(result)).name


class Program:
    def __init__(self, asked):
        names = [p.extension_name.decode() for p in xr.enumerate_instance_extension_properties()]
        told["listed"] = xr.EXT_EYE_GAZE_INTERACTION_EXTENSION_NAME in names
        wanted = [xr.MND_HEADLESS_EXTENSION_NAME] + [xr.EXT_EYE_GAZE_INTERACTION_EXTENSION_NAME] * asked
        self.instance = xr.create_instance(xr.InstanceCreateInfo(enabled_extension_names=wanted))
        self.system = xr.get_system(self.instance, xr.SystemGetInfo(xr.FormFactor.HEAD_MOUNTED_DISPLAY))
        self.paths = {text: xr.string_to_path(self.instance, text) for text in (EYES, GAZE, HAND, AIM, PROFILE, SIMPLE)}
        self.set = xr.create_action_set(self.instance, xr.ActionSetCreateInfo("program", "Program"))

    def supports(self):
        eyes = xr.SystemEyeGazeInteractionPropertiesEXT()
        properties = xr.SystemProperties(next=cast(pointer(eyes), c_void_p))
        RAW.xrGetSystemProperties(self.instance, self.system, byref(properties))
        return bool(eyes.supports_eye_gaze_interaction)

    def action(self, name, *subactions, kind=xr.ActionType.POSE_INPUT):
        paths = [self.paths[text] for text in subactions]
        info = xr.ActionCreateInfo(name, kind, subaction_paths=paths, localized_action_name=name)
        made = xr.Action()
        result = RAW.xrCreateAction(self.set, byref(info), byref(made))
        told.setdefault("actions", {})[name] = name_of(result)
        return made

    def suggest(self, profile, *pairs):
        bindings = [xr.ActionSuggestedBinding(action, self.paths.get(text, 0)) for action, text in pairs]
        info = xr.InteractionProfileSuggestedBinding(interaction_profile=self.paths[profile], suggested_bindings=bindings)
        return name_of(RAW.xrSuggestInteractionProfileBindings(self.instance, byref(info)))

    def events(self):
        found = []
        while True:
            event = xr.EventDataBuffer()
            if name_of(RAW.xrPollEvent(self.instance, byref(event))) != "SUCCESS":
                return found
            found.append(xr.StructureType(event.type).name)


class Session:
    def __init__(self, program):
        self.program = program
        self.handle = xr.create_session(program.instance, xr.SessionCreateInfo(system_id=program.system))
        self.local, self.view = (
            xr.create_reference_space(self.handle, xr.ReferenceSpaceCreateInfo(kind, HERE))
            for kind in (xr.ReferenceSpaceType.LOCAL, xr.ReferenceSpaceType.VIEW))

    def begin(self):
        xr.attach_session_action_sets(self.handle, xr.SessionActionSetsAttachInfo(action_sets=[self.program.set]))
        self.program.events()
        xr.begin_session(self.handle, xr.SessionBeginInfo(xr.ViewConfigurationType.PRIMARY_STEREO))

    def space(self, action, pose=HERE, subaction=None):
        made = xr.Space()
        info = xr.ActionSpaceCreateInfo(action, self.program.paths.get(subaction, 0), pose)
        result = name_of(RAW.xrCreateActionSpace(self.handle, byref(info), byref(made)))
        return made if result == "SUCCESS" else result

    def sync(self, *subactions, sets=True):
        active = [xr.ActiveActionSet(self.program.set, self.program.paths.get(text, 0)) for text in subactions or (None,)]
        info = xr.ActionsSyncInfo(active_action_sets=active if sets else [])
        return name_of(RAW.xrSyncActions(self.handle, byref(info)))

    def frame(self):
        self.time = xr.wait_frame(self.handle).predicted_display_time
        xr.begin_frame(self.handle)
        xr.end_frame(self.handle, xr.FrameEndInfo(self.time, xr.EnvironmentBlendMode.OPAQUE, layers=[]))

    def active(self, action, subaction=None):
        state = xr.ActionStatePose()
        info = xr.ActionStateGetInfo(action, self.program.paths.get(subaction, 0))
        result = name_of(RAW.xrGetActionStatePose(self.handle, byref(info), byref(state)))
        return bool(state.is_active) if result == "SUCCESS" else result

    def pressed(self, action, subaction):
        state = xr.ActionStateBoolean(is_active=1)
        info = xr.ActionStateGetInfo(action, self.program.paths[subaction])
        return name_of(RAW.xrGetActionStateBoolean(self.handle, byref(info), byref(state))), bool(state.is_active)

    def locate(self, space, base, at=None):
        sample = xr.EyeGazeSampleTimeEXT()
        place = xr.SpaceLocation(next=cast(pointer(sample), c_void_p) if at is None else None)
        result = name_of(RAW.xrLocateSpace(space, base, self.time if at is None else at, byref(place)))
        return described(place.location_flags, place.pose, result, sample.time)

    def locate_all(self, base, *spaces):
        info = xr.SpacesLocateInfo(base_space=base, time=self.time, spaces=list(spaces))
        places = (xr.SpaceLocationData * len(spaces))()
        found = xr.SpaceLocations(locations=[xr.SpaceLocationData() for _ in spaces])
        result = name_of(RAW.xrLocateSpaces(self.handle, byref(info), byref(found)))
        places = [found._locations[i] for i in range(len(spaces))]
        return [described(place.location_flags, place.pose, result) for place in places]

    def views(self, base):
        try:
            state, views = xr.locate_views(self.handle, xr.ViewLocateInfo(xr.ViewConfigurationType.PRIMARY_STEREO, self.time, base))
        except xr.exception.HandleInvalidError:  # the tests' runtime knows views from reference spaces alone
            return []
        return [described(state.view_state_flags, view.pose, "SUCCESS") for view in views]

    def profile(self):
        state = xr.InteractionProfileState()
        result = name_of(RAW.xrGetCurrentInteractionProfile(self.handle, self.program.paths[EYES], byref(state)))
        path = state.interaction_profile
        return result if result != "SUCCESS" else xr.path_to_string(self.program.instance, path) if path else ""

    def sources(self, action):
        info, count, room = xr.BoundSourcesForActionEnumerateInfo(action), c_uint32(), (xr.Path * 4)()
        results = [name_of(RAW.xrEnumerateBoundSourcesForAction(self.handle, byref(info), size, byref(count), room))
                   for size in (0, 1, 4)]
        return results, [number(path) for path in room[:count.value]]

    def localized(self, which):
        info = xr.InputSourceLocalizedNameGetInfo(self.program.paths[GAZE], which)
        count, text = c_uint32(), create_string_buffer(64)
        results = [name_of(RAW.xrGetInputSourceLocalizedName(self.handle, byref(info), size, byref(count), text))
                   for size in (0, 2, 64)]
        return results, text.value.decode()

    def end(self):
        xr.request_exit_session(self.handle)
        self.program.events()
        xr.end_session(self.handle)
        xr.destroy_session(self.handle)


def described(flags, pose, result, sample=0):
    q, p = pose.orientation, pose.position
    return {"result": result, "flags": number(flags), "turn": [q.x, q.y, q.z, q.w], "at": [p.x, p.y, p.z], "sample": number(sample)}


def stay_out():
    program = Program(asked=False)
    program.action("eyes", EYES)
    both = program.action("both")
    told["suggested"] = program.suggest(PROFILE, (both, GAZE))
    session = Session(program)
    session.begin()
    told["unsynced"] = session.sync(EYES)
    told["profile"] = session.profile()
    told["refused"] = session.space(both, subaction=EYES), session.active(both, EYES)
    session.end()
    xr.destroy_instance(program.instance)


def walk():
    program = Program(asked=True)
    told["supports"] = program.supports()
    eyes = program.action("eyes", EYES, HAND)
    both = program.action("both")
    press = program.action("press", EYES, kind=xr.ActionType.BOOLEAN_INPUT)
    aim = program.action("aim")
    first, second = Session(program), Session(program)
    early = first.space(both)
    told["suggested"] = {
        "path": program.suggest(PROFILE, (eyes, AIM)),
        "null": program.suggest(PROFILE, (eyes, None)),
        "handle": program.suggest(PROFILE, (xr.Action(), GAZE)),
        "replaced": program.suggest(PROFILE, (both, GAZE), (press, GAZE)),
        "eyes": program.suggest(PROFILE, (eyes, GAZE), (both, GAZE)),
        "hand": program.suggest(SIMPLE, (both, AIM), (aim, AIM)),
    }
    told["unattached"] = {"profile": first.profile(), "name": first.localized(7)[0], "sync": first.sync(EYES)}
    first.begin()
    second.begin()
    told["attached"] = {"suggest": program.suggest(PROFILE, (eyes, GAZE)), "profile": first.profile()}
    told["unsynced"] = first.active(eyes)
    spaces = {"eyes": first.space(eyes, subaction=EYES), "any": first.space(eyes), "off": first.space(eyes, OFF), "early": early,
              "hand": first.space(eyes, subaction=HAND), "press": first.space(press), "absent": first.space(both, subaction=EYES)}
    told["refused"] = {name: space for name, space in spaces.items() if isinstance(space, str)}
    other = second.space(eyes)
    told["synced"] = [first.sync(), first.profile(), program.events().count("EVENT_DATA_INTERACTION_PROFILE_CHANGED"), len(program.events())]
    first.frame()
    second.frame()
    told["active"] = [first.active(eyes), first.active(eyes, EYES), first.active(eyes, HAND), first.active(both), first.active(press), second.active(eyes), first.active(both, EYES)]
    told["second"] = [second.locate(other, second.view)["flags"], second.sync(EYES), second.locate(other, second.view)["flags"], first.locate(spaces["any"], first.view)["flags"]]
    clock = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    told["view"] = first.locate(spaces["eyes"], first.view)
    told["now"] = [clock, time.clock_gettime_ns(time.CLOCK_MONOTONIC)]
    for name, pair in {"local": (spaces["any"], first.local), "turned": (first.view, spaces["any"]), "off": (spaces["off"], spaces["any"]),
                       "early": (early, first.view), "head": (first.view, first.local)}.items():
        told[name] = first.locate(*pair)
    aimed = first.space(aim)
    told["reads"] = [first.locate(*pair)["turn"] for pair in ((spaces["eyes"], first.view), *[(aimed, first.view)] * 3, (spaces["eyes"], first.view))]
    told["pressed"] = first.pressed(press, EYES)
    told["untimed"] = first.locate(spaces["any"], first.view, at=0)["result"]
    told["all"] = first.locate_all(first.view, spaces["any"], first.local, spaces["off"]), first.locate_all(spaces["any"], first.view)
    told["views"] = first.views(spaces["any"])
    told["sources"] = [first.sources(action) for action in (eyes, both, press)], number(program.paths[GAZE])
    told["names"] = [first.localized(which) for which in (7, 4, 0)]
    idle = first.sync(sets=False)
    told["idle"] = [idle, first.active(eyes), first.locate(spaces["any"], first.view, at=first.time)["flags"]]
    first.sync()
    xr.destroy_action(eyes)
    told["destroyed"] = first.locate(spaces["any"], first.view, at=first.time)["flags"]
    for space in spaces.values():
        if not isinstance(space, str):
            xr.destroy_space(space)
    first.end()
    told["other"] = second.locate(other, second.view, at=second.time)["flags"]
    second.end()
    xr.destroy_action_set(program.set)
    xr.destroy_instance(program.instance)


stay_out() if "unasked" in sys.argv else walk()
print(json.dumps(told))
