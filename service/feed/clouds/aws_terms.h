/* aws_terms.h - what AWS asks for a machine that is reserved: a price for each way to pay, of which
 * one is taken once the whole file is read. */
#ifndef FEED_CLOUDS_AWS_TERMS_H
#define FEED_CLOUDS_AWS_TERMS_H

#include "feed/feed.h"

/* One way to pay, and the line of the file that it is on. */
struct aws_term {
    const char *format, *name; /* by which table gpu_name knows the GPU */
    const char *instance, *region, *currency;
    const char *option; /* on_demand, reserved_1yr, reserved_3yr */
    const char *note;
    double count, per_hour; /* count NAN: table gpu_name has it */
    int order;              /* the least one is taken, of two alike the cheaper */
    size_t line, length;
    const char *text;
};

/* The line that is being read as a term: where it stands, and as `row` says. */
enum feed_fate aws_terms_give(struct feed_reader *reader, const struct aws_term *term);
enum feed_fate aws_terms_wait(struct feed_reader *reader, const struct aws_term *term);
/* A format's finish(): gives one of those that wait for each machine, region and term. */
void aws_terms_finish(struct feed_reader *reader);

#endif
