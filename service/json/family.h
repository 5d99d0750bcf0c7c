/* family.h - properties of a model that its model_type implies and config.json does not state. */
#ifndef JSON_FAMILY_H
#define JSON_FAMILY_H

enum trait {
    PLAIN_FFN = 1 << 0,   /* two FFN matrices, no gate */
    TIED = 1 << 1,        /* unless the config says otherwise */
    LAYER_NORM = 1 << 2,  /* norms have a bias as well as a weight */
    NO_NORM = 1 << 3,     /* norms have no weights */
    ONE_NORM = 1 << 4,    /* per layer, instead of two */
    FOUR_NORMS = 1 << 5,  /* two more norms, after attention and FFN */
    QKV_BIAS = 1 << 6,    /* biases on query, key and value */
    OUTPUT_BIAS = 1 << 7, /* bias on the output of attention */
    FFN_BIAS = 1 << 8,
    HEAD_BIAS = 1 << 9,           /* on the output embedding */
    QKV_ONLY = 1 << 10,           /* attention_bias does not apply to the output */
    KEY_NORM = 1 << 11,           /* queries and keys are normalised, with weights shared by all
                                   * heads */
    WIDE_KEY_NORM = 1 << 12,      /* each head has its own norm weights */
    KEY_NORM_ASKED = 1 << 13,     /* only if the config sets it */
    POSITIONS = 1 << 14,          /* learned position embeddings */
    TWO_MORE_POSITIONS = 1 << 15, /* two more than the maximum sequence length */
    EMBEDDING_NORM = 1 << 16,
    ROUTER_BIAS = 1 << 17,
    EXPERT_BIAS = 1 << 18,
    SINKS = 1 << 19,              /* a learned sink per head */
    SHARED_EXPERT = 1 << 20,      /* one, of the same width as the experts */
    SHARED_GATE = 1 << 21,        /* the shared expert has a gate */
    QUERY_GATE = 1 << 22,         /* an output gate as wide as the queries */
    DENSE_BESIDE = 1 << 23,       /* layers with experts also have a dense FFN */
    PARALLEL = 1 << 24,           /* attention and FFN in parallel: one all-reduce */
    WINDOW_ASKED = 1 << 25,       /* windows only if use_sliding_window is set */
    HALF_WIDTH = 1 << 26,         /* intermediate_size is the combined width of two matrices */
    CHUNKED = 1 << 27,            /* attention_chunk_size acts as a window */
    LEARNED_ACTIVATION = 1 << 28, /* each FFN has two learned parameters of its activation */
    SINGLE_BLOCKS = 1 << 29,      /* each layer is only one of attention, state space and FFN */
    ENCODER = 1 << 30,            /* bidirectional: kinds of token, a pooler, no output layer */
};

/* The mixer of layers without softmax attention. */
enum mixer {
    GATED_DELTA, /* gated delta rule, arXiv 2412.06464 */
    LIGHTNING,   /* lightning attention, arXiv 2501.08313 */
    MAMBA_1,     /* selective state space, arXiv 2312.00752 */
    MAMBA_2,     /* state space duality, arXiv 2405.21060 */
};

struct family {
    const char *types;   /* space-separated values of model_type */
    double pattern;      /* of windows: every n-th layer has none; 0 if all have them */
    const char *refusal; /* why such models are not supported, or NULL */
    unsigned traits;
    enum mixer mixer;
};

/* The family of a model_type, ignoring suffixes such as _text; NULL if unknown. */
const struct family *family_find(const char *model_type);

#endif
