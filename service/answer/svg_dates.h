/* svg_dates.h - a date axis: ticks every n days, months or years. */
#ifndef ANSWER_SVG_DATES_H
#define ANSWER_SVG_DATES_H

#include "answer/svg_axes.h"

/* Settle a scale for AXIS_DAYS: ticks at the start of a day, month or year, limits not rounded. The
 * arguments are the maximum number of ticks in days, and in months or years. */
void svg_dates_settle(struct svg_scale *scale, int days_max, int months_max);
bool svg_dates_mark(const struct svg_scale *scale, int i, double *value);
void svg_dates_tick(struct buf *out, const struct svg_scale *scale, double value);
void svg_dates_line(const struct svg_scale *scale, int bottom, struct buf *out);

#endif
