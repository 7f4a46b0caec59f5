/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* This finds the distance from the gaze beyond which everything is blurred, wherever the gaze is.
 */

#include "kernels/operator/operator.h"
#include "smooth.h"

#include <math.h>

#define RADIANS (3.14159265358979323846 / 180.0)
#define RIGHT_ANGLE (90.0 * RADIANS)
#define NOWHERE -1.0
#define STEPS 64 /* from the view's axis to the farthest corner */

/* Returns the least sigma of the law that ramp and strength leave soft. */
static double least_sigma_px(const struct foveate_law *law)
{
    const double wanted_px = OPERATOR_SOFT_SIGMA_PX / (double)law->strength;
    const double sharp_px = (double)law->sharp_px;
    return wanted_px < 2.0 * sharp_px ? sharp_px + 0.5 * wanted_px : wanted_px;
}

/* Returns where the table has reached an entry and stays there, in its units from the gaze. Entries
 * from *from on are known to have reached it, which is then moved to the first one. */
static double reached_at(const struct foveate_plan *plan, double least, int32_t *from)
{
    while (*from > 0 && (double)plan->law_table[*from - 1] >= least) {
        --*from;
    }
    return *from == plan->law.table_count ? NOWHERE
                                          : (double)*from / (double)plan->law.table_per_unit;
}

/* Returns the largest tangent along an axis. */
static double farthest(double first, double per_px, uint32_t size_px)
{
    return fmax(fabs(first), fabs(first + per_px * (double)(size_px - 1)));
}

double foveate_plan_farthest_tangent(const struct foveate_plan *plan)
{
    const struct foveate_law *law = &plan->law;
    const double x = farthest((double)law->tan_x0, (double)law->tan_x_per_px, plan->width_px);
    const double y = farthest((double)law->tan_y0, (double)law->tan_y_per_px, plan->height_px);
    return hypot(x, y);
}

/* Gazes at one distance from a place are seen under different angles. The smallest is that of the
 * gaze straight away from the view's axis, atan(r + d) - atan(r) with tangents r of the place and d
 * of the distance; and sigma in pixels is the table's times sqrt(1 + r^2) / t or more, with t a
 * pixel's. Returns d beyond which all is soft at places from r to `to` from the axis: the table is
 * to give most at the one, and the distance is largest at the other. The table has to give less for
 * a larger r: *from, as above, is the one before's. */
static double apart_between(const struct foveate_plan *plan, double r, double to, double widest_px,
                            int32_t *from)
{
    const double per_entry_px = RADIANS * sqrt(1.0 + r * r) / widest_px;
    const double degrees = reached_at(plan, least_sigma_px(&plan->law) / per_entry_px, from);
    const double away = atan(to) + degrees * RADIANS;
    return degrees < 0.0 || away >= RIGHT_ANGLE ? NOWHERE : tan(away) - to;
}

static double projected_from_px(const struct foveate_plan *plan)
{
    const struct foveate_law *law = &plan->law;
    const double widest = (double)fmaxf(law->tan_x_per_px, law->tan_y_per_px);
    const double finest = (double)fminf(law->tan_x_per_px, law->tan_y_per_px);
    const double step = foveate_plan_farthest_tangent(plan) / STEPS;
    double most = 0.0;
    int32_t reached = law->table_count;
    for (int i = 0; i < STEPS; i++) {
        const double apart = apart_between(plan, step * i, step * (i + 1), widest, &reached);
        if (apart < 0.0) {
            return NOWHERE;
        }
        most = fmax(most, apart);
    }
    return most / finest;
}

double foveate_plan_soft_from_px(const struct foveate_plan *plan)
{
    if (plan->fragment_px > 0 || plan->level_count == 0 || plan->law.kind > FOVEATE_LAW_PROJECTED) {
        return 0.0;
    }
    int32_t reached = plan->law.table_count;
    const double from = plan->law.kind == FOVEATE_LAW_RADIAL
                            ? reached_at(plan, least_sigma_px(&plan->law), &reached)
                            : projected_from_px(plan);
    return from < 0.0 ? 0.0 : fmax(from, 1.0);
}
