/* gpus.c - our own CSV of GPUs and their figures. */
#include "feed/formats.h"

#define TABLE gpus_row
#define TABLE_FILE "feed/gpus.def"
#include "base/field/table.h"

/* One column per field, with the field's name; the store converts them to a GPU and its figures. */
enum { N_COLUMNS = sizeof(gpus_row_rows) / sizeof(gpus_row_rows[0]) };

#define NUMBER(name, unit, min, max, fallback, sentence) #name,
#define COUNT(name, unit, min, max, fallback, sentence) #name,
#define FLAG(name, fallback, sentence) #name,
#define TEXT(name, fallback, sentence) #name,
#define DATE(name, fallback, sentence) #name,
#define ADDRESS(name, fallback, sentence) #name,
static const char *const columns[N_COLUMNS] = {
#include "feed/gpus.def"
};
#include "base/field/end.h"

static const struct feed_table table = {"gpu", columns, N_COLUMNS, "gpu",
                                        "to_jsonb(incoming) - 'line'"};

static enum feed_fate take(struct feed_reader *reader, const void *from)
{
    const struct feed_input *input = reader->input;
    const struct gpus_row *row = from;
    const char *values[N_COLUMNS];
    char numbers[N_COLUMNS][32];

    if (!feed_is_slug(row->gpu, "-."))
        return feed_refuse(reader, "gpu \"%.60s\" is not in lower case with hyphens", row->gpu);
    if (!row->source_date[0] && !input->observed[0])
        return feed_refuse(reader, "has no day: neither the row nor the file gives one");
    for (size_t i = 0; i < N_COLUMNS; i++) {
        const struct field *field = &gpus_row_rows[i];
        values[i] = NULL;
        if (field_is_text(field))
            values[i] = field_text(field, row)[0] ? field_text(field, row) : NULL;
        else if (!isnan(field_number(field, row)))
            values[i] = feed_print(field_number(field, row), numbers[i]);
    }
    if (!row->source_url[0])
        values[N_COLUMNS - 2] = input->source;
    if (!row->source_date[0])
        values[N_COLUMNS - 1] = input->observed;
    feed_give(reader, reader->csv.line, values);
    return FEED_GOOD;
}

const struct feed_format feed_gpus = {
    .name = "gpus",
    .sentence = "our own CSV of GPUs, with the columns of /v1/gpus.csv",
    .fields = FIELDS_INIT(gpus_row_rows),
    .row_size = sizeof(struct gpus_row),
    .table = &table,
    .take = take,
};
