/* tokens_fuzz.c - the file of those who may write. */
#include "fuzz.h"

#include "http/tokens.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { DIGITS_SHOWN_MAX = 16 };

/* A refusal quotes no hash. */
static void check_refusal(const struct err *err)
{
    size_t run = 0;

    fuzz_need(strstr(err->text, ", line ") != NULL, "a refusal names the line");
    for (const char *p = err->text; *p; p++) {
        run = isxdigit((unsigned char)*p) ? run + 1 : 0;
        fuzz_need(run <= DIGITS_SHOWN_MAX, "a refusal quotes no hash");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[64], who[AUTHORIZATION_NAME_SIZE];
    struct err err = {0};
    int fd = memfd_create("tokens", MFD_CLOEXEC);

    fuzz_need(fd >= 0 && write(fd, data, size) == (ssize_t)size, "the test's own file");
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    struct tokens *tokens = tokens_open(path, &err);
    if (tokens) {
        fuzz_need(tokens_check(tokens, "Bearer guessed", AUTHORIZATION_QUOTES, who) !=
                      AUTHORIZATION_GRANTED,
                  "no token is guessed");
        fuzz_need(tokens_reload(tokens, &err), "what was read once is read again");
    } else {
        check_refusal(&err);
    }
    tokens_close(tokens);
    close(fd);
    return 0;
}
