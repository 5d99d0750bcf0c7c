// risk.js - how sure buy or rent is: a sentence below the verdict, and the picture behind it.
import { picture, without } from './alternatives.js';
import { answer } from './api.js';
import { label } from './fields.js';
import { percent, roundMoney } from './number.js';

const drawn = (asked) => without(asked, ['side', 'lines', 'field']);

export async function doubt(asked, signal) {
  const reply = await answer('break-even', drawn(asked), signal, 'risk');
  const saving = (amount) => `${amount < 0 ? 'renting' : 'buying'} saving ${roundMoney(Math.abs(amount), reply.currency)}`;
  if (reply.probability_buy_cheaper === null) return '';
  return `Prices are uncertain: buying is cheaper with a probability of ${percent(reply.probability_buy_cheaper)}. 90 of `
    + `100 outcomes lie from ${saving(reply.buy_saving_p05)} to ${saving(reply.buy_saving_p95)}. `
    + `What matters most: ${label(reply.drawn_inputs[0].key, '')}.`;
}

export const distribution = { title: 'How sure it is', load: async (asked) => [picture(
  `/v1/break-even/risk.svg?${drawn(asked)}`, 'What buying saves while prices are uncertain; left of zero renting is cheaper.')] };
