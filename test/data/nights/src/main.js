// One run of one benchmark:  node main.js orders|search|render
// Prints a checksum, the same for every version, and writes the processor time that the work took, in milliseconds,
// into the file "metric".
'use strict';

const { writeFileSync, writeSync } = require('node:fs');
const { run } = require(`./${process.argv[2]}.js`);

const before = process.cpuUsage();
const result = run();
const used = process.cpuUsage(before);
writeSync(1, `${result}\n`);
writeFileSync('metric', `${(used.user + used.system) / 1000}\n`);
