/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The two shortest steps between lenses say whether rows are shifted: steps at a right angle are
 * rectangular, and where one goes half of the other aside, rows are hexagonal. */

#include "calibrate.h"

#include <math.h>

#define RECTANGULAR_COSINE 0.2 /* of 78 degrees; hexagonal steps have 60 */
#define HALF_TOLERANCE 0.08
#define ROTATION_MAX_DEG 45.0

/* Pixels' axes go right and down: a row goes to the right, the step to the next row down. */
static void lay(const double row[2], const double other[2], bool hexagonal,
                struct calibrate_lattice *out)
{
    const double right = row[0] < 0.0 ? -1.0 : 1.0;
    const double along = calibrate_dot(other, row) / calibrate_dot(row, row);
    *out = (struct calibrate_lattice){.hexagonal = hexagonal};
    for (int i = 0; i < 2; i++) {
        out->across[i] = right * row[i];
        out->down[i] = other[i] - along * row[i];
    }
    if (calibrate_cross(out->across, out->down) < 0.0) {
        out->down[0] = -out->down[0];
        out->down[1] = -out->down[1];
    }
}

static double tilt_deg(const double step[2])
{
    return fabs(atan2(step[1], fabs(step[0]))) / CALIBRATE_DEGREE;
}

static bool is_half(const double row[2], const double other[2])
{
    const double along = calibrate_dot(other, row) / calibrate_dot(row, row);
    return fabs(fabs(along - round(along)) - 0.5) <= HALF_TOLERANCE;
}

/* Three directions have lenses one beside the other; of those with shifted rows, the levellest. */
static bool find_hexagonal(const struct calibrate_steps *steps, struct calibrate_lattice *out)
{
    const double third[2] = {steps->b[0] - steps->a[0], steps->b[1] - steps->a[1]};
    const double *const rows[3] = {steps->a, steps->b, third};
    int best = -1;
    for (int i = 0; i < 3; i++) {
        if (is_half(rows[i], rows[(i + 1) % 3]) &&
            (best < 0 || tilt_deg(rows[i]) < tilt_deg(rows[best]))) {
            best = i;
        }
    }
    if (best >= 0) {
        lay(rows[best], rows[(best + 1) % 3], true, out);
    }
    return best >= 0;
}

enum fovea_result calibrate_rows_find(const struct calibrate_steps *steps,
                                      const struct calibrate_wishes *wishes,
                                      struct calibrate_lattice *out,
                                      char out_problem[LIGHTFIELD_PROBLEM_BYTES])
{
    const double cosine =
        calibrate_dot(steps->a, steps->b) /
        sqrt(calibrate_dot(steps->a, steps->a) * calibrate_dot(steps->b, steps->b));
    const bool square = fabs(cosine) < RECTANGULAR_COSINE;
    const bool hexagonal = wishes->rows == FOVEA_LIGHTFIELD_ROWS_WANTED_HEXAGONAL ||
                           (wishes->rows == FOVEA_LIGHTFIELD_ROWS_WANTED_ANY && !square);
    if (hexagonal ? !find_hexagonal(steps, out) : !square) {
        return CALIBRATE_PROBLEM(
            out_problem, "rows of lenses at %.0f degrees to each other are not %s: %s",
            acos(cosine) / CALIBRATE_DEGREE, hexagonal ? "hexagonal" : "rectangular",
            wishes->rows == FOVEA_LIGHTFIELD_ROWS_WANTED_ANY ? "give the pitch that the array has"
                                                             : "let the arrangement be found");
    }
    if (!hexagonal) {
        const bool first = tilt_deg(steps->a) <= tilt_deg(steps->b);
        lay(first ? steps->a : steps->b, first ? steps->b : steps->a, false, out);
    }
    if (tilt_deg(out->across) > ROTATION_MAX_DEG) {
        return CALIBRATE_PROBLEM(out_problem,
                                 "rows of lenses go down the picture: turn it by 90 degrees, and "
                                 "all raw pictures of this camera");
    }
    return FOVEA_OK;
}
