#include "estimate/training/constants.h"

#define ROW(member, ...) CONSTANT(struct training_constants, member, #member, "", __VA_ARGS__)
#define BAND(member, scope, bound, ...)                                                     \
    CONSTANT_BOUND(struct training_constants, member, "step_interval_factor", scope, bound, \
                   __VA_ARGS__)

static const struct constant rows[] = {
    ROW(eta1, RANGE_POSITIVE),
    ROW(gam, RANGE_EXPONENT),
    ROW(eta8, RANGE_POSITIVE),
    ROW(gam8, RANGE_EXPONENT),
    ROW(f4, RANGE_POSITIVE),
    ROW(ka, RANGE_POSITIVE),
    ROW(ke, RANGE_AMOUNT),
    ROW(kz, RANGE_POSITIVE),
    ROW(kg, RANGE_POSITIVE),
    ROW(cb, RANGE_POSITIVE),
    ROW(ce, RANGE_POSITIVE),
    ROW(cq, RANGE_POSITIVE),
    ROW(eb, RANGE_POSITIVE),
    ROW(ff, RANGE_SHARE),
    ROW(cw, RANGE_AMOUNT),
    ROW(fg, RANGE_SHARE),
    ROW(kf, RANGE_POSITIVE),
    ROW(am, RANGE_AMOUNT),
    ROW(an, RANGE_AMOUNT),
    ROW(af, RANGE_AMOUNT),
    ROW(ts, RANGE_AMOUNT),
    ROW(cs, RANGE_PART),
    ROW(e_nv, RANGE_SHARE),
    ROW(e_net, RANGE_SHARE),
    ROW(xtp, RANGE_PART),
    ROW(xtq, RANGE_PART),
    ROW(atp, RANGE_AMOUNT),
    ROW(xdp, RANGE_PART),
    ROW(x3, RANGE_PART),
    ROW(kdp, RANGE_PART),
    ROW(xpp, RANGE_PART),
    ROW(al, RANGE_AMOUNT),
    ROW(sa, RANGE_AMOUNT),
    ROW(cm, RANGE_AMOUNT),
    ROW(ad, RANGE_AMOUNT),
    ROW(gz, RANGE_EXPONENT),
    ROW(host_staging, RANGE_SHARE),
    ROW(host_memory_rate, RANGE_POSITIVE),
    ROW(xa, RANGE_PART),
    ROW(xo, RANGE_PART),
    ROW(e_a2a, RANGE_SHARE),
    ROW(xcp, RANGE_PART),
    ROW(co, RANGE_AMOUNT),
    ROW(cd, RANGE_AMOUNT),
    ROW(ca, RANGE_AMOUNT),
    ROW(vendor, RANGE_POSITIVE),
    CONSTANT(struct training_constants, vendor_amd, "vendor", "amd", RANGE_POSITIVE),
    CONSTANT(struct training_constants, vendor_mi300, "vendor", "mi300", RANGE_POSITIVE),
    CONSTANT(struct training_constants, vendor_mi350, "vendor", "mi350", RANGE_POSITIVE),
    ROW(power_ratio, RANGE_POSITIVE),
    ROW(cap_gemm, RANGE_SHARE),
    ROW(cap_attention, RANGE_SHARE),
    NETWORK_RATES(struct training_constants),
    ROW(global_batch_tokens, RANGE_POSITIVE),
    ROW(adapter_batch_sequences, RANGE_POSITIVE),
    ROW(sequence_tokens_default, RANGE_POSITIVE),
    ROW(trainable_ratio, RANGE_SHARE),
    ROW(micro_batch_tokens_max, RANGE_POSITIVE),
    CONSTANT(struct training_constants, micro_batch_tokens_moe, "micro_batch_tokens_max", "moe",
             RANGE_POSITIVE),
    ROW(micro_batch_memory_ratio, RANGE_SHARE),
    ROW(runtime_reserve_gib, RANGE_AMOUNT),
    BAND(dense_low, "dense", BOUND_LOW, RANGE_SHARE),
    BAND(dense_high, "dense", BOUND_HIGH, RANGE_ABOVE),
    BAND(divided_low, "divided", BOUND_LOW, RANGE_SHARE),
    BAND(divided_high, "divided", BOUND_HIGH, RANGE_ABOVE),
    BAND(moe_low, "moe", BOUND_LOW, RANGE_SHARE),
    BAND(moe_high, "moe", BOUND_HIGH, RANGE_ABOVE),
    BAND(adapter_low, "adapter", BOUND_LOW, RANGE_SHARE),
    BAND(adapter_high, "adapter", BOUND_HIGH, RANGE_ABOVE),
    BAND(card_low, "card", BOUND_LOW, RANGE_SHARE),
    BAND(card_high, "card", BOUND_HIGH, RANGE_ABOVE),
    BAND(other_low, "other_vendor", BOUND_LOW, RANGE_SHARE),
    BAND(other_high, "other_vendor", BOUND_HIGH, RANGE_ABOVE),
    BAND(tpu_low, "tpu", BOUND_LOW, RANGE_SHARE),
    BAND(tpu_high, "tpu", BOUND_HIGH, RANGE_ABOVE),
    BAND(unstated_low, "unstated", BOUND_LOW, RANGE_SHARE),
    BAND(unstated_high, "unstated", BOUND_HIGH, RANGE_ABOVE),
    BAND(dpo_low, "dpo", BOUND_LOW, RANGE_SHARE),
    BAND(dpo_high, "dpo", BOUND_HIGH, RANGE_ABOVE),
    BAND(ppo_low, "ppo", BOUND_LOW, RANGE_SHARE),
    BAND(ppo_high, "ppo", BOUND_HIGH, RANGE_ABOVE),
    ROW(rollout_ratio, RANGE_POSITIVE),
    CONSTANT_BOUND(struct training_constants, rollout_low, "rollout_ratio", "", BOUND_LOW,
                   RANGE_POSITIVE),
    CONSTANT_BOUND(struct training_constants, rollout_high, "rollout_ratio", "", BOUND_HIGH,
                   RANGE_POSITIVE),
    CONSTANT_BOUND(struct training_constants, calendar_low, "calendar_ratio", "", BOUND_LOW,
                   RANGE_POSITIVE),
    CONSTANT_BOUND(struct training_constants, calendar_high, "calendar_ratio", "", BOUND_HIGH,
                   RANGE_POSITIVE),
    CONSTANT_BOUND(struct training_constants, batch_tokens_most, "global_batch_tokens", "",
                   BOUND_HIGH, RANGE_POSITIVE),
    CONSTANT(struct training_constants, batch_compute, "global_batch_compute", "", RANGE_POSITIVE),
    CONSTANT(struct training_constants, batch_exponent, "global_batch_exponent", "",
             RANGE_EXPONENT),
};

void training_constants_memoize(struct catalog *catalog)
{
    constants_memoize(catalog, rows, sizeof(rows) / sizeof(rows[0]),
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
