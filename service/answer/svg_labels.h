/* svg_labels.h - label placement in a scatter chart: of eight positions around a point, the one
 * that overlaps least with other labels, points and the line. */
#ifndef ANSWER_SVG_LABELS_H
#define ANSWER_SVG_LABELS_H

#include "answer/svg_axes.h"

#include <stddef.h>

struct svg_box {
    double left, top, right, bottom;
    int weight; /* penalty for overlapping it */
};

struct svg_labels {
    struct svg_box inside; /* labels should stay within this box */
    struct svg_box taken[512];
    size_t n;
};

void svg_labels_init(struct svg_labels *labels, const struct svg_plane *plane);
/* Add an obstacle, in pixels; ignored once `taken` is full. */
void svg_labels_point(struct svg_labels *labels, double x, double y);
void svg_labels_line(struct svg_labels *labels, double x, double y, double to_x, double to_y);
/* Write the label of a point; with `level`, a label at the height of the point is preferred. */
void svg_labels_put(struct svg_labels *labels, const char *words, double x, double y, bool level,
                    struct buf *out);

#endif
