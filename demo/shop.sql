-- SPDX-License-Identifier: Apache-2.0
-- Copyright the jprof authors
--
-- A small shop: tables, indexes, some 10,000 rows, and the questions its owner asks.

CREATE TABLE customer(
	id INT PRIMARY KEY,
	name VARCHAR(40) NOT NULL,
	city VARCHAR(20) NOT NULL,
	since DATE NOT NULL,
	bonus DECIMAL(10, 2) DEFAULT 0 NOT NULL
);
CREATE TABLE product(
	id INT PRIMARY KEY,
	name VARCHAR(40) NOT NULL,
	kind VARCHAR(12) NOT NULL,
	price DECIMAL(8, 2) NOT NULL,
	stock INT NOT NULL
);
CREATE TABLE purchase(
	id INT PRIMARY KEY,
	customer_id INT NOT NULL REFERENCES customer(id),
	bought DATE NOT NULL,
	state VARCHAR(10) NOT NULL
);
CREATE TABLE item(
	purchase_id INT NOT NULL REFERENCES purchase(id),
	line INT NOT NULL,
	product_id INT NOT NULL REFERENCES product(id),
	quantity INT NOT NULL,
	price DECIMAL(8, 2) NOT NULL,
	PRIMARY KEY(purchase_id, line)
);

INSERT INTO customer(id, name, city, since)
	SELECT x, 'Customer ' || x,
		CASEWHEN(MOD(x, 5) = 0, 'Lisbon', CASEWHEN(MOD(x, 3) = 0, 'Turku', 'Graz')),
		DATEADD(DAY, MOD(x * 37, 2000), DATE '2018-01-01')
	FROM SYSTEM_RANGE(1, 800);
INSERT INTO product
	SELECT x, 'Product ' || x,
		CASEWHEN(MOD(x, 4) = 0, 'book', CASEWHEN(MOD(x, 3) = 0, 'tool', 'toy')),
		MOD(x * 17, 90) + 9.95, 1000
	FROM SYSTEM_RANGE(1, 200);
INSERT INTO purchase
	SELECT x, MOD(x * 7, 800) + 1, DATEADD(DAY, MOD(x * 13, 365), DATE '2024-01-01'), 'open'
	FROM SYSTEM_RANGE(1, 3000);
INSERT INTO item
	SELECT o.id, l.x, p.id, MOD(o.id + l.x, 4) + 1, p.price
	FROM purchase o CROSS JOIN SYSTEM_RANGE(1, 2) l
	JOIN product p ON p.id = MOD(o.id * 11 + l.x * 29, 200) + 1;

CREATE INDEX purchase_by_day ON purchase(bought);
CREATE INDEX customer_by_city ON customer(city, name);

-- Stock that goes down, purchases that are sent, prices that go up.
UPDATE product SET stock = stock
	- (SELECT COALESCE(SUM(quantity), 0) FROM item WHERE item.product_id = product.id);
UPDATE purchase SET state = 'sent' WHERE bought < DATE '2024-11-01';
UPDATE product SET price = price * 1.1 WHERE kind = 'book';

-- What was sold in each city, of each kind?
SELECT c.city, p.kind, COUNT(*), SUM(i.quantity * i.price)
	FROM customer c
	JOIN purchase o ON o.customer_id = c.id
	JOIN item i ON i.purchase_id = o.id
	JOIN product p ON p.id = i.product_id
	WHERE o.state = 'sent'
	GROUP BY c.city, p.kind
	ORDER BY 4 DESC;

-- Who bought most, and gets a bonus?
CREATE TABLE best(customer_id INT PRIMARY KEY, spent DECIMAL(10, 2)) AS
	SELECT o.customer_id, SUM(i.quantity * i.price) AS spent
		FROM purchase o JOIN item i ON i.purchase_id = o.id
		GROUP BY o.customer_id ORDER BY spent DESC LIMIT 40;
UPDATE customer SET bonus = 25 WHERE id IN (SELECT customer_id FROM best);

-- Which products sell, month by month, and which of them are named alike?
SELECT EXTRACT(MONTH FROM o.bought) AS month_of_year, p.name, SUM(i.quantity) AS sold
	FROM purchase o JOIN item i ON i.purchase_id = o.id JOIN product p ON p.id = i.product_id
	WHERE p.name LIKE 'Product 1%'
	GROUP BY month_of_year, p.name
	HAVING SUM(i.quantity) > 8
	ORDER BY month_of_year, sold DESC;

-- How does each customer stand to the average of the city?
SELECT name, city, spent, spent - AVG(spent) OVER (PARTITION BY city) AS above
	FROM (SELECT c.name, c.city, SUM(i.quantity * i.price) AS spent
		FROM customer c JOIN purchase o ON o.customer_id = c.id
		JOIN item i ON i.purchase_id = o.id
		GROUP BY c.id, c.name, c.city) totals
	ORDER BY above DESC LIMIT 20;

-- The oldest year is put away.
DELETE FROM item WHERE purchase_id IN (SELECT id FROM purchase WHERE bought < DATE '2024-02-01');
DELETE FROM purchase WHERE bought < DATE '2024-02-01';
SELECT COUNT(*), SUM(quantity * price) FROM item;
