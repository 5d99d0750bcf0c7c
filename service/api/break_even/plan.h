/* plan.h - the plan of the workload in a break-even. */
#ifndef API_BREAK_EVEN_PLAN_H
#define API_BREAK_EVEN_PLAN_H

#include "api/break_even/break_even.h"

/* The word for the workload in answers. */
const char *break_even_workload_word(enum workload kind);

/* True if a workload is given. */
bool break_even_has_workload(const void *input);

/* The plan as a question of its own, not answered yet. Stores its address in `in`. */
struct request_context *break_even_plan_question(struct request_context *context,
                                                 struct break_even_in *in, enum workload kind,
                                                 struct err *err);
/* The answered plan; its chosen and default values become the workload's inputs. NULL if it is
 * refused, with culprits in this resource's parameter names. */
struct request_context *break_even_plan(struct request_context *context, struct break_even_in *in,
                                        enum workload kind, struct err *err);

/* The first given input that implies exactly these kinds; NULL if there is none. */
const char *break_even_asks(const struct request_context *context, enum workload kind);
/* Refuse inputs that belong to other workloads. */
bool break_even_refuse_others(struct request_context *context, enum workload kind, struct err *err);

#endif
