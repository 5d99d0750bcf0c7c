#include "command/command_line.h"

#include "settings/exit.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool command_line_read(int argc, char **argv, const struct option *names,
                       const char **const *values, bool *const *flags)
{
    size_t n_values = 0;

    while (names[n_values].has_arg)
        n_values++;
    for (int got, i; (got = getopt_long(argc, argv, "", names, &i)) != -1;) {
        if (got == '?')
            return false;
        if (names[i].has_arg)
            *values[i] = optarg;
        else
            *flags[(size_t)i - n_values] = true;
    }
    return true;
}

int command_line_complain(const char *command, const struct err *err)
{
    fprintf(stderr, "gpuplan %s: %s\n", command, err->text);
    return err->code == ERR_INVALID    ? EXIT_USAGE
           : err->code == ERR_INTERNAL ? EXIT_BUG
                                       : EXIT_UNAVAILABLE;
}

bool command_line_file(const char *path, struct buf *bytes, struct err *err)
{
    char piece[64 * 1024];
    FILE *file = fopen(path, "rb");

    if (!file)
        return err_set(err, ERR_INVALID, "%.200s: %s", path, strerror(errno));
    for (size_t n; (n = fread(piece, 1, sizeof(piece), file)) > 0;)
        buf_add(bytes, piece, n);
    bool good = !ferror(file);
    (void)fclose(file);
    if (!good)
        return err_set(err, ERR_INVALID, "%.200s: cannot be read", path);
    return !bytes->full || err_set(err, ERR_INVALID, "%.200s: is longer than %d MiB", path,
                                   COMMAND_LINE_FILE_MAX_BYTES / 1024 / 1024);
}
