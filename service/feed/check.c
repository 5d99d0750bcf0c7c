/* check.c - rules shared by several formats. */
#include "feed/formats.h"

#include <string.h>

/* Two prices in one row are equal if rounding explains the difference. */
static const double PRICE_SLACK = 0.001;

const char *feed_given(const char *text, const char *otherwise)
{
    return text && text[0] ? text : otherwise;
}

bool feed_check_gpu(struct feed_reader *reader, const char *slug)
{
    if (feed_known_gpu(reader->input->known, slug))
        return true;
    feed_refuse(reader, "the catalogue has no GPU \"%.60s\"", slug);
    feed_fold(slug, reader->unknown);
    return false;
}

bool feed_check_currency(struct feed_reader *reader, const char *currency)
{
    if (strlen(currency) == 3 && strspn(currency, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == 3)
        return true;
    feed_refuse(reader, "\"%.20s\" is not a currency: three capital letters (ISO 4217)", currency);
    return false;
}

bool feed_check_sum(struct feed_reader *reader, double count, double each, double whole)
{
    if (isnan(each) || isnan(whole) || fabs(count * each - whole) <= PRICE_SLACK * whole)
        return true;
    feed_refuse(reader, "%g GPUs at %g are not %g: the two prices disagree", count, each, whole);
    return false;
}

bool feed_take_converted(struct feed_reader *reader, double rate, double own, double *price)
{
    if (isnan(rate))
        return true;
    if (!(fabs(*price * rate - own) <= PRICE_SLACK * own)) {
        feed_refuse(reader, "%g at exchange_rate %g are not %g: the two prices disagree", *price,
                    rate, own);
        return false;
    }
    *price = own;
    return true;
}

bool feed_is_slug(const char *text, const char *between)
{
    const char *p = text;

    for (; *p; p++)
        if (!strchr("abcdefghijklmnopqrstuvwxyz0123456789", *p) &&
            (!strchr(between, *p) || p == text || strchr(between, p[-1]) || !p[1]))
            return false;
    return p != text;
}
