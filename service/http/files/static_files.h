/* static_files.h - the files of the web page, read and compressed once, served from memory. */
#ifndef HTTP_FILES_STATIC_FILES_H
#define HTTP_FILES_STATIC_FILES_H

#include "base/err.h"
#include "http/request.h"

struct static_files;

/* Read all files below the directory and in ../api/sheets next to it, except hidden files, links
 * and types that the page does not use. Returns NULL with *err if one cannot be read.
 * `frame_ancestors` lists, in Content-Security-Policy syntax, the sites that may embed the page in
 * a frame. */
struct static_files *static_files_load(const char *directory, const char *frame_ancestors,
                                       struct err *err);
void static_files_free(
    struct static_files *files); /* NULL is allowed; no server may use them any more */

/* Answer a GET or HEAD for a file or page; false for any other path, and if files is NULL. Only
 * names found at load time are served, so no path leads outside the directory. */
bool static_files_answer(const struct static_files *files, const struct request *request,
                         struct reply *reply);

#endif
