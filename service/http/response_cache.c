#include "http/response_cache.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
    PLACES = 2048, /* a power of two; at most half of them are used */
    REPLY_MAX = CACHE_BYTES_MAX / 4,
    HEAD_BYTES = 2048, /* approximate size of a response besides its body */
    ASKED = 4096,      /* a power of two */
};

struct response_cache {
    uint64_t state;
    size_t n, bytes;
    struct cached_reply at[PLACES];
    uint32_t
        asked[ASKED]; /* hash tags of recently seen requests (second hit admits to the cache) */
};

struct response_cache *response_cache_new(void)
{
    return mem_alloc(sizeof(struct response_cache));
}

static void forget(struct response_cache *cache)
{
    for (size_t i = 0; cache->n && i < PLACES; i++) {
        if (!cache->at[i].hash)
            continue;
        free(cache->at[i].key);
        MHD_destroy_response(cache->at[i].response);
        cache->at[i] = (struct cached_reply){0};
        cache->n--;
    }
    cache->bytes = 0;
}

void response_cache_free(struct response_cache *cache)
{
    if (cache)
        forget(cache);
    free(cache);
}

void response_cache_expire(struct response_cache *cache, uint64_t state)
{
    if (cache->state != state)
        forget(cache);
    cache->state = state;
}

/* A key consists of NUL-terminated texts, followed by the body. */
enum { PARTS = 6 };

struct part {
    const char *at;
    size_t size;
};

static void split(const struct question *question, struct part parts[PARTS])
{
    static const char *const ways[2][2] = {{"get", "get gzip"}, {"post", "post gzip"}};
    const char *const texts[PARTS - 1] = {ways[question->posted][question->takes_gzip],
                                          question->target, question->accept,
                                          question->if_none_match, question->content_type};

    for (size_t i = 0; i < PARTS - 1; i++)
        parts[i] = (struct part){texts[i], strlen(texts[i]) + 1};
    parts[PARTS - 1] = (struct part){question->body, question->body_length};
}

static size_t size_of(const struct part parts[PARTS])
{
    size_t size = 0;

    for (size_t i = 0; i < PARTS; i++)
        size += parts[i].size;
    return size;
}

static bool is_key(const struct cached_reply *reply, const struct part parts[PARTS])
{
    const char *key = reply->key;

    if (reply->key_size != size_of(parts))
        return false;
    for (size_t i = 0; i < PARTS; key += parts[i].size, i++)
        if (memcmp(key, parts[i].at, parts[i].size) != 0)
            return false;
    return true;
}

/* Eight bytes at a time, since a URL may be long. */
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

/* The slot that holds the question, or the free slot for it. */
static struct cached_reply *place(struct response_cache *cache, const struct part parts[PARTS],
                                  uint64_t *hash)
{
    *hash = 0;
    for (size_t i = 0; i < PARTS; i++)
        *hash = mix(*hash, parts[i].at, parts[i].size);
    *hash |= 1;
    for (uint64_t i = *hash >> 8;; i++) {
        struct cached_reply *at = &cache->at[i % PLACES];
        if (!at->hash || (at->hash == *hash && is_key(at, parts)))
            return at;
    }
}

const struct cached_reply *response_cache_find(struct response_cache *cache,
                                               const struct question *question)
{
    struct part parts[PARTS];
    uint64_t hash;

    response_cache_expire(cache, question->state);
    split(question, parts);
    const struct cached_reply *at = place(cache, parts, &hash);
    return at->hash ? at : NULL;
}

static char *make_key(const struct part parts[PARTS], size_t size)
{
    char *key = mem_alloc(size), *p = key;

    for (size_t i = 0; i < PARTS; p += parts[i].size, i++)
        memcpy(p, parts[i].at, parts[i].size);
    return key;
}

/* Seen-once filter (direct-mapped, may forget); a hot request gets through eventually. */
static bool asked_again(struct response_cache *cache, uint64_t hash)
{
    uint32_t mark = (uint32_t)(hash >> 32) | 1, *last = &cache->asked[(hash >> 8) % ASKED];
    bool again = *last == mark;

    *last = mark;
    return again;
}

const struct cached_reply *response_cache_add(struct response_cache *cache,
                                              const struct question *question,
                                              const struct cached_reply *reply)
{
    struct part parts[PARTS];
    uint64_t hash;

    split(question, parts);
    size_t key_size = size_of(parts), more = reply->bytes + key_size + HEAD_BYTES;
    struct cached_reply *at = place(cache, parts, &hash);
    if (reply->bytes > REPLY_MAX || question->state != cache->state || !asked_again(cache, hash))
        return NULL;
    if (cache->n >= PLACES / 2 || cache->bytes + more > CACHE_BYTES_MAX) {
        forget(cache);
        at = place(cache, parts, &hash);
    }
    if (at->hash) { /* two pool threads answered the same question at once */
        MHD_destroy_response(at->response);
        free(at->key);
        cache->n--;
        cache->bytes -= at->bytes + at->key_size + HEAD_BYTES;
    }
    *at = *reply;
    at->hash = hash;
    at->key = make_key(parts, key_size);
    at->key_size = key_size;
    cache->n++;
    cache->bytes += more;
    return at;
}
