// A page of boxes: laid out, painted, encoded. Nothing happens to this one.
'use strict';

const { randomNumbers, words } = require('./random.js');
const { encode } = require('./codec.js');

const canvas = new Uint8Array(320 * 200);

function measure(text) {
  let width = 0;
  for (let round = 0; round < 60; round++) {
    for (let i = 0; i < text.length; i++) {
      width = (width + text.charCodeAt(i) * 7 + round) % 311;
    }
  }
  return width;
}

function layout(labels) {
  let x = 0;
  let y = 0;
  return labels.map((text) => {
    const width = 5 + (measure(text) % 60);
    if (x + width >= 320) {
      x = 0;
      y = (y + 11) % 180;
    }
    const box = { x, y, width, height: 10, text };
    x += width;
    return box;
  });
}

function paint(box) {
  let sum = 0;
  for (let j = 0; j < box.height; j++) {
    const start = (box.y + j) * 320 + box.x;
    for (let i = 0; i < box.width; i++) {
      canvas[start + i] = (canvas[start + i] * 3 + box.text.length + i) & 255;
      sum = (sum + canvas[start + i]) | 0;
    }
  }
  return sum;
}

exports.run = function run() {
  const labels = words(randomNumbers(13), 1500);
  let sum = 0;
  for (let page = 0; page < 22; page++) {
    for (const box of layout(labels)) {
      sum = (sum + paint(box)) | 0;
    }
  }
  for (let i = 0; i < labels.length; i++) {
    sum = (sum + encode(labels[i] + labels[(i + 1) % 1500] + labels[(i + 2) % 1500] + labels[(i + 3) % 1500])) | 0;
  }
  return sum;
};
