/* difference.h - two answers of one resource side by side: figures, inputs and line items. */
#ifndef API_RESOURCE_DIFFERENCE_H
#define API_RESOURCE_DIFFERENCE_H

#include "api/resource/context.h"

struct compare_side {
    struct request_context *question; /* as it was asked, never answered itself */
    struct request_context *answered;
};

struct comparison {
    struct request_context *context; /* of /v1/compare */
    struct compare_side a, b;
    const struct field *figure; /* the headline value that is taken apart */
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

/* A value as its own answer prints it, so that what is shown adds up; NAN where unknown. */
double difference_rounded(const struct field *field, double value);
/* b less a, without the digits that subtraction makes up. */
double difference_between(const struct field *field, double a, double b);
/* b over a; NAN where a is 0. */
double difference_ratio(double a, double b);
/* The number as its own answer prints it, in the arena. */
const char *difference_number_text(struct arena *arena, const struct field *field, double value);
/* Whether a field has the same value in two structs; unknown is as unknown. */
bool difference_is_none(const struct field *field, const void *a, const void *b);
/* An input's value as text; NULL where it has no value. In the arena. */
const char *difference_input_text(struct request_context *context, const struct inputs *inputs,
                                  size_t i);

/* The tables figures, differing_inputs and line_items. */
void difference_tables(struct comparison *comparison);

#endif
