-- %% the first source alone: add the files of both
DROP VIEW IF EXISTS reports_vw;
CREATE TEMP VIEW reports_vw AS
SELECT name,
       batchId AS batch,
       timestamp AS at,
       numInputRows AS rows,
       durationMs['triggerExecution'] AS batch_ms,
       coalesce(CAST(sources[0].metrics['numFilesOutstanding'] AS BIGINT), 0L) AS backlog_files,
       aggregate(stateOperators, 0L, (sum, operator) -> sum + operator.numRowsTotal) AS state_rows
FROM recorded_vw

-- %% the first operator alone: add the rows of all that there are
DROP VIEW IF EXISTS reports_vw;
CREATE TEMP VIEW reports_vw AS
SELECT name,
       batchId AS batch,
       timestamp AS at,
       numInputRows AS rows,
       durationMs['triggerExecution'] AS batch_ms,
       aggregate(sources, 0L, (sum, source) ->
         sum + coalesce(CAST(source.metrics['numFilesOutstanding'] AS BIGINT), 0L)) AS backlog_files,
       coalesce(try_element_at(stateOperators, 1).numRowsTotal, 0) state_rows
FROM recorded_vw

-- %% without `coalesce`: `backlog_files` is NULL
DROP VIEW IF EXISTS reports_vw;
CREATE TEMP VIEW reports_vw AS
SELECT name,
       batchId AS batch,
       timestamp AS at,
       numInputRows AS rows,
       durationMs['triggerExecution'] AS batch_ms,
       aggregate(sources, 0L, (sum, source) ->
         sum + source.metrics['numFilesOutstanding']::BIGINT) AS backlog_files,
       aggregate(stateOperators, 0L, (sum, operator) -> sum + operator.numRowsTotal) AS state_rows
FROM recorded_vw

-- %% `addBatch` for `triggerExecution`: one phase of the batch
DROP VIEW IF EXISTS reports_vw;
CREATE TEMP VIEW reports_vw AS
SELECT name,
       batchId AS batch,
       timestamp AS at,
       numInputRows AS rows,
       durationMs['addBatch'] AS batch_ms,
       aggregate(sources, 0L, (sum, source) ->
         sum + coalesce(CAST(source.metrics['numFilesOutstanding'] AS BIGINT), 0L)) AS backlog_files,
       aggregate(stateOperators, 0L, (sum, operator) -> sum + operator.numRowsTotal) AS state_rows
FROM recorded_vw

-- %% exploded sources: is NULL
DROP VIEW IF EXISTS reports_vw;
CREATE TEMP VIEW reports_vw AS
SELECT name, batchId AS batch, timestamp AS at, numInputRows AS rows, durationMs.triggerExecution AS batch_ms,
       sum(CAST(source.metrics['numFilesOutstanding'] AS BIGINT)) AS backlog_files,
       coalesce(first(array_sum), 0) AS state_rows
FROM (SELECT *, explode(sources) AS source,
        aggregate(stateOperators, 0L, (sum, operator) -> sum + operator.numRowsTotal) AS array_sum FROM recorded_vw)
GROUP BY ALL
