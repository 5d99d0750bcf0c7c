/* risk.h - what the files of /v1/break-even/risk share. */
#ifndef API_BREAK_EVEN_RISK_H
#define API_BREAK_EVEN_RISK_H

#include "api/break_even/break_even.h"
#include "estimate/risk/risk.h"

/* The inputs of the break-even come first, so that their table's offsets hold here too. */
struct break_even_risk_in {
    struct break_even_in of;
#include "base/field/members.h"
#include "api/break_even/risk_in.def"
#include "base/field/end.h"
};

/* What is drawn, and where its ends are from. */
struct risk_band {
    struct risk_input input;
    const char *basis;
};

struct risk_bands {
    size_t n, n_held;
    const char *held; /* names of those at an end of their band, which are not drawn; or NULL */
    struct risk_band at[RISK_INPUTS_MAX];
};

/* The inputs that have a band: as the caller says, by the prices of the providers in the answer
 * `base`, or by the catalogue's assumptions, where the value lies inside the band or the caller
 * asks for the input. Ends that are inputs of their own are noted among the call's inputs. Refuses
 * ends that are on the wrong side of the value used. */
bool break_even_risk_bands(struct request_context *context, const struct request_context *base,
                           struct risk_bands *bands, struct err *err) MUST_CHECK;

#endif
