/* clients_fuzz.c - which client asks, and for what: three lines, the networks of trusted proxies,
 * an X-Forwarded-For, and an Accept. */
#include "fuzz.h"

#include "api/accept.h"
#include "http/client_limits.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

static char *cut(char **at)
{
    char *line = *at;

    *at += strcspn(line, "\n");
    if (**at)
        *(*at)++ = '\0';
    return line;
}

static struct client peer(const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET};

    fuzz_need(inet_pton(AF_INET, text, &address.sin_addr) == 1, "the test's own address");
    return client_limits_client((const struct sockaddr *)&address);
}

static bool same(const struct client *a, const struct client *b)
{
    return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) == 0;
}

/* A client that is found would be found again if it asked directly through the same proxies. */
static void find_client(const char *proxies, const char *forwarded_for)
{
    struct client_limits_options options = {.proxies = proxies};
    struct err err = {0};
    struct client_limits *clients = client_limits_new(&options, &err);
    struct client from = peer("10.1.2.3"), stranger = peer("192.0.2.1");
    char text[CLIENT_TEXT_SIZE];

    fuzz_need(clients || err.text[0], "a network that is refused is named");
    if (clients) {
        struct client found = client_limits_behind(clients, &from, forwarded_for);
        client_limits_text(&found, text);
        struct client again = client_limits_behind(clients, &from, text);
        fuzz_need(same(&again, &found), "a client is identified by its address");
        found = client_limits_behind(clients, &from, "");
        fuzz_need(same(&found, &from), "without a header it is the peer");
    }
    client_limits_free(clients);
    options.proxies = NULL;
    clients = client_limits_new(&options, &err);
    struct client found = client_limits_behind(clients, &stranger, forwarded_for);
    fuzz_need(same(&found, &stranger), "only a proxy can name the client");
    client_limits_free(clients);
}

static void choose_format(const char *accept)
{
    enum format format = FORMAT_COUNT;
    struct err err = {0};

    if (accept_choose(accept, &format, &err))
        fuzz_need(format < FORMAT_COUNT && !err.text[0], "a format there is");
    else
        fuzz_need(err.code == ERR_NOT_ACCEPTABLE && err.text[0], "a refusal says what there is");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *at = text;
    const char *proxies = cut(&at), *forwarded_for = cut(&at);

    find_client(proxies, forwarded_for);
    choose_format(cut(&at));
    free(text);
    return 0;
}
