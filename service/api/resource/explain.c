/* explain.c - the explanations of an answer's figures, common to all questions. */
#include "api/resource/currency.h"

#include <string.h>

#define TABLE explanation_row
#define TABLE_FILE "api/resource/explanation_row.def"
#include "base/field/table.h"
const struct fields explanation_fields = FIELDS_INIT(explanation_row_rows);

bool explain_is_wanted(const struct request_context *context)
{
    return context->common.explain == 1 ||
           (context->project && strcmp(context->project, "explanations") == 0);
}

void explain_answer(struct request_context *context, const struct explanations *explanations)
{
    struct explanation_row *rows = arena_alloc(context->arena, explanations->n * sizeof(*rows));

    for (size_t i = 0; i < explanations->n; i++) {
        const struct explanation *at = &explanations->at[i];
        rows[i] = (struct explanation_row){
            .key = at->key,
            .formula = at->formula,
            .substitution = currency_text(context, at->substitution),
            .value = at->value,
            .unit = at->unit,
            .inputs = currency_text(context, at->inputs),
            .source = at->source,
        };
    }
    context_table(context, "explanations", rows, explanations->n, sizeof(*rows));
}
