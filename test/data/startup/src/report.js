// The report over all invoices: sorted, grouped, laid out, packed.
'use strict';

function compareItems(left, right) {
  return left.word < right.word ? -1 : left.word > right.word ? 1 : left.part - right.part;
}

function sortItems(bills) {
  const items = bills.flatMap((bill) => bill.orders.flatMap((order) => order.items));
  return items.sort(compareItems);
}

// A tree of sums, a level per letter of the word.
function insert(node, item, depth) {
  node.sum += item.price * item.count;
  if (depth === item.word.length) {
    return;
  }
  const letter = item.word[depth];
  if (!node.children[letter]) {
    node.children[letter] = { sum: 0, children: {} };
  }
  insert(node.children[letter], item, depth + 1);
}

function layOut(node, indent) {
  let text = '';
  for (const [letter, child] of Object.entries(node.children)) {
    text += `${' '.repeat(indent)}${letter} ${child.sum.toFixed(2)}\n${layOut(child, indent + 1)}`;
  }
  return text;
}

// How long the text would be if repetitions were written as references.
function pack(text) {
  const bytes = Buffer.from(text);
  const seen = new Int32Array(65536);
  let length = 0;
  for (let i = 0; i + 3 < bytes.length; i += 1) {
    const hash = (Math.imul(bytes.readInt32LE(i), 0x9e3779b1) >>> 16) & 65535;
    let same = 0;
    while (same < 16 && bytes[seen[hash] + same] === bytes[i + same]) {
      same++;
    }
    length += same > 3 ? 2 : 1;
    seen[hash] = i;
    i += same > 3 ? same - 1 : 0;
  }
  return length;
}

exports.report = function report(bills) {
  const tree = { sum: 0, children: {} };
  const items = sortItems(bills);
  for (const item of items) {
    insert(tree, item, 0);
  }
  let text = layOut(tree, 0);
  for (const bill of bills) {
    text += bill.text.replace(/[{}"]/g, ' ');
  }
  return pack(text) + JSON.parse(JSON.stringify(bills)).length;
};
