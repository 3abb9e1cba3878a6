DROP VIEW IF EXISTS with_card_vw;
CREATE TEMP VIEW with_card_vw AS
SELECT payment, till_vw.card_id, status
FROM till_vw LEFT JOIN cards ON till_vw.card_id = cards.card_id
