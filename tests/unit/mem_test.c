/* Texts in an arena, and arrays that grow. */
#include "base/arena.h"
#include "base/mem.h"

#include "tap.h"

#include <stdlib.h>

static void arrays(void)
{
    size_t room = 0, n_moves = 0, n = 0;
    unsigned *array = NULL;
    bool kept = true;

    for (; n < 1000; n++) {
        size_t before = room;
        array = mem_grow(array, n, &room, sizeof(*array));
        n_moves += room != before;
        kept = kept && room > n;
        array[n] = (unsigned)n;
    }
    for (size_t i = 0; i < n; i++)
        kept = kept && array[i] == i;
    ok(kept, "an array that grows has room for the next element and keeps the others");
    ok(n_moves == 5, "it doubles: 64, 128, 256, 512, 1024");
    free(array);
}

/* Each item of a list in parentheses, which show the empty ones. */
static const char *items(struct arena *arena, const char *list)
{
    const char *all = "", *item;

    while ((item = arena_next_item(arena, &list)))
        all = arena_join(arena, all, "(", item, ")");
    return all;
}

static void lists(struct arena *arena)
{
    const char *list = "h100,a100";
    const char *first = arena_next_item(arena, &list);

    is_str(first, "h100", "the first item of a list ends before the comma");
    is_str(list, "a100", "the list moves on to the rest, without the comma");
    is_str(items(arena, "h100,a100,l4"), "(h100)(a100)(l4)", "each item once, in order");
    is_str(items(arena, "l4"), "(l4)", "a list of one item has no comma");
    is_str(items(arena, ",a,,b"), "()(a)()(b)", "an item before a comma may be empty");
    is_str(items(arena, "a,"), "(a)", "nothing comes after the last comma");
    is_str(items(arena, ""), "", "an empty list has no items");
    is_str(items(arena, NULL), "", "neither has a list that is not given");
}

int main(void)
{
    struct arena arena = {0};
    char wide[300];

    memset(wide, 'x', sizeof(wide) - 1);
    wide[sizeof(wide) - 1] = '\0';
    is_str(arena_join(&arena, "a", "", "bc"), "abc", "texts joined");
    is_str(arena_join(&arena, ""), "", "nothing");
    is_str(arena_part(&arena, "abc", 2), "ab", "the first of a text");
    is_str(arena_print(&arena, "%d %s", 7, "x"), "7 x", "a text printed");
    is_str(arena_print(&arena, "%s!", wide) + sizeof(wide) - 3, "xx!", "a long one as well");
    ok(arena_text(&arena, NULL) == NULL, "nothing stays nothing");
    arena_free(&arena);
    memset(arena_room(&arena, sizeof(wide)), 'x', sizeof(wide));
    arena_free(&arena);
    const char *zeroed = arena_alloc(&arena, sizeof(wide));
    ok(zeroed[0] == 0 && memcmp(zeroed, zeroed + 1, sizeof(wide) - 1) == 0,
       "memory that others had is zeroed");
    arena_free(&arena);
    lists(&arena);
    arena_free(&arena);
    arrays();
    return tap_done();
}
