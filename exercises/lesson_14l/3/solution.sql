DROP VIEW IF EXISTS wars_vw;
CREATE TEMP VIEW wars_vw AS
SELECT wiki, title, least(user, undone) AS one, greatest(user, undone) AS other,
       window.start, count(*) AS undos, min(dt) AS first_undo
FROM once_vw
GROUP BY wiki, title, least(user, undone), greatest(user, undone),
         window(dt, '10 minutes', '1 minute')
HAVING count(*) >= 4 AND min(user) <> max(user)
