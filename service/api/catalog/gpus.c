/* gpus.c - /v1/gpus and /v1/gpus/{gpu}: specifications with their sources, and
 * price-performance. */
#include "api/catalog/gpu_chart.h"
#include "api/routes/resources.h"

#include "base/text.h"
#include "base/units.h"
#include "estimate/figures/roofline.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define TABLE gpus_in
#define TABLE_FILE "api/catalog/gpus_in.def"
#include "base/field/table.h"

#define TABLE gpu_row
#define TABLE_FILE "api/catalog/gpu_row.def"
#include "base/field/table.h"

#define TABLE gpu_assembly
#define TABLE_FILE "api/catalog/gpu_assembly.def"
#include "base/field/table.h"

#define TABLE gpu_in
#define TABLE_FILE "api/catalog/gpu_in.def"
#include "base/field/table.h"

#define TABLE gpu_out
#define TABLE_FILE "api/catalog/gpu_out.def"
#include "base/field/table.h"

#define TABLE figure_row
#define TABLE_FILE "api/catalog/figure_row.def"
#include "base/field/table.h"

static void fill_figures(struct gpu_row *row, const struct gpu *gpu)
{
    row->launch_year = gpu->year;
    row->memory_gib = gpu->memory_marketed_bytes / GIB;
    row->memory_usable_gib = gpu->memory_bytes / GIB;
    row->memory_bandwidth_gb_per_second = gpu->memory_bandwidth / GIGA;
    row->peak_fp32_tflops = gpu->peak[PEAK_FP32] / TERA;
    row->peak_tf32_dense_tflops = gpu->peak[PEAK_TF32] / TERA;
    row->peak_fp16_dense_tflops = gpu->peak[PEAK_FP16] / TERA;
    row->peak_bf16_dense_tflops = gpu->peak[PEAK_BF16] / TERA;
    row->peak_fp8_dense_tflops = gpu->peak[PEAK_FP8] / TERA;
    row->peak_int8_dense_tops = gpu->peak[PEAK_INT8] / TERA;
    row->peak_fp4_dense_tflops = gpu->peak[PEAK_FP4] / TERA;
    row->peak_fp16_accumulate_fp16_dense_tflops = gpu->peak[PEAK_FP16_ACC16] / TERA;
    row->link_unidirectional_gb_per_second = gpu->link_rate / GIGA;
    row->scale_up_domain = gpu->scale_up_domain;
    row->pcie_unidirectional_gb_per_second = gpu->pcie_rate / GIGA;
    row->tdp_w = gpu->tdp;
    row->datacenter_licensed = gpu->datacenter_licensed;
}

/* Whether its memory has ECC: 1, 0, or NAN if no source says. */
static double ecc_of(const struct gpu *gpu)
{
    for (size_t i = 0; i < gpu->n_figures; i++)
        if (strcmp(gpu->figures[i].name, "ecc") == 0)
            return gpu->ecc;
    return (double)NAN;
}

static void fill_sold(struct gpu_row *row, const struct gpu *gpu)
{
    row->board_gpu_count = gpu->board_gpu_count;
    row->half_rack_gpu_count = gpu->half_rack_gpu_count;
    row->rack_gpu_count = gpu->rack_gpu_count;
    row->network_gbit_per_second = gpu->network_rate * 8 / GIGA;
    row->link_count = gpu->link_count;
    row->link_each_unidirectional_gb_per_second = gpu->link_each_rate / GIGA;
    row->link_over_pcie_ratio =
        gpu->scale_up_domain > 1 ? gpu->link_rate / gpu->pcie_rate : (double)NAN;
    row->ecc = ecc_of(gpu);
    row->mig_instance_count = gpu->mig_instance_count;
    row->warranty_years = gpu->warranty_years;
}

static void fill_names(struct gpu_row *row, const struct gpu *gpu)
{
    row->gpu = gpu->slug;
    row->name = gpu->name;
    row->vendor = gpu->vendor;
    row->architecture = gpu->architecture;
    row->form_factor = gpu->form_factor;
    row->memory_type = gpu->memory_type;
    row->link_name = text_given(gpu->link_name);
    row->compute_capability = text_given(gpu->compute_capability);
}

/* Figures per 1000 USD are in USD whatever the currency. */
static void fill_price_performance(const struct request_context *context, struct gpu_row *row,
                                   const struct gpu *gpu, double card_price)
{
    struct roofline worth = roofline_of(gpu, card_price / context->answer.meta.currency_per_usd);

    row->ridge_point_flop_per_byte = worth.ridge_flop_per_byte;
    row->card_price = card_price;
    row->bandwidth_gb_per_second_per_1000_usd = worth.bandwidth_gb_s_per_1000usd;
    row->tflops_per_1000_usd = worth.tflops_per_1000usd;
}

static double on_demand_price(const struct request_context *context, const struct gpu *gpu)
{
    struct price_query query = {
        .gpu = gpu, .purchase_option = "on_demand", .as_of = context->as_of};

    return catalog_price(context->catalog, &query).per_gpu_hour;
}

static bool wanted(const struct gpus_in *in, const struct gpu *gpu)
{
    if (in->q && !strcasestr(gpu->slug, in->q) && !strcasestr(gpu->name, in->q))
        return false;
    if (in->vendor && strcasecmp(in->vendor, gpu->vendor) != 0)
        return false;
    if (in->datacenter == 1 && !gpu->datacenter_licensed)
        return false;
    return isnan(in->min_memory_gib) || gpu->memory_marketed_bytes / GIB >= in->min_memory_gib;
}

static bool answer_gpus(struct request_context *context, void *input, struct err *err)
{
    const struct gpus_in *in = input;
    const struct catalog *catalog = context->catalog;
    struct gpu_row *rows = arena_alloc(context->arena, catalog->n_gpus * sizeof(*rows));
    size_t n = 0;
    bool undated;

    (void)err;
    for (size_t i = 0; i < catalog->n_gpus; i++) {
        const struct gpu *gpu = &catalog->gpus[i];
        if (!wanted(in, gpu))
            continue;
        fill_names(&rows[n], gpu);
        fill_figures(&rows[n], gpu);
        fill_sold(&rows[n], gpu);
        fill_price_performance(context, &rows[n], gpu,
                               catalog_card_price(catalog, gpu, context->as_of, &undated));
        rows[n++].on_demand_price_per_gpu_hour = on_demand_price(context, gpu);
    }
    context_table(context, "rows", rows, n, sizeof(*rows));
    return true;
}

const struct resource gpus_resource = {
    .name = "gpus",
    .headline = "gpu",
    .summary = "The accelerators in the catalogue",
    .in = &gpus_in_fields,
    .in_size = sizeof(struct gpus_in),
    .tables = {{"rows", "gpu", &gpu_row_fields, NULL, "One accelerator each"}},
    .answer = answer_gpus,
};

static void add_figures(struct request_context *context, const struct gpu *gpu)
{
    struct figure_row *rows = arena_alloc(context->arena, gpu->n_figures * sizeof(*rows));

    for (size_t i = 0; i < gpu->n_figures; i++) {
        const struct figure *figure = &gpu->figures[i];
        rows[i] = (struct figure_row){figure->name,     figure->value,       figure->unit,
                                      figure->sparsity, figure->accumulate,  figure->trust,
                                      figure->source,   figure->source_date, figure->note};
    }
    context_table(context, "figures", rows, gpu->n_figures, sizeof(*rows));
}

/* A board with one GPU is the GPU itself. */
static void add_assemblies(struct request_context *context, const struct gpu *gpu)
{
    const struct {
        const char *name;
        double count;
    } sold[] = {{"board", gpu->board_gpu_count},
                {"half_rack", gpu->half_rack_gpu_count},
                {"rack", gpu->rack_gpu_count}};
    struct gpu_assembly *rows =
        arena_alloc(context->arena, sizeof(sold) / sizeof(sold[0]) * sizeof(*rows));
    size_t n = 0;

    for (size_t i = 0; i < sizeof(sold) / sizeof(sold[0]); i++) {
        double count = sold[i].count;
        if (count > 1)
            rows[n++] = (struct gpu_assembly){
                .assembly = sold[i].name,
                .gpu_count = count,
                .memory_gib = count * gpu->memory_marketed_bytes / GIB,
                .memory_bandwidth_gb_per_second = count * gpu->memory_bandwidth / GIGA,
                .peak_bf16_dense_tflops = count * gpu->peak[PEAK_BF16] / TERA,
                .peak_fp8_dense_tflops = count * gpu->peak[PEAK_FP8] / TERA,
                .peak_fp4_dense_tflops = count * gpu->peak[PEAK_FP4] / TERA,
                .tdp_w = count * gpu->tdp};
    }
    context_table(context, "assemblies", rows, n, sizeof(*rows));
}

/* The card with the caller's figures. */
static struct gpu overridden(const struct gpu_in *in, const struct gpu *gpu)
{
    struct gpu own = *gpu;

    if (!isnan(in->memory_bandwidth_gb_per_second))
        own.memory_bandwidth = in->memory_bandwidth_gb_per_second * GIGA;
    if (!isnan(in->peak_tflops))
        own.peak[PEAK_FP16] = own.peak[PEAK_BF16] = in->peak_tflops * TERA;
    return own;
}

static bool add_tokens(struct request_context *context, const struct gpu_in *in,
                       const struct gpu *gpu, struct gpu_out *out, struct err *err)
{
    const struct model *model;

    out->weights_gib = out->weights_fit = out->tokens_per_second = (double)NAN;
    if (!in->model && isnan(in->parameters))
        return true;
    if (!lookup_model(context, in->model, in->parameters, &model, err))
        return false;
    double bytes = model->params_total * in->bytes_per_parameter;
    out->weights_gib = bytes / GIB;
    out->tokens_per_second = roofline_tokens_per_second(gpu, bytes, in->bandwidth_efficiency);
    out->weights_fit = !isnan(out->tokens_per_second);
    return true;
}

static double card_price(struct request_context *context, const struct gpu_in *in,
                         const struct gpu *gpu)
{
    bool undated;

    if (!isnan(in->price))
        return in->price;
    double price = catalog_card_price(context->catalog, gpu, context->as_of, &undated);
    context_set_number(context, "price", price, SOURCE_CATALOG, "/v1/hardware");
    if (undated && !isnan(price))
        context_warn(context, "undated_price", "the known purchase prices of %s are undated",
                     gpu->slug);
    return price;
}

static bool answer_gpu(struct request_context *context, void *input, struct err *err)
{
    struct gpu_in *in = input;
    struct gpu_out *out = arena_alloc(context->arena, sizeof(*out));
    struct gpu_row *row = arena_alloc(context->arena, sizeof(*row));
    const struct gpu *known;

    if (!lookup_gpu(context, "gpu", lookup_gpu_slug(context, context->path_name), &known, err))
        return false;
    struct gpu gpu = overridden(in, known);
    fill_names(row, &gpu);
    fill_figures(row, &gpu);
    fill_sold(row, &gpu);
    fill_price_performance(context, row, &gpu, card_price(context, in, known));
    row->on_demand_price_per_gpu_hour = on_demand_price(context, known);
    /* gpu_out begins and ends with the members of gpu_row. */
    memcpy(out, row, offsetof(struct gpu_row, board_gpu_count));
    memcpy((char *)out + offsetof(struct gpu_out, board_gpu_count),
           (const char *)row + offsetof(struct gpu_row, board_gpu_count),
           sizeof(*row) - offsetof(struct gpu_row, board_gpu_count));
    out->throughput_per_1000_usd = roofline_per_1000usd(
        in->throughput, row->card_price / context->answer.meta.currency_per_usd);
    if (!add_tokens(context, in, &gpu, out, err))
        return false;
    context_values(context, out);
    add_figures(context, known);
    add_assemblies(context, &gpu);
    gpu_chart(context, &gpu);
    return true;
}

const struct resource gpu_resource = {
    .name = "gpu",
    .headline = "memory_gib",
    .summary = "One accelerator: every figure with its source",
    .in = &gpu_in_fields,
    .in_size = sizeof(struct gpu_in),
    .out = &gpu_out_fields,
    .tables = {{"figures", "figure", &figure_row_fields, NULL, "The published figures"},
               {"assemblies", "assembly", &gpu_assembly_fields, NULL,
                "Totals for boards and racks of it"}},
    .answer = answer_gpu,
};
