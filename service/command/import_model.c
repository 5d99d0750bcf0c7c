#include "command/import_model.h"

#include "json/body.h"
#include "store/import.h"
#include "store/import_model.h"

#include <ctype.h>
#include <string.h>

static const char suffix[] = "config.json";

/* Llama-2-7b.config.json and Llama-2-7b/config.json are both Llama-2-7b. */
static const char *name_of(struct arena *arena, const char *file)
{
    const char *end = file + strlen(file), *start;
    size_t n = sizeof(suffix) - 1;

    if ((size_t)(end - file) > n && strcmp(end - n, suffix) == 0)
        end -= n;
    while (end > file && (end[-1] == '/' || end[-1] == '.'))
        end--;
    for (start = end; start > file && start[-1] != '/'; start--)
        ;
    return arena_print(arena, "%.*s", (int)(end - start), start);
}

/* Lower case; a hyphen replaces anything but letters, digits and points. */
static const char *slug_of(struct arena *arena, const char *name)
{
    char *slug = arena_alloc(arena, strlen(name) + 1);
    size_t n = 0;

    for (; *name; name++) {
        char c = (char)tolower((unsigned char)*name);
        bool plain = strchr("abcdefghijklmnopqrstuvwxyz0123456789", c);
        if (plain)
            slug[n++] = c;
        else if (n && !strchr("-.", slug[n - 1]))
            slug[n++] = c == '.' ? '.' : '-';
    }
    while (n && strchr("-.", slug[n - 1]))
        n--;
    slug[n] = '\0';
    return slug;
}

bool import_model_read(const struct import_bytes *bytes, const char *file, const char *observed,
                       struct arena *arena, const char *const **values, struct err *err)
{
    const struct model *read;

    if (!json_read_model(bytes->at, bytes->n, arena, &read, err))
        return err->n_culprits ? err_set(err, ERR_INVALID, "%s: %s", err->culprits[0].field,
                                         err->culprits[0].text)
                               : false;
    struct model model = *read;
    model.name = name_of(arena, file);
    model.slug = slug_of(arena, model.name);
    if (!model.hf_id || !model.hf_id[0])
        model.hf_id = model.name;
    model.source = file;
    model.source_date = observed;
    if (!model.slug[0])
        return err_set(err, ERR_INVALID, "has no name: a model is named after its file or folder");
    *values = import_model_values(arena, &model);
    return true;
}
