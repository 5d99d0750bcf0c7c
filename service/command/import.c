#include "command/import.h"

#include "base/text.h"
#include "settings/exit.h"
#include "feed/formats.h"
#include "command/command_line.h"
#include "command/import_list.h"
#include "command/import_run.h"
#include "json/body.h"
#include "store/import.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
    "usage: gpuplan import [OPTION...] FILE-OR-FOLDER...\n"
    "       gpuplan import --list [--json] | --undo RUN | --columns FORMAT\n"
    "\n"
    "Imports price feeds, quotes, exchange rates, GPUs and models into the catalogue. Each file\n"
    "is a run, one transaction that --undo can undo. A file imported before is skipped.\n"
    "\n"
    "  --format NAME    format of the files; default: detected from the header (see below)\n"
    "  --provider SLUG  provider of the prices; default: from dates.csv, folder or file name\n"
    "  --observed DAY   yyyy-mm-dd, for rows without a day; default: from dates.csv, name or "
    "folder\n"
    "  --dry-run        do everything, then roll back\n"
    "  --new-providers  accept offers of providers that are not in the catalogue\n"
    "  --strict         all or nothing: a single refused row cancels every file\n"
    "  --report FILE    write every refused row as CSV: file, line, reason, text\n"
    "  --json           print the final counts as JSON\n"
    "  --list           list the runs so far\n"
    "  --undo RUN       undo what a run changed\n"
    "  --columns NAME   print the columns of a format, as CSV\n"
    "\n"
    "A dates.csv (columns file, as_of, cloud) in a file's folder or one above gives its day and\n"
    "provider. The database is DATABASE_URL or libpq's PG* variables.\n"
    "\n"
    "formats:\n";

struct options {
    const char *report, *undo, *columns;
    bool json, list, help;
};

struct command {
    struct options options;
    struct import_job job;
};

static int complain(const struct err *err)
{
    return command_line_complain("import", err);
}

static int import_files(struct command *command, int n, char **names)
{
    struct import_paths paths = {0};
    struct arena arena = {0};
    struct err err = {0};
    struct import_report *report = &command->job.report;
    bool strict = command->job.options.strict;
    bool done = import_report_open(report, command->options.report, &err);

    for (int i = 0; done && i < n; i++)
        done = import_find(&paths, &arena, names[i], &err);
    done = done && import_all(&command->job, &paths, &err);
    done = import_report_close(report, &err) && done;
    bool kept = done && !command->job.options.dry_run &&
                !(strict && (command->job.refused || command->job.failed));
    const char *closing = kept    ? "kept"
                          : !done ? "stopped by an error: what is not listed was not kept"
                          : command->job.options.dry_run ? "nothing kept (--dry-run)"
                                                         : "nothing kept (--strict)";
    import_report_print(report, command->options.json, closing);
    arena_free(&arena);
    free(paths.at);
    if (!done)
        return complain(&err);
    bool in_vain = command->job.refused && (strict || !command->job.useful);
    return command->job.failed || in_vain ? EXIT_USAGE : EXIT_OK;
}

static int undo(struct command *command)
{
    struct err err = {0};
    double run;
    size_t rows;

    if (!text_number(command->options.undo, &run) || run < 1 || run > 9e15 || run != floor(run))
        err_set(&err, ERR_INVALID, "\"%s\" is not a run number; see --list", command->options.undo);
    else if (import_undo(command->job.store, (int64_t)run, &rows, &err)) {
        printf("run %s is undone: %zu rows\n", command->options.undo, rows);
        return EXIT_OK;
    }
    return complain(&err);
}

static int list(struct command *command)
{
    struct arena arena = {0};
    struct import_run *runs;
    struct err err = {0};
    size_t n;

    if (!import_list(command->job.store, &arena, &runs, &n, &err))
        return complain(&err);
    import_list_runs(runs, n, command->options.json);
    arena_free(&arena);
    return EXIT_OK;
}

static int with_database(const struct conf *conf, struct command *command, int n, char **names)
{
    struct err err = {0};
    int code;

    command->job.store = import_open(conf->database, &err);
    if (!command->job.store)
        return complain(&err);
    if (command->options.undo)
        code = undo(command);
    else
        code = command->options.list ? list(command) : import_files(command, n, names);
    import_close(command->job.store);
    return code;
}

static int print_usage(void)
{
    fputs(usage, stdout);
    for (size_t i = 0; feed_formats[i]; i++)
        printf("  %-16s %s\n", feed_formats[i]->name, feed_formats[i]->sentence);
    printf("  %-16s %s\n", "models", "a Hugging Face config.json, named after its model");
    return EXIT_OK;
}

static bool read_options(struct command *command, int argc, char **argv)
{
    static const struct option names[] = {
        {"format", required_argument, NULL, 'f'},
        {"provider", required_argument, NULL, 'p'},
        {"observed", required_argument, NULL, 'o'},
        {"report", required_argument, NULL, 'r'},
        {"undo", required_argument, NULL, 'u'},
        {"columns", required_argument, NULL, 'c'},
        {"dry-run", no_argument, NULL, 'd'},
        {"strict", no_argument, NULL, 's'},
        {"new-providers", no_argument, NULL, 'n'},
        {"json", no_argument, NULL, 'j'},
        {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    struct options *options = &command->options;
    struct import_options *run = &command->job.options;
    const char **const values[] = {&run->format,     &run->provider, &run->observed,
                                   &options->report, &options->undo, &options->columns};
    bool *const flags[] = {&run->dry_run,  &run->strict,   &run->new_providers,
                           &options->json, &options->list, &options->help};

    return command_line_read(argc, argv, names, values, flags);
}

static bool check_options(const struct command *command, int n_files, struct err *err)
{
    const struct import_options *run = &command->job.options;
    int32_t day;

    if (run->format && strcmp(run->format, "models") != 0 && !feed_format_find(run->format))
        return err_set(err, ERR_INVALID, "there is no format \"%s\"; see --help", run->format);
    if (run->observed && !text_day(run->observed, &day))
        return err_set(err, ERR_INVALID, "--observed is a day as 2026-08-01, not \"%s\"",
                       run->observed);
    if ((command->options.list || command->options.undo) != (n_files == 0))
        return err_set(err, ERR_INVALID, "name files or folders, or --list, or --undo; see --help");
    return true;
}

int import_command(int argc, char **argv, const struct conf *conf)
{
    struct command command = {0};
    struct err err = {0};

    json_init();
    if (!read_options(&command, argc, argv))
        return EXIT_USAGE;
    if (command.options.help)
        return print_usage();
    if (command.options.columns)
        return import_list_columns(command.options.columns);
    if (!check_options(&command, argc - optind, &err))
        return complain(&err);
    return with_database(conf, &command, argc - optind, argv + optind);
}
