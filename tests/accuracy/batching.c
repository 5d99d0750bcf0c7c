/* batching.c - replicas with continuous batching and chunked prefill, request by request.
 *
 * Requests arrive at random (Poisson) and have lengths of a lognormal distribution. Each goes to
 * the replica with the fewest in flight, to any of those if several have as few. Each step of an
 * engine writes the next tokens of all that run and reads up to a budget of prompt tokens, first
 * come first served. Shares nothing with the estimate but the table of times that replicas.c
 * prints. simulate.py writes such tables to its input, numbers alone, a line each; it prints the
 * percentiles of each. Two thousand processes with one table each took three times as long.
 */
#include "draws.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The table of times -----------------------------------------------------------------------
 */

enum { MOST_POINTS = 256, MOST_CONTEXTS = 16 };

struct line { /* piecewise linear, continued beyond both ends */
    int points;
    double x[MOST_POINTS], y[MOST_POINTS];
};

static struct {
    double rate, input_tokens, output_tokens, input_cv, output_cv, max_tokens, tokens_per_step,
        pass_tokens, most, batch, fixed, host, routed;
    int counts;
    double count[MOST_POINTS];
    struct line steps[MOST_POINTS]; /* seconds of a step by mean context, for each count */
    struct line busy, alone;        /* seconds of a prompt by its tokens */
} table;

/* Numbers are separated by one space or newline each. */
static double read_number(void)
{
    char text[64], *end = text;
    int n = 0;

    for (int c; (c = getchar()) != EOF && c != ' ' && c != '\n' && n < (int)sizeof(text) - 1;)
        text[n++] = (char)c;
    text[n] = '\0';
    double number = strtod(text, &end);
    if (end == text || *end)
        exit(65);
    return number;
}

static int read_count(int most)
{
    double count = read_number();
    if (!(count >= 1 && count <= most))
        exit(65);
    return (int)count;
}

static void read_table(void)
{
    double *const scalars[] = {
        &table.rate,      &table.input_tokens, &table.output_tokens,   &table.input_cv,
        &table.output_cv, &table.max_tokens,   &table.tokens_per_step, &table.pass_tokens,
        &table.most,      &table.batch,        &table.fixed,           &table.host,
        &table.routed};
    double context[MOST_CONTEXTS];

    for (size_t i = 0; i < sizeof(scalars) / sizeof(*scalars); i++)
        *scalars[i] = read_number();
    table.input_tokens = mean_before(table.input_tokens, table.input_cv, table.max_tokens);
    table.output_tokens = mean_before(table.output_tokens, table.output_cv, table.max_tokens);
    int contexts = read_count(MOST_CONTEXTS);
    for (int i = 0; i < contexts; i++)
        context[i] = read_number();
    table.counts = read_count(MOST_POINTS);
    for (int i = 0; i < table.counts; i++) {
        table.count[i] = read_number();
        table.steps[i].points = contexts;
        for (int j = 0; j < contexts; j++) {
            table.steps[i].x[j] = context[j];
            table.steps[i].y[j] = read_number();
        }
    }
    table.busy.points = table.alone.points = read_count(MOST_POINTS);
    for (int i = 0; i < table.busy.points; i++) {
        table.busy.x[i] = table.alone.x[i] = read_number();
        table.busy.y[i] = read_number();
        table.alone.y[i] = read_number();
    }
}

/* Index of the last of them that is not above x; the first if all are. */
static int last_within(const double *values, int n, double x)
{
    int low = 0;
    for (int high = n; high - low > 1;) {
        int middle = (low + high) / 2;
        if (values[middle] <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static double line_at(const struct line *line, double x)
{
    if (line->points == 1)
        return line->y[0];
    int i = last_within(line->x, line->points, x);
    i = i > line->points - 2 ? line->points - 2 : i;
    double dx = line->x[i + 1] - line->x[i], dy = line->y[i + 1] - line->y[i];
    return line->y[i] + dy * (x - line->x[i]) / dx;
}

static double step_seconds(double n, double context)
{
    int i = last_within(table.count, table.counts, n);
    double low = line_at(&table.steps[i], context);
    if (n == table.count[i] || i + 1 == table.counts)
        return low;
    double share = (n - table.count[i]) / (table.count[i + 1] - table.count[i]);
    return low + share * (line_at(&table.steps[i + 1], context) - low);
}

/* ---- The replicas -----------------------------------------------------------------------------
 */

struct request {
    double arrived, prompt, answer, read; /* seconds; tokens; tokens of the prompt read so far */
    double late; /* what its prompt alone takes over its share of a busy replica, and the host */
    double ends; /* number of the step that writes its last token */
};

/* In the order of their arrival. */
static struct request *requests;
static size_t arrived, room;
static double next_arrival;

/* `sent` lists the requests of a replica in the order of their arrival. The first `entered` have a
 * slot, and the prompts of the first `read_up_to` are read. The heap holds the requests
 * that run, with the one that ends first on top. */
struct replica {
    size_t *sent, sent_count, sent_room, entered, seen, read_up_to;
    size_t *heap, running;
    double now, steps, cached; /* end of the step; their number; tokens in the cache of what runs */
};

enum { MOST_REPLICAS = 64 };
static struct replica replicas[MOST_REPLICAS];
static double *firsts, *wholes, further; /* further: tokens after the first */
static size_t first_count, whole_count, warm, limit;
static size_t waited; /* for a place */
enum { MOST_SEEN = 4096 };
static size_t seen[MOST_SEEN]; /* arrivals by the number in flight that they find on a replica */

static bool ends_before(size_t a, size_t b)
{
    double x = requests[a].ends, y = requests[b].ends;
    return x < y || (x == y && a < b);
}

static void heap_push(struct replica *r, size_t number)
{
    size_t i = r->running++;
    for (; i > 0 && ends_before(number, r->heap[(i - 1) / 2]); i = (i - 1) / 2)
        r->heap[i] = r->heap[(i - 1) / 2];
    r->heap[i] = number;
}

static size_t heap_pop(struct replica *r)
{
    size_t *heap = r->heap, top = heap[0], last = heap[--r->running], i = 0;
    for (size_t child; (child = 2 * i + 1) < r->running; i = child) {
        if (child + 1 < r->running && ends_before(heap[child + 1], heap[child]))
            child++;
        if (!ends_before(heap[child], last))
            break;
        heap[i] = heap[child];
    }
    heap[i] = last;
    return top;
}

static void *grown(void *old, size_t size)
{
    void *new = realloc(old, size);
    if (!new)
        exit(71);
    return new;
}

static size_t in_flight(const struct replica *r)
{
    return r->running + r->sent_count - r->read_up_to;
}

/* Chooses at random among the replicas with the fewest in flight. It has a random generator of its
 * own (Knuth's MMIX), so that a single replica draws the lengths with which the bars were set. */
static struct replica *choose(void)
{
    static uint64_t state = 1;
    struct replica *chosen = replicas;

    for (size_t i = 1, alike = 1; i < (size_t)table.routed; i++) {
        size_t here = in_flight(&replicas[i]), fewest = in_flight(chosen);
        alike = here < fewest ? 1 : here == fewest ? alike + 1 : alike;
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        if (here < fewest || (here == fewest && (state >> 33) % alike == 0))
            chosen = &replicas[i];
    }
    return chosen;
}

static void arrive(void)
{
    struct replica *r = choose();

    for (size_t i = 0; i < (size_t)table.routed && arrived >= warm; i++) {
        size_t here = in_flight(&replicas[i]);
        seen[here < MOST_SEEN ? here : MOST_SEEN - 1]++;
    }
    if (arrived == room) {
        room = room ? 2 * room : 65536;
        requests = grown(requests, room * sizeof(*requests));
    }
    if (r->sent_count == r->sent_room) {
        r->sent_room = r->sent_room ? 2 * r->sent_room : 65536;
        r->sent = grown(r->sent, r->sent_room * sizeof(*r->sent));
        r->heap = grown(r->heap, r->sent_room * sizeof(*r->heap));
    }
    if (in_flight(r) == 0)
        r->now = next_arrival;
    r->sent[r->sent_count++] = arrived;
    struct request *request = &requests[arrived++];
    *request = (struct request){.arrived = next_arrival};
    request->prompt = length(table.input_tokens, table.input_cv, table.max_tokens);
    request->answer = length(table.output_tokens, table.output_cv, table.max_tokens);
    next_arrival += exponential(table.rate * table.routed);
}

static bool counts(size_t number)
{
    return warm <= number && number < limit;
}

static void enter(struct replica *r)
{
    while (r->entered < r->sent_count &&
           (double)(r->running + r->entered - r->read_up_to) < table.most)
        r->entered++;
    for (size_t i = r->seen > r->entered ? r->seen : r->entered; i < r->sent_count; i++)
        waited += counts(r->sent[i]);
    r->seen = r->sent_count;
}

static double steps_after_first(const struct request *request)
{
    return ceil((request->answer - 1) / table.tokens_per_step);
}

/* A step that reads prompts as well; `seconds` is what it takes without them. */
static void step_reading(struct replica *r, double seconds)
{
    size_t n = r->running, first = r->read_up_to;

    for (double left = table.pass_tokens; r->read_up_to < r->entered && left > 0; r->read_up_to++) {
        struct request *each = &requests[r->sent[r->read_up_to]];
        double part = fmin(left, each->prompt - each->read);
        seconds += line_at(&table.busy, each->prompt) * part / each->prompt;
        each->read += part;
        left -= part;
        if (each->read < each->prompt)
            break;
    }
    r->now += seconds;
    r->steps++;
    r->cached += (double)n * table.tokens_per_step;
    for (size_t i = first; i < r->read_up_to; i++) {
        struct request *each = &requests[r->sent[i]];
        double busy = line_at(&table.busy, each->prompt);
        each->late = table.host + line_at(&table.alone, each->prompt) - busy;
        each->late -= n == 0 ? table.fixed : 0;
        if (counts(r->sent[i]))
            firsts[first_count++] = r->now + each->late - each->arrived;
        each->ends = r->steps + steps_after_first(each);
        heap_push(r, r->sent[i]);
        r->cached += each->prompt;
    }
}

/* Nothing changes before the next arrival or the first end; steps grow with the context, so that
 * this many may fall short of it but not overshoot. */
static void step_writing(struct replica *r, double seconds)
{
    double n = (double)r->running, growth = table.tokens_per_step / 2;
    double ending = fmax(1, requests[r->heap[0]].ends - r->steps);
    double often = fmin(ending, fmax(1, ceil((next_arrival - r->now) / seconds)));
    double middle = step_seconds(n, r->cached / n + (often - 1) * growth);

    often = fmin(often, fmax(1, ceil((next_arrival - r->now) / middle)));
    middle = step_seconds(n, r->cached / n + (often - 1) * growth);
    r->now += often * middle;
    r->steps += often;
    r->cached += often * n * table.tokens_per_step;
}

static void finish_ended(struct replica *r)
{
    while (r->running > 0 && requests[r->heap[0]].ends <= r->steps) {
        size_t number = heap_pop(r);
        const struct request *request = &requests[number];
        r->cached -= request->prompt + steps_after_first(request) * table.tokens_per_step;
        if (counts(number)) {
            wholes[whole_count++] = r->now + request->late - request->arrived;
            further += request->answer - 1;
        }
    }
}

/* The replica whose step ends first; NULL if all are idle. */
static struct replica *next_to_end(void)
{
    struct replica *next = NULL;

    for (size_t i = 0; i < (size_t)table.routed; i++)
        if (in_flight(&replicas[i]) > 0 && (!next || replicas[i].now < next->now))
            next = &replicas[i];
    return next;
}

/* A step ends and the next one begins. */
static void step(struct replica *r)
{
    finish_ended(r);
    enter(r);
    if (r->running == 0 && r->read_up_to == r->entered)
        return;
    double n = (double)r->running;
    double seconds = r->running > 0 ? step_seconds(n, r->cached / n) : table.fixed;
    if (r->read_up_to < r->entered)
        step_reading(r, seconds);
    else
        step_writing(r, seconds);
}

static void clear(struct replica *r)
{
    r->sent_count = r->entered = r->seen = r->read_up_to = r->running = 0;
    r->now = r->steps = r->cached = 0;
}

/* Until that many requests are answered, without those that come before the replicas have settled.
 */
static void run(size_t count)
{
    /* long answers are in flight for longer: 1 + cv^2 of the mean, and take as long to settle */
    double settles = 8 * table.batch * table.routed * (1 + table.output_cv * table.output_cv);

    arrived = first_count = whole_count = waited = 0;
    further = 0;
    memset(seen, 0, sizeof(seen));
    for (size_t i = 0; i < (size_t)table.routed; i++)
        clear(&replicas[i]);
    warm = 2000 + (size_t)settles;
    limit = count + warm;
    firsts = grown(firsts, count * sizeof(*firsts));
    wholes = grown(wholes, count * sizeof(*wholes));
    next_arrival = exponential(table.rate * table.routed);
    while (whole_count < count) {
        struct replica *r = next_to_end();
        if (!r || next_arrival <= r->now)
            arrive();
        else
            step(r);
    }
}

static double sum(const double *values, size_t n)
{
    double total = 0;
    for (size_t i = 0; i < n; i++)
        total += values[i];
    return total;
}

/* The value that would stand at `wanted` if they were sorted, by Hoare's selection; reorders them.
 * Sorting took a fifth of the time of the whole simulation. */
static double selected(double *values, size_t n, size_t wanted)
{
    for (size_t low = 0, high = n - 1; low < high;) {
        double middle = values[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;;) {
            while (values[i] < middle)
                i++;
            while (middle < values[j])
                j--;
            if (i >= j)
                break;
            double other = values[i];
            values[i++] = values[j];
            values[j--] = other;
        }
        if (wanted <= j)
            high = j;
        else
            low = j + 1;
    }
    return values[wanted];
}

static double quantile(double *values, size_t n, double share)
{
    size_t i = (size_t)(share * (double)n);
    return selected(values, n, i < n ? i : n - 1);
}

/* The number in flight on a replica that this share of the arrivals finds at most. */
static size_t in_flight_quantile(double share)
{
    size_t all = 0, below = 0, n = 0;

    for (size_t i = 0; i < MOST_SEEN; i++)
        all += seen[i];
    while (n < MOST_SEEN && (double)(below += seen[n]) < share * (double)all)
        n++;
    return n;
}

static bool another_table(void)
{
    int c = getchar();

    return c != EOF && ungetc(c, stdin) != EOF;
}

static void simulate(void)
{
    seed_words((uint32_t)read_number());
    double count = read_number();
    read_table();
    if (!(table.routed >= 1 && table.routed <= MOST_REPLICAS))
        exit(65);
    run((size_t)count);
    double first = sum(firsts, first_count), whole = sum(wholes, whole_count);
    printf("{\"p50\": %.17g, \"p95\": %.17g, \"ttft_p95\": %.17g, \"ttft_mean\": %.17g, "
           "\"tpot\": %.17g, \"slot_waits\": %.17g, \"in_flight_p95\": %zu}\n",
           quantile(wholes, whole_count, 0.5), quantile(wholes, whole_count, 0.95),
           quantile(firsts, first_count, 0.95), first / (double)first_count,
           (whole - first) / fmax(1, further), (double)waited / count, in_flight_quantile(0.95));
}

int main(void)
{
    while (another_table())
        simulate();
    free(requests);
    for (size_t i = 0; i < MOST_REPLICAS; i++) {
        free(replicas[i].sent);
        free(replicas[i].heap);
    }
    free(firsts);
    free(wholes);
    return 0;
}
