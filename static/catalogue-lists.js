// catalogue-lists.js - the lists of the catalogue: what tells rows apart, which filters stand open,
// which columns a table begins with, and whether the rows of one GPU have a history. `bare` are numbers that are names, as years.
export const LISTS = {
  gpus: {
    title: 'GPUs', keys: ['gpu'], filters: ['q', 'vendor', 'min_memory_gib', 'datacenter'], bare: ['launch_year'],
    columns: ['name', 'launch_year', 'memory_gib', 'memory_bandwidth_gb_per_second', 'peak_bf16_dense_tflops',
      'peak_fp8_dense_tflops', 'tdp_w', 'card_price', 'on_demand_price_per_gpu_hour', 'tflops_per_1000_usd'],
  },
  offers: {
    title: 'Rental offers', keys: ['offer_id'],
    filters: ['gpu', 'provider', 'region', 'purchase_option', 'min_gpu_count', 'max_price_per_gpu_hour'],
    columns: ['provider', 'gpu', 'gpu_count', 'purchase_option', 'price_per_gpu_hour', 'price_per_hour', 'region',
      'observed_date', 'stale'],
    history: true,
  },
  'price-summary': {
    title: 'Rental prices by GPU', keys: ['gpu', 'purchase_option'], filters: ['gpu', 'purchase_option', 'provider', 'region'],
    columns: ['gpu', 'purchase_option', 'min_price_per_gpu_hour', 'median_price_per_gpu_hour',
      'max_price_per_gpu_hour', 'provider_count', 'newest_observed_date', 'stale'],
  },
  hardware: {
    title: 'Purchase prices', keys: ['hardware_id'], filters: ['gpu', 'kind'],
    columns: ['seller', 'gpu', 'kind', 'gpu_count', 'price', 'price_per_gpu', 'observed_date'],
  },
  models: {
    title: 'Models', keys: ['model'], filters: ['q', 'attention', 'mixture_of_experts', 'min_parameters', 'max_parameters'],
    columns: ['name', 'parameters', 'active_parameters', 'kv_cache_bytes_per_token', 'layer_count', 'hidden_size',
      'attention', 'max_position_tokens', 'expert_count'],
  },
  assumptions: {
    title: 'Assumptions', keys: ['key', 'scope'], filters: ['q', 'group'],
    columns: ['key', 'scope', 'unit', 'low', 'default', 'high', 'applies_to', 'source_date'],
  },
};
