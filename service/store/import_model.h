/* import_model.h - converts a model to a row of the table it is imported into. */
#ifndef STORE_IMPORT_MODEL_H
#define STORE_IMPORT_MODEL_H

#include "base/arena.h"
#include "feed/feed.h"
#include "catalog/model.h"

/* The table that models are written to, and one model's column values, allocated in the arena. */
const struct feed_table *import_model_table(void);
const char *const *import_model_values(struct arena *arena, const struct model *model);

#endif
