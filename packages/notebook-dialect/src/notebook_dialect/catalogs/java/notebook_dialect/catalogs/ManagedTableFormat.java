package notebook_dialect.catalogs;

import org.apache.spark.QueryContext;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.connector.catalog.Identifier;
import scala.Option;

/** A managed table would have another format than Delta. */
final class ManagedTableFormat extends AnalysisException {
  ManagedTableFormat(Identifier table, String format) {
    super("A managed table of a catalog is a Delta table, and " + table + " would be " + format.toUpperCase()
            + ". Leave out USING " + format.toUpperCase() + ", give the table a LOCATION, or create it in hive_metastore.",
        Option.apply(null), Option.apply(null), Option.apply(null), Option.apply(null),
        scala.collection.immutable.Map$.MODULE$.empty(), new QueryContext[0]);
  }
}
