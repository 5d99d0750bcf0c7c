// hosted.js - the hosted API as a further way to pay for a service, in the sentences of the questions that compare it.
import { day, inWords, quantity, roundMoney } from './number.js';
import { say, text } from './words.js';

/** Sentences on its cost, its providers, and the volume up to which it costs less; null if no price is known. */
export function hosted(reply) {
  if (reply.hosted_total_cost === null) return null;
  const cash = (value) => roundMoney(value, reply.currency), until = reply.hosted_until_status;
  return [say('hosted.costs', { cost: cash(reply.hosted_total_cost), month: cash(reply.hosted_cost_per_month) }),
    reply.hosted_provider_count === null ? null : say('hosted.providers', { count: reply.hosted_provider_count,
      n: reply.hosted_provider_count, low: cash(reply.hosted_total_cost_low), high: cash(reply.hosted_total_cost_high),
      date: day(reply.hosted_price_newest_date) }),
    until === 'reached' ? say('hosted.until', { volume: inWords(reply.hosted_until_tokens_per_month),
      users: reply.hosted_until_daily_users === null ? '' : text('hosted.until.users', { users: quantity(reply.hosted_until_daily_users, '') }) })
      : until === null || until === 'unknown_price' ? null : say(`hosted.${until}`), say('hosted.data')];
}
