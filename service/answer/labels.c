#include "answer/labels.h"

#include <stdlib.h>
#include <string.h>

struct label {
    const char *name, *text, *hint;
};

/* Both are sorted by name; tests/lint/contract.py refuses a field without an entry. */
static const struct label inputs[] = {
#define INPUT(name, text, hint) {#name, text, hint},
#include "answer/labels_in.def"
#undef INPUT
};
static const struct label figures[] = {
#define FIGURE(name, text) {#name, text, NULL},
#include "answer/labels_out.def"
#undef FIGURE
};

/* How a suffix changes the label of the name before it. */
static const struct {
    const char *ending, *text;
} endings[] = {
    {"_at_low", " at the low value"}, {"_at_high", " at the high value"},
    {"_spread", ", spread"},          {"_low", ", low end"},
    {"_high", ", high end"},
};

static int compare_names(const void *name, const void *label)
{
    return strcmp(name, ((const struct label *)label)->name);
}

static const struct label *find(const char *name)
{
    const struct label *found =
        bsearch(name, inputs, sizeof(inputs) / sizeof(inputs[0]), sizeof(inputs[0]), compare_names);

    return found ? found
                 : bsearch(name, figures, sizeof(figures) / sizeof(figures[0]), sizeof(figures[0]),
                           compare_names);
}

static bool print_ending(struct buf *out, const char *name)
{
    enum { NAME_SIZE = 64 };
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t n = strlen(endings[i].ending);
        char base[NAME_SIZE];
        if (length <= n || length - n >= sizeof(base) ||
            strcmp(name + length - n, endings[i].ending) != 0)
            continue;
        memcpy(base, name, length - n);
        base[length - n] = '\0';
        const struct label *label = find(base);
        if (!label)
            return false;
        buf_print(out, "%s%s", label->text, endings[i].text);
        return true;
    }
    return false;
}

bool labels_print(struct buf *out, const char *name)
{
    const struct label *label = find(name);

    if (!label)
        return print_ending(out, name);
    buf_text(out, label->text);
    return true;
}

const char *labels_hint(const char *name)
{
    const struct label *label = find(name);

    return label ? label->hint : NULL;
}
