#include "http/tokens.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/sha256.h"
#include "base/text.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORDS = 5 }; /* one more than a line may have */
enum { LINE_SIZE = 256, TOKENS_MAX = 1024, WORD_SIZE = 80, FILE_MAX = 1024 * 1024 };

struct token {
    char name[AUTHORIZATION_NAME_SIZE];
    uint8_t digest[SHA256_SIZE];
    int32_t until; /* last valid day; 0 if unlimited */
    bool may[AUTHORIZATION_SCOPES];
};

/* The contents of the file. */
struct list {
    struct token *at;
    size_t n;
};

struct tokens {
    const char *path;
    pthread_mutex_t lock; /* protects `list` */
    struct list list;
};

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

    return at ? (int)(at - digits) : -1;
}

static bool read_digest(const char *text, uint8_t digest[SHA256_SIZE])
{
    if (strlen(text) != (size_t)2 * SHA256_SIZE)
        return false;
    for (size_t i = 0; i < SHA256_SIZE; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        digest[i] = (uint8_t)(high * 16 + low);
    }
    return true;
}

/* The name appears verbatim in the audit trail and in the log. */
static bool read_name(const char *text, char name[AUTHORIZATION_NAME_SIZE])
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._@-";
    size_t n = strlen(text);

    if (n >= AUTHORIZATION_NAME_SIZE || strspn(text, allowed) != n)
        return false;
    memcpy(name, text, n + 1);
    return true;
}

/* Split a line at blanks into up to WORDS words; returns their number. */
static size_t split(const char *line, char words[WORDS][WORD_SIZE])
{
    static const char blank[] = " \t\r\n";
    size_t n = 0;

    for (const char *p = line + strspn(line, blank); *p && n < WORDS; p += strspn(p, blank)) {
        size_t length = strcspn(p, blank);
        snprintf(words[n++], WORD_SIZE, "%.*s", (int)length, p);
        p += length;
    }
    return n;
}

/* Parse a token's scopes: comma-separated names. */
static bool read_scopes(const char *text, bool may[AUTHORIZATION_SCOPES])
{
    static const char *const names[] = {
        [AUTHORIZATION_QUOTES] = "quotes",
        [AUTHORIZATION_IMPORTS] = "imports",
        [AUTHORIZATION_MEASUREMENTS] = "measurements",
    };

    memset(may, 0, AUTHORIZATION_SCOPES * sizeof(may[0]));
    for (const char *p = text; *p;) {
        size_t n = strcspn(p, ","), i = 0;
        while (i < AUTHORIZATION_SCOPES && (strlen(names[i]) != n || memcmp(names[i], p, n) != 0))
            i++;
        if (i == AUTHORIZATION_SCOPES)
            return false;
        may[i] = true;
        p += n + (p[n] == ',');
    }
    return true;
}

/* Parse one line; *n_read is 0 if it contains no token. Returns what is wrong, or NULL.
 */
static const char *read_line(const char *line, struct token *token, size_t *n_read)
{
    char words[WORDS][WORD_SIZE];
    size_t n = split(line, words);

    *n_read = n && words[0][0] != '#';
    *token = (struct token){.may = {[AUTHORIZATION_QUOTES] = true}};
    if (!*n_read)
        return NULL;
    if (n < 2 || n > 4)
        return "must be a name, a SHA-256, a day if it expires, and what it is for";
    if (!read_name(words[0], token->name))
        return "the name may have letters, digits, dots, @, _ and -, at most 63 characters";
    if (!read_digest(words[1], token->digest))
        return "the SHA-256 of the token must be 64 hexadecimal digits";
    bool has_day = n > 2 && text_day(words[2], &token->until);
    if (n == 4 && !has_day)
        return "the last day must be written as yyyy-mm-dd";
    if (n > 2U + has_day && !read_scopes(words[2 + has_day], token->may))
        return "after the SHA-256 come the last day, as yyyy-mm-dd, and its scopes: quotes, "
               "imports, measurements, or several separated by commas";
    return NULL;
}

/* Copy each line into a buffer of its own, so that parsing stops at a NUL. */
static bool read_text(const char *text, size_t n, const char *name, struct list *list,
                      struct err *err)
{
    char line[LINE_SIZE];
    const char *end = text + n;

    *list = (struct list){mem_alloc(TOKENS_MAX * sizeof(struct token)), 0};
    for (int number = 1; text < end; number++) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((newline ? newline : end) - text), n_read = 0;
        const char *wrong = length >= sizeof(line)       ? "is too long"
                            : memchr(text, '\0', length) ? "has a NUL"
                            : list->n == TOKENS_MAX      ? "there are too many"
                                                         : NULL;
        if (!wrong) {
            memcpy(line, text, length);
            line[length] = '\0';
            wrong = read_line(line, &list->at[list->n], &n_read);
        }
        if (wrong) {
            free(list->at);
            return err_set(err, ERR_INVALID, "%s, line %d: %s", name, number, wrong);
        }
        list->n += n_read;
        text += length + (newline != NULL);
    }
    return true;
}

static bool read_file(const char *path, struct buf *text, struct err *err)
{
    FILE *file = fopen(path, "re");
    char part[4096];
    size_t n;

    if (!file)
        return err_set(err, ERR_INVALID, "cannot read %s: %s", path, strerror(errno));
    while ((n = fread(part, 1, sizeof(part), file)) > 0)
        buf_add(text, part, n);
    bool good = !ferror(file);
    (void)fclose(file); /* opened for reading only */
    if (!good)
        return err_set(err, ERR_INVALID, "cannot read %s", path);
    return !text->full || err_set(err, ERR_INVALID, "%s is too long", path);
}

static bool read_list(const char *path, struct list *list, struct err *err)
{
    struct buf text;

    buf_init(&text, FILE_MAX);
    bool good = (!path[0] || read_file(path, &text, err)) &&
                read_text(buf_data(&text), text.length, path, list, err);
    buf_free(&text);
    return good;
}

static struct tokens *of_list(struct list list, const char *path)
{
    struct tokens *tokens = mem_alloc(sizeof(*tokens));

    tokens->path = path;
    tokens->list = list;
    pthread_mutex_init(&tokens->lock, NULL);
    return tokens;
}

struct tokens *tokens_open(const char *path, struct err *err)
{
    struct list list;

    return read_list(path, &list, err) ? of_list(list, path) : NULL;
}

struct tokens *tokens_read(const char *text, size_t n, const char *path, struct err *err)
{
    struct list list;

    return read_text(text, n, path, &list, err) ? of_list(list, path) : NULL;
}

void tokens_close(struct tokens *tokens)
{
    if (!tokens)
        return;
    pthread_mutex_destroy(&tokens->lock);
    free(tokens->list.at);
    free(tokens);
}

bool tokens_reload(struct tokens *tokens, struct err *err)
{
    struct list list;

    if (!read_list(tokens->path, &list, err))
        return false;
    pthread_mutex_lock(&tokens->lock);
    struct list old = tokens->list;
    tokens->list = list;
    pthread_mutex_unlock(&tokens->lock);
    free(old.at);
    return true;
}

/* Constant time: compares every byte regardless of earlier differences. */
static bool same_digest(const uint8_t *a, const uint8_t *b)
{
    uint8_t difference = 0;

    for (size_t i = 0; i < SHA256_SIZE; i++)
        difference |= a[i] ^ b[i];
    return difference == 0;
}

/* Compare every token, even after a match. If several lines have the same token, the one with the
 * most rights counts. */
static enum authorization_verdict find(const struct list *list, const uint8_t *digest,
                                       int32_t today, enum authorization_scope scope,
                                       char who[AUTHORIZATION_NAME_SIZE])
{
    enum authorization_verdict verdict = AUTHORIZATION_WRONG;

    for (size_t i = 0; i < list->n; i++) {
        const struct token *token = &list->at[i];
        if (!same_digest(token->digest, digest))
            continue;
        bool expired = token->until && today > token->until;
        if (verdict == AUTHORIZATION_GRANTED)
            continue;
        memcpy(who, token->name, AUTHORIZATION_NAME_SIZE);
        if (!expired)
            verdict = token->may[scope] ? AUTHORIZATION_GRANTED : AUTHORIZATION_OTHER_SCOPE;
        else if (verdict == AUTHORIZATION_WRONG)
            verdict = AUTHORIZATION_EXPIRED;
    }
    return verdict;
}

/* The part after "Bearer "; NULL for another scheme. */
static const char *bearer(const char *authorization, size_t *length)
{
    static const char scheme[] = "bearer ";

    if (strncasecmp(authorization, scheme, sizeof(scheme) - 1) != 0)
        return NULL;
    const char *token = authorization + sizeof(scheme) - 1;
    token += strspn(token, " ");
    *length = strcspn(token, " ");
    return *length ? token : NULL;
}

enum authorization_verdict tokens_check(void *context, const char *authorization,
                                        enum authorization_scope scope,
                                        char who[AUTHORIZATION_NAME_SIZE])
{
    struct tokens *tokens = context;
    uint8_t digest[SHA256_SIZE];
    size_t length;

    if (!tokens->path[0])
        return AUTHORIZATION_OFF;
    if (!authorization[0])
        return AUTHORIZATION_MISSING;
    const char *token = bearer(authorization, &length);
    if (!token)
        return AUTHORIZATION_WRONG;
    sha256(token, length, digest);
    pthread_mutex_lock(&tokens->lock);
    enum authorization_verdict verdict = find(&tokens->list, digest, clock_today(), scope, who);
    pthread_mutex_unlock(&tokens->lock);
    return verdict;
}
