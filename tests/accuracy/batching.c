/* batching.c - one replica with continuous batching and chunked prefill, request by request.
 *
 * Requests arrive at random (Poisson) and have lengths of a lognormal distribution. Each step of
 * the engine writes the next tokens of all that run and reads up to a budget of prompt tokens,
 * first come first served. Shares nothing with the estimate but the table of times that replicas.c
 * prints. simulate.py writes such tables to its input, numbers alone, a line each; it prints the
 * percentiles of each. Two thousand processes with one table each took three times as long.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Random numbers: those of Python's random.Random(seed), with which the bars were set -------
 */

enum { WORDS = 624, SHIFT = 397 };
static uint32_t word[WORDS];
static int at_word;

static void seed_words(uint32_t seed)
{
    word[0] = 19650218U;
    for (uint32_t i = 1; i < WORDS; i++)
        word[i] = 1812433253U * (word[i - 1] ^ (word[i - 1] >> 30)) + i;
    uint32_t i = 1;
    for (int k = 0; k < WORDS; k++) {
        word[i] = (word[i] ^ ((word[i - 1] ^ (word[i - 1] >> 30)) * 1664525U)) + seed;
        if (++i == WORDS) {
            word[0] = word[WORDS - 1];
            i = 1;
        }
    }
    for (int k = 1; k < WORDS; k++) {
        word[i] = (word[i] ^ ((word[i - 1] ^ (word[i - 1] >> 30)) * 1566083941U)) - i;
        if (++i == WORDS) {
            word[0] = word[WORDS - 1];
            i = 1;
        }
    }
    word[0] = 0x80000000U;
    at_word = WORDS;
}

static uint32_t next_word(void)
{
    if (at_word == WORDS) {
        for (int i = 0; i < WORDS; i++) {
            uint32_t y = (word[i] & 0x80000000U) | (word[(i + 1) % WORDS] & 0x7fffffffU);
            word[i] = word[(i + SHIFT) % WORDS] ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfU : 0);
        }
        at_word = 0;
    }
    uint32_t y = word[at_word++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680U;
    y ^= (y << 15) & 0xefc60000U;
    return y ^ (y >> 18);
}

static double uniform(void)
{
    uint32_t high = next_word() >> 5, low = next_word() >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}

static double exponential(double rate)
{
    return -log(1 - uniform()) / rate;
}

/* By the ratio of uniform deviates (Kinderman and Monahan 1977). */
static double normal(double mean, double deviation)
{
    for (;;) {
        double u = uniform(), v = 1 - uniform();
        double z = 4 * exp(-0.5) / sqrt(2.0) * (u - 0.5) / v;
        if (z * z / 4 <= -log(v))
            return mean + z * deviation;
    }
}

/* A whole number of at least one, lognormal; none longer than the model takes. */
static double length(double mean, double cv, double most)
{
    if (cv == 0)
        return mean;
    double sigma = sqrt(log(1 + cv * cv));
    double drawn = rint(exp(normal(log(mean) - sigma * sigma / 2, sigma)));
    return fmin(most, fmax(1, drawn));
}

/* ---- The table of times -----------------------------------------------------------------------
 */

enum { MOST_POINTS = 256, MOST_CONTEXTS = 16 };

struct line { /* piecewise linear, continued beyond both ends */
    int points;
    double x[MOST_POINTS], y[MOST_POINTS];
};

static struct {
    double rate, input_tokens, output_tokens, input_cv, output_cv, max_tokens, tokens_per_step,
        pass_tokens, most, batch, fixed, host;
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
        &table.most,      &table.batch,        &table.fixed,           &table.host};
    double context[MOST_CONTEXTS];

    for (size_t i = 0; i < sizeof(scalars) / sizeof(*scalars); i++)
        *scalars[i] = read_number();
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

/* ---- The replica ------------------------------------------------------------------------------
 */

struct request {
    double arrived, prompt, answer, read; /* seconds; tokens; tokens of the prompt read so far */
    double late; /* what its prompt alone takes over its share of a busy replica, and the host */
    double ends; /* number of the step that writes its last token */
};

/* Requests in the order of their arrival: those before `entered` have a place, of them those from
 * `read` on are still read; the heap holds what runs, the first to end on top. */
static struct request *requests;
static size_t arrived, entered, read_up_to, room;
static size_t *heap, running;
static double next_arrival, now, steps, cached; /* cached: tokens in the cache of what runs */
static double *firsts, *wholes, further;        /* further: tokens after the first */
static size_t first_count, whole_count, warm, limit;
static size_t waited; /* for a place */

static bool ends_before(size_t a, size_t b)
{
    double x = requests[a].ends, y = requests[b].ends;
    return x < y || (x == y && a < b);
}

static void heap_push(size_t number)
{
    size_t i = running++;
    for (; i > 0 && ends_before(number, heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = number;
}

static size_t heap_pop(void)
{
    size_t top = heap[0], last = heap[--running], i = 0;
    for (size_t child; (child = 2 * i + 1) < running; i = child) {
        if (child + 1 < running && ends_before(heap[child + 1], heap[child]))
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

static void arrive(void)
{
    size_t before = arrived;

    while (next_arrival <= now) {
        if (arrived == room) {
            room = room ? 2 * room : 65536;
            requests = grown(requests, room * sizeof(*requests));
            heap = grown(heap, room * sizeof(*heap));
        }
        struct request *request = &requests[arrived++];
        *request = (struct request){.arrived = next_arrival};
        request->prompt = length(table.input_tokens, table.input_cv, table.max_tokens);
        request->answer = length(table.output_tokens, table.output_cv, table.max_tokens);
        next_arrival += exponential(table.rate);
    }
    while (entered < arrived && (double)(running + entered - read_up_to) < table.most)
        entered++;
    for (size_t i = before > entered ? before : entered; i < arrived; i++)
        waited += warm <= i && i < limit;
}

static double steps_after_first(const struct request *request)
{
    return ceil((request->answer - 1) / table.tokens_per_step);
}

/* A step that reads prompts as well; `seconds` is what it takes without them. */
static void step_reading(double seconds)
{
    size_t n = running, first = read_up_to;

    for (double left = table.pass_tokens; read_up_to < entered && left > 0; read_up_to++) {
        struct request *each = &requests[read_up_to];
        double part = fmin(left, each->prompt - each->read);
        seconds += line_at(&table.busy, each->prompt) * part / each->prompt;
        each->read += part;
        left -= part;
        if (each->read < each->prompt)
            break;
    }
    now += seconds;
    steps++;
    cached += (double)n * table.tokens_per_step;
    for (size_t i = first; i < read_up_to; i++) {
        struct request *each = &requests[i];
        double busy = line_at(&table.busy, each->prompt);
        each->late = table.host + line_at(&table.alone, each->prompt) - busy;
        each->late -= n == 0 ? table.fixed : 0;
        if (warm <= i && i < limit)
            firsts[first_count++] = now + each->late - each->arrived;
        each->ends = steps + steps_after_first(each);
        heap_push(i);
        cached += each->prompt;
    }
}

/* Nothing changes before the next arrival or the first end; steps grow with the context, so that
 * this many may fall short of it but not overshoot. */
static void step_writing(double seconds)
{
    double n = (double)running, growth = table.tokens_per_step / 2;
    double ending = fmax(1, requests[heap[0]].ends - steps);
    double often = fmin(ending, fmax(1, ceil((next_arrival - now) / seconds)));
    double middle = step_seconds(n, cached / n + (often - 1) * growth);

    often = fmin(often, fmax(1, ceil((next_arrival - now) / middle)));
    middle = step_seconds(n, cached / n + (often - 1) * growth);
    now += often * middle;
    steps += often;
    cached += often * n * table.tokens_per_step;
}

static void finish_ended(void)
{
    while (running > 0 && requests[heap[0]].ends <= steps) {
        size_t number = heap_pop();
        const struct request *request = &requests[number];
        cached -= request->prompt + steps_after_first(request) * table.tokens_per_step;
        if (warm <= number && number < limit) {
            wholes[whole_count++] = now + request->late - request->arrived;
            further += request->answer - 1;
        }
    }
}

/* Until that many requests are answered, without those that come before the replica has settled. */
static void run(size_t count)
{
    /* long answers are in flight for longer: 1 + cv^2 of the mean, and take as long to settle */
    arrived = entered = read_up_to = running = first_count = whole_count = waited = 0;
    now = steps = cached = further = 0;
    warm = 2000 + (size_t)(8 * table.batch * (1 + table.output_cv * table.output_cv));
    limit = count + warm;
    firsts = grown(firsts, count * sizeof(*firsts));
    wholes = grown(wholes, count * sizeof(*wholes));
    next_arrival = exponential(table.rate);
    while (whole_count < count) {
        arrive();
        if (running == 0 && read_up_to == entered) {
            now = next_arrival;
            continue;
        }
        double n = (double)running;
        double seconds = running > 0 ? step_seconds(n, cached / n) : table.fixed;
        if (read_up_to < entered)
            step_reading(seconds);
        else
            step_writing(seconds);
        finish_ended();
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
    run((size_t)count);
    double first = sum(firsts, first_count), whole = sum(wholes, whole_count);
    printf("{\"p50\": %.17g, \"p95\": %.17g, \"ttft_p95\": %.17g, \"ttft_mean\": %.17g, "
           "\"tpot\": %.17g, \"slot_waits\": %.17g}\n",
           quantile(wholes, whole_count, 0.5), quantile(wholes, whole_count, 0.95),
           quantile(firsts, first_count, 0.95), first / (double)first_count,
           (whole - first) / fmax(1, further), (double)waited / count);
}

int main(void)
{
    while (another_table())
        simulate();
    free(requests);
    free(heap);
    free(firsts);
    free(wholes);
    return 0;
}
