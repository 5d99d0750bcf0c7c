// questions.ts URL - asks a daemon by the client made from the contract; prints what it answered.
import createClient from 'openapi-fetch';
import type { components, operations, paths } from './gpuplan.js';

type Schemas = components['schemas'];
declare const process: { argv: string[] };

// Of the formats JSON: application/json, and application/problem+json where something is wrong.
const client = createClient<paths, `application/${string}json`>({ baseUrl: process.argv[2] ?? '' });

/** The answer, or what was wrong with the question as an error. */
function answered<T>(reply: { data?: T; error?: Schemas['Problem'] | undefined }): T {
  if (reply.data === undefined)
    throw new Error(reply.error?.detail ?? reply.error?.title ?? 'no answer');
  return reply.data;
}

const plan: Schemas['TrainingPlan'] = answered(await client.GET('/v1/training-plan', {
  params: { query: { model: 'llama-2-70b', gpu: 'a100-sxm4-80gb', gpu_count: 2048, tokens: 2e12, method: 'full' } },
}));
const days: number | null | undefined = plan.days;

const posted: Schemas['TrainingPlan'] = answered(await client.POST('/v1/training-plan', {
  body: { model: 'llama-2-70b', gpu: 'a100-sxm4-80gb', gpu_count: 2048, tokens: 2e12, method: 'full' },
}));

const sizing: Schemas['InferenceSizing'] = answered(await client.GET('/v1/inference-sizing', {
  params: { query: { model: 'llama-2-70b', gpu: 'h100-sxm5-80gb', requests_per_minute: 1000, latency_p95_seconds: 15 } },
}));

const wanted: NonNullable<operations['listOffers']['parameters']['query']> = {
  gpu: 'h100-sxm5-80gb', purchase_option: 'on_demand', limit: 3,
};
const offers: Schemas['OfferRow'][] = answered(await client.GET('/v1/offers', { params: { query: wanted } })).rows ?? [];

const gpu = answered(await client.GET('/v1/gpus/{gpu}', { params: { path: { gpu: 'h100-sxm5-80gb' } } }));

const refused = await client.GET('/v1/gpus/{gpu}', { params: { path: { gpu: 'h100-sxm5-80g' } } });

console.log(JSON.stringify({
  days, days_posted: posted.days, lines: plan.line_items?.map((line) => line.key),
  gpu_count: sizing.gpu_count, cost_per_hour: sizing.cost_per_hour,
  prices: offers.map((offer) => offer.price_per_gpu_hour),
  memory_gib: gpu.memory_gib, refused: refused.error?.title,
}));
