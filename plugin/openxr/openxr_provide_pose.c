/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

#include "plugin/openxr/openxr_provide.h"

#include <math.h>

static XrQuaternionf product(const XrQuaternionf *a, const XrQuaternionf *b)
{
    return (XrQuaternionf){.x = a->w * b->x + a->x * b->w + a->y * b->z - a->z * b->y,
                           .y = a->w * b->y - a->x * b->z + a->y * b->w + a->z * b->x,
                           .z = a->w * b->z + a->x * b->y - a->y * b->x + a->z * b->w,
                           .w = a->w * b->w - a->x * b->x - a->y * b->y - a->z * b->z};
}

static XrQuaternionf back(const XrQuaternionf *q)
{
    return (XrQuaternionf){-q->x, -q->y, -q->z, q->w};
}

static struct openxr_vector rotated(const XrQuaternionf *q, const XrVector3f *v)
{
    const struct openxr_vector from = {(double)v->x, (double)v->y, (double)v->z};
    struct openxr_vector out;
    (void)openxr_turned(q, from, &out); /* runtimes refuse a pose that is none */
    return out;
}

XrPosef provided_seen_from(const XrPosef *space, const XrPosef *pose)
{
    const XrQuaternionf inverse = back(&space->orientation);
    const XrVector3f apart = {pose->position.x - space->position.x,
                              pose->position.y - space->position.y,
                              pose->position.z - space->position.z};
    const struct openxr_vector at = rotated(&inverse, &apart);
    return (XrPosef){product(&inverse, &pose->orientation),
                     {(float)at.x, (float)at.y, (float)at.z}};
}

XrPosef provided_placed(const XrPosef *space, const XrPosef *in_space)
{
    const struct openxr_vector at = rotated(&space->orientation, &in_space->position);
    return (XrPosef){product(&space->orientation, &in_space->orientation),
                     {space->position.x + (float)at.x, space->position.y + (float)at.y,
                      space->position.z + (float)at.z}};
}

/* First to the side, about the axis up, then up or down. */
XrQuaternionf provided_turn(struct openxr_vector to)
{
    const double yaw = atan2(-to.x, -to.z) / 2;
    const double pitch = atan2(to.y, hypot(to.x, to.z)) / 2;
    return (XrQuaternionf){.x = (float)(cos(yaw) * sin(pitch)),
                           .y = (float)(sin(yaw) * cos(pitch)),
                           .z = (float)(-sin(yaw) * sin(pitch)),
                           .w = (float)(cos(yaw) * cos(pitch))};
}

struct provided_unlinked provided_take_out(void *chain, XrStructureType type)
{
    XrBaseOutStructure *before = chain;
    while (before && before->next && before->next->type != type) {
        before = before->next;
    }
    if (!before || !before->next) {
        return (struct provided_unlinked){NULL, NULL};
    }
    const struct provided_unlinked unlinked = {before, before->next};
    before->next = before->next->next;
    return unlinked;
}

void provided_put_back(const struct provided_unlinked *unlinked)
{
    if (unlinked->before) {
        unlinked->before->next = unlinked->taken;
    }
}
