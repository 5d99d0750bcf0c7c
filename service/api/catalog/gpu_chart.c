/* gpu_chart.c - the roofline of a GPU: limited by memory up to the ridge point, by arithmetic
 * beyond. */
#include "api/catalog/gpu_chart.h"

#include "answer/svg.h"
#include "base/units.h"
#include "estimate/figures/roofline.h"

#include <math.h>

#define TABLE gpu_roofline
#define TABLE_FILE "api/catalog/gpu_roofline.def"
#include "base/field/table.h"

enum { POINTS_MAX = 5 };

static double tflops(const struct gpu *gpu, double peak, double intensity)
{
    return roofline_attainable_flops(gpu, peak, intensity) / TERA;
}

/* The x values of kinks, between which the lines are straight, and of the ends; narrower formats
 * are not slower. */
static size_t intensities(const struct gpu *gpu, double at[POINTS_MAX])
{
    const double peaks[] = {gpu_peak_16bit(gpu), gpu->peak[PEAK_FP8], gpu->peak[PEAK_FP4]};
    size_t n = 0;

    at[n++] = 1;
    for (size_t i = 0; i < sizeof(peaks) / sizeof(peaks[0]); i++)
        if (isfinite(roofline_ridge(gpu, peaks[i])))
            at[n++] = roofline_ridge(gpu, peaks[i]);
    at[n++] = 10000;
    return n;
}

static const struct table *points_of(struct arena *arena, const struct gpu *gpu)
{
    struct table *table = arena_alloc(arena, sizeof(*table));
    struct gpu_roofline *points = arena_alloc(arena, POINTS_MAX * sizeof(*points));
    double at[POINTS_MAX];
    size_t n = intensities(gpu, at);

    for (size_t i = 0; i < n; i++)
        points[i] = (struct gpu_roofline){
            .flop_per_byte = at[i],
            .tflops_16bit = tflops(gpu, gpu_peak_16bit(gpu), at[i]),
            .tflops_fp8 = tflops(gpu, gpu->peak[PEAK_FP8], at[i]),
            .tflops_fp4 = tflops(gpu, gpu->peak[PEAK_FP4], at[i]),
        };
    *table = (struct table){
        .fields = gpu_roofline_fields, .rows = points, .n = n, .stride = sizeof(*points)};
    return table;
}

void gpu_chart(struct request_context *context, const struct gpu *gpu)
{
    struct arena *arena = context->arena;
    struct chart *chart = arena_alloc(arena, sizeof(*chart));
    double ridge = roofline_ridge(gpu, gpu_peak_16bit(gpu));

    if (!isfinite(ridge))
        return;
    *chart = (struct chart){
        .x_axis = AXIS_LOG,
        .y_axis = AXIS_LOG,
        .table = points_of(arena, gpu),
        .title = arena_print(arena, "Roofline of %s", gpu->name),
        .description = arena_print(arena,
                                   "Below %.4g FLOP per byte read, memory bandwidth limits its "
                                   "16-bit rate; above, its peak does.",
                                   ridge),
        .x_label = "FLOP per byte read from memory",
        .y_label = "TFLOP/s at most",
        .x_field = "flop_per_byte",
        .n_curves = 3,
        .curves = {{"tflops_16bit", "16 bits"}, {"tflops_fp8", "FP8"}, {"tflops_fp4", "FP4"}},
        .n_marks = 1,
        .marks = {{ridge, arena_print(arena, "ridge %.4g", ridge), true}},
    };
    context->answer.chart = chart;
}
