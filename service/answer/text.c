#include "answer/flatten.h"
#include "answer/value.h"
#include "answer/write.h"

#include <string.h>

/* A single value without a newline, since a spreadsheet's VALUE() does not accept one. */
bool text_write(const struct answer *answer, const char *field, struct buf *out, struct err *err)
{
    struct cells cells;
    const char *name = field ? field : answer->headline;

    if (!answer->fields.n && strcmp(name, "sentence") == 0 && (answer->sentence || !field)) {
        buf_text(out, answer->sentence ? answer->sentence : "n/a");
        return true;
    }
    flatten_answer(answer, &cells);
    for (size_t i = 0; i < cells.n; i++)
        if (flatten_cell_is(&cells.at[i], name, strlen(name))) {
            value_text(out, cells.at[i].field, cells.at[i].values, "n/a");
            return true;
        }
    if (!answer->fields.n && answer->n_tables && !answer->tables[0].n &&
        fields_find(answer->tables[0].fields, name)) {
        buf_text(out, "n/a");
        return true;
    }
    return flatten_missing(&cells, "field", name, err);
}
