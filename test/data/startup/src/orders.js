// Orders as text, and back.
'use strict';

const words = ['anvil', 'bolt', 'cable', 'drill', 'easel', 'flask', 'gauge', 'hinge', 'inlet', 'joint'];

function printItem(random) {
  const word = words[Math.floor(random() * words.length)];
  return `${word}-${Math.floor(random() * 1000)}:${1 + Math.floor(random() * 9)}:${(random() * 100).toFixed(2)}`;
}

exports.printOrders = function printOrders(random, count, known) {
  const lines = [];
  for (let n = 0; n < count; n++) {
    const items = [];
    for (let i = 0; i < 6; i++) {
      items.push(printItem(random));
    }
    lines.push(`${n}|${known[Math.floor(random() * known.length)]}|${items.join(',')}`);
  }
  return lines.join('\n');
};

const itemPattern = /^([a-z]+)-(\d+):(\d+):(\d+\.\d+)$/;

function parseItem(text) {
  const match = itemPattern.exec(text);
  return { word: match[1], part: Number(match[2]), count: Number(match[3]), price: parseFloat(match[4]) };
}

function parseLine(line) {
  const [number, customer, items] = line.split('|');
  return { number: Number(number), customer, items: items.split(',').map(parseItem) };
}

exports.parseOrders = function parseOrders(text) {
  return text.split('\n').map(parseLine);
};
