#include "store/import_copy.h"

#include "base/number.h"

#include <string.h>

/* Escape for COPY's text format. */
static void add_value(struct buf *copy, const char *value)
{
    if (!value) {
        buf_text(copy, "\\N");
        return;
    }
    for (size_t plain; *value; value += plain) {
        plain = strcspn(value, "\\\t\n\r");
        buf_add(copy, value, plain);
        if (!value[plain])
            break;
        buf_char(copy, '\\');
        buf_char(copy, value[plain] == '\t'   ? 't'
                       : value[plain] == '\n' ? 'n'
                       : value[plain] == '\r' ? 'r'
                                              : '\\');
        plain++;
    }
}

void import_copy_row(struct buf *copy, const struct feed_table *table, size_t line,
                     const char *const *values)
{
    char number[NUMBER_SIZE];
    size_t digits = number_fixed(number, (double)line, 0);

    buf_add(copy, number, digits);
    for (size_t i = 0; i < table->n_columns; i++) {
        buf_char(copy, '\t');
        add_value(copy, values[i]);
    }
}
