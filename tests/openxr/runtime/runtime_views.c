/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The views of a headset that nobody has: asymmetric frusta, of the right eye the mirror image, and
 * inner ones for four views. */

#include "runtime.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIANS_PER_DEG 0.017453292519943295

uint32_t runtime_view_count(XrViewConfigurationType type)
{
    switch (type) {
    case XR_VIEW_CONFIGURATION_TYPE_PRIMARY_STEREO:
        return 2;
    case XR_VIEW_CONFIGURATION_TYPE_PRIMARY_QUAD_VARJO:
        return 4;
    default:
        return 0;
    }
}

void runtime_view_size(uint32_t index, uint32_t *out_width_px, uint32_t *out_height_px)
{
    runtime_size(out_width_px, out_height_px);
    if (index > 1) {
        *out_width_px /= 2;
        *out_height_px /= 2;
    }
}

XrQuaternionf runtime_turn(double yaw_deg, double pitch_deg)
{
    const double yaw = -yaw_deg * RADIANS_PER_DEG / 2; /* about the axis up: to the left */
    const double pitch = pitch_deg * RADIANS_PER_DEG / 2;
    return (XrQuaternionf){.x = (float)(cos(yaw) * sin(pitch)),
                           .y = (float)(sin(yaw) * cos(pitch)),
                           .z = (float)(-sin(yaw) * sin(pitch)),
                           .w = (float)(cos(yaw) * cos(pitch))};
}

static XrQuaternionf after(XrQuaternionf a, XrQuaternionf b)
{
    return (XrQuaternionf){.x = a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                           .y = a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                           .z = a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                           .w = a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static XrVector3f rotate(XrQuaternionf q, XrVector3f v)
{
    const XrQuaternionf to = {q.x, q.y, q.z, q.w};
    const XrQuaternionf back = {-q.x, -q.y, -q.z, q.w};
    const XrQuaternionf out = after(after(to, (XrQuaternionf){v.x, v.y, v.z, 0}), back);
    return (XrVector3f){out.x, out.y, out.z};
}

XrPosef runtime_seen_from(const XrPosef *space, const XrPosef *pose)
{
    const XrQuaternionf q = space->orientation;
    const XrQuaternionf back = {-q.x, -q.y, -q.z, q.w};
    const XrVector3f apart = {pose->position.x - space->position.x,
                              pose->position.y - space->position.y,
                              pose->position.z - space->position.z};
    return (XrPosef){after(back, pose->orientation), rotate(back, apart)};
}

static XrQuaternionf lengthened(XrQuaternionf q)
{
    const char *text = getenv("FOVEA_TEST_XR_NORM");
    const float by = text ? strtof(text, NULL) : 1;
    return (XrQuaternionf){by * q.x, by * q.y, by * q.z, by * q.w};
}

XrQuaternionf runtime_with_head(uint32_t frame, XrQuaternionf in_head)
{
    const char *text = getenv("FOVEA_TEST_XR_HEAD");
    double deg[3] = {0, 0, 0}; /* yaw, pitch, roll */
    for (const char *next; text && frame > 0 && (next = strchr(text, ';')); frame--) {
        text = next + 1;
    }
    for (int i = 0; text && i < 3; i++) {
        char *at = NULL;
        deg[i] = strtod(text, &at);
        text = *at == ',' ? at + 1 : NULL;
    }
    const double roll = deg[2] * RADIANS_PER_DEG / 2;
    const XrQuaternionf about = {.z = (float)sin(roll), .w = (float)cos(roll)};
    return lengthened(after(after(runtime_turn(deg[0], deg[1]), about), in_head));
}

XrView runtime_view(XrViewConfigurationType type, uint32_t index)
{
    const bool inner = type == XR_VIEW_CONFIGURATION_TYPE_PRIMARY_QUAD_VARJO && index > 1;
    const bool right = index % 2 == 1;
    const double outwards = (inner ? 22 : 50) * RADIANS_PER_DEG;
    const double inwards = (inner ? 18 : 42) * RADIANS_PER_DEG;
    return (XrView){.type = XR_TYPE_VIEW,
                    .pose = {.orientation = runtime_turn(right ? 5 : -5, 0),
                             .position = {right ? 0.032f : -0.032f, 0, 0}},
                    .fov = {.angleLeft = (float)(right ? -inwards : -outwards),
                            .angleRight = (float)(right ? outwards : inwards),
                            .angleUp = (float)((inner ? 17 : 40) * RADIANS_PER_DEG),
                            .angleDown = (float)((inner ? -21 : -48) * RADIANS_PER_DEG)}};
}

XrVector2f runtime_center(XrViewConfigurationType type, uint32_t index, double yaw_deg,
                          double pitch_deg)
{
    const XrView view = runtime_view(type, index);
    const XrPosef eye = {.orientation = runtime_turn(yaw_deg, pitch_deg)};
    const XrPosef seen = runtime_seen_from(&view.pose, &eye);
    const XrVector3f to = rotate(seen.orientation, (XrVector3f){0, 0, -1});
    const double left = tan((double)view.fov.angleLeft);
    const double right = tan((double)view.fov.angleRight);
    const double up = tan((double)view.fov.angleUp);
    const double down = tan((double)view.fov.angleDown);
    const double x = (double)(to.x / -to.z);
    const double y = (double)(to.y / -to.z);
    return (XrVector2f){(float)(2 * (x - left) / (right - left) - 1),
                        (float)(2 * (y - up) / (down - up) - 1)};
}

void runtime_change_fov(uint32_t frame, XrFovf *fov)
{
    const char *text = getenv("FOVEA_TEST_XR_FOV");
    char *at = NULL;
    if (!text || strtoul(text, &at, 10) != frame || *at != ':') {
        return;
    }
    float *const edges[] = {&fov->angleLeft, &fov->angleRight, &fov->angleUp, &fov->angleDown};
    for (size_t i = 0; i < 4 && *at; i++) {
        *edges[i] = (float)(strtod(at + 1, &at) * RADIANS_PER_DEG);
    }
}
