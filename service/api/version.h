/* version.h - the version of the formulas: a change of any answer's figures changes it. */
#ifndef API_VERSION_H
#define API_VERSION_H

#define MODEL_VERSION "1.1"

#endif
