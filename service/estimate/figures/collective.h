/* collective.h - which link a group of GPUs talks over, and how fast it is.
 *
 * Within the scale-up domain it is the link, else within the node PCIe, else the network. Ranks are
 * laid out tensor, context and expert first, then data, then pipeline, so that small groups are
 * neighbours.
 */
#ifndef ESTIMATE_FIGURES_COLLECTIVE_H
#define ESTIMATE_FIGURES_COLLECTIVE_H

#include "catalog/gpu.h"

/* Rates in bytes/s per GPU, one direction. */
struct links {
    double domain; /* GPUs in one scale-up domain; 1: no link */
    double node;   /* GPUs in one node, or in one domain where that is larger */
    double link, pcie, network;
};

/* Whether a GPU's scale-up domain spans nodes: NVL72, TPU pods. */
bool collective_spans_nodes(const struct gpu *gpu);

/* `gpus_per_node` bounds domains of up to 8 GPUs; larger ones span nodes. */
struct links collective_links(const struct gpu *gpu, double gpus_per_node, double network_rate);

/* The rate within a group of neighbours. */
static inline double collective_rate(const struct links *links, double group)
{
    if (group <= links->domain && links->domain > 1)
        return links->link;
    return group <= links->node ? links->pcie : links->network;
}

/* Rate of a ring of `group` ranks that lie `stride` GPUs apart. A ring that leaves the node crosses
 * it once, so every network card of the group in that node carries it. */
double collective_ring_rate(const struct links *links, double group, double stride);

/* Seconds in which every rank sends each of its tokens, `bytes` in all, to `copies` of the group's
 * ranks chosen evenly. A node gets a token once, whatever number of its ranks wants it, and passes
 * it on inside (DeepEP; DeepSeek-V3, arXiv 2412.19437, section 3.2.2); both ways overlap. */
double collective_dispatch(const struct links *links, double group, double copies, double bytes);

#endif
