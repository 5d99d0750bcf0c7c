/* words.h - the names by which the API, the catalogue and files call engines and number formats. */
#ifndef ESTIMATE_INFERENCE_WORDS_H
#define ESTIMATE_INFERENCE_WORDS_H

#include "estimate/inference/inference.h"

const char *words_of_number(enum number format);
/* In either case; false where the word is none of them. */
bool words_find_number(const char *word, enum number *format) MUST_CHECK;
bool words_find_engine(const char *word, enum engine *engine) MUST_CHECK;

#endif
