// Spends its time in functions whose names are worth a look: closures, eval,
// vm scripts, regular expressions, classes, async functions, worker threads.
'use strict';
const vm = require('vm');
const { Worker, isMainThread, workerData } = require('worker_threads');

function spin(n) {
  let hash = n;
  for (let i = 0; i < n; i++) hash = (hash * 31 + (hash >>> 7)) | 0;
  return hash;
}

class Shape {
  #side = 3;
  constructor(n) { this.n = spin(n) & 7; }
  get area() { return spin(3000) * this.#side; }
  static make(n) { spin(3000); return new Shape(n); }
  *steps() { for (let i = 0; i < 3; i++) yield spin(3000); }
  async wait() { await null; return spin(3000); }
  #hidden() { return spin(3000); }
  open() { return this.#hidden(); }
  ['com puted']() { return spin(3000); }
  [Symbol.toPrimitive]() { return spin(3000); }
}

function counter() {
  let n = 0;
  return () => { n += spin(4000); return n; };
}

const object = { method() { return spin(3000); }, arrow: () => spin(3000), 'a-b': function () { return spin(3000); } };

function regexps() {
  let hits = 0;
  for (let i = 0; i < 300; i++) {
    const text = `user${i}.name+tag@mail.example.com; next ${i}`;
    if (/^([\w.+]+)@([a-z]+\.)+[a-z]{2,}/.test(text)) hits++;
    hits += text.replace(/[aeiou]+|\d/g, (c) => c.toUpperCase()).length;
  }
  return hits;
}

function sorts() {
  const list = Array.from({ length: 300 }, (_, i) => (i * 37) % 300);
  list.sort((a, b) => (spin(50) & 0) + a - b);
  return list.map(function (n) { return n + 1; }).filter((n) => n % 2).reduce((a, b) => a + b, 0);
}

function strings() {
  const value = { list: Array.from({ length: 60 }, (_, i) => ({ id: i, name: `n${i}` })) };
  return JSON.stringify(JSON.parse(JSON.stringify(value))).length + Buffer.from('abc'.repeat(500)).toString('base64').length;
}

const inVm = vm.runInThisContext('(function inVm(spin) { return spin(4000); })');
const inFile = vm.runInThisContext('(function inFile(spin) { return (() => spin(4000))(); })', { filename: 'rules/generated.js' });
const made = new Function('spin', 'return spin(4000)');

function work() {
  const count = counter();
  const bound = count.bind(null);
  const shape = Shape.make(2000);
  let sum = count() + bound() + shape.area + shape.open() + shape['com puted']() + shape;
  for (const step of shape.steps()) sum += step;
  shape.wait();
  sum += object.method() + object.arrow() + object['a-b']();
  sum += eval('(function evaluated() { return spin(4000); })()');
  sum += (0, eval)('(function indirect(f) { return f(4000); })')(spin);
  sum += inVm(spin) + inFile(spin) + made(spin);
  return sum + regexps() + sorts() + strings();
}

// Stack traces as V8 prints them, one line per frame.
function trace() {
  const print = () => console.log(new Error().stack.split('\n').slice(1).join('\n'));
  class Tracer {
    constructor() { [1].map((n) => print()); }
    static of() { return new Tracer(); }
    async wait() { await null; print(); }
  }
  Tracer.of();
  eval('(function evaluated() { print(); })()');
  vm.runInThisContext('(function inVm(f) { f(); })')(print);
  vm.runInThisContext('(function inFile(f) { f(); })', { filename: 'rules/generated.js' })(print);
  object.method.call({ get area() { print(); } }.area);
  (async function outer() { await new Tracer().wait(); })();
  setTimeout(print, 1);
}
if (process.argv[2] === 'trace') {
  trace();
  return;
}

const end = Date.now() + Number(isMainThread ? process.argv[2] || 2000 : workerData);
(function turn() {
  for (let i = 0; i < 10; i++) work();
  if (Date.now() < end) setImmediate(turn);
})();
if (isMainThread) new Worker(__filename, { workerData: Number(process.argv[2] || 2000) / 2 });
