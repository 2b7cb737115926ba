'use strict';
exports.parse = function parse(text) {
  const parts = text.split(';').map((p) => p.trim().split('='));
  return { name: parts[0][0], value: Number(parts[0][1]), flag: parts[1][1] === '1' };
};
