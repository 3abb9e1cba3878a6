DROP VIEW IF EXISTS refunds_vw;
CREATE TEMP VIEW refunds_vw AS
SELECT card_id, foreign_payment AS payment, amount FROM alarms
UNION
SELECT card_id, transaction_id, amount
FROM large_payments
GROUP BY card_id, transaction_id, amount
HAVING count(*) >= 6
