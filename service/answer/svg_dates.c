/* svg_dates.c - a date axis: ticks every n days, months or years. */
#include "answer/svg_dates.h"
#include "base/text.h"

#include <math.h>

static const struct step {
    int days, months;
} steps[] = {{1, 0}, {2, 0}, {7, 0},  {14, 0}, {0, 1},  {0, 2},
             {0, 3}, {0, 6}, {0, 12}, {0, 24}, {0, 60}, {0, 120}};

double svg_dates_day(int32_t day)
{
    return day ? text_days_between(CHART_EPOCH, day) : (double)NAN;
}

static int32_t day_of(double value)
{
    return text_day_plus(CHART_EPOCH, (int)value);
}

void svg_dates_settle(struct svg_scale *scale, int days_max, int months_max)
{
    const double month = 365.25 / 12;
    size_t i = 0, last = sizeof(steps) / sizeof(steps[0]) - 1;

    if (scale->high <= scale->low) {
        scale->low--;
        scale->high++;
    }
    while (i < last && (scale->high - scale->low) / (steps[i].days + steps[i].months * month) >
                           (steps[i].days ? days_max : months_max))
        i++;
    scale->dates = true;
    scale->days = steps[i].days;
    scale->months = steps[i].months;
}

/* The first day of the i-th month with a tick. */
static double month_mark(const struct svg_scale *scale, int i)
{
    int32_t first = day_of(scale->low);
    int month = first / 10000 * 12 + first / 100 % 100 - 1 + (first % 100 > 1);
    int at = (month + scale->months - 1) / scale->months * scale->months + i * scale->months;

    return svg_dates_day(at / 12 * 10000 + (at % 12 + 1) * 100 + 1);
}

bool svg_dates_mark(const struct svg_scale *scale, int i, double *value)
{
    *value = scale->months ? month_mark(scale, i) : scale->low + i * scale->days;
    return *value <= scale->high;
}

void svg_dates_tick(struct buf *out, const struct svg_scale *scale, double value)
{
    char day[11];

    text_print_day(day_of(value), day);
    buf_add(out, day, scale->days ? 10 : scale->months % 12 ? 7 : 4);
}

/* The axis line; it carries the range of days as attributes, for scripts that draw over the
 * chart. */
void svg_dates_line(const struct svg_scale *scale, int bottom, struct buf *out)
{
    char from[11], to[11];

    text_print_day(day_of(scale->low), from);
    text_print_day(day_of(scale->high), to);
    buf_print(out,
              "<line class=\"axis\" data-from=\"%s\" data-to=\"%s\" x1=\"%.0f\" x2=\"%.0f\" "
              "y1=\"%d\" y2=\"%d\"/>\n",
              from, to, scale->from, scale->to, bottom, bottom);
}
