/* access.h - who may write: asked by those who answer requests, known to whoever main.c names. */
#ifndef BASE_ACCESS_H
#define BASE_ACCESS_H

enum access_verdict {
    ACCESS_GRANTED,
    ACCESS_OFF,     /* nobody may */
    ACCESS_MISSING, /* no token was sent */
    ACCESS_WRONG,   /* not one of ours, or not sent as "Bearer TOKEN" */
    ACCESS_EXPIRED,
};

enum { ACCESS_NAME_SIZE = 64 };

struct access {
    /* Judge an Authorization header, "" where none was sent; `who` becomes the name of the token's
     * owner where it is granted. From any thread. */
    enum access_verdict (*check)(void *context, const char *authorization,
                                 char who[ACCESS_NAME_SIZE]);
    void *context;
};

#endif
