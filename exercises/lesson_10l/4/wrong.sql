-- %% `UNION ALL`, without the limit of six: more than once
DROP VIEW IF EXISTS refunds_vw;
CREATE TEMP VIEW refunds_vw AS
SELECT card_id, foreign_payment AS payment, amount FROM alarms
UNION ALL
SELECT card_id, transaction_id, amount
FROM large_payments

-- %% `>= 1` for `>= 6`: six or more
DROP VIEW IF EXISTS refunds_vw;
CREATE TEMP VIEW refunds_vw AS
SELECT card_id, foreign_payment AS payment, amount FROM alarms
UNION
SELECT card_id, transaction_id, amount
FROM large_payments
GROUP BY card_id, transaction_id, amount
HAVING count(*) >= 1

-- %% `UNION ALL` for `UNION`: one payment is in two pairs
DROP VIEW IF EXISTS refunds_vw;
CREATE TEMP VIEW refunds_vw AS
SELECT card_id, foreign_payment AS payment, amount FROM alarms
UNION ALL
SELECT card_id, transaction_id, amount
FROM large_payments
GROUP BY card_id, transaction_id, amount
HAVING count(*) >= 6

-- %% one refund per card and amount: alike but for their ids
DROP VIEW IF EXISTS refunds_vw;
CREATE TEMP VIEW refunds_vw AS
SELECT card_id, min(payment) AS payment, amount
FROM (
SELECT card_id, foreign_payment AS payment, amount FROM alarms
UNION
SELECT card_id, transaction_id, amount
FROM large_payments
GROUP BY card_id, transaction_id, amount
HAVING count(*) >= 6
)
GROUP BY card_id, amount

-- %% `) > 6` for `) >= 6`: `refunds_vw`
DROP VIEW IF EXISTS refunds_vw;
CREATE TEMP VIEW refunds_vw AS
SELECT card_id, foreign_payment AS payment, amount FROM alarms
UNION
SELECT card_id, transaction_id, amount
FROM large_payments
GROUP BY card_id, transaction_id, amount
HAVING count(*) > 6
