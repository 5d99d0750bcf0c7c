#include "api/options/shared_warnings.h"

#include <string.h>

struct sharing {
    struct request_context *context;
    const struct shared_warnings_of *of;
    size_t n;
    const char *where;
};

static bool all_say(const struct sharing *all, const struct warning *warning)
{
    for (size_t i = 0; i < all->n; i++)
        if (all->of[i].answer && !answer_warns(all->of[i].answer, warning->code, warning->detail))
            return false;
    return true;
}

/* Whether it has a warning of this code that the others do not share. */
static bool has_own(const struct sharing *all, const struct answer *answer, const char *code)
{
    for (size_t i = 0; answer && i < answer->n_warnings; i++)
        if (strcmp(answer->warnings[i].code, code) == 0 && !all_say(all, &answer->warnings[i]))
            return true;
    return false;
}

/* True if an answer before that one has a warning of its own of this code. */
static bool is_given(const struct sharing *all, size_t before, const char *code)
{
    for (size_t i = 0; i < before; i++)
        if (has_own(all, all->of[i].answer, code))
            return true;
    return false;
}

static const char *say_others(const struct sharing *all, size_t after, const char *code)
{
    struct arena *arena = all->context->arena;
    const char *names = "";

    for (size_t i = after + 1; i < all->n; i++)
        if (has_own(all, all->of[i].answer, code))
            names = arena_print(arena, "%s%s%s", names, names[0] ? ", " : "", all->of[i].name);
    return names[0] ? arena_print(arena, "; the same holds for %s, %s", names, all->where) : "";
}

static void repeat(const struct sharing *all, size_t i, const struct warning *warning)
{
    const char *name = all->of[i].name;

    if (is_given(all, i, warning->code))
        return;
    context_warn(all->context, warning->code, "%s%s%s%s", strstr(warning->detail, name) ? "" : name,
                 strstr(warning->detail, name) ? "" : ": ", warning->detail,
                 say_others(all, i, warning->code));
}

void shared_warnings_repeat(struct request_context *context, const struct shared_warnings_of *of,
                            size_t n, const char *where)
{
    const struct sharing all = {context, of, n, where};
    bool first = true;

    for (size_t i = 0; i < n; i++) {
        for (size_t w = 0; of[i].answer && w < of[i].answer->n_warnings; w++) {
            const struct warning *warning = &of[i].answer->warnings[w];
            if (!all_say(&all, warning))
                repeat(&all, i, warning);
            else if (first)
                context_warn(context, warning->code, "%s", warning->detail);
        }
        first = first && !of[i].answer;
    }
}
