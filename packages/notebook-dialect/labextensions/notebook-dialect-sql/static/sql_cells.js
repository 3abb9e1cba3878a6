// Colors of SQL in the cells that begin with %sql, as an extension of JupyterLab 4.
//
// JupyterLab loads an extension as a container of webpack's module federation: an object with `init`, which gets the
// modules that JupyterLab shares, and `get`, which gives the extension. Such an object can be written by hand, so that
// this file is the source and what is shipped: no Node.js, no build. SQL's words are Spark's; a tokenizer of CodeMirror
// is enough for colors.

(() => {
  const NAME = "notebook-dialect-sql";
  const MAGIC = /^\s*%{1,2}sql\b/;

  const words = (text) => new Set(text.trim().split(/\s+/));
  // The keywords of Spark 4.2's SQL that people write, and those of pipelines and Databricks.
  const KEYWORDS = words(`
    ADD AFTER ALL ALTER ANALYZE AND ANTI ANY APPLY AS ASC AUTO BEGIN BETWEEN BY CACHE CALL CASCADE CASE CAST CATALOG CATALOGS CDC
    CHANGES CHECK CLEAR CLONE CLUSTER CLUSTERED COLUMN COLUMNS COMMENT COMPUTE CONSTRAINT COPY CREATE CROSS CUBE CURRENT DATABASE
    DATABASES DECLARE DEEP DEFAULT DEFINE DELAY DELETE DESC DESCRIBE DETAIL DISTINCT DISTRIBUTE DROP ELSE END ESCAPE EXCEPT
    EXECUTE EXISTS EXPECT EXPLAIN EXTENDED EXTERNAL FAIL FILES FIRST FLOW FOLLOWING FOR FORMAT FORMATTED FROM FULL FUNCTION
    FUNCTIONS GLOBAL GRANT GROUP GROUPING HAVING HISTORY IDENTIFIER IF IGNORE ILIKE IMMEDIATE IN INNER INSERT INTERSECT INTERVAL
    INTO IS JOIN KEYS LAST LATERAL LEFT LIKE LIMIT LIST LIVE LOCATION MATCHED MATERIALIZED MERGE MINUS MODIFY NATURAL NOT NULLS OF
    OFFSET ON OPTIMIZE OPTION OPTIONS OR ORDER OUTER OVER OVERWRITE PARTITION PARTITIONED PARTITIONS PIVOT PRECEDING PRIMARY
    PRIVATE PURGE QUALIFY RANGE RECURSIVE REFRESH RENAME REORG REPAIR REPLACE RESET RESTORE RESTRICT RETURN RETURNS REVOKE RIGHT
    RLIKE ROLLUP ROW ROWS SCD SCHEMA SCHEMAS SELECT SEMI SEQUENCE SET SETS SHALLOW SHOW SORT SOURCE STORED STREAM STREAMING TABLE
    TABLES TABLESAMPLE TARGET TBLPROPERTIES TEMP TEMPORARY THEN TIMESTAMP TO TRACK TRIM TRUNCATE TYPE UNBOUNDED UNCACHE UNION UNIQUE
    UNPIVOT UNSET UPDATE USE USING VACUUM VALUES VERSION VIEW VIEWS VIOLATION VOLUME VOLUMES WATERMARK WHEN WHERE WINDOW WITH
    WITHIN ZORDER`);
  const TYPES = words(`
    ARRAY BIGINT BINARY BOOLEAN BYTE CHAR DATE DECIMAL DOUBLE FLOAT INT INTEGER LONG MAP SHORT SMALLINT STRING STRUCT
    TIMESTAMP_LTZ TIMESTAMP_NTZ TINYINT VARCHAR VARIANT VOID`);
  const ATOMS = words("NULL TRUE FALSE");

  // Return the token at the stream's position, with `state.open` as what a line has left open: a comment or a text.
  function token(stream, state) {
    if (state.open) return closed(stream, state);
    if (stream.sol() && stream.match(MAGIC)) return "meta";
    if (stream.eatSpace()) return null;
    if (stream.match("--")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match("/*")) return opened(stream, state, "*/", "comment");
    const character = stream.next();
    if (character === "'" || character === '"') return opened(stream, state, character, "string");
    if (character === "`") return opened(stream, state, "`", "variableName.special");
    if (/\d/.test(character)) {
      stream.match(/^\d*(\.\d+)?(e[+-]?\d+)?[a-z]{0,2}/i);
      return "number";
    }
    if (!/[\p{L}_]/u.test(character)) return /[=<>!+\-*/%|&~^]/.test(character) ? "operator" : null;
    stream.match(/^[\p{L}\p{N}_]*/u);
    const word = stream.current().toUpperCase();
    if (stream.string[stream.start - 1] === ".") return "propertyName";
    if (ATOMS.has(word)) return "atom";
    if (TYPES.has(word)) return "typeName";
    if (KEYWORDS.has(word)) return "keyword";
    return stream.match(/^\s*\(/, false) ? "variableName.function" : "variableName";
  }

  function opened(stream, state, end, kind) {
    state.open = { end, kind };
    return closed(stream, state);
  }

  function closed(stream, state) {
    const { end, kind } = state.open;
    while (!stream.eol()) {
      if (kind === "string" && stream.match("\\")) stream.next();
      else if (stream.match(end)) {
        state.open = null;
        break;
      } else stream.next();
    }
    return kind;
  }

  const sqlLanguage = ({ StreamLanguage }) => StreamLanguage.define({
    name: "spark-sql",
    token,
    startState: () => ({ open: null }),
    copyState: (state) => ({ open: state.open }),
    languageData: { commentTokens: { line: "--", block: { open: "/*", close: "*/" } }, closeBrackets: { brackets: ["(", "[", "'", '"', "`"] } },
  });

  // The language of a cell that begins with %sql stands before that of the notebook, and goes when the line does.
  function cellLanguage(language, { Compartment, EditorState, Prec }) {
    const sql = Prec.highest(sqlLanguage(language));
    const isSql = (text) => MAGIC.test(text.sliceString(0, 200));
    return (source) => {
      const chosen = new Compartment();
      return [
        chosen.of(MAGIC.test(source) ? sql : []),
        EditorState.transactionExtender.of((change) => {
          const is = isSql(change.newDoc);
          if (!change.docChanged || is === isSql(change.startState.doc)) return null;
          return { effects: chosen.reconfigure(is ? sql : []) };
        }),
      ];
    };
  }

  let shared = {};
  async function load(module) {
    const [version] = Object.keys(shared[module]);
    return (await shared[module][version].get())();
  }

  async function makePlugin() {
    const names = ["@jupyterlab/codemirror", "@codemirror/language", "@codemirror/state"];
    const [lab, language, state] = await Promise.all(names.map(load));
    const extensionOf = cellLanguage(language, state);
    return {
      id: `${NAME}:plugin`,
      description: "Colors of SQL in the cells that begin with %sql.",
      autoStart: true,
      requires: [lab.IEditorExtensionRegistry],
      activate: (_app, registry) => registry.addExtension({
        name: NAME,
        factory: ({ model }) => lab.EditorExtensionRegistry.createImmutableExtension(extensionOf(model.sharedModel.getSource())),
      }),
    };
  }

  window._JUPYTERLAB = window._JUPYTERLAB || {};
  window._JUPYTERLAB[NAME] = {
    init: (scope) => { shared = scope; },
    get: async () => {
      const plugin = await makePlugin();
      return () => ({ __esModule: true, default: plugin });
    },
  };
})();
