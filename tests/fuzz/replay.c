/* replay.c - run a fuzz target over the files of its corpus, as a test: `NAME [directory]`. */
#include "fuzz.h"
#include "tap.h"

#include <dirent.h>
#include <stdlib.h>

static int is_input(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* Into a piece of the heap of its very size, so that a byte read beyond it is noticed. */
static bool run(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0;
    char *bytes = NULL;

    if (!file || fseek(file, 0, SEEK_END) != 0 || ftell(file) < 0)
        return false;
    size = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(size ? size : 1);
    bool whole = bytes && fread(bytes, 1, size, file) == size;
    (void)fclose(file);
    if (whole)
        whole = LLVMFuzzerTestOneInput((const uint8_t *)bytes, size) == 0;
    free(bytes);
    return whole;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    char directory[256], path[1024];
    struct dirent **names;

    snprintf(directory, sizeof(directory), "tests/fuzz/corpus/%s", slash ? slash + 1 : argv[0]);
    if (argc > 1)
        snprintf(directory, sizeof(directory), "%s", argv[1]);
    int n = scandir(directory, &names, is_input, alphasort);
    setvbuf(stdout, NULL, _IOLBF, 0); /* a target that aborts leaves what was said before */
    ok(n > 0, "%s has inputs", directory);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "%s/%s", directory, names[i]->d_name);
        ok(run(path), "%s", names[i]->d_name);
        free(names[i]);
    }
    if (n >= 0)
        free(names);
    return tap_done();
}
