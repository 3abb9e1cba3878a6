DROP VIEW IF EXISTS undos_vw;
-- CREATE TEMP VIEW undos_vw AS
-- SELECT id, dt, wiki, title, user, ... AS undone
-- FROM edits_vw ...
