#include "catalog/model.h"

bool model_is_mla(const struct model *model)
{
    return model->kv_lora_rank > 0;
}

bool model_is_moe(const struct model *model)
{
    return model->n_experts > 0;
}
