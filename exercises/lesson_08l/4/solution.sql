DROP VIEW IF EXISTS books_vw;
CREATE TEMP VIEW books_vw AS
SELECT control_vw.file, records AS sent,
       coalesce(arrived, 0) AS arrived, coalesce(set_aside, 0) AS set_aside,
       control_vw.amount - coalesce(received.amount, 0) AS missing
FROM control_vw
LEFT JOIN (SELECT file, count(*) AS arrived, sum(amount) AS amount
    FROM sales_vw GROUP BY file) AS received
    ON received.file = control_vw.file
LEFT JOIN (SELECT file, count(*) AS set_aside FROM set_aside_vw GROUP BY file) AS unread
    ON unread.file = control_vw.file
