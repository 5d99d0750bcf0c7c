/* correction.c - corrects the options of /v1/recommendation by the runs of a set: by how much, and
 * the figures without it. */
#include "api/inference/options_search.h"
#include "api/recommendation/recommendation.h"
#include "api/recommendation/search.h"

#include "api/catalog/own_runs.h"
#include "estimate/recommendation/option.h"

#include <math.h>

struct recommendation_correction
recommendation_correction(const struct recommendation *recommendation,
                          const struct recommendation_option *option,
                          enum recommendation_workload workload)
{
    struct recommendation_correction correction = {(double)NAN, (double)NAN, (double)NAN};

    if (workload == RECOMMENDATION_SERVE) {
        const struct serving_option *serving = recommendation_serving(recommendation, option);
        struct serving_plan plain;
        if (!(serving->correction.runs > 0))
            return correction;
        inference_options_uncorrected(recommendation->service, serving, &plain);
        return (struct recommendation_correction){serving->correction.runs,
                                                  serving->correction.token, plain.kept.latency};
    }
    const struct options_found *found = recommendation_job(recommendation, option, workload);
    const struct training_correction *of = &found->totals.correction;
    if (!(of->runs > 0))
        return correction;
    const struct recommendation_configuration *configuration =
        recommendation_configuration_of(&recommendation->ask, option, workload);
    double spot = recommendation_part(option, workload)->acquisition == RECOMMENDATION_SPOT
                      ? configuration->spot_ratio
                      : 0;
    struct training_totals plain =
        training_options_uncorrected(recommendation->jobs[workload], found);
    return (struct recommendation_correction){of->runs, of->factor, plain.days * (1 + spot)};
}

void recommendation_warn_correction(const struct recommendation *recommendation)
{
    const char *set = recommendation->in->measurement_set;
    const struct recommendation_list *list = &recommendation->list;

    if (!set || recommendation->in->use_measurements == 0)
        return;
    for (size_t i = 0; i < list->n; i++)
        for (int w = 0; w < RECOMMENDATION_WORKLOADS; w++)
            if (recommendation->wanted[w] &&
                recommendation_correction(recommendation, &list->at[i],
                                          (enum recommendation_workload)w)
                        .runs > 0)
                return;
    own_runs_warn_unlike(recommendation->context, set, NULL);
}
