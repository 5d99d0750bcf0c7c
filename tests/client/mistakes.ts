// mistakes.ts - what the types must refuse; never run.
import createClient from 'openapi-fetch';
import type { components, operations, paths } from './gpuplan.js';

type Schemas = components['schemas'];
type Query<name extends keyof operations> = operations[name]['parameters']['query'];

const client = createClient<paths>();

export async function mistakes(plan: Schemas['TrainingPlan']) {
  // @ts-expect-error the GPU is required
  await client.GET('/v1/training-plan', { params: { query: { model: 'gpt2' } } });
  // @ts-expect-error a word that is no choice
  await client.GET('/v1/offers', { params: { query: { purchase_option: 'on demand' } } });
  // @ts-expect-error no such path
  await client.GET('/v1/training-plans');
  // @ts-expect-error an input of another question
  const query: Query<'getTrainingPlan'> = { gpu: 't4', output_tokens: 5 };
  // @ts-expect-error a misspelt member of a body
  const body: Schemas['BreakEvenRequest'] = { gpu: 't4', utilisation: 0.7 };
  // @ts-expect-error a figure may be unknown
  const days: number = plan.days;
  // @ts-expect-error no such figure
  return [query, body, days, plan.weeks];
}
