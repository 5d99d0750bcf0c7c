/* version.h - the version of the formulas; it changes with every change to an answer's figures. */
#ifndef API_RESOURCE_VERSION_H
#define API_RESOURCE_VERSION_H

#ifndef MODEL_VERSION /* a test builds the daemon of the next one */
#define MODEL_VERSION "1.4"
/* Those before it, comma-separated: replies to their pinned links may be in the archive. */
#define MODEL_VERSIONS_BEFORE "1.0,1.1,1.2,1.3"
#endif

#endif
