#include "base/recent.h"

#include "tap.h"

#include <string.h>

static void add(struct recent *recent, const char *key, const char *result)
{
    recent_add(recent, key, strlen(key), result, strlen(result) + 1);
}

static const char *found(const struct recent *recent, const char *key)
{
    const char *result = recent_find(recent, key, strlen(key));
    return result ? result : "none";
}

static void test_ring(void)
{
    struct recents *all = recent_new(2, 3);
    struct recent *recent = recent_of(all, 1);

    is_str(found(recent, "a"), "none", "before anything was added");
    add(recent, "a", "1");
    add(recent, "ab", "2");
    is_str(found(recent, "a"), "1", "the key of one byte");
    is_str(found(recent, "ab"), "2", "the key that begins alike");
    is_str(found(recent, "b"), "none", "another key");
    is_str(found(recent_of(all, 0), "a"), "none", "another thread");
    add(recent, "c", "3");
    is_str(found(recent, "a"), "1", "as many as there is room for");
    add(recent, "d", "a longer result");
    is_str(found(recent, "a"), "none", "the oldest is gone");
    is_str(found(recent, "ab"), "2", "the second is not");
    is_str(found(recent, "d"), "a longer result", "the newest is there");
    add(recent, "e", "5");
    is_str(found(recent, "ab"), "none", "then the second is gone");
    is_str(found(recent, "c"), "3", "and the third is not");
    recent_free(all);
    recent_free(NULL);
}

int main(void)
{
    test_ring();
    return tap_done();
}
