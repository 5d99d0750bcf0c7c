#include "api/accept.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* One entry of the header: a media type and its weight. */
struct entry {
    char type[64];
    double weight;
};

static double weight_of(const char *parameters, size_t n)
{
    char text[16];
    double weight = 1;

    for (size_t i = 0; i + 2 < n; i++)
        if (parameters[i] == ';') {
            size_t at = i + 1 + strspn(parameters + i + 1, " ");
            if (strncasecmp(parameters + at, "q=", 2) != 0)
                continue;
            snprintf(text, sizeof(text), "%.*s", (int)strspn(parameters + at + 2, "0123456789."),
                     parameters + at + 2);
            return text_number(text, &weight) ? weight : 0;
        }
    return 1;
}

/* Parse the entry at `p`; returns what follows it. */
static const char *read_entry(const char *p, struct entry *entry)
{
    p += strspn(p, ", ");
    size_t whole = strcspn(p, ","), type = strcspn(p, ";, ");

    snprintf(entry->type, sizeof(entry->type), "%.*s", (int)type, p);
    entry->weight = weight_of(p + type, whole - type);
    return p + whole;
}

/* True if a media type, or a range such as text/ with a star, includes our type. */
static bool takes_in(const char *range, const char *ours)
{
    size_t n = strlen(range);

    if (strcmp(range, "*/*") == 0)
        return true;
    if (n > 2 && strcmp(range + n - 2, "/*") == 0)
        return strncasecmp(range, ours, n - 1) == 0;
    return n == strcspn(ours, ";") && strncasecmp(range, ours, n) == 0;
}

static bool format_of(const char *range, enum format *format)
{
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (takes_in(range, answer_format_type((enum format)i))) {
            *format = (enum format)i;
            return true;
        }
    return false;
}

bool accept_choose(const char *accept, enum format *format, struct err *err)
{
    double best = 0;

    *format = FORMAT_JSON;
    if (!accept[strspn(accept, ", ")])
        return true;
    for (const char *p = accept; *p;) {
        struct entry entry;
        enum format ours;
        p = read_entry(p, &entry);
        if (entry.weight > best && format_of(entry.type, &ours)) {
            best = entry.weight;
            *format = ours;
        }
    }
    return best > 0 ||
           err_set(err, ERR_NOT_ACCEPTABLE,
                   "this answer is available as application/json, text/csv, "
                   "text/tab-separated-values, application/xml, text/plain, text/html and .xlsx");
}
