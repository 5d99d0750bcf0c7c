/* table_test.c - rows of a real PostgreSQL, read in each way. */
#include "store/table.h"

#include "cluster.h"
#include "tap.h"

/* A row of every type, for reading it in two ways. */
struct typed {
    const char *text;
    double number;
    int whole;
    int32_t day;
    bool flag;
};

struct rows_copied {
    const struct typed *wanted;
    size_t n, n_equal;
};

static void compare_row(void *context, const void *row)
{
    struct rows_copied *copied = context;
    const struct typed *want = &copied->wanted[copied->n++], *got = row;

    copied->n_equal += strcmp(want->text, got->text) == 0 &&
                       memcmp(&want->number, &got->number, sizeof(double)) == 0 &&
                       want->whole == got->whole && want->day == got->day &&
                       want->flag == got->flag;
}

static const struct column typed_columns[] = {
    {"t", COLUMN_TEXT, offsetof(struct typed, text)},
    {"n", COLUMN_NUMBER, offsetof(struct typed, number)},
    {"w", COLUMN_INT, offsetof(struct typed, whole)},
    {"d", COLUMN_DAY, offsetof(struct typed, day)},
    {"f", COLUMN_FLAG, offsetof(struct typed, flag)},
};

/* Numbers of 1 to 39 digits of either sign, days of 9,000 years, and nulls. */
static const char typed_rows[] =
    "(select nullif(repeat(i::text, i % 4), '') as t, case when i % 11 > 0 then "
    "(random() * 1e15)::numeric(16) * power(10::numeric, i % 40 - 25) * (1 - i % 2 * 2) end as n, "
    "nullif(i - 5000, 7) as w, case when i % 7 > 0 then date '0001-01-01' + 333 * i end as d, "
    "i % 3 = 0 as f from generate_series(1, 9999) i) x";

static void test_copy(PGconn *conn)
{
    struct table table = {"typed order by w", typed_columns,
                          sizeof(typed_columns) / sizeof(typed_columns[0]), sizeof(struct typed)};
    struct rows_copied copied = {0};
    struct arena arena = {0};
    struct err err = {0};
    char sql[1024];
    void *wanted;
    size_t n;

    (void)snprintf(sql, sizeof(sql), "begin; create temp table typed as select * from %s",
                   typed_rows);
    must(conn, sql);
    ok(table_load(conn, &table, &arena, &wanted, &n, &err) && n == 9999, "rows as text %s",
       err.text);
    copied.wanted = wanted;
    ok(table_each(conn, &table, compare_row, &copied, &err) && copied.n == n, "as many copied %s",
       err.text);
    ok(copied.n_equal == n, "%zu of them equal to the last bit", copied.n_equal);
    const struct typed *again = table_copy(&table, wanted, n, &arena);
    copied = (struct rows_copied){wanted, 0, 0};
    for (size_t i = 0; i < n; i++)
        compare_row(&copied, &again[i]);
    ok(copied.n_equal == n && again[1].text != copied.wanted[1].text,
       "%zu equal in another copy, with texts of its own", copied.n_equal);
    must(conn, "update typed set d = 'infinity' where w = 1");
    copied = (struct rows_copied){wanted, 0, 0};
    ok(!table_each(conn, &table, compare_row, &copied, &err) && strstr(err.text, "column d"),
       "what is no day is refused: %s", err.text);
    must(conn, "rollback");
    ok(!table_each(conn, &table, compare_row, &copied, &err), "and what is not there: %s",
       err.text);
    arena_free(&arena);
}

int main(int argc, char **argv)
{
    (void)argc;
    enter_cluster(argv[0]);
    PGconn *conn = connected();
    test_copy(conn);
    PQfinish(conn);
    return tap_done();
}
