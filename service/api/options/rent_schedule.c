#include "api/options/rent_schedule.h"

#include <math.h>
#include <string.h>

static void fill(struct request_context *context, const char *name, double value,
                 const char *reference)
{
    if (isnan(context_number(context, name)))
        context_set_number(context, name, value, SOURCE_DEFAULT, reference);
}

static void fill_assumption(struct request_context *context, const char *name)
{
    fill(context, name, catalog_default(context->catalog, name, ""),
         arena_print(context->arena, "/v1/assumptions?key=%s", name));
}

static enum rent_schedule_kind kind_of(struct request_context *context)
{
    static const char *const words[] = {"always_on", "follows_load", "active_hours"};
    const char *word = context_text(context, "rent_schedule");

    if (!word)
        context_set_text(context, "rent_schedule", words[0], SOURCE_DEFAULT, NULL);
    for (int i = RENT_SCHEDULE_ACTIVE_HOURS; word && i > RENT_SCHEDULE_ALWAYS_ON; i--)
        if (strcmp(word, words[i]) == 0)
            return (enum rent_schedule_kind)i;
    return RENT_SCHEDULE_ALWAYS_ON;
}

/* Warn about inputs of other schedules. */
static void warn_idle(struct request_context *context, enum rent_schedule_kind kind)
{
    static const struct {
        const char *name, *with;
        bool follows_load, active_hours; /* schedules in which the input has an effect */
    } only[] = {
        {"min_replicas", "follows_load", true, false},
        {"service_start_seconds", "follows_load or active_hours", true, true},
        {"billing_minimum_seconds", "follows_load or active_hours", true, true},
        {"active_hours_per_day", "active_hours", false, true},
        {"active_days_per_week", "active_hours", false, true},
    };

    for (size_t i = 0; i < sizeof(only) / sizeof(only[0]); i++) {
        bool counts = (kind == RENT_SCHEDULE_FOLLOWS_LOAD && only[i].follows_load) ||
                      (kind == RENT_SCHEDULE_ACTIVE_HOURS && only[i].active_hours);
        if (!counts && context_given(context, only[i].name))
            context_warn(context, "without_effect", "%s has an effect only with rent_schedule=%s",
                         only[i].name, only[i].with);
    }
}

static bool check_active(struct request_context *context, const struct rent_schedule *schedule,
                         struct err *err)
{
    double least = rent_schedule_peak_ratio(schedule);

    if (!context_given(context, "peak_to_average_ratio")) {
        context_set_number(context, "peak_to_average_ratio", least, SOURCE_CHOSEN, NULL);
        return true;
    }
    return context_number(context, "peak_to_average_ratio") >= least ||
           context_refuse(context, err, "peak_to_average_ratio", "contradiction",
                          "the weekly load arrives in %g of 168 hours, so the peak is at least "
                          "%.6g times the average",
                          schedule->active_hours_per_day * schedule->days_per_week, least);
}

bool rent_schedule_read(struct request_context *context, struct rent_schedule *schedule,
                        struct err *err)
{
    enum rent_schedule_kind kind = kind_of(context);

    *schedule = (struct rent_schedule){.kind = kind};
    warn_idle(context, kind);
    if (kind == RENT_SCHEDULE_ALWAYS_ON)
        return true;
    fill_assumption(context, "service_start_seconds");
    fill_assumption(context, "billing_minimum_seconds");
    schedule->start_seconds = context_number(context, "service_start_seconds");
    schedule->billing_minimum_seconds = context_number(context, "billing_minimum_seconds");
    if (kind == RENT_SCHEDULE_FOLLOWS_LOAD) {
        fill(context, "min_replicas", 1, NULL);
        schedule->min_replicas = context_number(context, "min_replicas");
        return true;
    }
    if (!context_given(context, "active_hours_per_day"))
        return context_refuse(context, err, "active_hours_per_day", "missing_parameter",
                              "is required with rent_schedule=active_hours");
    fill(context, "active_days_per_week", 7, NULL);
    schedule->active_hours_per_day = context_number(context, "active_hours_per_day");
    schedule->days_per_week = context_number(context, "active_days_per_week");
    return check_active(context, schedule, err);
}
