#include "estimate/figures/explain.h"

#include "base/buf.h"
#include "base/number.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum {
    TEXT_MAX = 8192,
    ROWS_MAX = 320,
    SYMBOLS_MAX = 640,
    SLOTS = 1024,
    LOCALS_MAX = 256,
    TERMS_MAX = 256
};

struct symbol {
    const char *name;
    const char *unit;
    double value;
};

/* Open addressing; at most five eighths of the slots are used. */
struct symbol_table {
    struct symbol slot[SLOTS];
    size_t n;
    struct symbol local[LOCALS_MAX];
    size_t n_local;
    size_t locals_of[ROWS_MAX + 1]; /* row i has the locals from [i] up to [i + 1] */
};

void explain_init(struct explanations *to, struct arena *arena)
{
    *to = (struct explanations){.arena = arena,
                                .at = arena_alloc(arena, ROWS_MAX * sizeof(struct explanation)),
                                .symbols = arena_alloc(arena, sizeof(struct symbol_table))};
}

static bool is_named(const struct symbol *symbol, const char *name, size_t length)
{
    return strncmp(symbol->name, name, length) == 0 && !symbol->name[length];
}

/* The slot of the symbol, or the free slot for it. */
static struct symbol *slot_of(struct symbol_table *table, const char *name, size_t length)
{
    size_t hash = length;

    for (size_t i = 0; i < length; i++)
        hash = hash * 31 + (unsigned char)name[i];
    for (;; hash++) {
        struct symbol *slot = &table->slot[hash % SLOTS];
        if (!slot->name || is_named(slot, name, length))
            return slot;
    }
}

void explain_symbol(struct explanations *to, const char *name, const char *unit, double value)
{
    struct symbol *slot = slot_of(to->symbols, name, strlen(name));

    if (!slot->name)
        to->symbols->n++;
    assert(to->symbols->n <= SYMBOLS_MAX);
    *slot = (struct symbol){name, unit, value};
}

void explain_local(struct explanations *to, const char *name, const char *unit, double value)
{
    assert(to->symbols->n_local < LOCALS_MAX);
    to->symbols->local[to->symbols->n_local++] = (struct symbol){name, unit, value};
}

void explain_figure(struct explanations *to, bool shown, struct explanation row)
{
    struct symbol_table *table = to->symbols;

    explain_symbol(to, row.key, strcmp(row.unit, "ratio") == 0 ? "" : row.unit, row.value);
    if (shown) {
        assert(to->n < ROWS_MAX);
        to->at[to->n++] = row;
        table->locals_of[to->n] = table->n_local;
    } else {
        table->n_local = table->locals_of[to->n];
    }
}

/* Looks among the row's own symbols, then the subject's; NULL if there is neither. */
static const struct symbol *find(struct symbol_table *table, size_t row, const char *name,
                                 size_t length)
{
    for (size_t i = table->locals_of[row]; i < table->locals_of[row + 1]; i++)
        if (is_named(&table->local[i], name, length))
            return &table->local[i];
    const struct symbol *slot = slot_of(table, name, length);
    return slot->name ? slot : NULL;
}

/* Prints like printf's %.9g, faster for usual magnitudes. */
static void print_digits(struct buf *out, double value)
{
    enum { DIGITS = 9, DECIMALS_MOST = 12 }; /* range in which %g prints no exponent */
    struct decimal decimal = number_round_significant(value, DIGITS);
    char text[DECIMAL_SHORT_SIZE];

    if (value == 0 && !signbit(value)) {
        buf_char(out, '0');
    } else if (value != 0 && decimal.fits && decimal.decimals >= 0 &&
               decimal.decimals <= DECIMALS_MOST) {
        size_t n = number_write(text, decimal, true);
        buf_add(out, text, n);
    } else {
        buf_print(out, "%.9g", value);
    }
}

/* Nine digits, so that differences keep the six digits that answers show. */
static void print_value(struct buf *out, const struct symbol *symbol)
{
    bool is_negative = symbol->value < 0;

    if (!isfinite(symbol->value)) {
        buf_text(out, isnan(symbol->value) ? "unknown" : "infinite");
        return;
    }
    buf_text(out, is_negative ? "(" : "");
    print_digits(out, symbol->value);
    buf_text(out, is_negative ? ")" : "");
    if (symbol->unit[0]) {
        buf_char(out, ' ');
        buf_text(out, symbol->unit);
    }
}

static bool begins_name(char c)
{
    char letter = (char)(c | 0x20);

    return (letter >= 'a' && letter <= 'z') || c == '_';
}

/* Finds the next name in a formula; *before is the length of the text before it. Returns its
 * length, 0 at the end. */
static size_t next_name(const char *p, size_t *before)
{
    size_t length = 0;

    for (*before = 0; p[*before] && !begins_name(p[*before]);)
        ++*before;
    for (p += *before; begins_name(p[length]) || (length && p[length] >= '0' && p[length] <= '9');)
        length++;
    return length;
}

/* A name in a formula, and the text before it. */
struct term {
    const char *text;
    size_t before, length;       /* bytes of the text before the name; of the name */
    const struct symbol *symbol; /* NULL for a function such as max */
    size_t value, value_length;  /* where its value begins among the printed ones, and its length */
    bool first;                  /* no term before has the symbol */
};

/* Splits the row's formula at its names. Returns the number of terms. */
static size_t split(const struct explanations *to, size_t row, struct term terms[TERMS_MAX])
{
    size_t n = 0;

    for (const char *p = to->at[row].formula; *p; n++) {
        struct term *term = &terms[n];
        assert(n < TERMS_MAX);
        term->text = p;
        term->length = next_name(p, &term->before);
        p += term->before;
        term->symbol = find(to->symbols, row, p, term->length);
        term->first = false;
        p += term->length;
    }
    return n;
}

/* Prints the value of each symbol once. */
static void print_values(struct term *terms, size_t n, struct buf *values)
{
    for (struct term *term = terms; term < terms + n; term++) {
        const struct term *same = terms;
        if (!term->symbol)
            continue;
        while (same->symbol != term->symbol)
            same++;
        term->first = same == term;
        term->value = term->first ? values->length : same->value;
        if (term->first)
            print_value(values, term->symbol);
        term->value_length = term->first ? values->length - term->value : same->value_length;
    }
}

/* The formula with each symbol replaced by its value; false if one is not finite. */
static bool substitute(const struct term *terms, size_t n, const char *values, struct buf *out)
{
    for (const struct term *term = terms; term < terms + n; term++) {
        if (term->symbol && !isfinite(term->symbol->value))
            return false;
        buf_add(out, term->text, term->before);
        if (term->symbol)
            buf_add(out, values + term->value, term->value_length);
        else
            buf_add(out, term->text + term->before, term->length);
    }
    return true;
}

/* The symbols of the formula, in order, each once. */
static void list_inputs(const struct term *terms, size_t n, const char *values, struct buf *out)
{
    for (const struct term *term = terms; term < terms + n; term++) {
        if (!term->first)
            continue;
        buf_text(out, out->length > 0 ? ", " : "");
        buf_text(out, term->symbol->name);
        buf_text(out, " = ");
        buf_add(out, values + term->value, term->value_length);
    }
}

static void explain_row(struct explanations *to, size_t i)
{
    struct explanation *row = &to->at[i];
    struct term terms[TERMS_MAX];
    size_t n = split(to, i, terms);
    struct buf values, out;

    buf_init(&values, TEXT_MAX);
    print_values(terms, n, &values);
    buf_init(&out, TEXT_MAX);
    if (isfinite(row->value) && substitute(terms, n, buf_data(&values), &out))
        row->substitution = arena_text(to->arena, buf_data(&out));
    buf_free(&out);
    buf_init(&out, TEXT_MAX);
    list_inputs(terms, n, buf_data(&values), &out);
    row->inputs = arena_text(to->arena, buf_data(&out));
    buf_free(&out);
    buf_free(&values);
}

void explain_substitute(struct explanations *to)
{
    for (size_t i = 0; i < to->n; i++)
        explain_row(to, i);
}
