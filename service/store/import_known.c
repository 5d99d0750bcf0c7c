#include "store/import_known.h"

#include "store/table.h"

#include <stddef.h>

static const struct column name_columns[] = {
    {"format", COLUMN_TEXT, offsetof(struct feed_name, format)},
    {"provider", COLUMN_TEXT, offsetof(struct feed_name, provider)},
    {"name", COLUMN_TEXT, offsetof(struct feed_name, name)},
    {"instance", COLUMN_TEXT, offsetof(struct feed_name, instance)},
    {"gpu", COLUMN_TEXT, offsetof(struct feed_name, gpu)},
    {"memory_gib", COLUMN_NUMBER, offsetof(struct feed_name, memory_gib)},
    {"gpu_count", COLUMN_NUMBER, offsetof(struct feed_name, gpu_count)},
    {"evidence like 'from memory%'", COLUMN_FLAG, offsetof(struct feed_name, unverified)},
};
static const struct table names = {"public.gpu_name order by name collate \"C\"", name_columns, 8,
                                   sizeof(struct feed_name)};

static const struct column gpu_columns[] = {
    {"slug", COLUMN_TEXT, offsetof(struct feed_gpu, slug)},
    {"(select case unit when 'GB' then value * 1e9 / 1073741824 else value end "
     "from public.gpu_figure where gpu = slug and figure = 'memory_capacity' "
     "and trust <> 'disputed')",
     COLUMN_NUMBER, offsetof(struct feed_gpu, memory_gib)},
};
static const struct table gpus = {"public.gpu order by slug collate \"C\"", gpu_columns, 2,
                                  sizeof(struct feed_gpu)};

static const struct column provider_columns[] = {{"slug", COLUMN_TEXT, 0}};
static const struct table providers = {"public.provider order by slug collate \"C\"",
                                       provider_columns, 1, sizeof(const char *)};

static const struct column alias_columns[] = {
    {"alias", COLUMN_TEXT, offsetof(struct feed_alias, alias)},
    {"provider", COLUMN_TEXT, offsetof(struct feed_alias, provider)},
};
static const struct table aliases = {"public.provider_alias order by alias collate \"C\"",
                                     alias_columns, 2, sizeof(struct feed_alias)};

bool import_load_known(PGconn *conn, struct arena *arena, struct feed_known *known, struct err *err)
{
    void *rows[4];

    if (!table_load(conn, &names, arena, &rows[0], &known->n_names, err) ||
        !table_load(conn, &gpus, arena, &rows[1], &known->n_gpus, err) ||
        !table_load(conn, &providers, arena, &rows[2], &known->n_providers, err) ||
        !table_load(conn, &aliases, arena, &rows[3], &known->n_aliases, err))
        return false;
    known->names = rows[0];
    known->gpus = rows[1];
    known->providers = rows[2];
    known->aliases = rows[3];
    return true;
}
