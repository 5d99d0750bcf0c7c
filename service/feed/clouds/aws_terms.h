/* aws_terms.h - AWS prices of reserved machines: one price per payment option, of which one is
 * selected after the whole file is read. */
#ifndef FEED_CLOUDS_AWS_TERMS_H
#define FEED_CLOUDS_AWS_TERMS_H

#include "feed/feed.h"

/* A payment option, and its line in the file. */
struct aws_term {
    const char *format, *name; /* key of the GPU in table gpu_name */
    const char *instance, *region, *currency;
    const char *option; /* on_demand, reserved_1yr, reserved_3yr */
    const char *note;
    double count, per_hour; /* count is NAN if table gpu_name gives it */
    int order;              /* the lowest is selected; if equal, the cheaper one */
    size_t line, length;
    const char *text;
};

/* Give the current line's term to the sink at once, or keep it until the end of the file. */
enum feed_fate aws_terms_give(struct feed_reader *reader, const struct aws_term *term);
enum feed_fate aws_terms_wait(struct feed_reader *reader, const struct aws_term *term);
/* A format's finish(): gives one of the kept terms for each machine, region and term. */
void aws_terms_finish(struct feed_reader *reader);

#endif
