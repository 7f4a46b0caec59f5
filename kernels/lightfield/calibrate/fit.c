/* SPDX-License-Identifier: MIT */
/* SPDX-FileCopyrightText: The Fovea authors */

/* The array that is nearest to the centres of its lenses, in squares. It begins with some lenses
 * around the middle, whose array says where to look twice as far away, up to the borders: so no
 * lens is taken for its neighbour, however roughly the spectrum knew the pitch. */

#include "calibrate.h"

#include "core/log.h"

#include <math.h>
#include <stdlib.h>

#define LENSES_MAX 20000 /* looked at; of more, every second or third */
#define PIXELS_MAX 1e7 /* and of larger pictures, too */
#define LENSES_ROUGH 1000 /* looked at on the way to the borders */
#define FIRST_REACH 6.0 /* lenses */
#define ROUNDS 5
#define WEAK_PARTS 4.0 /* such a part of the median strength is no lens */
#define FAR_TIMES 3.0 /* the median distance */
#define RESIDUAL_MAX 0.12 /* lenses; lenses at random places have 0.4 */
#define UNSURE_MAX 0.05 /* lenses; a picture of coins in rows has 0.1, white pictures 0.001 */

/* ---- Least squares */

/* Solves n equations of a symmetric matrix; the answer takes the right side's place. */
static bool solve(int n, double matrix[5][5], double *right)
{
    for (int i = 0; i < n; i++) {
        if (!(matrix[i][i] > 1e-12)) {
            return false;
        }
        for (int row = 0; row < n; row++) {
            const double part = row == i ? 0.0 : matrix[row][i] / matrix[i][i];
            for (int column = 0; column < n && row != i; column++) {
                matrix[row][column] -= part * matrix[i][column];
            }
            right[row] -= part * right[i];
        }
    }
    for (int i = 0; i < n; i++) {
        right[i] /= matrix[i][i];
    }
    return true;
}

static double distance(const struct calibrate_center *center,
                       const struct calibrate_lattice *lattice)
{
    double at[2];
    calibrate_place(lattice, center->place, at);
    return hypot(center->at_px[0] - at[0], center->at_px[1] - at[1]);
}

static bool fit_once(const struct calibrate_center *centers, uint32_t count,
                     struct calibrate_lattice *lattice)
{
    for (int axis = 0; axis < 2; axis++) {
        double matrix[5][5] = {{0.0}};
        double right[5] = {0.0};
        for (uint32_t i = 0; i < count; i++) {
            const double row[3] = {1.0, centers[i].place[0], centers[i].place[1]};
            for (int r = 0; r < 3 && centers[i].used; r++) {
                for (int c = 0; c < 3; c++) {
                    matrix[r][c] += row[r] * row[c];
                }
                right[r] += row[r] * centers[i].at_px[axis];
            }
        }
        if (!solve(3, matrix, right)) {
            return false;
        }
        lattice->origin[axis] = right[0];
        lattice->across[axis] = right[1];
        lattice->down[axis] = right[2];
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

double calibrate_median(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof *numbers, compare);
    return count > 0 ? numbers[count / 2] : 0.0;
}

/* The nearest array of such centres, which need not be at right angles. Lenses that lie far off are
 * left out: dust, dead lenses, micro-images that the main lens cuts. */
static bool fit_affine(struct calibrate_center *centers, uint32_t count, double *distances,
                       struct calibrate_lattice *lattice)
{
    bool fine = true;
    for (int round = 0; fine && round < ROUNDS; round++) {
        fine = fit_once(centers, count, lattice);
        for (uint32_t i = 0; i < count; i++) {
            distances[i] = distance(&centers[i], lattice);
        }
        const double most = FAR_TIMES * calibrate_median(distances, count) + 1e-6;
        for (uint32_t i = 0; i < count; i++) {
            centers[i].used = distance(&centers[i], lattice) <= most;
        }
    }
    return fine && fit_once(centers, count, lattice);
}

/* How a centre moves with the origin, the pitches and the rotation. */
static void slopes_of(const double place[2], const double pitch[2], double turn, double out[2][5])
{
    const double cosine = cos(turn);
    const double sine = sin(turn);
    const double x = place[0] * pitch[0];
    const double y = place[1] * pitch[1];
    const double slopes[2][5] = {
        {1.0, 0.0, cosine * place[0], -sine * place[1], -sine * x - cosine * y},
        {0.0, 1.0, sine * place[0], cosine * place[1], cosine * x - sine * y}};
    for (int i = 0; i < 10; i++) {
        out[i / 5][i % 5] = slopes[i / 5][i % 5];
    }
}

static void set_right(struct calibrate_lattice *lattice, const double pitch[2], double turn)
{
    lattice->across[0] = cos(turn) * pitch[0];
    lattice->across[1] = sin(turn) * pitch[0];
    lattice->down[0] = -sin(turn) * pitch[1];
    lattice->down[1] = cos(turn) * pitch[1];
}

/* Newton's steps from the affine array. Returns the root of the mean square of distances. */
static double fit_right(const struct calibrate_center *centers, uint32_t count,
                        struct calibrate_lattice *lattice)
{
    double pitch[2] = {sqrt(calibrate_dot(lattice->across, lattice->across)),
                       sqrt(calibrate_dot(lattice->down, lattice->down))};
    double turn = atan2(lattice->across[1], lattice->across[0]);
    for (int round = 0; round < ROUNDS; round++) {
        double matrix[5][5] = {{0.0}};
        double right[5] = {0.0};
        set_right(lattice, pitch, turn);
        for (uint32_t i = 0; i < count; i++) {
            double slopes[2][5];
            double at[2];
            calibrate_place(lattice, centers[i].place, at);
            slopes_of(centers[i].place, pitch, turn, slopes);
            for (int k = 0; k < 50 && centers[i].used; k++) {
                const double *row = slopes[k / 25];
                matrix[k % 25 / 5][k % 5] += row[k % 25 / 5] * row[k % 5];
            }
            for (int k = 0; k < 10 && centers[i].used; k++) {
                right[k % 5] += slopes[k / 5][k % 5] * (centers[i].at_px[k / 5] - at[k / 5]);
            }
        }
        if (!solve(5, matrix, right)) {
            break;
        }
        lattice->origin[0] += right[0];
        lattice->origin[1] += right[1];
        pitch[0] += right[2];
        pitch[1] += right[3];
        turn += right[4];
    }
    set_right(lattice, pitch, turn);
    double sum = 0.0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += centers[i].used ? pow(distance(&centers[i], lattice), 2.0) : 0.0;
        used += centers[i].used ? 1 : 0;
    }
    return used > 0 ? sqrt(sum / used) : INFINITY;
}

/* ---- How sure it is */

/* Returns the standard error of the array at a place, in distances: that of its middle, and those
 * of both pitches as far away as the place is. */
static double error_at(const double place[2], const double mean[2], const double squares[2],
                       double used, double residual)
{
    const double x = place[0] - mean[0];
    const double y = place[1] - mean[1];
    const double variance = residual * residual * 2.0 * used / (2.0 * used - 5.0);
    return sqrt(variance * (1.0 / used + x * x / squares[0] + y * y / squares[1]));
}

/* Returns the largest at the picture's corners; NAN: at one of them it is not known. */
static double error_at_corners(const struct calibrate_picture *picture,
                               const struct calibrate_center *centers,
                               const struct calibrate_fit *fit)
{
    const struct calibrate_lattice *lattice = &fit->lattice;
    double mean[2] = {0.0};
    double squares[2] = {0.0};
    double most = 0.0;
    for (uint32_t i = 0; i < fit->seen; i++) {
        for (int axis = 0; axis < 2 && centers[i].used; axis++) {
            mean[axis] += centers[i].place[axis] / fit->used;
            squares[axis] += centers[i].place[axis] * centers[i].place[axis];
        }
    }
    for (int axis = 0; axis < 2; axis++) {
        squares[axis] -= fit->used * mean[axis] * mean[axis];
    }
    for (int corner = 0; corner < 4; corner++) {
        const double away[2] = {picture->width_px * (corner % 2) - lattice->origin[0],
                                picture->height_px * (corner / 2) - lattice->origin[1]};
        const double place[2] = {
            calibrate_dot(away, lattice->across) / calibrate_dot(lattice->across, lattice->across),
            calibrate_dot(away, lattice->down) / calibrate_dot(lattice->down, lattice->down)};
        const double error = error_at(place, mean, squares, fit->used, fit->residual_px);
        if (isnan(error)) {
            return error; /* fmax would leave it out */
        }
        most = fmax(most, error);
    }
    return most;
}

/* ---- Lenses */

struct look {
    const struct calibrate_picture *picture;
    struct calibrate_center *centers;
    uint32_t count;
    double *numbers; /* scratch, one for each centre that there may be */
};

/* Lenses whose pattern is weak are dust, dead, or in the dark. */
static void drop_weak(struct look *look)
{
    for (uint32_t i = 0; i < look->count; i++) {
        look->numbers[i] = look->centers[i].strength;
    }
    const double least = calibrate_median(look->numbers, look->count) / WEAK_PARTS;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < look->count; i++) {
        if (look->centers[i].strength > least) {
            look->centers[kept++] = look->centers[i];
        }
    }
    look->count = kept;
}

/* The distance of the lenses that are looked at, in lenses. */
static int32_t stride_of(const struct calibrate_picture *picture,
                         const struct calibrate_lattice *lattice, const int32_t reach[2],
                         bool rough)
{
    const double pixels = (double)picture->width_px * picture->height_px;
    const double all = pixels / calibrate_cross(lattice->across, lattice->down);
    const double around = fmin(all, (2.0 * reach[0] + 1.0) * (2.0 * reach[1] + 1.0));
    const double most = rough ? LENSES_ROUGH : fmin(LENSES_MAX, PIXELS_MAX / pixels * all);
    return around > most ? (int32_t)ceil(sqrt(around / most)) : 1;
}

static void look_around(struct look *look, const struct calibrate_lattice *lattice,
                        const int32_t reach[2], bool rough,
                        const struct calibrate_progress *progress)
{
    const int32_t stride = stride_of(look->picture, lattice, reach, rough);
    look->count = 0;
    for (int32_t row = -reach[1]; row <= reach[1]; row += stride) {
        for (int32_t column = -reach[0]; column <= reach[0]; column += stride) {
            struct calibrate_center center = {
                .place = {calibrate_column(lattice, column, row), row}, .used = true};
            double at[2];
            calibrate_place(lattice, center.place, at);
            if (look->count < LENSES_MAX &&
                calibrate_center_find(look->picture, lattice, at, !rough, &center)) {
                look->centers[look->count++] = center;
            }
        }
        if (progress->fn && !rough) {
            progress->fn(progress->user, (row + reach[1]) / (2.0 * reach[1] + 1.0));
        }
    }
    drop_weak(look);
}

/* A lens near the middle: of some places the one with the strongest pattern. */
static bool begin(const struct calibrate_picture *picture, struct calibrate_lattice *lattice)
{
    double strongest = 0.0;
    for (int i = 0; i < 25; i++) {
        const double from[2] = {picture->width_px * (0.3 + 0.1 * (i % 5)),
                                picture->height_px * (0.3 + 0.1 * (i / 5))};
        struct calibrate_center center;
        if (calibrate_center_find(picture, lattice, from, false, &center) &&
            center.strength > strongest) {
            strongest = center.strength;
            lattice->origin[0] = center.at_px[0];
            lattice->origin[1] = center.at_px[1];
        }
    }
    return strongest > 0.0;
}

/* Returns how many lenses to each side a border can be away. */
static int32_t most_reach(const struct calibrate_picture *picture, const double step[2])
{
    return (int32_t)(hypot(picture->width_px, picture->height_px) /
                     sqrt(calibrate_dot(step, step))) +
           1;
}

static void name(struct look *look, struct calibrate_fit *fit)
{
    fit->shear_deg = (atan2(fit->lattice.down[1], fit->lattice.down[0]) -
                      atan2(fit->lattice.across[1], fit->lattice.across[0])) /
                         CALIBRATE_DEGREE -
                     90.0;
    fit->residual_px = fit_right(look->centers, look->count, &fit->lattice);
    fit->seen = look->count;
    fit->used = 0;
    for (uint32_t i = 0; i < look->count; i++) {
        fit->used += look->centers[i].used ? 1 : 0;
    }
    fit->unsure_px = error_at_corners(look->picture, look->centers, fit);
}

static enum fovea_result grow(struct look *look, const struct calibrate_progress *progress,
                              struct calibrate_fit *out, char *out_problem)
{
    const int32_t most[2] = {most_reach(look->picture, out->lattice.across),
                             most_reach(look->picture, out->lattice.down)};
    for (double reach = FIRST_REACH;; reach *= 2.0) {
        const bool last = reach >= most[0] && reach >= most[1];
        const int32_t around[2] = {(int32_t)fmin(reach, most[0]), (int32_t)fmin(reach, most[1])};
        look_around(look, &out->lattice, around, !last, progress);
        if (look->count < CALIBRATE_LENSES_LEAST ||
            !fit_affine(look->centers, look->count, look->numbers, &out->lattice)) {
            return CALIBRATE_PROBLEM(out_problem,
                                     "too few lenses are whole: the picture needs %d of them "
                                     "across and down, and a micro-image more at each side",
                                     CALIBRATE_LENSES_LEAST);
        }
        if (last) {
            name(look, out);
            return FOVEA_OK;
        }
    }
}

enum fovea_result calibrate_fit_find(const struct calibrate_picture *picture,
                                     const struct calibrate_lattice *guess,
                                     const struct calibrate_progress *progress,
                                     struct calibrate_fit *out,
                                     char out_problem[LIGHTFIELD_PROBLEM_BYTES])
{
    struct look look = {.picture = picture, .centers = malloc(LENSES_MAX * sizeof *look.centers)};
    look.numbers = malloc(LENSES_MAX * sizeof *look.numbers);
    if (!look.centers || !look.numbers) {
        free(look.centers);
        free(look.numbers);
        return FOVEA_ERROR_OUT_OF_MEMORY;
    }
    *out = (struct calibrate_fit){.lattice = *guess};
    enum fovea_result result = FOVEA_OK;
    if (!begin(picture, &out->lattice)) {
        result = CALIBRATE_PROBLEM(out_problem,
                                   "the picture is too small for its lenses: it needs %d of them "
                                   "across and down, and a micro-image more at each side",
                                   CALIBRATE_LENSES_LEAST);
    } else {
        result = grow(&look, progress, out, out_problem);
    }
    free(look.centers);
    free(look.numbers);
    const double pitch = sqrt(calibrate_dot(out->lattice.across, out->lattice.across));
    if (result == FOVEA_OK && out->residual_px > RESIDUAL_MAX * pitch) {
        return CALIBRATE_PROBLEM(out_problem,
                                 "lenses lie %.1f px from where a regular array has them: is "
                                 "this a white picture?",
                                 out->residual_px);
    }
    if (result == FOVEA_OK && !(out->unsure_px <= UNSURE_MAX * pitch)) {
        return CALIBRATE_PROBLEM(
            out_problem,
            "the %u lenses that are seen leave the array %.1f px unsure at the "
            "picture's corners: is this a white picture?",
            out->used, out->unsure_px);
    }
    return result;
}
