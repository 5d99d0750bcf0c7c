#include "answer/svg_labels.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* The penalties of overlaps. Outside the chart text is truncated. */
enum { ON_LINE = 1, ON_POINT = 8, ON_LABEL = 20, OUTSIDE = 10000 };

static const struct position {
    double dx, dy; /* offset to the baseline */
    const char *anchor;
} positions[] = {
    {8, 4, "start"},   {8, -6, "start"},   {8, LINE, "start"},      {-8, -6, "end"},
    {-8, LINE, "end"}, {0, -10, "middle"}, {0, LINE + 4, "middle"}, {-8, 4, "end"},
};

void svg_labels_init(struct svg_labels *labels, const struct svg_plane *plane)
{
    labels->n = 0;
    labels->inside = (struct svg_box){.left = plane->x.from,
                                      .top = plane->page.top - LINE,
                                      .right = plane->page.width,
                                      .bottom = plane->page.height - BOTTOM};
}

static void take(struct svg_labels *labels, struct svg_box box)
{
    if (labels->n < sizeof(labels->taken) / sizeof(labels->taken[0]))
        labels->taken[labels->n++] = box;
}

void svg_labels_point(struct svg_labels *labels, double x, double y)
{
    take(labels, (struct svg_box){x - 5, y - 5, x + 5, y + 5, ON_POINT});
}

/* Approximate the line by small squares. */
void svg_labels_line(struct svg_labels *labels, double x, double y, double to_x, double to_y)
{
    enum { STEP = 6 };
    double steps = ceil(hypot(to_x - x, to_y - y) / STEP);

    for (double i = 1; i < steps; i++) {
        double at_x = x + (to_x - x) * i / steps, at_y = y + (to_y - y) * i / steps;
        take(labels, (struct svg_box){at_x - 1, at_y - 1, at_x + 1, at_y + 1, ON_LINE});
    }
}

static struct svg_box box_of(const struct position *position, const char *words, double x, double y)
{
    enum { ASCENT = 11, DESCENT = 3 };
    double width = LETTER * (double)strlen(words), at = x + position->dx;
    double left = position->anchor[0] == 's'   ? at
                  : position->anchor[0] == 'e' ? at - width
                                               : at - width / 2;

    return (struct svg_box){.left = left,
                            .top = y + position->dy - ASCENT,
                            .right = left + width,
                            .bottom = y + position->dy + DESCENT,
                            .weight = ON_LABEL};
}

static int cost_of(const struct svg_labels *labels, const struct svg_box *box)
{
    const struct svg_box *inside = &labels->inside;
    int cost = box->left < inside->left || box->right > inside->right || box->top < inside->top ||
                       box->bottom > inside->bottom
                   ? OUTSIDE
                   : 0;

    for (size_t i = 0; i < labels->n; i++) {
        const struct svg_box *other = &labels->taken[i];
        if (box->left < other->right && other->left < box->right && box->top < other->bottom &&
            other->top < box->bottom)
            cost += other->weight;
    }
    return cost;
}

void svg_labels_put(struct svg_labels *labels, const char *words, double x, double y, bool level,
                    struct buf *out)
{
    const struct position *best = NULL;
    int least = INT_MAX;

    for (size_t i = level ? 0 : 1; i < sizeof(positions) / sizeof(positions[0]); i++) {
        struct svg_box box = box_of(&positions[i], words, x, y);
        int cost = cost_of(labels, &box);
        if (cost < least) {
            least = cost;
            best = &positions[i];
        }
    }
    if (!best)
        return;
    take(labels, box_of(best, words, x, y));
    svg_words(words, x + best->dx, y + best->dy, best->anchor, out);
}
