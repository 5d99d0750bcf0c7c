#include "writing.h"

#include "base/mem.h"
#include "store/measurement_store.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of quote changes and replies waiting to be saved; each takes milliseconds. The
 * limit on replies leaves room for changes. */
enum { QUEUE = 64, REPLIES_MAX = 16 };

_Static_assert((int)QUOTE_OUTCOMES <= (int)ADMIN_OUTCOMES_MAX &&
                   (int)ARCHIVE_OUTCOMES <= (int)ADMIN_OUTCOMES_MAX,
               "the metrics hold every outcome");

/* A reply, followed by a copy of everything it points to. */
struct reply_job {
    struct pool_job job; /* must be first: run() casts back to this struct */
    struct writing *writing;
    struct archive_entry entry;
    char bytes[];
};

static void run(struct pool_job *pool_job, unsigned thread)
{
    struct reply_job *job = (struct reply_job *)pool_job;
    struct writing *writing = job->writing;

    (void)thread;
    if (writing->ending && !db_writer_conn(writing->db_writer))
        archive_store_count(writing->archive_store, ARCHIVE_FAILED);
    else
        archive_store_keep(writing->archive_store, &job->entry);
    writing->waiting--;
    free(job);
}

/* Copies the text and returns the position after it. */
static char *take_text(char *to, const char **text)
{
    size_t size = strlen(*text) + 1;

    *text = memcpy(to, *text, size);
    return to + size;
}

static struct reply_job *make_job(struct writing *writing, const struct archive_entry *entry)
{
    struct archive_entry copy = *entry;
    const char **texts[] = {&copy.key,           &copy.question,        &copy.format,
                            &copy.model_version, &copy.catalog_version, &copy.client};
    size_t n_texts = sizeof(texts) / sizeof(texts[0]), size = entry->length;

    for (size_t i = 0; i < n_texts; i++)
        size += strlen(*texts[i]) + 1;
    struct reply_job *job = mem_alloc(sizeof(*job) + size);
    char *to = job->bytes;
    for (size_t i = 0; i < n_texts; i++)
        to = take_text(to, texts[i]);
    copy.body = memcpy(to, entry->body, entry->length);
    job->job.run = run;
    job->writing = writing;
    job->entry = copy;
    return job;
}

/* Implements the `keep` of struct archive; the next is its `find`. */
static void keep(void *context, const struct archive_entry *entry)
{
    struct writing *writing = context;

    if (entry->length > ARCHIVE_BODY_MAX) {
        archive_store_count(writing->archive_store, ARCHIVE_LIMITED);
        return;
    }
    bool room = writing->waiting++ < REPLIES_MAX;
    struct reply_job *job = room ? make_job(writing, entry) : NULL;

    if (job && thread_pool_submit(writing->pool, &job->job))
        return;
    free(job);
    writing->waiting--;
    archive_store_count(writing->archive_store, ARCHIVE_BUSY);
}

static bool find(void *context, const char *key, struct buf *body, char at[ARCHIVE_TIME_SIZE],
                 struct err *err)
{
    struct writing *writing = context;

    return archive_store_find(writing->archive_store, key, body, at, err);
}

bool writing_start(struct writing *writing, const char *database, size_t archive_bytes,
                   struct err *err)
{
    writing->db_writer = db_writer_new(database);
    writing->quote_store = quote_store_new(writing->db_writer);
    writing->archive_store = archive_store_new(writing->db_writer, archive_bytes);
    writing->quotes = (struct quote_writer){quote_store_write, writing->quote_store};
    writing->measurements =
        (struct measurement_writer){measurement_store_write, writing->db_writer};
    writing->archive = (struct archive){archive_bytes ? keep : NULL, find, writing};
    writing->pool = thread_pool_start(&(struct pool_options){1, QUEUE, 0}, err);
    return writing->pool != NULL;
}

void writing_stop(struct writing *writing)
{
    writing->ending = true;
    thread_pool_stop(writing->pool);
    archive_store_free(writing->archive_store);
    quote_store_free(writing->quote_store);
    db_writer_free(writing->db_writer);
}

void writing_count(const struct writing *writing, struct admin_status *status)
{
    for (int i = 0; i < QUOTE_OUTCOMES; i++)
        status->quote_writes[status->n_quote_writes++] = (struct admin_count){
            quote_outcome_names[i], quote_store_count(writing->quote_store, (enum quote_outcome)i)};
    for (int i = 0; i < ARCHIVE_OUTCOMES; i++)
        status->archived[status->n_archived++] = (struct admin_count){
            archive_outcome_names[i],
            archive_store_counted(writing->archive_store, (enum archive_outcome)i)};
}
