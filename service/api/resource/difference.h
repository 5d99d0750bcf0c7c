/* difference.h - two answers of one resource side by side: figures, inputs and line items. */
#ifndef API_RESOURCE_DIFFERENCE_H
#define API_RESOURCE_DIFFERENCE_H

#include "api/resource/context.h"

struct compare_side {
    struct request_context *question; /* the question as received; it is not answered itself */
    struct request_context *answered;
};

struct comparison {
    struct request_context *context; /* the request to /v1/compare */
    struct compare_side a, b;
    const struct field *figure; /* the headline value whose difference is attributed */
};

struct compare_figure {
#include "base/field/members.h"
#include "api/resource/difference_figure.def"
#include "base/field/end.h"
};

struct compare_input {
#include "base/field/members.h"
#include "api/resource/difference_input.def"
#include "base/field/end.h"
};

struct compare_line {
#include "base/field/members.h"
#include "api/resource/difference_line.def"
#include "base/field/end.h"
};

/* The value rounded as its own answer prints it, so that the figures shown add up; NAN if
 * unknown. */
double difference_rounded(const struct field *field, double value);
/* b - a, without the spurious digits of a floating-point subtraction. */
double difference_between(const struct field *field, double a, double b);
/* b / a; NAN if a is 0. */
double difference_ratio(double a, double b);
/* The number as printed by its own answer, in the arena. */
const char *difference_number_text(struct arena *arena, const struct field *field, double value);
/* True if a field has the same value in both structs; two unknown values are equal. */
bool difference_is_none(const struct field *field, const void *a, const void *b);
/* An input's value as text, in the arena; NULL if it has none. */
const char *difference_input_text(struct request_context *context, const struct inputs *inputs,
                                  size_t i);

/* Add the tables figures, differing_inputs and line_items. */
void difference_tables(struct comparison *comparison);

#endif
