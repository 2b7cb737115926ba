// Orders with misspelt names: who is meant? Two regressions can be switched on:
//     SLOW=1   distance() fills its table for names that are too long to be meant (night 9)
//     ROOM=1   parse() makes room for tags anew for each order, though hardly any has one (night 6): it allocates
//              more and takes no longer
'use strict';

const { randomNumbers, words } = require('./random.js');
const { encode } = require('./codec.js');

const slow = process.env.SLOW === '1';
const roomy = process.env.ROOM === '1';
let room = [];
const row = new Int32Array(64);

function distance(left, right, limit) {
  if (!slow && Math.abs(left.length - right.length) >= limit) {
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

function meant(name, known) {
  let best = 0;
  let least = Infinity;
  for (let i = 0; i < known.length; i++) {
    const d = distance(name, known[i], 3);
    if (d < least) {
      least = d;
      best = i;
    }
  }
  return best;
}

function parse(line) {
  const parts = line.split(',');
  if (roomy) {
    room = new Array(40);
  }
  const order = { name: parts[0], count: Number(parts[1]), price: Number(parts[2]), note: parts[3], tagged: room.length > 40 };
  return order;
}

function amount(order) {
  let price = order.price * order.count;
  for (let step = 0; step < 18000; step++) {
    price -= price > 100 + (step & 63) ? 0.25 : 0.05;
  }
  return price;
}

exports.run = function run() {
  const random = randomNumbers(7);
  const known = words(random, 200);
  const names = words(random, 400);
  const lines = [];
  for (let i = 0; i < 12000; i++) {
    lines.push(`${names[i % names.length]},${1 + (i % 9)},${10 + (i % 70)},note ${i}`);
  }
  const orders = lines.map(parse);
  let sum = 0;
  for (let i = 0; i < 2000; i++) {
    if (i < 600) {
      sum = (sum + meant(orders[i].name, known)) | 0;
    }
    sum = (sum + amount(orders[i])) | 0;
    sum = (sum + encode(lines[i] + lines[i + 1] + lines[i + 2])) | 0;
  }
  return sum;
};
