/* ownership_fixture.h - eight H100 with the usual defaults, as the ownership tests start from. */
#ifndef TESTS_OWNERSHIP_FIXTURE_H
#define TESTS_OWNERSHIP_FIXTURE_H

#include "estimate/ownership/ownership.h"

#include <math.h>
#include <string.h>

/* Inputs that are not set here cost nothing. */
static inline struct ownership ownership_usual(void)
{
    const double unknown = (double)NAN;

    return (struct ownership){
        .gpu_count = 8,
        .gpus_per_node = 8,
        .utilization = 0.7,
        .gpu_hours_per_month = unknown,
        .horizon_months = 36,
        .goodput = 0.95,
        .purchase_option = "on_demand",
        .rented_ratio = unknown,
        .rent_price_per_gpu_hour = 3.93,
        .spot_overhead_ratio = 0.10,
        .rent_price_decline_ratio = 0.15,
        .rental_overhead_ratio = 0.10,
        .storage_price_per_gb_month = unknown,
        .egress_price_per_gb = 0.09,
        .server_price = 300000,
        .gpu_card_price = 30000,
        .host_share = 0.18,
        .fabric_cost_ratio = 0.12,
        .nodes_per_rack = 4,
        .management_network_cost = 6000,
        .rack_and_pdu_cost = 6000,
        .storage_cost = 0.05,
        .spares_ratio = 0.05,
        .freight_install_ratio = 0.03,
        .gpu_tdp_w = 700,
        .node_power_kw = 10.2,
        .power_load_ratio = 0.8,
        .idle_power_ratio = 0.2,
        .electricity_price_per_kwh = 0.12,
        .electricity_escalation_ratio = 0.02,
        .pue = 1.54,
        .housing = "colocation",
        .colocation_price_per_kw_month = 184.06,
        .colocation_escalator_ratio = 0.03,
        .remote_hands_cost_month = 500,
        .cross_connect_cost_month = 500,
        .internet_transit_cost_month = 500,
        .maintenance_ratio = 0.05,
        .gpu_annual_failure_ratio = 0.09,
        .staff_fte = 0.25,
        .staff_cost_per_fte_year = 180000,
        .insurance_ratio = 0.005,
        .property_tax_ratio = 0.005,
        .grid_carbon_kg_per_kwh = unknown,
        .useful_life_months = 60,
        .cost_of_capital = 0.08,
        .financing = "cash",
        .financing_interest_ratio = unknown,
        .condition = "new",
        .new_server_price = unknown,
        .lease_months = 60,
        .lease_payment_month = unknown,
        .lease_end = "return",
        .lease_residual_ratio = 0.25,
        .annual_value_retention = 0.72,
        .resale_condition_factor = 1,
        .resale_fee_ratio = 0.10,
        .residual_value = unknown,
        .decommissioning_ratio = 0.01,
        .depreciation_method = "straight_line",
        .tokens_per_second = unknown,
        .spot_price_per_gpu_hour = unknown,
        .reference_card_price = unknown,
        .reference_rent_price_per_gpu_hour = unknown,
        .reference_tokens_per_second = unknown,
    };
}

static inline const struct ledger_line *line_of(const struct ledger *ledger, const char *side,
                                                const char *key)
{
    for (size_t i = 0; i < ledger->n; i++)
        if (strcmp(ledger->lines[i].side, side) == 0 && strcmp(ledger->lines[i].key, key) == 0)
            return &ledger->lines[i];
    return NULL;
}

static inline double amount_of(const struct ownership *in, int months, const char *side,
                               const char *key)
{
    struct ledger ledger;

    ownership_ledger(in, months, &ledger);
    const struct ledger_line *line = line_of(&ledger, side, key);
    return line ? line->amount : (double)NAN;
}

static inline bool same_cents(double a, double b)
{
    return fabs(a - b) < 0.001;
}

#endif
