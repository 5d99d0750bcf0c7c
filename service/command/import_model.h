/* import_model.h - a file that is a Hugging Face config.json as a row of table model. */
#ifndef COMMAND_IMPORT_MODEL_H
#define COMMAND_IMPORT_MODEL_H

#include "base/err.h"
#include "base/arena.h"
#include "command/import_files.h"

/* The model is named after its file or, where that is plain config.json, after the folder. */
bool import_model_read(const struct import_bytes *bytes, const char *file, const char *observed,
                       struct arena *arena, const char *const **values, struct err *err) MUST_CHECK;

#endif
