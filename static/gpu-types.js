// gpu-types.js - several GPUs side by side; all is in the address, so that a link shows the same.
import { without } from './alternatives.js';
import { answer } from './api.js';
import { el, table } from './dom.js';
import { counted, number, percent, readNumber, roundMoney, written } from './number.js';
import { picture } from './picture.js';
import { warnings } from './result.js';
import { keep, kept } from './state.js';
import { choice as words, named, readable, say, text } from './words.js';

/** Compared with the GPU of the form if the address names no others. */
const USUAL = ['a100-sxm4-80gb', 'h100-sxm5-80gb', 'h200-sxm5-141gb', 'b200-sxm', 'mi300x'];

/** Inputs for one GPU, and their names for several. */
const PRICES = { rent_price_per_gpu_hour: 'rent_prices', server_price: 'server_prices' };
const OF_ONE = ['gpu_card_price', 'gpu_tdp_w', 'node_power_kw', 'lease_payment_month', 'residual_value', 'tokens_per_second'];

/** Warnings without which the ranking would mislead. */
const FIRST = ['not_the_same_work', 'no_answer'];

/** "h100:2.5,h200:3.4" as a Map, and back. */
const readPrices = (text) => new Map((text ?? '').split(',').filter(Boolean).map((each) => each.split(':')));
const writePrices = (prices) => [...prices].map((each) => each.join(':')).join(',');

/** The kinds to compare, and by parameter their prices: typed here, else in the form. */
function chosen(asked) {
  const query = new URLSearchParams(asked), own = query.get('gpu');
  const gpus = kept('gpus')?.split(' ') ?? [own, ...USUAL.filter((gpu) => gpu !== own)];
  const prices = Object.entries(PRICES).map(([one, several]) => {
    const typed = readPrices(kept(several));
    if (query.has(one) && gpus.includes(own) && !typed.has(own)) typed.set(own, query.get(one));
    return [several, new Map([...typed].filter(([gpu]) => gpus.includes(gpu)))];
  });
  return { gpus, prices: Object.fromEntries(prices) };
}

/** What the API is asked. */
function queryOf(asked, { gpus, prices }) {
  const query = without(asked, ['gpu', 'side', 'lines', 'field', ...Object.keys(PRICES), ...(gpus.length > 1 ? OF_ONE : [])]);
  query.set('gpu', gpus.join(','));
  Object.entries(prices).forEach(([name, of]) => of.size && query.set(name, writePrices(of)));
  return query;
}

/** A row per kind to price or to leave out, and one to add another. `change` is told what was chosen. */
function chooser(choice, reply, all, currency, change) {
  const inForce = new Map(reply?.options.map((option) => [option.gpu, option]) ?? []);
  const price = (gpu, one, what) => {
    const of = choice.prices[PRICES[one]];
    const known = inForce.get(gpu)?.[one] ?? null;
    const box = el('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', 'aria-label': text('types.of', { what, gpu: named(gpu) }),
      placeholder: known === null ? text('unknown') : written(Math.round(known * 100) / 100), 'aria-describedby': `${one}-${gpu}-error`, onchange: () => {
        const { value, refusal } = box.value.trim() ? readNumber(box.value, { currency }) : {};
        error.textContent = refusal ?? '';
        if (refusal) return box.setAttribute('aria-invalid', 'true');
        if (value === undefined) of.delete(gpu);
        else of.set(gpu, String(value));
        return change(choice, box.getAttribute('aria-label'));
      } });
    const error = el('p', { class: 'error', id: `${one}-${gpu}-error`, role: 'status' });
    const given = of.get(gpu) ?? '';
    box.value = given && Number.isFinite(Number(given)) ? written(Number(given)) : given;
    return [box, error];
  };
  const remove = (gpu) => el('button', { type: 'button', 'aria-label': text('types.leave', { gpu: named(gpu) }), disabled: choice.gpus.length === 1,
    onclick: () => change({ ...choice, gpus: choice.gpus.filter((each) => each !== gpu) }, text('types.add')) }, text('types.remove'));
  const others = all.filter(({ value }) => !choice.gpus.includes(value));
  const add = el('select', { 'aria-label': text('types.another') }, others.map((each) => el('option', { value: each.value }, each.text)));
  // Not on change: arrow keys would add every GPU that they pass.
  const button = el('button', { type: 'button', 'aria-label': text('types.add'), onclick: () =>
    change({ ...choice, gpus: [...choice.gpus, add.value] }, text('types.add')) }, text('types.add.short'));
  return [table(text('types.entries'),
    [text('table.gpu'), `${text('types.rent')} ${currency}`, `${text('types.server')} ${currency}`, text('types.compared')],
    [{ rows: choice.gpus.map((gpu) => [named(gpu), price(gpu, 'rent_price_per_gpu_hour', text('types.rent')),
      price(gpu, 'server_price', text('types.server')), remove(gpu)]) }], { class: 'stack entries' }), el('p', { class: 'entry' }, add, button)];
}

function sentence(reply) {
  if (!reply.best_gpu) return say('types.none');
  return [say(reply.best_option === 'buy' ? 'types.buy' : 'types.rented', { gpus: `${number(reply.best_gpu_count, 7)} × ${named(reply.best_gpu)}`,
    months: counted('months', reply.horizon_months), cost: roundMoney(reply.best_total_cost, reply.currency) }),
  reply.next_total_cost === null ? null : say('types.next', { cost: roundMoney(reply.next_total_cost, reply.currency) }), '.',
  reply.sentence.includes('derived') ? say('rent.derived') : null].flat().filter(Boolean);
}

function ranked(reply) {
  const cash = (value) => ({ number: roundMoney(value, reply.currency) });
  const work = reply.workload !== null;
  const month = (option) => ({ number: option.break_even_months === null ? words(option.break_even_status ?? text('unknown'))
    : text('types.month', { month: number(option.break_even_months, 3) }) });
  const tokens = ({ buy_cost_per_million_tokens: buy, rent_cost_per_million_tokens: rent }) =>
    cash(buy === null || rent === null ? buy ?? rent : Math.min(buy, rent));
  const number_ = (key) => ({ number: text(key) });
  const heads = [text('table.gpu'), number_('types.count'), number_('types.utilization'), text('types.cheaper'), number_('rent.buying'),
    number_('rent.renting'), number_('types.pays'), ...(work ? [number_('types.tokens')] : [])];
  return table(text('types.ranked'), heads, [{ rows: reply.options.map((option) => [
    option.break_even ? el('a', { href: option.break_even.slice(3) }, named(option.gpu)) : named(option.gpu),
    ...(option.note ? [readable(option.note), '', '', '', '', '', ...(work ? [''] : [])] : [{ number: number(option.gpu_count, 7) },
      { number: percent(option.mean_utilization) }, option.verdict === null ? text('types.price') : words(option.verdict),
      cash(option.buy_total_cost), cash(option.rent_total_cost), month(option), ...(work ? [tokens(option)] : [])])]) }]);
}

const formats = (query) => el('p', { class: 'formats' }, text('types.formats'), ['xlsx', 'csv', 'tsv', 'json', 'xml', 'html'].map((format) =>
  [el('a', { href: `/v1/break-even/gpus.${format}?${query}` }, format), ' ']));

/** The part of the page; `lists` are the choices of the form. */
export const gpuTypes = { part: 'compare-gpu-types', title: text('types.title'), load: async (asked, lists) => {
  const box = el('div', { class: 'gpu-types' });
  let turn = 0;
  const draw = async () => {
    const choice = chosen(asked), query = queryOf(asked, choice), mine = ++turn;
    const reply = await answer('break-even', query, undefined, 'gpus').catch((error) => error);
    if (mine !== turn) return;
    const failed = reply instanceof Error;
    const said = (first) => {
      const list = reply.warnings.filter(({ code }) => FIRST.includes(code) === first);
      return list.length ? el('div', { class: 'warnings' }, warnings(list)) : '';
    };
    const known = failed ? [el('p', { class: 'error' }, text('compare.failed', { why: reply.errors?.length
      ? reply.errors.map(({ parameter, detail }) => readable(`${parameter}: ${detail}`)).join('; ') : reply.message }))]
      : [el('p', { class: 'summary', role: 'status' }, sentence(reply)), said(true), ranked(reply),
        picture(`/v1/break-even/gpus.svg?${query}`, text('types.caption'))];
    box.replaceChildren(...known, ...chooser(choice, failed ? null : reply, lists.gpu, (query.get('currency') || 'USD').toUpperCase(), change),
      ...(failed ? [] : [said(false), formats(query)]));
  };
  const change = async ({ gpus, prices }, focus) => {
    keep('gpus', gpus.join(' '), 'pushState');
    Object.entries(prices).forEach(([name, of]) => keep(name, writePrices(of)));
    await draw();
    box.querySelector(`[aria-label="${focus}"]`)?.focus();
  };
  await draw();
  return [box];
} };
