/* access.h - who may write: asked by those who answer requests, known to whoever main.c names. */
#ifndef BASE_ACCESS_H
#define BASE_ACCESS_H

enum access_verdict {
    ACCESS_GRANTED,
    ACCESS_OFF,     /* nobody may */
    ACCESS_MISSING, /* no token was sent */
    ACCESS_WRONG,   /* not one of ours, or not sent as "Bearer TOKEN" */
    ACCESS_EXPIRED,
    ACCESS_OTHER_SCOPE, /* good, but not for this */
};

enum { ACCESS_NAME_SIZE = 64 };

/* What a token may be for. */
enum access_scope { ACCESS_QUOTES, ACCESS_IMPORTS, ACCESS_SCOPES };

struct access {
    /* Judge an Authorization header, "" where none was sent; `who` becomes the name of the token's
     * owner where it is one of ours. From any thread. */
    enum access_verdict (*check)(void *context, const char *authorization, enum access_scope scope,
                                 char who[ACCESS_NAME_SIZE]);
    void *context;
};

#endif
