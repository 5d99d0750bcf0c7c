/* ends.h - the rows of both ends of a figure's interval, for service.def.
 *
 * With random arrivals the ends of times are those of a replica as much faster or slower: on top of
 * the factors of a given load comes what the load does, load_factor (sway.h). */
#ifndef ESTIMATE_INFERENCE_EXPLAIN_ENDS_H
#define ESTIMATE_INFERENCE_EXPLAIN_ENDS_H

/* Both ends: the estimate over and times a factor. */
#define INTERVAL(key, unit, range, factor) INTERVAL_IF(true, key, unit, range, factor)
#define INTERVAL_IF(shown, key, unit, range, factor)                                     \
    LOCAL("interval_factor", "", factor)                                                 \
    EXPLAIN_IF(shown, key "_low", unit, (range).low, key " / interval_factor", interval) \
    LOCAL("interval_factor", "", factor)                                                 \
    EXPLAIN_IF(shown, key "_high", unit, (range).high, key " x interval_factor", interval)

/* What a load that is a rate asks for. */
#define ASKED(key, value, by)                                                                \
    LOCAL("interval_factor", "", decode_factor)                                              \
    EXPLAIN_IF(                                                                              \
        is_rate, key, "tokens/s", value,                                                     \
        "min(requests_per_second x output_tokens, output_tokens_per_second_capacity" by ")", \
        "no more than is asked for, nor than the design writes; ends as of interval_factor")

/* Ends of the time per token. */
#define TOKEN_END(end, by, of, value)                                                  \
    LOCAL("interval_factor", "", decode_factor)                                        \
    LOCAL("load_factor", "", of)                                                       \
    EXPLAIN("time_per_output_token_seconds_" end, "s", value,                          \
            sways ? "time_per_output_token_seconds" by "interval_factor x load_factor" \
                  : "time_per_output_token_seconds" by "interval_factor",              \
            sways ? swayed : interval)

/* Ends of a time to the first token. */
#define FIRST_END(key, end, of, value)                                               \
    LOCAL("load_factor", "", of)                                                     \
    EXPLAIN(key "_" end, "s", value,                                                 \
            sways ? key " x " end "_factor x load_factor" : key " x " end "_factor", \
            sways ? swayed : first_range)

/* Ends of a whole request: its first token and the rest, each by its own. */
#define REQUEST_END(key, end, by, first_of, of, value)                                 \
    LOCAL("interval_factor", "", decode_factor)                                        \
    LOCAL("first_load_factor", "", first_of)                                           \
    LOCAL("load_factor", "", of)                                                       \
    EXPLAIN(key "_" end, "s", value,                                                   \
            sways ? key " x (time_to_first_token_seconds x " end                       \
                        "_factor x first_load_factor + (request_seconds - "            \
                        "time_to_first_token_seconds)" by                              \
                        "interval_factor x load_factor) / request_seconds"             \
                  : key " x (time_to_first_token_seconds x " end                       \
                        "_factor + (request_seconds - time_to_first_token_seconds)" by \
                        "interval_factor) / request_seconds",                          \
            SOURCE("interval_factor ttft_range_factor", "as the mean request"))
#define AS_REQUEST(key, range)                                                    \
    REQUEST_END(key, "low", " / ", sway->first_low, sway->token_low, (range).low) \
    REQUEST_END(key, "high", " x ", sway->first_high, sway->token_high, (range).high)

#endif
