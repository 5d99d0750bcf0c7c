// risk.js - how sure buy or rent is: a sentence below the verdict, and the picture behind it.
import { without } from './alternatives.js';
import { answer } from './api.js';
import { table } from './dom.js';
import { label } from './fields.js';
import { bare, money, percent, roundMoney } from './number.js';
import { picture } from './picture.js';
import { reference } from './result.js';

const drawn = (asked) => without(asked, ['side', 'lines', 'field']);

export async function doubt(asked, signal) {
  const reply = await answer('break-even', drawn(asked), signal, 'risk');
  const saving = (amount) => `${amount < 0 ? 'renting' : 'buying'} saving ${roundMoney(Math.abs(amount), reply.currency)}`;
  if (reply.probability_buy_cheaper === null) return '';
  return `Prices are uncertain: buying is cheaper with a probability of ${percent(reply.probability_buy_cheaper)}. 90 of `
    + `100 outcomes lie from ${saving(reply.buy_saving_p05)} to ${saving(reply.buy_saving_p95)}. `
    + `What matters most: ${label(reply.drawn_inputs[0].key, '')}.`;
}

export const distribution = { title: 'How sure it is', load: async (asked) => {
  const reply = await answer('break-even', drawn(asked), undefined, 'risk');
  const outcome = (name, words) => [words, { number: money(reply[name], reply.currency) }];
  return [picture(`/v1/break-even/risk.svg?${drawn(asked)}`,
    'What buying saves while prices are uncertain; left of zero renting is cheaper.'),
  table('What buying saves', ['Outcome', { number: 'Saving' }], [{ rows: [outcome('buy_saving_p05', '5 of 100 are lower'),
    outcome('buy_saving_p50', 'Half are lower'), outcome('buy_saving_p95', '5 of 100 are higher')] }]),
  table('What is uncertain', ['Input', { number: 'Low' }, { number: 'Likeliest' }, { number: 'High' },
    { number: 'Share of the uncertainty' }, 'These ends are'],
  [{ rows: reply.drawn_inputs.map((row) => [label(row.key, row.unit),
    ...['low', 'mode', 'high'].map((name) => ({ number: bare(row[name], row.unit, reply.currency) })),
    { number: percent(row.variance_share) }, reference(row.basis)]) }])];
} };
