/* collective.h - the link over which a group of GPUs communicates, and its rate.
 *
 * Within the scale-up domain it is the link, else PCIe within the node, else the network. Ranks are
 * laid out tensor, context and expert first, then data, then pipeline, so that small groups are
 * neighbours.
 */
#ifndef ESTIMATE_FIGURES_COLLECTIVE_H
#define ESTIMATE_FIGURES_COLLECTIVE_H

#include "catalog/gpu.h"

/* Rates in bytes/s per GPU, one direction. */
struct links {
    double domain; /* GPUs in one scale-up domain; 1 without a link */
    double node;   /* GPUs in one node, or in one domain if that is larger */
    double link, pcie, network;
    double pair; /* between two GPUs of a domain: less than `link` where no switch joins them */
};

/* True if a GPU's scale-up domain spans nodes: NVL72, TPU pods. */
bool collective_spans_nodes(const struct gpu *gpu);

/* `gpus_per_node` limits domains of up to 8 GPUs; larger ones span nodes. */
struct links collective_links(const struct gpu *gpu, double gpus_per_node, double network_rate);

/* The rate within a group of neighbours. */
double collective_rate(const struct links *links, double group);
/* The rate from one GPU to another of `group` neighbours. */
double collective_pair_rate(const struct links *links, double group);

/* Rate of a ring of `group` ranks spaced `stride` GPUs apart. A ring that leaves the node crosses
 * its boundary once, so all network cards of the group in that node share the traffic. */
double collective_ring_rate(const struct links *links, double group, double stride);

/* Seconds in which every rank sends each of its tokens, `bytes` in total, to `copies` uniformly
 * chosen ranks of the group. Each node receives a token once, however many of its ranks need it,
 * and forwards it internally (DeepEP; DeepSeek-V3, arXiv 2412.19437, section 3.2.2); both
 * directions overlap. */
double collective_dispatch(const struct links *links, double group, double copies, double bytes);

#endif
