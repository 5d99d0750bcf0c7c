/* pinned.h - links pinned to a version of the formulas: replies are archived, and sent again once
 * the formulas have changed. */
#ifndef API_RESOURCE_PINNED_H
#define API_RESOURCE_PINNED_H

#include "answer/answer.h"
#include "api/resource/context.h"
#include "base/params.h"
#include "catalog/archive.h"

/* A link as requested. */
struct pinned {
    const char *path; /* without the format suffix */
    const struct params *params;
    enum format format;
};

/* True if it is an earlier version of the formulas; false for NULL. */
bool pinned_is_earlier(const char *version);
/* Refuse such a version (ERR_GONE) when there is no archive to answer it. */
bool pinned_refuse(const char *version, struct err *err);

/* Archive a reply if its link gives both day and version. */
void pinned_keep(const struct archive *archive, const struct pinned *pinned,
                 struct request_context *context, const struct reply *reply);
/* Answer with the archived reply of an earlier version; `archive` may be NULL. False with ERR_GONE
 * if it was not archived. */
bool pinned_answer(const struct archive *archive, const struct pinned *pinned,
                   struct request_context *context, struct reply *reply, struct err *err);

/* The query with the current version in place of the earlier one it names, in the arena; NULL if it
 * names none. */
const char *pinned_current(const struct params *params, struct arena *arena);

#endif
