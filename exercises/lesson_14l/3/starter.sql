DROP VIEW IF EXISTS wars_vw;
-- CREATE TEMP VIEW wars_vw AS
-- SELECT wiki, title, ... AS one, ... AS other, window.start,
--   count(*) AS undos, min(dt) AS first_undo
-- FROM once_vw
-- GROUP BY ...
-- HAVING ...
