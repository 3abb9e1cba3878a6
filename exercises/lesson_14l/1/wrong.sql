-- %% without `WHERE comment LIKE 'Undid revision %'`: that undo nothing
DROP VIEW IF EXISTS undos_vw;
CREATE TEMP VIEW undos_vw AS
SELECT id, dt, wiki, title, user, substring_index(comment, ' by ', -1) AS undone
FROM edits_vw

-- %% `regexp_extract(comment, 'by (\\w+)',` for `substring_index(comment, ' by ', -`: may be an IP address
DROP VIEW IF EXISTS undos_vw;
CREATE TEMP VIEW undos_vw AS
SELECT id, dt, wiki, title, user, regexp_extract(comment, 'by (\\w+)', 1) AS undone
FROM edits_vw
WHERE comment LIKE 'Undid revision %'

-- %% `comment` for `substring_index(comment, ' by ', -1)`: after `by`
DROP VIEW IF EXISTS undos_vw;
CREATE TEMP VIEW undos_vw AS
SELECT id, dt, wiki, title, user, comment AS undone
FROM edits_vw
WHERE comment LIKE 'Undid revision %'

-- %% `', 0) AS` for `', -1) AS`: `undone` is empty where the comment names
DROP VIEW IF EXISTS undos_vw;
CREATE TEMP VIEW undos_vw AS
SELECT id, dt, wiki, title, user, substring_index(comment, ' by ', 0) AS undone
FROM edits_vw
WHERE comment LIKE 'Undid revision %'

-- %% with `AND user NOT LIKE '%Bot'`: bots' undos are missing
DROP VIEW IF EXISTS undos_vw;
CREATE TEMP VIEW undos_vw AS
SELECT id, dt, wiki, title, user, substring_index(comment, ' by ', -1) AS undone
FROM edits_vw
WHERE comment LIKE 'Undid revision %' AND user NOT LIKE '%Bot'

-- %% `edits_now_vw` for `edits_vw`: is not a stream
DROP VIEW IF EXISTS undos_vw;
CREATE TEMP VIEW undos_vw AS
SELECT id, dt, wiki, title, user, substring_index(comment, ' by ', -1) AS undone
FROM edits_now_vw
WHERE comment LIKE 'Undid revision %'

-- %% without `AS undone`: column `undone` is missing
DROP VIEW IF EXISTS undos_vw;
CREATE TEMP VIEW undos_vw AS
SELECT id, dt, wiki, title, user, substring_index(comment, ' by ', -1)
FROM edits_vw
WHERE comment LIKE 'Undid revision %'
