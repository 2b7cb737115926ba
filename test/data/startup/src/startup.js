// What somebody put into NODE_OPTIONS=--require: it builds a table of messages before the program begins, whether the
// program needs one or not.
'use strict';

const languages = 40;
const messages = 1500;
const sentence = 'a message with all of its plural forms, for the languages of all the world, is this long a sentence; '.repeat(6);

function plural(text, language) {
  let hash = language;
  for (let i = 0; i < text.length; i++) {
    hash = (Math.imul(hash ^ text.charCodeAt(i), 16777619) + i) | 0;
  }
  return hash;
}

function expand(language) {
  const table = {};
  for (let n = 0; n < messages; n++) {
    table[n] = plural(sentence, language + n);
  }
  return table;
}

function startup() {
  const all = [];
  for (let language = 0; language < languages; language++) {
    all.push(expand(language));
  }
  return all.length;
}

startup();
