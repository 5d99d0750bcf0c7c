#include "process.h"

#include "base/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

void process_raise_limits(unsigned connections)
{
    enum { OTHER_DESCRIPTORS = 64 };
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 && getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return;
    if (limit.rlim_cur < connections + OTHER_DESCRIPTORS)
        log_write(LOG_WARN, "fewer descriptors than connections", "limit=%llu connections=%u",
                  (unsigned long long)limit.rlim_cur, connections);
}

bool process_write_port(const char *path, unsigned port, struct err *err)
{
    char draft[4096];
    FILE *file = NULL;

    if (!path[0])
        return true;
    int n = snprintf(draft, sizeof(draft), "%s.new", path);
    if (n > 0 && (size_t)n < sizeof(draft))
        file = fopen(draft, "w");
    if (file) {
        bool written = fprintf(file, "%u\n", port) > 0;
        if (fclose(file) == 0 && written && rename(draft, path) == 0)
            return true;
    }
    return err_set(err, ERR_INVALID, "cannot write %s: %s", path, strerror(errno));
}
