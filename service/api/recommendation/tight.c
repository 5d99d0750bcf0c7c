/* tight.c - warns of recommended jobs that fit with hardly any memory to spare. */
#include "api/recommendation/search.h"
#include "api/recommendation/warnings.h"

void recommendation_warn_tight(struct recommendation *recommendation)
{
    static const char *const names[RECOMMENDATION_JOBS] = {"training as recommended: ",
                                                           "fine-tuning as recommended: "};
    const struct recommendation_list *list = &recommendation->list;

    if (list->recommended == list->n)
        return;
    for (int w = 0; w < RECOMMENDATION_JOBS; w++) {
        if (!recommendation->wanted[w])
            continue;
        const struct options_question *question = recommendation->jobs[w];
        const struct options_found *found = recommendation_job(
            recommendation, &list->at[list->recommended], (enum recommendation_workload)w);
        training_warn_tight(recommendation->context, &question->questions[found->candidate].job,
                            found->plan, names[w]);
    }
}
