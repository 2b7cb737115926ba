-- The state every recording starts from. It is built anew each time, so that
-- no recording inherits the dead rows or the grown tables of the one before.
\set ON_ERROR_STOP on
\set QUIET on
SET client_min_messages = warning;
-- The server commits asynchronously. Here that would let VACUUM come before
-- the rows' commit is on disk, it could not mark them as visible to all, and
-- the recorded look-ups would do that work: sometimes, and in one group more.
SET synchronous_commit = on;

DROP TABLE IF EXISTS orders, customers;

CREATE TABLE customers (
    id      int PRIMARY KEY,
    region  text NOT NULL,
    balance numeric(12,2) NOT NULL
);

CREATE TABLE orders (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer int NOT NULL,
    placed   timestamptz NOT NULL,
    amount   numeric(10,2) NOT NULL,
    note     text NOT NULL
);

-- Arithmetic instead of random(): the same rows in every recording.
INSERT INTO customers
SELECT i, 'region ' || i % 12, 0
  FROM generate_series(1, 1500) AS i;

INSERT INTO orders (customer, placed, amount, note)
SELECT 1 + (i * 7919) % 1500,
       timestamptz '2024-01-01 00:00:00+00' + i * interval '7 minutes',
       (i * 31) % 10000 / 100.0,
       'order ' || md5(i::text)
  FROM generate_series(1, 50000) AS i;
