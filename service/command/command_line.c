#include "command/command_line.h"

#include "settings/exit.h"

#include <stdio.h>

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
