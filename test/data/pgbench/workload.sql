-- One transaction of the load, for pgbench -f.
\set customer random(1, 1500)
\set first random(1, 38000)
\set amount random(1, 9999)
BEGIN;
-- The look-up that the index is for: by a column that is not the key.
SELECT id, placed, amount FROM orders WHERE customer = :customer ORDER BY placed DESC LIMIT 10;
-- The index is not free: this has to keep it up to date.
INSERT INTO orders (customer, placed, amount, note) VALUES (:customer, now(), :amount / 100.0, 'new');
-- The rest does not depend on the index and costs the same in both groups.
UPDATE customers SET balance = balance + :amount / 100.0 WHERE id = :customer;
SELECT c.region, count(*), sum(o.amount) FROM orders o JOIN customers c ON c.id = o.customer WHERE o.id BETWEEN :first AND :first + 12000 GROUP BY c.region ORDER BY 3 DESC;
END;
