// Reads a .cpuprofile of V8 (node --cpu-prof) from standard input, writes folded stacks to standard output and
// figures to standard error:
//
//     node fold.js <FILE.cpuprofile >FILE.folded
//
// The value of a stack is its number of samples. Names are cut down to what is the same on every machine:
// "file:function" without folders; "file" alone for the body of a module; with the line where a function has no name.
// Of consecutive frames of one of node's own modules only the innermost is kept, and what is above the main module's
// body is left out.
'use strict';

const { readFileSync } = require('node:fs');

// V8 has no place for (idle), (program), (garbage collector) and what is written in C++.
function frameName({ functionName, url, lineNumber }) {
  const file = url.split(/[/:]/).pop();
  const isBody = !functionName && lineNumber === 0;
  const name = functionName || (file ? `(anonymous):${lineNumber + 1}` : '(anonymous)');
  return (isBody ? file : file ? `${file}:${name}` : name).replaceAll(';', ',');
}

const profile = JSON.parse(readFileSync(0));
const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
const parents = new Map();
for (const node of profile.nodes) {
  for (const child of node.children ?? []) {
    parents.set(child, node.id);
  }
}

const stacks = new Map();

// From the leaf up, without the root of V8's tree.
function stackOf(id) {
  if (!stacks.has(id)) {
    const names = [];
    let callee = null;
    for (let node = nodes.get(id); parents.has(node.id); node = nodes.get(parents.get(node.id))) {
      const { url } = node.callFrame;
      if (!url.startsWith('node:') || url !== callee) {
        names.unshift(frameName(node.callFrame));
      }
      if (names[0] === 'main.js') {
        break;
      }
      callee = url;
    }
    stacks.set(id, names.join(';'));
  }
  return stacks.get(id);
}

const counts = new Map();
for (const sample of profile.samples) {
  const stack = stackOf(sample);
  counts.set(stack, (counts.get(stack) ?? 0) + 1);
}

const lines = [...counts].map(([stack, count]) => `${stack} ${count}\n`).sort();
process.stdout.write(lines.join(''));
const deltas = [...profile.timeDeltas].sort((left, right) => left - right);
const median = deltas[deltas.length >> 1];
process.stderr.write(`${profile.samples.length} ${lines.length} ${median}\n`);
