/* measurement_store.h - the team's own runs on their way into the database and out of it.
 *
 * Each change is one transaction, made as gpuplan_writer; a trigger signs it and keeps the sets
 * apart (sql/functions.sql). A connection found dead is replaced once: the same run is never stored
 * twice.
 */
#ifndef STORE_MEASUREMENT_STORE_H
#define STORE_MEASUREMENT_STORE_H

#include "catalog/measurement.h"
#include "store/db_writer.h"

/* The `write` of struct measurement_writer, whose context is the struct db_writer. From one thread
 * at a time. */
bool measurement_store_write(void *db_writer, const struct measurement_order *order,
                             struct measurement_written *written, struct err *err);

#endif
