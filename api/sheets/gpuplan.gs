/**
 * gpuplan.gs - gpuplan in Google Sheets, with names for its figures. Paste it into Extensions >
 * Apps Script. Google fetches from its own machines: the daemon must be open to the internet.
 */

/** A range of two columns, name and value, as a query; an empty value is the default. */
function gpuplanQuery_(inputs) {
  const text = (value) => value instanceof Date
    ? [value.getFullYear(), value.getMonth() + 1, value.getDate()].map((part) => String(part).padStart(2, '0')).join('-')
    : String(value);
  return (inputs || []).filter(([name]) => name !== '')
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(text(value))}`).join('&');
}

function gpuplanAsk_(url) {
  const reply = UrlFetchApp.fetch(url, { muteHttpExceptions: true });
  const answer = JSON.parse(reply.getContentText());
  if (reply.getResponseCode() !== 200) throw new Error(answer.detail);
  return answer;
}

/**
 * Figures of an answer, side by side.
 *
 * @param {string} base Address of gpuplan, as https://gpu.example.org
 * @param {string} question training-plan, inference-sizing or break-even
 * @param {string} fields Names of figures, comma-separated: days,total_cost
 * @param {A2:B9} inputs Range of names and values
 * @return {Array} The figures; n/a where one is unknown
 * @customfunction
 */
function GPUPLAN(base, question, fields, inputs) {
  const answer = gpuplanAsk_(`${base}/v1/${question}.json?${gpuplanQuery_(inputs)}`);
  return [fields.split(',').map((field) => {
    if (!(field in answer)) throw new Error(`this answer has no ${field}`);
    return answer[field] === null ? 'n/a' : answer[field];
  })];
}

/**
 * A table of the API, its columns named in the first row.
 *
 * @param {string} base Address of gpuplan
 * @param {string} path What has one table: offers, break-even/line-items, training-plan/line-items
 * @param {string} fields Columns, comma-separated, in this order: key,amount
 * @param {A2:B9} inputs Range of names and values
 * @return {Array} The rows; an empty cell where a figure is unknown
 * @customfunction
 */
function GPUPLANTABLE(base, path, fields, inputs) {
  const answer = gpuplanAsk_(`${base}/v1/${path}.json?${gpuplanQuery_(inputs)}`);
  const columns = fields.split(',');
  const rows = Object.values(answer).find((value) => Array.isArray(value) && value.length && columns[0] in value[0]) || [];
  return [columns, ...rows.map((row) => columns.map((column) => row[column] ?? ''))];
}
