// plain-words.js - turns a question in plain words into the inputs of one of the four questions: by keywords, numbers
// with what they count, and names of the catalogue. All that it understood or assumed is shown.
import { readNumber } from './number.js';

const NUMBERS = { one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8, nine: 9, ten: 10, twelve: 12, a: 1, an: 1 };
const SCALES = { k: 1e3, thousand: 1e3, m: 1e6, mn: 1e6, million: 1e6, b: 1e9, bn: 1e9, billion: 1e9, t: 1e12, trillion: 1e12 };
const NUMBER = String.raw`(?<![\w.])(?<sign>[$€£] ?)?(?<digits>\d[\d.,’']*|one|two|three|four|five|six|seven|eight|nine|ten|twelve|an?)(?<percent> ?%| percent\b)?`
  + String.raw`(?: ?(?<scale>k|thousand|mn?|million|bn?|billion|t|trillion)\b)?(?: ?[x×]\b)? ?(?:(?<unit>tokens?|gpus?|cards?|users?|people|employees|customers|requests?|questions?`
  + String.raw`|months?|years?|weeks?|days?|hours?|seconds?|secs?|s|usd|dollars?|euros?|eur|utili[sz]ation)\b)?(?=(?<after>[a-z /]*))`;
const TASKS = [['recommendation', /\b(recommend|(which|what|best|cheapest|fastest) gpus?|apis?)\b/], ['break-even', /\b(buy|buying|rent|renting|purchase|own|lease)\b/],
  ['finetune', /\b(fine-?tun\w*|q?lora)\b/], ['training-plan', /\b(pre-?train\w*|train\w*)\b/],
  ['inference-sizing', /\b(serv\w+|host\w*|inference|deploy\w*|chat\w*|run|running|v?ram|embed\w*|rerank\w*|users|people|requests|answer\w*)\b/]];
const DAYS = { day: 1, week: 7, month: 30.4375, year: 365.25 };

/** The code of the country in "in Germany" or "in the Netherlands". */
function country(said, codes) {
  const names = new Intl.DisplayNames('en', { type: 'region' });
  return codes.find((code) => ` ${said} `.replace(' in the ', ' in ').includes(` in ${names.of(code).toLowerCase()} `));
}

/** One of the list that is meant: its first word is said, and most of the others; what is said of a size must be in its name. */
function find(list, words, sizes) {
  const score = ({ value, name }) => {
    const parts = [...new Set(`${value}-${name}`.toLowerCase().split(/[-_ ()]+/).filter(Boolean))];
    const bare = value.replace(/^meta-/, ''), [first] = bare.split('-');
    const size = parts.filter((part) => /^\d+(\.\d+)?b$/.test(part));
    const family = first.replace(/[\d.]+$/, ''), number = parts.find((part) => /^[a-z]?\d{4}$/.test(part));
    if (!words.includes(first) && !(family.length > 2 && words.includes(family)) && !words.includes(number) || (sizes.length && !sizes.some((each) => size.includes(each)))) return 0;
    return 1 + parts.filter((part) => words.includes(part)).length - bare.split('-').filter((part) => !words.includes(part)).length / 10;
  };
  return list.map((each) => ({ each, points: score(each) })).filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points || b.each.value.localeCompare(a.each.value))[0]?.each ?? null;
}

function amount(match) {
  const { digits, scale, percent } = match.groups;
  const read = NUMBERS[digits] ?? readNumber(digits.replace(/[.,]$/, '')).value ?? Number(digits.replaceAll(',', ''));
  return read * (SCALES[scale] ?? 1) * (percent ? 0.01 : 1);
}

/** What is asked: {question, task, values: {input: value}, assumed: [input], ignored: [word]}; no question where nothing is named.
 * `lists` are {gpu, model, country} of the catalogue. */
export function understand(sentence, lists) {
  const said = sentence.toLowerCase().replace(/(\d)(b|k|m|t)-/g, '$1$2 ').replace(/[?!;:"“”]/g, ' ');
  const words = said.split(/[^\w.]+/).flatMap((word) => [word, word.replace(/s$/, '').replace(/\.$/, '')]);
  const values = {};
  const has = (pattern) => pattern.test(said);
  const gpu = find(lists.gpu, words, []);
  const sizes = words.filter((word) => /^\d+(\.\d+)?b$/.test(word));
  const model = find(lists.model, words, sizes);
  if (gpu) values.gpu = gpu.value;
  if (model) values.model = model.value;
  const place = country(said, lists.country);
  if (place) values.country = place;
  const tasks = TASKS.filter(([, pattern]) => has(pattern)).map(([task]) => task);
  let task = tasks[0] ?? null;
  if (tasks.includes('training-plan') && tasks.includes('inference-sizing') && task !== 'break-even') task = 'recommendation';
  let spare = null;
  for (const match of said.matchAll(new RegExp(NUMBER, 'g'))) {
    const { sign, percent, scale, unit = '', after, digits } = match.groups, value = amount(match);
    if (!Number.isFinite(value)) continue;
    const per = /^ ?(per|a|\/|an) ?(minute|min|second|sec|day|hour|user|person|week|month|year)?/.exec(after) ?? [];
    const part = /^ ?(?:tokens )?(?:of |per |in )?(input|prompt|output|answer)s?\b/.exec(after)?.[1], before = said.slice(0, match.index);
    if (part) values[/^(input|prompt)/.test(part) ? 'input_tokens' : 'output_tokens'] = value;
    else if (/^token/.test(unit) && DAYS[per[2]]) values.tokens_per_day = Math.round(value / DAYS[per[2]]);
    else if (/^token/.test(unit)) values.tokens = value;
    else if (/^ ?budget/.test(after) || /budget( of| is)? ?$/.test(before)) values.budget = value;
    else if (/^(gpu|card)/.test(unit)) values.gpu_count = value;
    else if (/^(user|people|employee|customer)/.test(unit)) values.daily_users = value;
    else if (/^(request|question)/.test(unit)) {
      const rate = { second: 60, sec: 60, minute: 1, min: 1, hour: 1 / 60 }[per[2]];
      if (rate) values.requests_per_minute = value * rate;
      else values.requests_per_user_per_day = value;
    } else if (sign || /^(usd|dollar|euro|eur)/.test(unit)) {
      if (/^ ?(an?|per|\/) ?(gpu-?)?hour/.test(after)) values.rent_price_per_gpu_hour = value;
      else values.budget = value;
    } else if (percent || unit.startsWith('utili')) values.utilization = value > 1 ? value / 100 : value;
    else if (/^(month|year|week|day)/.test(unit)) {
      const days = { m: 30.4375, y: 365.25, w: 7, d: 1 }[unit[0]] * value;
      values[task === 'training-plan' || task === 'finetune' ? 'deadline_days' : 'horizon_months'] =
        task === 'training-plan' || task === 'finetune' ? Math.round(days) : Math.round(days / 30.4375);
    } else if (/^s/.test(unit)) values.latency_p95_seconds = value;
    else if (scale === 'b' && !unit) spare = value;
    else if (!scale && !NUMBERS[digits] && gpu && said.slice(match.index + digits.length).trimStart().replace(/^[x×] ?/, '').startsWith(gpu.value.split('-')[0])) values.gpu_count = value;
    else if ((NUMBERS[digits] > 1 || digits === 'one') && gpu) values.gpu_count = value;
  }
  if (!model && spare) values.parameters = spare;
  for (const method of ['qlora', 'lora']) if (has(new RegExp(`\\b${method}\\b`)) && !values.method) values.method = method;
  if (task === 'finetune') values.method ??= 'full';
  if (task === 'inference-sizing' && has(/\b(embed|rerank)/)) values.output_tokens = 0;
  if (task === 'inference-sizing' && values.budget) task = 'recommendation';
  if (task === 'break-even' && values.tokens_per_day) task = 'recommendation';
  if (task === 'recommendation') values.workload = workload(tasks, values);
  if (!task) task = values.daily_users || values.requests_per_minute ? 'inference-sizing' : values.tokens ? 'training-plan'
    : values.horizon_months ? 'break-even' : model || spare ? 'training-plan' : gpu ? 'break-even' : null;
  return task ? complete(task, values) : null;
}

function workload(tasks, values) {
  const serves = tasks.includes('inference-sizing') || values.daily_users || values.requests_per_minute || values.tokens_per_day;
  const jobs = [['train', tasks.includes('training-plan')], ['finetune', tasks.includes('finetune')], ['serve', serves]];
  return jobs.filter(([, wanted]) => wanted).map(([job]) => job).join(',') || undefined;
}

/** What each question needs if the sentence does not say it. */
const USUAL = {
  'training-plan': { tokens: 1e12, gpu: 'h100-sxm5-80gb', gpu_count: 64 },
  'inference-sizing': { gpu: 'h100-sxm5-80gb', input_tokens: 512, output_tokens: 200, latency_p95_seconds: 10 },
  'break-even': { gpu: 'h100-sxm5-80gb', gpu_count: 8, utilization: 0.7, horizon_months: 36 },
  recommendation: { budget: 2e6, workload: 'train' },
};
const TAKES = {
  'training-plan': ['model', 'parameters', 'method', 'tokens', 'gpu', 'gpu_count', 'deadline_days', 'budget'],
  'inference-sizing': ['model', 'parameters', 'gpu', 'gpu_count', 'daily_users', 'requests_per_user_per_day', 'requests_per_minute', 'tokens_per_day',
    'input_tokens', 'output_tokens', 'latency_p95_seconds'],
  'break-even': ['gpu', 'gpu_count', 'utilization', 'horizon_months', 'rent_price_per_gpu_hour', 'country'],
  recommendation: ['workload', 'model', 'parameters', 'tokens', 'budget', 'daily_users', 'requests_per_user_per_day', 'requests_per_minute',
    'tokens_per_day', 'input_tokens', 'output_tokens', 'latency_p95_seconds', 'deadline_days', 'horizon_months', 'country'],
};

function complete(task, given) {
  const question = task === 'finetune' ? 'training-plan' : task;
  const usual = { ...USUAL[question], ...(task === 'finetune' ? { tokens: 1e8, gpu_count: 8 } : {}) };
  if (question === 'training-plan' && (given.deadline_days || given.budget)) delete usual.gpu_count;
  if (!given.model && !given.parameters && question !== 'break-even') usual.model = 'llama-2-70b';
  const serves = question === 'inference-sizing' || given.workload?.endsWith('serve');
  if (serves && !['daily_users', 'requests_per_minute', 'tokens_per_day'].some((name) => given[name])) usual.requests_per_minute = 100;
  if (given.daily_users) usual.requests_per_user_per_day = 20;
  if (question === 'recommendation' && given.workload?.endsWith('serve')) delete usual.budget;
  const values = {};
  for (const name of TAKES[question]) if ((given[name] ?? usual[name]) !== undefined) values[name] = given[name] ?? usual[name];
  return { question, task, values, assumed: Object.keys(values).filter((name) => given[name] === undefined),
    ignored: Object.keys(given).filter((name) => !TAKES[question].includes(name)) };
}
