/* measurement_store.h - writes the team's own runs to the database.
 *
 * Each change is one transaction, made as gpuplan_writer; a trigger records the author and keeps
 * each set to one writer (sql/functions.sql). A dead connection is replaced once; a run is never
 * stored twice.
 */
#ifndef STORE_MEASUREMENT_STORE_H
#define STORE_MEASUREMENT_STORE_H

#include "catalog/measurement.h"
#include "store/db_writer.h"

/* Implements the `write` of struct measurement_writer; the context is the struct db_writer. One
 * thread at a time. */
bool measurement_store_write(void *db_writer, const struct measurement_order *order,
                             struct measurement_written *written, struct err *err);

#endif
