/* svg_labels.h - label placement in a scatter chart: of eight positions around a point, the one
 * that overlaps least with other labels, points and the line. */
#ifndef ANSWER_SVG_LABELS_H
#define ANSWER_SVG_LABELS_H

#include "answer/svg_axes.h"

#include <stddef.h>

struct svg_box {
    double left, top, right, bottom;
    int weight; /* of an overlap with it */
};

struct svg_labels {
    struct svg_box inside; /* labels should stay within it */
    struct svg_box taken[512];
    size_t n;
};

void svg_labels_init(struct svg_labels *labels, const struct svg_plane *plane);
/* Obstacles, in pixels. The chart may have more of them than are noted. */
void svg_labels_point(struct svg_labels *labels, double x, double y);
void svg_labels_line(struct svg_labels *labels, double x, double y, double to_x, double to_y);
/* Write the label of a point; `level` prefers the same height as the point. */
void svg_labels_put(struct svg_labels *labels, const char *words, double x, double y, bool level,
                    struct buf *out);

#endif
