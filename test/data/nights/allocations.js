// Loaded before a program (node --require): V8's sampling allocation profiler, one sample every 4096 bytes on the
// average, what was collected meanwhile included. Writes folded stacks, in bytes, into the file "allocations".
// Names as in ../startup/fold.js.
'use strict';

const { writeFileSync } = require('node:fs');
const { Session } = require('node:inspector');

function frameName({ functionName, url, lineNumber }) {
  const file = url.split(/[/:]/).pop();
  const isBody = !functionName && lineNumber === 0;
  const name = functionName || (file ? `(anonymous):${lineNumber + 1}` : '(anonymous)');
  return (isBody ? file : file ? `${file}:${name}` : name).replaceAll(';', ',');
}

const session = new Session();
session.connect();
session.post('HeapProfiler.startSampling', {
  samplingInterval: 4096,
  includeObjectsCollectedByMajorGC: true,
  includeObjectsCollectedByMinorGC: true,
}, (error) => {
  if (error) {
    throw new Error(error.message);
  }
});

process.on('exit', () => {
  session.post('HeapProfiler.stopSampling', (error, { profile }) => {
    const stacks = new Map();
    // Only what the benchmark does itself; V8 does not always know the body of a module above it.
    function visit(node, path) {
      const name = frameName(node.callFrame);
      const here = path ? [...path, name] : name.endsWith('.js:run') ? ['main.js', name] : null;
      if (here && node.selfSize > 0) {
        const stack = here.join(';');
        stacks.set(stack, (stacks.get(stack) ?? 0) + node.selfSize);
      }
      for (const child of node.children) {
        visit(child, here);
      }
    }
    visit(profile.head, null);
    writeFileSync('allocations', [...stacks].map(([stack, bytes]) => `${stack} ${bytes}\n`).sort().join(''));
  });
});
