-- %% `RIGHT` for `LEFT`: can keep the unmatched rows of the stream only
DROP VIEW IF EXISTS with_card_vw;
CREATE TEMP VIEW with_card_vw AS
SELECT payment, till_vw.card_id, status
FROM till_vw RIGHT JOIN cards ON till_vw.card_id = cards.card_id

-- %% `FULL` for `LEFT`: can keep the unmatched rows of the stream only
DROP VIEW IF EXISTS with_card_vw;
CREATE TEMP VIEW with_card_vw AS
SELECT payment, till_vw.card_id, status
FROM till_vw FULL JOIN cards ON till_vw.card_id = cards.card_id

-- %% with a default for the status: `with_card_vw`
DROP VIEW IF EXISTS with_card_vw;
CREATE TEMP VIEW with_card_vw AS
SELECT payment, till_vw.card_id, coalesce(status, 'active') AS status
FROM till_vw LEFT JOIN cards ON till_vw.card_id = cards.card_id

-- %% the table as it was read once, not the stream: is not a stream
DROP VIEW IF EXISTS with_card_vw;
CREATE TEMP VIEW with_card_vw AS
SELECT payment, till.card_id, status
FROM till LEFT JOIN cards ON till.card_id = cards.card_id

-- %% an anti join: `with_card_vw`
DROP VIEW IF EXISTS with_card_vw;
CREATE TEMP VIEW with_card_vw AS
SELECT payment, till_vw.card_id, CAST(NULL AS STRING) AS status
FROM till_vw LEFT ANTI JOIN cards ON till_vw.card_id = cards.card_id
