// The library that all benchmarks use. CODEC in the environment is how often it goes over a text: 2 in the branch
// main; the branch codec tries another setting every night. The text that comes out does not depend on it.
'use strict';

const passes = Number(process.env.CODEC || 2);

function scramble(text) {
  let code = 0;
  for (let pass = 0; pass < passes; pass++) {
    code = 0x1505;
    for (let round = 0; round < 40; round++) {
      for (let i = 0; i < text.length; i++) {
        code = (Math.imul(code, 33) ^ text.charCodeAt(i) ^ (code >>> 13)) | 0;
      }
    }
  }
  return code;
}

exports.encode = function encode(text) {
  return (scramble(text) ^ text.length) | 0;
};
