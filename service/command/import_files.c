#include "command/import_files.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/text.h"
#include "feed/csv.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 4096, FOLDERS_UP = 4 };

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);

    return n >= m && strcasecmp(text + n - m, end) == 0;
}

static void add(struct import_paths *paths, struct arena *arena, const char *path, bool named)
{
    paths->at = mem_grow(paths->at, paths->n, &paths->room, sizeof(*paths->at));
    paths->at[paths->n++] = (struct import_path){.path = arena_text(arena, path), .named = named};
}

static int compare_entries(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool walk(struct import_paths *paths, struct arena *arena, const char *folder,
                 struct err *err)
{
    char root[PATH_SIZE];
    char *const roots[] = {root, NULL};
    size_t before = paths->n;

    snprintf(root, sizeof(root), "%s", folder);
    FTS *tree = fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, compare_entries);
    for (FTSENT *entry; tree && (entry = fts_read(tree)) != NULL;)
        if (entry->fts_info == FTS_F && strcmp(entry->fts_name, "dates.csv") != 0 &&
            (ends_with(entry->fts_name, ".csv") || ends_with(entry->fts_name, ".zip") ||
             ends_with(entry->fts_name, "config.json")))
            add(paths, arena, entry->fts_path, false);
    if (tree)
        fts_close(tree);
    return paths->n > before ||
           err_set(err, ERR_INVALID, "%s: no .csv, .zip or config.json in it", folder);
}

bool import_find(struct import_paths *paths, struct arena *arena, const char *path, struct err *err)
{
    struct stat info;

    if (strlen(path) >= PATH_SIZE || stat(path, &info) != 0)
        return err_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode))
        return walk(paths, arena, path, err);
    add(paths, arena, path, true);
    return true;
}

static void print_sha256(struct import_bytes *bytes)
{
    uint8_t digest[SHA256_SIZE];

    sha256(bytes->at, bytes->n, digest);
    for (size_t i = 0; i < SHA256_SIZE; i++)
        snprintf(bytes->sha256 + 2 * i, 3, "%02x", digest[i]);
}

bool import_map(const char *path, struct import_bytes *bytes, struct err *err)
{
    struct stat info;
    void *at = MAP_FAILED;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    *bytes = (struct import_bytes){0};
    if (fd < 0 || fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        if (fd >= 0)
            close(fd);
        return err_set(err, ERR_NOT_FOUND, "%s: %s", path, fd < 0 ? strerror(errno) : "is no file");
    }
    bytes->n = (size_t)info.st_size;
    if (bytes->n)
        at = mmap(NULL, bytes->n, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (bytes->n && at == MAP_FAILED)
        return err_set(err, ERR_NOT_FOUND, "%s: %s", path, strerror(errno));
    bytes->map = at;
    bytes->n_map = bytes->n;
    bytes->at = bytes->n ? at : "";
    print_sha256(bytes);
    return true;
}

bool import_unpack(struct import_bytes *bytes, size_t max, char name[ZIP_NAME_MAX], struct err *err)
{
    size_t n;

    if (!zip_unpack(bytes->at, bytes->n, max, &bytes->unpacked, &n, name, err))
        return false;
    bytes->at = bytes->unpacked;
    bytes->n = n;
    return true;
}

void import_unmap(struct import_bytes *bytes)
{
    if (bytes->n_map)
        munmap(bytes->map, bytes->n_map);
    free(bytes->unpacked);
    *bytes = (struct import_bytes){0};
}

static size_t find_column(const struct csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->n; i++)
        if (strcmp(csv->at[i], name) == 0)
            return i;
    return SIZE_MAX;
}

/* Look up `file` in a dates.csv; true if it has a row with a day. */
static bool read_dates(const struct import_bytes *bytes, const char *file,
                       struct import_origin *origin)
{
    struct csv *csv = mem_alloc(sizeof(*csv));
    bool found = false;
    int32_t day;

    csv_open(csv, bytes->at, bytes->n);
    bool header = csv_next(csv) && !csv->why;
    size_t n = csv->n, name = find_column(csv, "file"), as_of = find_column(csv, "as_of");
    size_t cloud = find_column(csv, "cloud");
    while (header && name < n && as_of < n && !found && csv_next(csv)) {
        found = !csv->why && csv->n == n && strcmp(csv->at[name], file) == 0 &&
                text_day(csv->at[as_of], &day);
        if (found)
            snprintf(origin->observed, sizeof(origin->observed), "%s", csv->at[as_of]);
        if (found && cloud < n)
            snprintf(origin->provider, sizeof(origin->provider), "%s", csv->at[cloud]);
    }
    free(csv);
    return found;
}

/* Find the dates.csv of the file's folder, or of one above. */
static void find_dates(const char *path, struct import_origin *origin)
{
    char full[PATH_SIZE], dates[PATH_SIZE + 16];
    struct import_bytes bytes;
    struct err err = {0};

    if (!realpath(path, full))
        return;
    char *slash = full + strlen(full);
    for (int up = 0; up < FOLDERS_UP; up++) {
        do
            slash--;
        while (slash > full && *slash != '/');
        if (slash <= full)
            return;
        snprintf(dates, sizeof(dates), "%.*s/dates.csv", (int)(slash - full), full);
        if (access(dates, R_OK) != 0 || !import_map(dates, &bytes, &err))
            continue;
        bool found = read_dates(&bytes, slash + 1, origin);
        import_unmap(&bytes);
        if (found)
            return;
    }
}

/* The last yyyy-mm-dd or yyyymmdd in the text that is a day of this century. */
static void find_day(const char *text, char to[11])
{
    for (const char *p = text; *p; p++) {
        char day[11] = "";
        int32_t number;
        size_t digits = strspn(p, "0123456789");
        if (p > text && isdigit((unsigned char)p[-1]))
            continue;
        if (digits == 8)
            snprintf(day, sizeof(day), "%.4s-%.2s-%.2s", p, p + 4, p + 6);
        else if (digits == 4)
            snprintf(day, sizeof(day), "%.10s", p);
        if (text_day(day, &number) && number >= 20000101 && number < 21000101)
            memcpy(to, day, 11);
    }
}

/* The provider of both .../aws/vms.csv and .../aws.csv is aws. */
void import_find_provider(const char *path, const struct feed_known *known, char to[64])
{
    char part[64];
    const char *end = path + strlen(path);

    for (int up = 0; up < 2 && end > path; up++) {
        const char *start = end;
        while (start > path && start[-1] != '/')
            start--;
        size_t n = strcspn(start, "./");
        snprintf(part, sizeof(part), "%.*s", (int)(n < sizeof(part) ? n : 0), start);
        const char *slug = feed_find_provider(known, part);
        if (slug) {
            snprintf(to, sizeof(part), "%s", slug);
            return;
        }
        end = start > path ? start - 1 : path;
    }
}

void import_origin(const char *path, const struct feed_known *known, struct import_origin *origin)
{
    *origin = (struct import_origin){0};
    find_dates(path, origin);
    if (!origin->observed[0])
        find_day(path, origin->observed);
    if (!origin->provider[0])
        import_find_provider(path, known, origin->provider);
}
