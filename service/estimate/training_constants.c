#include "estimate/training_constants.h"

#define ROW(member) CONSTANT(struct training_constants, member, #member, "")
#define BAND(member, scope, bound)                                                        \
    {                                                                                     \
        "step_interval_factor", scope, bound, offsetof(struct training_constants, member) \
    }

static const struct constant rows[] = {
    ROW(eta1),
    ROW(gam),
    ROW(eta8),
    ROW(gam8),
    ROW(f4),
    ROW(ka),
    ROW(ga),
    ROW(kz),
    ROW(kg),
    ROW(cb),
    ROW(ce),
    ROW(cq),
    ROW(am),
    ROW(cs),
    ROW(e_nv),
    ROW(e_net),
    ROW(xtp),
    ROW(atp),
    ROW(xdp),
    ROW(x3),
    ROW(kdp),
    ROW(xpp),
    ROW(al),
    ROW(sa),
    ROW(ad),
    ROW(gz),
    ROW(host_staging),
    ROW(host_memory_rate),
    ROW(xa),
    ROW(e_a2a),
    ROW(xcp),
    ROW(co),
    ROW(vendor),
    CONSTANT(struct training_constants, vendor_amd, "vendor", "amd"),
    ROW(cap_gemm),
    ROW(cap_attention),
    NETWORK_RATES(struct training_constants),
    ROW(global_batch_tokens),
    ROW(adapter_batch_sequences),
    ROW(sequence_tokens_default),
    ROW(trainable_ratio),
    ROW(micro_batch_tokens_max),
    ROW(micro_batch_memory_ratio),
    ROW(runtime_reserve_gib),
    BAND(dense_low, "dense", BOUND_LOW),
    BAND(dense_high, "dense", BOUND_HIGH),
    BAND(moe_low, "moe", BOUND_LOW),
    BAND(moe_high, "moe", BOUND_HIGH),
};

void training_constants_keep(struct catalog *catalog)
{
    constants_keep(catalog, rows, sizeof(rows) / sizeof(rows[0]),
                   sizeof(struct training_constants));
}

bool training_constants_fill(const struct catalog *catalog, struct training_constants *constants,
                             struct err *err)
{
    return constants_fill(catalog, rows, sizeof(rows) / sizeof(rows[0]), constants, err);
}

double *training_constant(struct training_constants *constants, const char *key)
{
    return constants_find(rows, sizeof(rows) / sizeof(rows[0]), key, "", constants);
}
