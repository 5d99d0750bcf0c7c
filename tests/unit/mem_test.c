/* Texts in an arena. */
#include "base/arena.h"

#include "tap.h"

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
    return tap_done();
}
