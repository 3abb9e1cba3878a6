-- %% without `, '1 minute'`: do not overlap
DROP VIEW IF EXISTS wars_vw;
CREATE TEMP VIEW wars_vw AS
SELECT wiki, title, least(user, undone) AS one, greatest(user, undone) AS other,
       window.start, count(*) AS undos, min(dt) AS first_undo
FROM once_vw
GROUP BY wiki, title, least(user, undone), greatest(user, undone), window(dt, '10 minutes')
HAVING count(*) >= 4 AND min(user) <> max(user)

-- %% `undos_vw` for `once_vw`: Duplicates are counted
DROP VIEW IF EXISTS wars_vw;
CREATE TEMP VIEW wars_vw AS
SELECT wiki, title, least(user, undone) AS one, greatest(user, undone) AS other,
       window.start, count(*) AS undos, min(dt) AS first_undo
FROM undos_vw
GROUP BY wiki, title, least(user, undone), greatest(user, undone), window(dt, '10 minutes', '1 minute')
HAVING count(*) >= 4 AND min(user) <> max(user)

-- %% without `AND min(user) <> max(user)`: only one of the two
DROP VIEW IF EXISTS wars_vw;
CREATE TEMP VIEW wars_vw AS
SELECT wiki, title, least(user, undone) AS one, greatest(user, undone) AS other,
       window.start, count(*) AS undos, min(dt) AS first_undo
FROM once_vw
GROUP BY wiki, title, least(user, undone), greatest(user, undone), window(dt, '10 minutes', '1 minute')
HAVING count(*) >= 4

-- %% `) > 4 AND` for `) >= 4 AND`: exactly four
DROP VIEW IF EXISTS wars_vw;
CREATE TEMP VIEW wars_vw AS
SELECT wiki, title, least(user, undone) AS one, greatest(user, undone) AS other,
       window.start, count(*) AS undos, min(dt) AS first_undo
FROM once_vw
GROUP BY wiki, title, least(user, undone), greatest(user, undone), window(dt, '10 minutes', '1 minute')
HAVING count(*) > 4 AND min(user) <> max(user)

-- %% `count(DISTINCT user) = 2` for `min(user) <> max(user)`: cannot be run
DROP VIEW IF EXISTS wars_vw;
CREATE TEMP VIEW wars_vw AS
SELECT wiki, title, least(user, undone) AS one, greatest(user, undone) AS other,
       window.start, count(*) AS undos, min(dt) AS first_undo
FROM once_vw
GROUP BY wiki, title, least(user, undone), greatest(user, undone), window(dt, '10 minutes', '1 minute')
HAVING count(*) >= 4 AND count(DISTINCT user) = 2

-- %% by the direction of the undo: no war at all
DROP VIEW IF EXISTS wars_vw;
CREATE TEMP VIEW wars_vw AS
SELECT wiki, title, user AS one, undone AS other,
       window.start, count(*) AS undos, min(dt) AS first_undo
FROM once_vw
GROUP BY wiki, title, user, undone, window(dt, '10 minutes', '1 minute')
HAVING count(*) >= 4 AND min(user) <> max(user)

-- %% `1 hour` for `10 minutes`: has no war
DROP VIEW IF EXISTS wars_vw;
CREATE TEMP VIEW wars_vw AS
SELECT wiki, title, least(user, undone) AS one, greatest(user, undone) AS other,
       window.start, count(*) AS undos, min(dt) AS first_undo
FROM once_vw
GROUP BY wiki, title, least(user, undone), greatest(user, undone), window(dt, '1 hour', '1 minute')
HAVING count(*) >= 4 AND min(user) <> max(user)

-- %% `least` and `greatest` swapped: lesser of the two
DROP VIEW IF EXISTS wars_vw;
CREATE TEMP VIEW wars_vw AS
SELECT wiki, title, greatest(user, undone) AS one, least(user, undone) AS other,
       window.start, count(*) AS undos, min(dt) AS first_undo
FROM once_vw
GROUP BY wiki, title, greatest(user, undone), least(user, undone), window(dt, '10 minutes', '1 minute')
HAVING count(*) >= 4 AND min(user) <> max(user)

-- %% without `AS first_undo`: column `first_undo` is missing
DROP VIEW IF EXISTS wars_vw;
CREATE TEMP VIEW wars_vw AS
SELECT wiki, title, least(user, undone) AS one, greatest(user, undone) AS other,
       window.start, count(*) AS undos, min(dt)
FROM once_vw
GROUP BY wiki, title, least(user, undone), greatest(user, undone), window(dt, '10 minutes', '1 minute')
HAVING count(*) >= 4 AND min(user) <> max(user)
