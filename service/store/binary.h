/* binary.h - decodes PostgreSQL's binary format: big-endian, numerics in base 10,000, days counted
 * from 2000-01-01. */
#ifndef STORE_BINARY_H
#define STORE_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value; `at` is NULL for null. */
struct binary_value {
    const unsigned char *at;
    size_t size;
};

int16_t binary_int16(const unsigned char *at);
int32_t binary_int32(const unsigned char *at);

/* A four-byte integer; 0 for null. */
bool binary_whole(struct binary_value value, int32_t *out);
/* An eight-byte integer; NAN for null. */
bool binary_count(struct binary_value value, double *out);
/* A numeric as the nearest double; NAN for null. False for NaN, infinities and malformed values.
 */
bool binary_numeric(struct binary_value value, double *out);
/* A day as yyyymmdd; 0 for null. False for infinities and years outside 1 to 9999. */
bool binary_day(struct binary_value value, int32_t *out);

#endif
