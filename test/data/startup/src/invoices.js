// One invoice a customer, with its checksum.
'use strict';

function rebate(item) {
  let price = item.price * item.count;
  for (let step = 0; step < 40; step++) {
    price -= price > 100 + step ? 0.25 : 0.05;
  }
  return price;
}

function total(order) {
  let sum = 0;
  for (const item of order.items) {
    sum += rebate(item);
  }
  return sum;
}

function checksum(text) {
  let low = 1;
  let high = 0;
  for (let i = 0; i < text.length; i++) {
    low = (low + text.charCodeAt(i)) % 65521;
    high = (high + low) % 65521;
  }
  return high * 65536 + low;
}

function encode(invoice) {
  return JSON.stringify(invoice);
}

exports.invoices = function invoices(orders) {
  const byCustomer = new Map();
  for (const order of orders) {
    if (!byCustomer.has(order.customer)) {
      byCustomer.set(order.customer, []);
    }
    byCustomer.get(order.customer).push(order);
  }
  const bills = [];
  for (const [customer, list] of byCustomer) {
    const bill = { customer, total: 0, orders: list };
    for (const order of list) {
      bill.total += total(order);
    }
    const text = encode(bill);
    bills.push({ ...bill, text, checksum: checksum(text) });
  }
  return bills;
};
