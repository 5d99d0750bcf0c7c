/* family.h - what a config.json does not say, because its model_type implies it. */
#ifndef JSON_FAMILY_H
#define JSON_FAMILY_H

enum trait {
    PLAIN_FFN = 1 << 0,   /* two FFN matrices, no gate */
    TIED = 1 << 1,        /* unless the config says otherwise */
    LAYER_NORM = 1 << 2,  /* norms have a bias alongside their weight */
    NO_NORM = 1 << 3,     /* norms have no weights */
    ONE_NORM = 1 << 4,    /* per layer, instead of two */
    FOUR_NORMS = 1 << 5,  /* also after attention and FFN */
    QKV_BIAS = 1 << 6,    /* query, key and value have a bias */
    OUTPUT_BIAS = 1 << 7, /* so has the output of attention */
    FFN_BIAS = 1 << 8,
    HEAD_BIAS = 1 << 9,           /* of the output embedding */
    QKV_ONLY = 1 << 10,           /* attention_bias does not reach the output */
    KEY_NORM = 1 << 11,           /* queries and keys are normed, each head alike */
    WIDE_KEY_NORM = 1 << 12,      /* each head its own weights */
    KEY_NORM_ASKED = 1 << 13,     /* only where the config asks for it */
    POSITIONS = 1 << 14,          /* learned position embeddings */
    TWO_MORE_POSITIONS = 1 << 15, /* than the longest sequence */
    EMBEDDING_NORM = 1 << 16,
    ROUTER_BIAS = 1 << 17,
    EXPERT_BIAS = 1 << 18,
    SINKS = 1 << 19,              /* a learned sink per head */
    SHARED_EXPERT = 1 << 20,      /* one, of the experts' width */
    SHARED_GATE = 1 << 21,        /* the shared expert has a gate */
    QUERY_GATE = 1 << 22,         /* a gate as wide as the queries */
    DENSE_BESIDE = 1 << 23,       /* a dense FFN in the layers that have experts */
    PARALLEL = 1 << 24,           /* attention and FFN side by side: one all-reduce */
    WINDOW_ASKED = 1 << 25,       /* windows only where use_sliding_window says so */
    HALF_WIDTH = 1 << 26,         /* intermediate_size is the width of two matrices */
    CHUNKED = 1 << 27,            /* attention_chunk_size is a window */
    LEARNED_ACTIVATION = 1 << 28, /* two numbers in each FFN shape its activation */
    SINGLE_BLOCKS = 1 << 29,      /* a layer is attention, state space or FFN, one of them */
};

/* What a layer without softmax attention has in its place. */
enum mixer {
    GATED_DELTA, /* gated delta rule, arXiv 2412.06464 */
    LIGHTNING,   /* lightning attention, arXiv 2501.08313 */
    MAMBA_1,     /* selective state space, arXiv 2312.00752 */
    MAMBA_2,     /* state space duality, arXiv 2405.21060 */
};

struct family {
    const char *types;   /* space-separated values of model_type */
    double pattern;      /* where windows are, every n-th layer has none; 0: all have them */
    const char *refusal; /* why such a model is not supported, NULL if it is */
    unsigned traits;
    enum mixer mixer;
};

/* The family of a model_type, without regard to _text and the like; NULL where none is known. */
const struct family *family_find(const char *model_type);

#endif
