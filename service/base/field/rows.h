/* rows.h - turns the rows of the next .def into the field table of struct FIELDS_OF. No include
 * guard: include it before each .def. */
#define FIELD_NAMED(key, at, type, unit, min, max, choices, fallback, about) \
    {key, type, unit, min, max, choices, fallback, about, offsetof(FIELDS_OF, at), FIELD_KEY(key)},
#define FIELD_ROW(name, type, unit, min, max, choices, fallback, sentence) \
    FIELD_NAMED(#name, name, type, unit, min, max, choices, fallback, sentence)
#define FIELD_OPEN ((double)NAN)

#define NUMBER(name, unit, min, max, fallback, sentence) \
    FIELD_ROW(name, FIELD_NUMBER, unit, min, max, "", fallback, sentence)
#define COUNT(name, unit, min, max, fallback, sentence) \
    FIELD_ROW(name, FIELD_COUNT, unit, min, max, "", fallback, sentence)
#define RATIO(name, min, max, fallback, sentence) \
    FIELD_ROW(name, FIELD_RATIO, "ratio", min, max, "", fallback, sentence)
#define MONEY(name, unit, fallback, sentence) \
    FIELD_ROW(name, FIELD_MONEY, unit, 0, 1e15, "", fallback, sentence)
#define RATE(name, unit, fallback, sentence) \
    FIELD_ROW(name, FIELD_RATE, unit, 0, 1e12, "", fallback, sentence)
#define FLAG(name, fallback, sentence) FIELD_ROW(name, FIELD_FLAG, "", 0, 1, "", fallback, sentence)
#define CHOICE(name, choices, fallback, sentence) \
    FIELD_ROW(name, FIELD_CHOICE, "", FIELD_OPEN, FIELD_OPEN, choices, fallback, sentence)
#define TEXT(name, fallback, sentence) \
    FIELD_ROW(name, FIELD_TEXT, "", FIELD_OPEN, FIELD_OPEN, "", fallback, sentence)
#define DATE(name, fallback, sentence) \
    FIELD_ROW(name, FIELD_DATE, "", FIELD_OPEN, FIELD_OPEN, "", fallback, sentence)
/* A list as a:b,c:d; a body may also hold it as a list of objects (json/body.h). */
#define OBJECTS(name, fallback, sentence) \
    FIELD_ROW(name, FIELD_TEXT, "", FIELD_OPEN, 4000, "", fallback, sentence)
/* A whole file, up to the maximum length of a body. */
#define DOCUMENT(name, fallback, sentence) \
    FIELD_ROW(name, FIELD_TEXT, "", FIELD_OPEN, 65536, "", fallback, sentence)
/* A relative URL of this API, up to the maximum length of a request's. */
#define ADDRESS(name, fallback, sentence) \
    FIELD_ROW(name, FIELD_TEXT, "", FIELD_OPEN, 8192, "", fallback, sentence)
#define FIGURE(name, unit, sentence) \
    FIELD_ROW(name, FIELD_FIGURE, unit, FIELD_OPEN, FIELD_OPEN, "", "", sentence)
