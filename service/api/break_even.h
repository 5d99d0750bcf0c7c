/* break_even.h - what the files of /v1/break-even share: its inputs, completed and judged. */
#ifndef API_BREAK_EVEN_H
#define API_BREAK_EVEN_H

#include "api/call.h"
#include "estimate/breakeven.h"

/* The ledger's inputs come first, so that their table's offsets hold here too. */
struct break_even_in {
    struct ownership own;
#include "base/field_members.h"
#include "api/break_even_in.def"
#include "base/field_end.h"
};

/* Refuse what contradicts itself, then fill every gap from the catalogue, saying where each figure
 * is from. The offers behind the rent price are added to the answer. */
bool break_even_complete(struct call *call, struct break_even_in *in, const struct gpu *gpu,
                         struct err *err) MUST_CHECK;

/* Warn of what the answer leaves out or rests on. */
void break_even_warn(struct call *call, const struct break_even_in *in, const struct gpu *gpu,
                     const struct breakeven *found);

#endif
