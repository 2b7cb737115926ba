// A small billing run, the main program of this experiment: c calls b calls a, as in the paper, and there is other
// work around it. The work is the same in every run. FIXED=1 in the environment is the new version, in which `a` has
// its fix.
'use strict';

const { randomNumbers } = require('./random.js');
const { parseOrders, printOrders } = require('./orders.js');
const { invoices } = require('./invoices.js');
const { report } = require('./report.js');

const fixed = process.env.FIXED === '1';
const random = randomNumbers(20230201);
const row = new Int32Array(64);

// The edit distance of two names. The regression that was found in the last release: it fills the table for pairs of
// which the lengths alone say that they are too far apart.
function a(left, right, limit) {
  if (fixed && Math.abs(left.length - right.length) >= limit) {
    return limit;
  }
  for (let j = 0; j <= right.length; j++) {
    row[j] = j;
  }
  for (let i = 1; i <= left.length; i++) {
    let diagonal = row[0];
    row[0] = i;
    for (let j = 1; j <= right.length; j++) {
      const above = row[j];
      const changed = left.charCodeAt(i - 1) === right.charCodeAt(j - 1) ? 0 : 1;
      row[j] = Math.min(above + 1, row[j - 1] + 1, diagonal + changed);
      diagonal = above;
    }
  }
  return Math.min(row[right.length], limit);
}

// The key by which names are grouped, and the closest of the names known so far.
function b(name, known) {
  let key = 0;
  for (let round = 0; round < 1500; round++) {
    for (let i = 0; i < name.length; i++) {
      key = (Math.imul(key, 31) + name.charCodeAt(i) + round) | 0;
    }
  }
  let best = 0;
  let least = Infinity;
  for (let i = 0; i < known.length; i++) {
    const distance = a(name, known[i], 11);
    if (distance < least) {
      least = distance;
      best = i;
    }
  }
  return (best * 7 + key) | 0;
}

// Which customer is meant by each order's name.
function c(names, known) {
  let sum = 0;
  for (const name of names) {
    let vowels = 0;
    for (let round = 0; round < 500; round++) {
      for (let i = 0; i < name.length; i++) {
        if ('aeiou'.includes(name[i])) {
          vowels++;
        }
      }
    }
    sum = (sum + vowels + b(name, known)) | 0;
  }
  return sum;
}

function name() {
  const length = 4 + Math.floor(random() * 26);
  let text = '';
  for (let i = 0; i < length; i++) {
    text += String.fromCharCode(97 + Math.floor(random() * 26));
  }
  return text;
}

const known = Array.from({ length: 150 }, name);
const orders = parseOrders(printOrders(random, 1200, known));
const meant = c(orders.slice(0, 360).map((order) => order.customer), known);
const length = report(invoices(orders));
process.stdout.write(`${(meant + length) | 0}\n`);
