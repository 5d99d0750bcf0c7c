/* explain.c - how each figure of an answer came about, as every question shows it. */
#include "api/resource/currency.h"

#include <string.h>

#define TABLE explanation_row
#define TABLE_FILE "api/resource/explanation_row.def"
#include "base/field/table.h"
const struct fields explanation_fields = FIELDS_INIT(explanation_row_rows);

bool call_wants_explanations(const struct call *call)
{
    return call->common.explain == 1 ||
           (call->project && strcmp(call->project, "explanations") == 0);
}

void call_explanations(struct call *call, const struct explanations *explanations)
{
    struct explanation_row *rows = arena_alloc(call->arena, explanations->n * sizeof(*rows));

    for (size_t i = 0; i < explanations->n; i++) {
        const struct explanation *at = &explanations->at[i];
        rows[i] = (struct explanation_row){
            .key = at->key,
            .formula = at->formula,
            .substitution = currency_text(call, at->substitution),
            .value = at->value,
            .unit = at->unit,
            .inputs = currency_text(call, at->inputs),
            .source = at->source,
        };
    }
    call_table(call, "explanations", rows, explanations->n, sizeof(*rows));
}
