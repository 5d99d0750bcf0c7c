/* members.h - turns the rows of the next .def into struct members. No include guard: include it
 * before each .def. */
#define NUMBER(name, unit, min, max, fallback, sentence) double name;
#define COUNT(name, unit, min, max, fallback, sentence) double name;
#define RATIO(name, min, max, fallback, sentence) double name;
#define MONEY(name, unit, fallback, sentence) double name;
#define RATE(name, unit, fallback, sentence) double name;
#define FLAG(name, fallback, sentence) double name;
#define CHOICE(name, choices, fallback, sentence) const char *name;
#define TEXT(name, fallback, sentence) const char *name;
#define DATE(name, fallback, sentence) const char *name;
#define ADDRESS(name, fallback, sentence) const char *name;
#define OBJECTS(name, fallback, sentence) const char *name;
#define DOCUMENT(name, fallback, sentence) const char *name;
#define FIGURE(name, unit, sentence) double name;
