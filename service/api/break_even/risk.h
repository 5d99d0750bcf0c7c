/* risk.h - shared by the files of /v1/break-even/risk. */
#ifndef API_BREAK_EVEN_RISK_H
#define API_BREAK_EVEN_RISK_H

#include "api/break_even/break_even.h"
#include "estimate/risk/risk.h"

/* The break-even inputs come first, so that their table's offsets are valid here too. */
struct break_even_risk_in {
    struct break_even_in of;
#include "base/field/members.h"
#include "api/break_even/risk_in.def"
#include "base/field/end.h"
};

/* A random input, and the source of its limits. */
struct risk_band {
    struct risk_input input;
    const char *basis;
};

struct risk_bands {
    size_t n, n_held;
    const char *held; /* names of inputs at a limit of their band, which are not drawn; or NULL */
    struct risk_band at[RISK_INPUTS_MAX];
};

/* Collects the inputs that have a band: given by the caller, or from the providers' prices in the
 * answer `base`, or from the catalogue's assumptions if the value is inside the band or the caller
 * asks for the input. Limits that are inputs of their own are recorded among the request's inputs.
 * Refuses a limit on the wrong side of the value used. */
bool break_even_risk_bands(struct request_context *context, const struct request_context *base,
                           struct risk_bands *bands, struct err *err) MUST_CHECK;

#endif
