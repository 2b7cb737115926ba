// Numbers between 0 and 1, the same in every run.
'use strict';

exports.randomNumbers = function randomNumbers(seed) {
  let state = seed >>> 0;
  return function random() {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
};

exports.words = function words(random, count) {
  return Array.from({ length: count }, () => {
    let text = '';
    for (let left = 3 + Math.floor(random() * 20); left > 0; left--) {
      text += String.fromCharCode(97 + Math.floor(random() * 26));
    }
    return text;
  });
};
