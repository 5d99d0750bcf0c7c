/* authorization.h - the check that a request may write; the implementation is set by main.c. */
#ifndef BASE_AUTHORIZATION_H
#define BASE_AUTHORIZATION_H

enum authorization_verdict {
    AUTHORIZATION_GRANTED,
    AUTHORIZATION_OFF,     /* nobody may */
    AUTHORIZATION_MISSING, /* no token was sent */
    AUTHORIZATION_WRONG,   /* not one of ours, or not sent as "Bearer TOKEN" */
    AUTHORIZATION_EXPIRED,
    AUTHORIZATION_OTHER_SCOPE, /* good, but not for this */
};

enum { AUTHORIZATION_NAME_SIZE = 64 };

/* What a token may be for. */
enum authorization_scope {
    AUTHORIZATION_QUOTES,
    AUTHORIZATION_IMPORTS,
    AUTHORIZATION_MEASUREMENTS,
    AUTHORIZATION_SCOPES
};

struct authorization {
    /* Judge an Authorization header, "" if none was sent; `who` becomes the name of the token's
     * owner if it is valid. Callable from any thread. */
    enum authorization_verdict (*check)(void *context, const char *authorization,
                                        enum authorization_scope scope,
                                        char who[AUTHORIZATION_NAME_SIZE]);
    void *context;
};

#endif
