DROP VIEW IF EXISTS undos_vw;
CREATE TEMP VIEW undos_vw AS
SELECT id, dt, wiki, title, user, substring_index(comment, ' by ', -1) AS undone
FROM edits_vw
WHERE comment LIKE 'Undid revision %'
