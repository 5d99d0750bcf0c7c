/* static_files.h - the page's files, read once, compressed once, and served from memory. */
#ifndef HTTP_FILES_STATIC_FILES_H
#define HTTP_FILES_STATIC_FILES_H

#include "base/err.h"
#include "http/request.h"

struct static_files;

/* Read every file in the directory and below it, and in ../api/sheets alongside it, but for hidden
 * ones, links and types the page has no use for; NULL with *err where one cannot be read.
 * `frame_ancestors` is the list, in the words of a Content-Security-Policy, of those who may show
 * the page in a frame of theirs. */
struct static_files *static_files_load(const char *directory, const char *frame_ancestors,
                                       struct err *err);
void static_files_free(
    struct static_files *files); /* NULL is fine; no server may use them any more */

/* Answer a GET or HEAD for a file or for a page; false for any other path, and where files is NULL.
 * Only names that were there at load are known, so no path leads anywhere else. */
bool static_files_answer(const struct static_files *files, const struct request *request,
                         struct reply *reply);

#endif
