/* sha256.h - the SHA-256 hash function (FIPS 180-4). */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_SIZE = 32 };

void sha256(const void *bytes, size_t n, uint8_t digest[SHA256_SIZE]);

#endif
