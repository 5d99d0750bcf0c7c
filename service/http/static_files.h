/* static_files.h - the page's files, read once, compressed once, and served from memory. */
#ifndef HTTP_STATIC_FILES_H
#define HTTP_STATIC_FILES_H

#include "base/err.h"
#include "http/request.h"

struct files;

/* Read every file in the directory and below it, and in ../api/sheets beside it, but for hidden
 * ones, links and types the page has no use for; NULL with *err where one cannot be read.
 * `frame_ancestors` is the list, in the words of a Content-Security-Policy, of those who may show
 * the page in a frame of theirs. */
struct files *files_load(const char *directory, const char *frame_ancestors, struct err *err);
void files_free(struct files *files); /* NULL is fine; no server may use them any more */

/* Answer a GET or HEAD for a file or for a page; false for any other path, and where files is NULL.
 * Only names that were there at load are known, so no path leads anywhere else. */
bool files_answer(const struct files *files, const struct request *request, struct reply *reply);

#endif
