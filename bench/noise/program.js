// A JavaScript program with a fixed amount of work for bench/record-noise: documents are made, parsed, rendered,
// formatted and indexed, by many small functions.
'use strict';

const querystring = require('querystring');
const url = require('url');
const util = require('util');

const rounds = Number(process.argv[2] || 30);
let state = 12345;

function random(limit) {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
  return state % limit;
}

const words = 'stack frame call graph node edge profile sample cost share night branch commit machine timer'.split(' ');

function word() { return words[random(words.length)]; }
function sentence() {
  const parts = [];
  for (let i = 3 + random(9); i > 0; i--) parts.push(random(9) === 0 ? `*${word()}*` : word());
  return parts.join(' ') + '.';
}
function item() { return `- ${sentence()}`; }
function heading() { return `${'#'.repeat(1 + random(3))} ${word()} ${word()}`; }
function code() { return '```\n' + `let ${word()} = ${random(100)} + (${word()} * ${random(10)});\n`.repeat(3) + '```'; }
function paragraph() {
  const kind = random(6);
  if (kind === 0) return heading();
  if (kind === 1) return [item(), item(), item()].join('\n');
  if (kind === 2) return code();
  return [sentence(), sentence(), sentence()].join(' ');
}
function makeDocument() {
  const parts = [];
  for (let i = 0; i < 60; i++) parts.push(paragraph());
  return parts.join('\n\n');
}

// --- Markdown ---
function escapeHtml(text) { return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;'); }
function emphasis(text) { return text.replace(/\*([^*]+)\*/g, '<em>$1</em>'); }
function inline(text) { return emphasis(escapeHtml(text)); }
function renderHeading(block) {
  const level = block.match(/^#+/)[0].length;
  return `<h${level}>${inline(block.slice(level + 1))}</h${level}>`;
}
function renderList(block) {
  return '<ul>' + block.split('\n').map((line) => `<li>${inline(line.slice(2))}</li>`).join('') + '</ul>';
}
function renderCode(block) { return `<pre>${escapeHtml(block.slice(4, -3))}</pre>`; }
function renderBlock(block) {
  if (block.startsWith('#')) return renderHeading(block);
  if (block.startsWith('- ')) return renderList(block);
  if (block.startsWith('```')) return renderCode(block);
  return `<p>${inline(block)}</p>`;
}
function render(text) { return text.split('\n\n').map(renderBlock).join('\n'); }

// --- a parser of expressions and its printer ---
function isSpace(c) { return c === 32 || c === 10; }
function isDigit(c) { return c >= 48 && c <= 57; }
function isLetter(c) { return (c >= 97 && c <= 122) || c === 95; }
function scan(text, at, test) {
  let end = at;
  while (end < text.length && test(text.charCodeAt(end))) end++;
  return end;
}
function nextToken(lexer) {
  lexer.at = scan(lexer.text, lexer.at, isSpace);
  if (lexer.at >= lexer.text.length) return { kind: 'end' };
  const c = lexer.text.charCodeAt(lexer.at);
  let kind = 'sign';
  let end = lexer.at + 1;
  if (isDigit(c)) { kind = 'number'; end = scan(lexer.text, lexer.at, isDigit); }
  else if (isLetter(c)) { kind = 'name'; end = scan(lexer.text, lexer.at, isLetter); }
  const token = { kind, text: lexer.text.slice(lexer.at, end) };
  lexer.at = end;
  return token;
}
function advance(parser) { const token = parser.token; parser.token = nextToken(parser.lexer); return token; }
function parsePrimary(parser) {
  const token = advance(parser);
  if (token.text === '(') { const inner = parseSum(parser); advance(parser); return inner; }
  return { type: token.kind, value: token.text };
}
function parseBinary(parser, signs, below) {
  let left = below(parser);
  while (signs.includes(parser.token.text)) left = { type: 'binary', sign: advance(parser).text, left, right: below(parser) };
  return left;
}
function parseProduct(parser) { return parseBinary(parser, ['*', '/'], parsePrimary); }
function parseSum(parser) { return parseBinary(parser, ['+', '-'], parseProduct); }
function parse(text) {
  const lexer = { text, at: 0 };
  return parseSum({ lexer, token: nextToken(lexer) });
}
function print(node) { return node.type === 'binary' ? `(${print(node.left)} ${node.sign} ${print(node.right)})` : node.value; }
function fold(node) {
  if (node.type !== 'binary') return node;
  const left = fold(node.left);
  const right = fold(node.right);
  if (left.type === 'number' && right.type === 'number' && node.sign === '+') {
    return { type: 'number', value: String(Number(left.value) + Number(right.value)) };
  }
  return { ...node, left, right };
}
function expression(depth) {
  if (depth === 0) return random(2) ? String(random(1000)) : word();
  return `(${expression(depth - 1)} ${'+-*'[random(3)]} ${expression(depth - 1)})`;
}
function format() {
  let length = 0;
  for (let i = 0; i < 12; i++) length += print(fold(parse(expression(6)))).length;
  return length;
}

// --- an index ---
function tokenise(text) { return text.toLowerCase().match(/[a-z]+/g) || []; }
function addTo(index, token, place) {
  let list = index.get(token);
  if (list === undefined) { list = []; index.set(token, list); }
  list.push(place);
}
function buildIndex(text) {
  const index = new Map();
  tokenise(text).forEach((token, place) => addTo(index, token, place));
  return index;
}
function byCount(a, b) { return b[1].length - a[1].length || (a[0] < b[0] ? -1 : 1); }
function ranking(index) { return [...index].sort(byCount).slice(0, 10); }
function similar(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length];
}
function spelling() {
  let sum = 0;
  for (let i = 0; i < 150; i++) sum += similar(word() + word(), word() + word());
  return sum;
}

// --- what Node.js brings ---
function addresses() {
  const query = querystring.stringify({ a: word(), b: sentence(), c: random(1000) });
  return url.parse(`http://example.org/${word()}/${word()}?${query}`, true).query.b;
}
function links() { let length = 0; for (let i = 0; i < 60; i++) length += addresses().length; return length; }
function inspect(index) { return util.inspect(Object.fromEntries(ranking(index)), { depth: 3, breakLength: 80 }).length; }
function copy(index) { return JSON.parse(JSON.stringify([...index])).length; }

function round() {
  const text = makeDocument();
  const html = render(text);
  const index = buildIndex(html);
  return html.length + ranking(index).length + format() + spelling() + links() + inspect(index) + copy(index);
}

let check = 0;
for (let i = 0; i < rounds; i++) check += round();
console.log(check);
