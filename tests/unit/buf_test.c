/* Text that grows to its cap and no further. */
#include "base/buf.h"

#include "tap.h"

#include <stdlib.h>

static void grows(void)
{
    struct buf buf;

    buf_init(&buf, 1 << 20);
    is_str(buf_data(&buf), "", "empty at first");
    ok(buf_steal(&buf) == NULL, "nothing to hand over");
    for (int i = 0; i < 10000; i++)
        buf_print(&buf, "%04d,", i);
    ok(buf.length == 50000 && strlen(buf_data(&buf)) == 50000, "as long as what was added");
    ok(memcmp(buf_data(&buf) + 5 * 1234, "1234,", 5) == 0 && !buf.full, "all of it in its place");
    char *text = buf_steal(&buf);
    ok(text && buf.length == 0 && buf_data(&buf)[0] == '\0', "handed over, it is empty again");
    free(text);
    buf_text(&buf, "again");
    buf_char(&buf, '!');
    buf_add(&buf, "\0x", 2);
    ok(buf.length == 8 && memcmp(buf_data(&buf), "again!\0x", 9) == 0, "bytes are bytes");
    buf_free(&buf);
    ok(buf.length == 0 && buf.cap == 1 << 20, "freed, with the cap it had");
}

/* The cap counts the closing NUL. */
static void stays_under_its_cap(void)
{
    struct buf buf;

    buf_init(&buf, 8);
    buf_text(&buf, "1234567");
    ok(!buf.full && buf.length == 7, "up to the cap");
    buf_char(&buf, '8');
    ok(buf.full && strcmp(buf_data(&buf), "1234567") == 0, "and not a byte beyond");
    buf_free(&buf);
    buf_init(&buf, 8);
    buf_text(&buf, "12345678");
    ok(buf.full && buf.length == 0, "what does not fit whole is left out whole");
    buf_print(&buf, "%s", "12345678");
    ok(buf.length == 0, "printed text too");
    buf_text(&buf, "123");
    is_str(buf_data(&buf), "123", "what fits still comes in");
    buf_free(&buf);
    buf_init(&buf, 0);
    buf_text(&buf, "");
    buf_char(&buf, 'x');
    ok(buf.full && buf.length == 0, "a cap of nothing holds nothing");
    buf_free(&buf);
}

static void expects(void)
{
    struct buf buf;

    buf_init(&buf, 1 << 20);
    buf_expect(&buf, 5000);
    ok(buf.room > 5000 && buf.length == 0, "room for what is to come");
    size_t room = buf.room;
    buf_expect(&buf, 100);
    ok(buf.room == room, "as it is where there is enough");
    buf_expect(&buf, 1 << 21);
    ok(buf.room == room && !buf.full, "and no more than the cap");
    buf_free(&buf);
}

static void trims(void)
{
    struct buf buf;

    buf_init(&buf, 1 << 20);
    buf_trim(&buf);
    ok(!buf.data && buf.room == 0, "an empty one has nothing to give back");
    for (int i = 0; i < 3000; i++)
        buf_char(&buf, 'x');
    buf_trim(&buf);
    ok(buf.room == 3001 && strlen(buf_data(&buf)) == 3000, "the text keeps what it needs");
    buf_text(&buf, "more");
    ok(buf.length == 3004 && strcmp(buf_data(&buf) + 3000, "more") == 0, "and may grow again");
    buf_free(&buf);
}

int main(void)
{
    grows();
    stays_under_its_cap();
    expects();
    trims();
    return tap_done();
}
