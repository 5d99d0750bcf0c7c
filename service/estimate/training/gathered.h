/* gathered.h - weights as stored and as sent: packed to 4 bits by QLoRA, temporarily gathered if
 * replicas shard them (ZeRO 3, FSDP) or host memory holds them, unpacked for one product.
 */
#ifndef ESTIMATE_TRAINING_GATHERED_H
#define ESTIMATE_TRAINING_GATHERED_H

#include "estimate/training/training.h"

/* Weights per GPU: of each layer with its experts, and of each embedding or head. */
struct training_held {
    double layer, layers, table, tables;
};

/* Bytes per layer weight as stored; and the mean bytes sent per weight, over layers (packed),
 * embedding and head (not packed). */
double training_packed_bytes(const struct training_job *job);
double training_sent_bytes(const struct training_job *job, const struct training_strategy *on);

/* Bytes of weights that are gathered although they are sharded or in host memory. */
double training_gathered_bytes(const struct training_job *job, const struct training_held *held);

/* Bytes of the largest product's weights unpacked to 16 bit; 0 if nothing is packed. */
double training_unpacked_bytes(const struct training_job *job, double tensor);

#endif
