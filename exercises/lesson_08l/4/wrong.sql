-- %% `JOIN (` for `LEFT JOIN (`: which join keeps it
DROP VIEW IF EXISTS books_vw;
CREATE TEMP VIEW books_vw AS
SELECT control_vw.file, records AS sent, coalesce(arrived, 0) AS arrived, coalesce(set_aside, 0) AS set_aside,
       control_vw.amount - coalesce(received.amount, 0) AS missing
FROM control_vw
JOIN (SELECT file, count(*) AS arrived, sum(amount) AS amount FROM sales_vw GROUP BY file) AS received
    ON received.file = control_vw.file
JOIN (SELECT file, count(*) AS set_aside FROM set_aside_vw GROUP BY file) AS unread
    ON unread.file = control_vw.file

-- %% `set_aside` for `coalesce(set_aside, 0)`: use `coalesce`
DROP VIEW IF EXISTS books_vw;
CREATE TEMP VIEW books_vw AS
SELECT control_vw.file, records AS sent, coalesce(arrived, 0) AS arrived, set_aside AS set_aside,
       control_vw.amount - coalesce(received.amount, 0) AS missing
FROM control_vw
LEFT JOIN (SELECT file, count(*) AS arrived, sum(amount) AS amount FROM sales_vw GROUP BY file) AS received
    ON received.file = control_vw.file
LEFT JOIN (SELECT file, count(*) AS set_aside FROM set_aside_vw GROUP BY file) AS unread
    ON unread.file = control_vw.file

-- %% joined before the aggregation: paired each sale
DROP VIEW IF EXISTS books_vw;
CREATE TEMP VIEW books_vw AS
SELECT control_vw.file, any_value(records) AS sent, count(sale_id) AS arrived, count(DISTINCT record) AS set_aside,
       any_value(control_vw.amount) - coalesce(sum(sales_vw.amount), 0) AS missing
FROM control_vw
LEFT JOIN sales_vw ON sales_vw.file = control_vw.file
LEFT JOIN set_aside_vw ON set_aside_vw.file = control_vw.file
GROUP BY control_vw.file

-- %% `records - arrived` for `control_vw.amount - coalesce(received.amount, 0)`: `books_vw`
DROP VIEW IF EXISTS books_vw;
CREATE TEMP VIEW books_vw AS
SELECT control_vw.file, records AS sent, coalesce(arrived, 0) AS arrived, coalesce(set_aside, 0) AS set_aside,
       records - arrived AS missing
FROM control_vw
LEFT JOIN (SELECT file, count(*) AS arrived, sum(amount) AS amount FROM sales_vw GROUP BY file) AS received
    ON received.file = control_vw.file
LEFT JOIN (SELECT file, count(*) AS set_aside FROM set_aside_vw GROUP BY file) AS unread
    ON unread.file = control_vw.file

-- %% `received.amount` for `coalesce(received.amount, 0)`: other books
DROP VIEW IF EXISTS books_vw;
CREATE TEMP VIEW books_vw AS
SELECT control_vw.file, records AS sent, coalesce(arrived, 0) AS arrived, coalesce(set_aside, 0) AS set_aside,
       control_vw.amount - received.amount AS missing
FROM control_vw
LEFT JOIN (SELECT file, count(*) AS arrived, sum(amount) AS amount FROM sales_vw GROUP BY file) AS received
    ON received.file = control_vw.file
LEFT JOIN (SELECT file, count(*) AS set_aside FROM set_aside_vw GROUP BY file) AS unread
    ON unread.file = control_vw.file
