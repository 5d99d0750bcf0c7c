/* words.h - names of engines and number formats in the API, the catalogue and files. */
#ifndef ESTIMATE_INFERENCE_WORDS_H
#define ESTIMATE_INFERENCE_WORDS_H

#include "estimate/inference/inference.h"

/* Static text such as "fp8". */
const char *words_of_number(enum number format);
/* Case-insensitive; false for an unknown word. */
bool words_find_number(const char *word, enum number *format) MUST_CHECK;
bool words_find_engine(const char *word, enum engine *engine) MUST_CHECK;

#endif
