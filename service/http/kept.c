#include "http/kept.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACES = 2048, /* a power of two; half of them are used at most */
    REPLY_MAX = KEPT_BYTES_MAX / 4,
    HEAD_BYTES = 2048, /* what a response takes besides its body, about */
};

struct kept {
    uint64_t state;
    size_t n, bytes;
    struct kept_reply at[PLACES];
};

struct kept *kept_new(void)
{
    return mem_alloc(sizeof(struct kept));
}

static void forget(struct kept *kept)
{
    for (size_t i = 0; kept->n && i < PLACES; i++) {
        if (!kept->at[i].hash)
            continue;
        free(kept->at[i].key);
        MHD_destroy_response(kept->at[i].response);
        kept->at[i] = (struct kept_reply){0};
        kept->n--;
    }
    kept->bytes = 0;
}

void kept_free(struct kept *kept)
{
    if (kept)
        forget(kept);
    free(kept);
}

void kept_expire(struct kept *kept, uint64_t state)
{
    if (kept->state != state)
        forget(kept);
    kept->state = state;
}

/* The parts of a question that are texts, in the order of a key, each there with its NUL. */
enum { PARTS = 3 };

static void split(const struct question *question, const char *parts[PARTS], size_t sizes[PARTS])
{
    parts[0] = question->target;
    parts[1] = question->accept;
    parts[2] = question->if_none_match;
    for (size_t i = 0; i < PARTS; i++)
        sizes[i] = strlen(parts[i]) + 1;
}

static bool is_key(const char *key, const char *const parts[PARTS], const size_t sizes[PARTS])
{
    for (size_t i = 0; i < PARTS; key += sizes[i], i++)
        if (strcmp(key, parts[i]) != 0)
            return false;
    return true;
}

/* Eight bytes at a time: an address may be long. */
static uint64_t mix(uint64_t hash, const char *text, size_t n)
{
    while (n) {
        uint64_t word = 0;
        size_t some = n < sizeof(word) ? n : sizeof(word);
        memcpy(&word, text, some);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
        hash ^= hash >> 32;
        text += some;
        n -= some;
    }
    return hash;
}

/* The question's place, or the one it would have. */
static struct kept_reply *place(struct kept *kept, const struct question *question, uint64_t *hash)
{
    const char *parts[PARTS];
    size_t sizes[PARTS];

    split(question, parts, sizes);
    *hash = 0;
    for (size_t i = 0; i < PARTS; i++)
        *hash = mix(*hash, parts[i], sizes[i]);
    *hash = *hash << 2 | (question->takes_gzip ? 3U : 1U);
    for (uint64_t i = *hash >> 8;; i++) {
        struct kept_reply *at = &kept->at[i % PLACES];
        if (!at->hash || (at->hash == *hash && is_key(at->key, parts, sizes)))
            return at;
    }
}

const struct kept_reply *kept_find(struct kept *kept, const struct question *question)
{
    uint64_t hash;

    kept_expire(kept, question->state);
    const struct kept_reply *at = place(kept, question, &hash);
    return at->hash ? at : NULL;
}

static char *make_key(const struct question *question, size_t *size)
{
    const char *parts[PARTS];
    size_t sizes[PARTS];

    split(question, parts, sizes);
    *size = sizes[0] + sizes[1] + sizes[2];
    char *key = mem_alloc(*size), *p = key;
    for (size_t i = 0; i < PARTS; p += sizes[i], i++)
        memcpy(p, parts[i], sizes[i]);
    return key;
}

const struct kept_reply *kept_add(struct kept *kept, const struct question *question,
                                  const struct kept_reply *reply)
{
    uint64_t hash;
    size_t key;

    if (reply->bytes > REPLY_MAX || question->state != kept->state)
        return NULL;
    char *text = make_key(question, &key);
    size_t more = reply->bytes + key + HEAD_BYTES;
    if (kept->n >= PLACES / 2 || kept->bytes + more > KEPT_BYTES_MAX)
        forget(kept);
    struct kept_reply *at = place(kept, question, &hash);
    if (at->hash) { /* asked for twice at once, of the pool */
        MHD_destroy_response(at->response);
        free(at->key);
        kept->n--;
    }
    *at = *reply;
    at->hash = hash;
    at->key = text;
    kept->n++;
    kept->bytes += more;
    return at;
}
