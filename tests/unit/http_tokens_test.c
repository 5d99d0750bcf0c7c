/* http_tokens_test.c - which files of tokens are taken, and what is said of a line that is not. */
#include "http/tokens.h"
#include "tap.h"

#include <stdlib.h>
#include <unistd.h>

#define DIGEST                                                                        \
    "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b" /* of "secret" \
                                                                        */
#define TEN "aaaaaaaaaa"
#define SIXTY TEN TEN TEN TEN TEN TEN

static char path[] = "/tmp/tokens_test.XXXXXX";

static void write_file(const char *text)
{
    FILE *file = fopen(path, "w");

    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        printf("Bail out! cannot write %s\n", path);
        exit(1);
    }
}

static const struct {
    const char *line;
    const char *wrong; /* part of what is said; NULL: taken */
} lines[] = {
    {"ada " DIGEST, NULL},
    {"\t ada\t" DIGEST " 2999-12-31 imports,quotes", NULL},
    {"ada 2BB80D537B1DA3E38BD30361AA855686BDE0EACD7162FEF6A25FE97BF527A25B", NULL},
    {"", NULL},
    {"  # " DIGEST, NULL},
    {SIXTY "bbb " DIGEST, NULL},
    {"ada", "must be a name, a SHA-256"},
    {"ada " DIGEST " 2999-12-31 quotes more", "must be a name, a SHA-256"},
    {SIXTY "bbbb " DIGEST, "the name may have"},
    {"a\"da " DIGEST, "the name may have"},
    {"ada 2bb80d53", "64 hexadecimal digits"},
    {"ada g" SIXTY "aaa", "64 hexadecimal digits"},
    {"ada a" SIXTY "aag", "64 hexadecimal digits"},
    {"ada " DIGEST " 2999-02-30 quotes", "the last day"},
    {"ada " DIGEST " everything", "its scopes"},
    {"ada " DIGEST " quotes,quote", "its scopes"},
    {"# " SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY SIXTY, "too long"},
};

static void test_lines(void)
{
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        struct err err = {0};
        char text[1000];
        snprintf(text, sizeof(text), "# first\n%s\n", lines[i].line);
        write_file(text);
        struct tokens *tokens = tokens_open(path, &err);
        ok(!tokens == !!lines[i].wrong, "line %zu is %s", i, lines[i].wrong ? "refused" : "taken");
        ok(strstr(err.text, lines[i].wrong ? lines[i].wrong : ""), "with the reason: %s", err.text);
        ok(!lines[i].wrong || strstr(err.text, "line 2"), "and its number");
        ok(!strstr(err.text, "2bb80d53"), "and nothing of the hash");
        tokens_close(tokens);
    }
}

/* From bytes in memory, as from a file: a line that begins with NUL, and one without an end. */
static void test_bytes(void)
{
    static const char nul[] = "# first\n\0ada " DIGEST "\n", open[] = "ada " DIGEST;
    struct err err = {0};
    char who[AUTHORIZATION_NAME_SIZE];

    ok(!tokens_read(nul, sizeof(nul) - 1, path, &err) && strstr(err.text, "line 2: has a NUL"),
       "%s", err.text);
    FILE *file = fopen(path, "w");
    ok(file && fwrite(nul, 1, sizeof(nul) - 1, file) == sizeof(nul) - 1 && fclose(file) == 0,
       "the same in a file");
    ok(!tokens_open(path, &err) && strstr(err.text, "line 2: has a NUL"), "%s", err.text);
    struct tokens *tokens = tokens_read(open, sizeof(open) - 1, path, &err);
    ok(tokens && tokens_check(tokens, "Bearer secret", AUTHORIZATION_QUOTES, who) ==
                     AUTHORIZATION_GRANTED,
       "without a newline");
    tokens_close(tokens);
    tokens = tokens_read("", 0, path, &err);
    ok(tokens && tokens_check(tokens, "Bearer secret", AUTHORIZATION_QUOTES, who) !=
                     AUTHORIZATION_GRANTED,
       "nothing at all");
    tokens_close(tokens);
}

static void test_many(void)
{
    struct err err = {0};
    FILE *file = fopen(path, "w");

    for (int i = 0; file && i < 2000; i++)
        fprintf(file, "ada %s\n", DIGEST);
    ok(file && fclose(file) == 0, "a file of too many");
    ok(!tokens_open(path, &err) && strstr(err.text, "too many"), "is refused");
}

static void test_reload(void)
{
    struct err err = {0};
    char who[AUTHORIZATION_NAME_SIZE];

    write_file("ada " DIGEST "\n");
    struct tokens *tokens = tokens_open(path, &err);
    ok(tokens_check(tokens, "Bearer secret", AUTHORIZATION_QUOTES, who) == AUTHORIZATION_GRANTED,
       "a token");
    is_str(who, "ada", "of ada");
    ok(tokens_check(tokens, "Bearer secret", AUTHORIZATION_IMPORTS, who) != AUTHORIZATION_GRANTED,
       "but not for imports");
    write_file("nonsense\n");
    ok(!tokens_reload(tokens, &err), "a file with a wrong line is not taken over");
    unlink(path);
    ok(!tokens_reload(tokens, &err) && strstr(err.text, "cannot read"), "nor one that is gone");
    ok(tokens_check(tokens, "Bearer secret", AUTHORIZATION_QUOTES, who) == AUTHORIZATION_GRANTED,
       "and the tokens read before stay");
    tokens_close(tokens);
}

int main(void)
{
    int fd = mkstemp(path);

    if (fd < 0 || close(fd) != 0)
        return 1;
    test_lines();
    test_bytes();
    test_many();
    test_reload();
    return tap_done();
}
