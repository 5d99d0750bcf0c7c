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

/* A triangle, and where its ends are from. */
struct risk_band {
    struct risk_triangle triangle;
    const char *basis;
};

/* The triangle of each input that is drawn, by the inputs in force and the catalogue's assumptions;
 * the ends are noted among the call's inputs. Refuses ends that are on the wrong side of the value
 * in force. */
bool break_even_risk_bands(struct request_context *context, struct risk_band bands[RISK_INPUTS],
                           struct err *err) MUST_CHECK;

#endif
