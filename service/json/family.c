#include "json/family.h"

#include "base/text.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const struct family families[] = {
#define FAMILY(types, pattern, traits) {types, pattern, NULL, traits, GATED_DELTA},
#define HYBRID(types, mixer, traits) {types, 0, NULL, traits, mixer},
#define REFUSED(types, sentence) {types, 0, sentence, 0, GATED_DELTA},
#include "json/family.def"
#undef FAMILY
#undef HYBRID
#undef REFUSED
};

static const struct family *find(const char *type)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
        if (text_in_words(families[i].types, type))
            return &families[i];
    return NULL;
}

/* The text model of a multimodal one has its family's name and a suffix. */
const struct family *family_find(const char *model_type)
{
    static const char *const endings[] = {"_text", "_text_model"};
    const struct family *family = find(model_type);
    size_t n = strlen(model_type);

    for (size_t i = 0; !family && i < sizeof(endings) / sizeof(endings[0]); i++) {
        size_t length = strlen(endings[i]);
        char bare[64];
        if (n > length && n < sizeof(bare) && strcmp(model_type + n - length, endings[i]) == 0) {
            snprintf(bare, sizeof(bare), "%.*s", (int)(n - length), model_type);
            family = find(bare);
        }
    }
    return family;
}
