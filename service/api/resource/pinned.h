/* pinned.h - links pinned to a version of the formulas: replies to them are archived, and sent
 * again once the formulas have changed. */
#ifndef API_RESOURCE_PINNED_H
#define API_RESOURCE_PINNED_H

#include "answer/answer.h"
#include "api/resource/context.h"
#include "base/params.h"
#include "catalog/archive.h"

/* A link as it was asked for. */
struct pinned {
    const char *path; /* without the format suffix */
    const struct params *params;
    enum format format;
};

/* Whether it is an earlier version of the formulas; NULL: no. */
bool pinned_is_earlier(const char *version);
/* Refuse such a version (ERR_GONE) where no archive can answer. */
bool pinned_refuse(const char *version, struct err *err);

/* Have a reply archived, where its link says both day and version. */
void pinned_keep(const struct archive *archive, const struct pinned *pinned,
                 struct request_context *context, const struct reply *reply);
/* The archived reply of an earlier version; NULL: no archive. False with ERR_GONE if it was not
 * archived. */
bool pinned_answer(const struct archive *archive, const struct pinned *pinned,
                   struct request_context *context, struct reply *reply, struct err *err);

/* The query with today's formulas in place of the earlier ones that it names, in the arena; NULL
 * where it names none. */
const char *pinned_current(const struct params *params, struct arena *arena);

#endif
