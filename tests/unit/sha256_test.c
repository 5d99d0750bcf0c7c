/* sha256_test.c - the examples of FIPS 180-4, and every length around the ends of a block. */
#include "base/sha256.h"

#include "base/mem.h"
#include "tap.h"

#include <stdlib.h>

static const char *hex_of(const void *bytes, size_t n)
{
    static char hex[2 * SHA256_SIZE + 1];
    uint8_t digest[SHA256_SIZE];

    sha256(bytes, n, digest);
    for (size_t i = 0; i < SHA256_SIZE; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
    return hex;
}

/* NIST's examples: of no bits, one block, two blocks, and many. */
static void examples(void)
{
    static const char two[] = "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
    enum { MILLION = 1000000 };
    char *many = mem_alloc(MILLION);

    is_str(hex_of(NULL, 0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
           "nothing");
    is_str(hex_of("abc", 3), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
           "abc");
    is_str(hex_of(two, sizeof(two) - 1),
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", "two blocks");
    memset(many, 'a', MILLION);
    is_str(hex_of(many, MILLION),
           "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", "a million");
    free(many);
}

/* The digests of a, aa, aaa, ... up to 130 letters, one after the other, hashed: as Python's
 * hashlib has it. */
static void lengths(void)
{
    enum { LONGEST = 130 };
    char text[LONGEST];
    static uint8_t digests[LONGEST * SHA256_SIZE];

    memset(text, 'a', sizeof(text));
    for (size_t n = 1; n <= LONGEST; n++)
        sha256(text, n, digests + (n - 1) * SHA256_SIZE);
    is_str(hex_of(digests, sizeof(digests)),
           "70974f9b4bd036b027b0948ab7337bdbe4c5e227f28c87cc9548b2fa7276cc02",
           "every length up to two blocks");
}

int main(void)
{
    examples();
    lengths();
    return tap_done();
}
