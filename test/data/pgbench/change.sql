-- The change under test: all that distinguishes the group "index".
CREATE INDEX orders_customer ON orders (customer);
