#include "estimate/figures/collective.h"

#include "base/minmax.h"

#include <math.h>

/* Domains up to this size are one board or one node; larger ones span nodes (NVL72, TPU pods). */
static const double NODE_DOMAIN_MAX = 8;

bool collective_spans_nodes(const struct gpu *gpu)
{
    return gpu->scale_up_domain > NODE_DOMAIN_MAX;
}

struct links collective_links(const struct gpu *gpu, double gpus_per_node, double network_rate)
{
    struct links links = {.domain = 1, .network = network_rate};

    if (gpu->scale_up_domain > 1 && gpu->link_rate > 0)
        links.domain = collective_spans_nodes(gpu) ? gpu->scale_up_domain
                                                   : fmin(gpu->scale_up_domain, gpus_per_node);
    links.node = fmax(links.domain, gpus_per_node);
    links.link = gpu->link_rate;
    /* A torus has links to its neighbours alone, but groups are laid out along its axes. */
    links.pair = collective_spans_nodes(gpu) ? links.link : fmin(links.link, gpu->link_pair_rate);
    /* Cloud GPUs without a published host link communicate over the network instead. */
    links.pcie = gpu->pcie_rate > 0 ? gpu->pcie_rate : network_rate;
    return links;
}

/* Where each GPU has a link to each other one (DGX-1, MI300X, Gaudi), a group has those between its
 * members: all of them only if it is the whole domain. */
static double linked(const struct links *links, double members)
{
    return fmin(links->link, greater(1, members - 1) * links->pair);
}

/* The rate of `members` of a group within the first `span` GPUs. */
static double rate_among(const struct links *links, double span, double members)
{
    if (span <= links->domain && links->domain > 1)
        return linked(links, members);
    return span <= links->node ? links->pcie : links->network;
}

double collective_rate(const struct links *links, double group)
{
    return rate_among(links, group, group);
}

double collective_pair_rate(const struct links *links, double group)
{
    return rate_among(links, group, 2);
}

double collective_ring_rate(const struct links *links, double group, double stride)
{
    double cards = stride > links->node ? 1 : greater(1, lesser(group, links->node / stride));
    double inside = rate_among(links, lesser(group * stride, links->node), cards);

    if (group * stride <= links->node)
        return inside;
    return fmin(inside, cards * links->network); /* fmin() ignores an unknown rate */
}

double collective_dispatch(const struct links *links, double group, double copies, double bytes)
{
    double nodes = group / links->node, near = fmin(group, links->node);
    double inside = copies * bytes * (near - 1) / near / collective_rate(links, near);

    if (nodes <= 1)
        return inside;
    double reached = nodes * (1 - pow(1 - 1 / nodes, copies));
    return fmax(inside, reached * bytes * (nodes - 1) / nodes / links->network);
}
