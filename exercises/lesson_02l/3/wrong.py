# %% `FROM activity_vw` for `, count(*) AS recordings FROM activity_vw GROUP BY activity`: has no column `recordings`
DA.exercise("02L.3")  # removes what an earlier attempt created

per_activity = spark.sql("SELECT activity FROM activity_vw")

if per_activity is not None:
    display(per_activity, streamName="board")

# %% without `AS recordings`: has no column `recordings`
DA.exercise("02L.3")  # removes what an earlier attempt created

per_activity = spark.sql("SELECT activity, count(*) FROM activity_vw GROUP BY activity")

if per_activity is not None:
    display(per_activity, streamName="board")

# %% from `recordings_vw`, without the filter: counts the label `null` as well
DA.exercise("02L.3")  # removes what an earlier attempt created

per_activity = spark.sql("SELECT gt AS activity, count(*) AS recordings FROM recordings_vw GROUP BY gt")

if per_activity is not None:
    display(per_activity, streamName="board")

# %% with `, person`: should not be there
DA.exercise("02L.3")  # removes what an earlier attempt created

per_activity = spark.sql("SELECT activity, count(*) AS recordings FROM activity_vw GROUP BY activity, person")

if per_activity is not None:
    display(per_activity, streamName="board")

# %% `DISTINCT person` for `*`: raised an error
DA.exercise("02L.3")  # removes what an earlier attempt created

per_activity = spark.sql("SELECT activity, count(DISTINCT person) AS recordings FROM activity_vw GROUP BY activity")

if per_activity is not None:
    display(per_activity, streamName="board")

# %% from the files, not as a stream: counted only once
DA.exercise("02L.3")  # removes what an earlier attempt created

per_activity = spark.sql(f"SELECT gt AS activity, count(*) AS recordings FROM json.`{DA.paths.landing}` GROUP BY gt")

if per_activity is not None:
    display(per_activity, streamName="board")

# %% the text of the query alone: pass your query to `spark.sql`
DA.exercise("02L.3")  # removes what an earlier attempt created

per_activity = "SELECT ..."  #("SELECT ...")

if per_activity is not None:
    display(per_activity, streamName="board")

# %% the stream is stopped: No stream named `board` is running
DA.exercise("02L.3")  # removes what an earlier attempt created

per_activity = spark.sql("SELECT activity, count(*) AS recordings FROM activity_vw GROUP BY activity")

if per_activity is not None:
    display(per_activity, streamName="board")
[board] = [query for query in spark.streams.active if query.name == "board"]
board.stop()
