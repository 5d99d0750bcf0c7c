/* import_model.h - converts a Hugging Face config.json to a row of table model. */
#ifndef COMMAND_IMPORT_MODEL_H
#define COMMAND_IMPORT_MODEL_H

#include "base/err.h"
#include "base/arena.h"
#include "command/import_files.h"

/* The model is named after its file or, if that is called config.json, after the folder. */
bool import_model_read(const struct import_bytes *bytes, const char *file, const char *observed,
                       struct arena *arena, const char *const **values, struct err *err) MUST_CHECK;

#endif
