#include "base/cents.h"
#include "estimate/ownership/ownership.h"
#include "ownership_fixture.h"
#include "tap.h"

/* How the purchase is paid: by loan, by lease, in two parts. */

static double total_of(const struct ownership *in, int months)
{
    struct ledger ledger;

    ownership_ledger(in, months, &ledger);
    return ledger.buy_total;
}

static bool about(double a, double b)
{
    return fabs(a - b) < 0.05; /* each of fifty lines is rounded */
}

/* 387,000 at 12 % a year, effective; payments by the annuity formula in decimal arithmetic. */
static void test_loan(void)
{
    struct ownership in = ownership_usual();
    double cash = total_of(&in, 36), longer = total_of(&in, 60);

    in.financing = "loan";
    in.loan_months = 24;
    in.loan_down_payment_ratio = 0.3;
    ok(about(total_of(&in, 36), cash) && about(total_of(&in, 60), longer),
       "a loan at the cost of capital costs what cash does, whenever it is paid");
    in.financing_interest_ratio = 0.12;
    is_near(amount_of(&in, 60, "buy", "loan_interest"), 33293.66, 1e-9, "interest of an annuity");
    ok(amount_of(&in, 60, "buy", "loan_interest") == amount_of(&in, 24, "buy", "loan_interest"),
       "none after the last payment");
    in.loan_down_payment_ratio = 1;
    ok(amount_of(&in, 36, "buy", "loan_interest") == 0 && about(total_of(&in, 36), cash),
       "nothing borrowed, no interest");
    in.loan_down_payment_ratio = 0;
    in.loan_months = 0;
    is_near(amount_of(&in, 12, "buy", "loan_interest"), 387000 * 0.12, 1e-9,
            "paid back at the end");
    in.financing_interest_ratio = 0;
    in.loan_months = 10;
    ok(amount_of(&in, 12, "buy", "loan_interest") == 0, "an interest-free loan");
    ok(total_of(&in, 36) < cash, "is worth something");
}

static void test_lease(void)
{
    struct ownership in = ownership_usual();

    in.decommissioning_ratio = 0;
    double cash = total_of(&in, 36);
    in.financing = "operating_lease";
    in.lease_months = 36;
    in.lease_residual_ratio = 100776.96 / 300000; /* what the owner sells them for */
    ok(amount_of(&in, 36, "buy", "gpu_servers") == 0, "leased servers are not bought");
    ok(ownership_book_value(&in, 12) == 0, "nor in the books");
    ok(about(total_of(&in, 36), cash),
       "a lessor at the same cost of capital who sells for as much gives nothing away");
    in.lease_end = "buyout";
    ok(about(total_of(&in, 36), cash), "nor does one who sells to the lessee");
    is_near(amount_of(&in, 36, "buy", "lease_buyout"), 100776.96, 1e-9, "at what they are worth");
    ok(amount_of(&in, 35, "buy", "lease_buyout") == 0 &&
           amount_of(&in, 35, "buy", "residual_value") == 0,
       "not before the term ends");
    in.lease_payment_month = 9000;
    ok(same_cents(amount_of(&in, 60, "buy", "lease_payments"), 36 * 9000.0), "paid to its end");
    in.lease_end = "return";
    ok(same_cents(amount_of(&in, 60, "buy", "lease_payments"), 60 * 9000.0), "or leased again");
    in.server_price = (double)NAN;
    in.lease_payment_month = (double)NAN;
    ok(isnan(amount_of(&in, 60, "buy", "lease_payments")), "unknown price, unknown payments");
}

/* One server now, one at the end of month 12. */
static void test_second_purchase(void)
{
    struct ownership in = ownership_usual(), one = ownership_usual();

    in.gpu_count = 16;
    in.second_gpu_count = 8;
    ok(same_cents(amount_of(&in, 36, "buy", "gpu_servers"), 600000),
       "no month, no second purchase");
    in.second_purchase_month = 12;
    in.rent_price_decline_ratio = 0;
    ok(same_cents(amount_of(&in, 11, "buy", "gpu_servers"), 300000) &&
           same_cents(amount_of(&in, 12, "buy", "gpu_servers"), 600000),
       "the second server is paid at the end of its month");
    ok(same_cents(amount_of(&in, 36, "buy", "lead_time_rental"),
                  cents_round(12 * 8 * 730 * 0.7 * 3.93 * 1.1)),
       "until then its work is rented");
    /* 300000 x (0.72^3 + 0.72^2) x 0.9 */
    ok(same_cents(amount_of(&in, 36, "buy", "residual_value"), -240744.96),
       "and it is a year younger when it is sold");
    ok(same_cents(amount_of(&in, 36, "buy", "staff"), 30 * 3750.0), "half runs for a year");
    one.software_perpetual_cost = in.software_perpetual_cost = 5000;
    ok(same_cents(amount_of(&in, 6, "buy", "software_perpetual"), 5000), "software is bought once");
    ok(same_cents(amount_of(&in, 6, "buy", "decommissioning"),
                  amount_of(&one, 6, "buy", "decommissioning")),
       "what is not there is not scrapped");
    is_near(ownership_book_value(&in, 11), 300000 * (1 - 11 / 60.0), 1e-12, "book value of one");
    is_near(ownership_book_value(&in, 36), 300000 * (0.4 + 0.6), 1e-12, "and of both");
    in.lead_time_months = 2;
    ok(same_cents(amount_of(&in, 14, "buy", "maintenance"), (12 + 0) * 1250.0),
       "each waits for its delivery");
}

int main(void)
{
    test_loan();
    test_lease();
    test_second_purchase();
    return tap_done();
}
