DROP VIEW IF EXISTS reports_vw;
CREATE TEMP VIEW reports_vw AS
SELECT name,
       batchId AS batch,
       timestamp AS at,
       numInputRows AS rows,
       durationMs['triggerExecution'] AS batch_ms,
       aggregate(sources, 0L, (sum, source) ->
         sum + coalesce(CAST(source.metrics['numFilesOutstanding'] AS BIGINT), 0L)
       ) AS backlog_files,
       aggregate(stateOperators, 0L, (sum, operator) ->
         sum + operator.numRowsTotal) AS state_rows
FROM recorded_vw
