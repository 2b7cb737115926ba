// A small index of words, and questions to it. SLOW=1: rank() orders everything that was found where the best ten
// would do (nights 7 to 9, then it was reverted).
'use strict';

const { randomNumbers, words } = require('./random.js');
const { encode } = require('./codec.js');

const slow = process.env.SLOW === '1';
const scores = new Float64Array(4096);

function index(documents) {
  const places = new Map();
  for (let d = 0; d < documents.length; d++) {
    for (const word of documents[d]) {
      const key = word.slice(0, 2);
      const list = places.get(key);
      if (list) {
        list.push(d);
      } else {
        places.set(key, [d]);
      }
    }
  }
  return places;
}

function score(question, document) {
  let sum = 0;
  for (let round = 0; round < 4; round++) {
    for (let i = 0; i < question.length; i++) {
      sum = (sum + Math.imul(question.charCodeAt(i), document + round)) & 0xffff;
    }
  }
  return sum;
}

function rank(n, wanted) {
  if (slow) {
    for (let i = 0; i < n; i++) {
      for (let j = n - 1; j > 0; j--) {
        if (scores[j] > scores[j - 1]) {
          const keep = scores[j];
          scores[j] = scores[j - 1];
          scores[j - 1] = keep;
        }
      }
    }
    return scores[0];
  }
  for (let i = 0; i < Math.min(n, wanted); i++) {
    let best = i;
    for (let j = i + 1; j < n; j++) {
      if (scores[j] > scores[best]) {
        best = j;
      }
    }
    const keep = scores[i];
    scores[i] = scores[best];
    scores[best] = keep;
  }
  return scores[0];
}

function ask(places, question) {
  const found = places.get(question.slice(0, 2)) || [];
  const n = Math.min(found.length, scores.length);
  for (let i = 0; i < n; i++) {
    scores[i] = score(question, found[i]);
  }
  return n ? rank(n, 10) : 0;
}

exports.run = function run() {
  const random = randomNumbers(11);
  const documents = Array.from({ length: 2500 }, () => words(random, 16));
  const questions = words(random, 2600);
  const places = index(documents);
  let sum = 0;
  for (let i = 0; i < questions.length; i++) {
    for (let again = 0; again < 6; again++) {
      sum = (sum + ask(places, questions[i])) | 0;
    }
    sum = (sum + encode(documents[i % 2500].slice(0, 4).join(' '))) | 0;
  }
  return sum;
};
