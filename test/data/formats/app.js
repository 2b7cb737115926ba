'use strict';
const lib = require('./parse');
const stats = { n: 0 };
function work(round) {
  const rows = [];
  for (let i = 0; i < 3000; i++) rows.push(lib.parse(`name${i % 97}=${i}; flag=${i % 3}`));
  rows.sort((a, b) => a.value - b.value || (a.name < b.name ? -1 : 1));
  return JSON.stringify(rows.filter((r) => r.value % 2 === round % 2)).length;
}
class Report {
  run() { for (let i = 0; i < 60; i++) stats.n += work(i); return stats.n; }
}
console.log(new Report().run() > 0);
