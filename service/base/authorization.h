/* authorization.h - checks whether a request may write; main.c sets the implementation. */
#ifndef BASE_AUTHORIZATION_H
#define BASE_AUTHORIZATION_H

enum authorization_verdict {
    AUTHORIZATION_GRANTED,
    AUTHORIZATION_OFF,     /* writing is disabled */
    AUTHORIZATION_MISSING, /* no token was sent */
    AUTHORIZATION_WRONG,   /* unknown token, or not sent as "Bearer TOKEN" */
    AUTHORIZATION_EXPIRED,
    AUTHORIZATION_OTHER_SCOPE, /* valid token without the required scope */
};

enum { AUTHORIZATION_NAME_SIZE = 64 };

/* What a token permits. */
enum authorization_scope {
    AUTHORIZATION_QUOTES,
    AUTHORIZATION_IMPORTS,
    AUTHORIZATION_MEASUREMENTS,
    AUTHORIZATION_SCOPES
};

struct authorization {
    /* Check an Authorization header ("" if none was sent). If it is valid, copies the token owner's
     * name to `who`. Thread-safe. */
    enum authorization_verdict (*check)(void *context, const char *authorization,
                                        enum authorization_scope scope,
                                        char who[AUTHORIZATION_NAME_SIZE]);
    void *context;
};

#endif
