/* gathered.h - weights as they are held and sent: packed to 4 bits by QLoRA, gathered whole for a
 * while where replicas divide them (ZeRO 3, FSDP) or host memory keeps them, unpacked for one
 * product.
 */
#ifndef ESTIMATE_TRAINING_GATHERED_H
#define ESTIMATE_TRAINING_GATHERED_H

#include "estimate/training/training.h"

/* Weights of a GPU: of each layer with its experts, of each embedding or head. */
struct training_held {
    double layer, layers, table, tables;
};

/* Bytes of a layer's weight as it is kept, and the mean over layers, embedding and head, which are
 * not packed, of what is sent. */
double training_packed_bytes(const struct training_job *job);
double training_sent_bytes(const struct training_job *job, const struct training_strategy *on);

/* Bytes of weights that are whole though they are divided, or in host memory. */
double training_gathered_bytes(const struct training_job *job, const struct training_held *held);

/* Bytes of the largest product's weights unpacked to 16 bit; 0 where nothing is packed. */
double training_unpacked_bytes(const struct training_job *job, double tensor);

#endif
