package engines;

import io.delta.tables.DeltaMergeBuilder;
import io.delta.tables.DeltaMergeMatchedActionBuilder;
import io.delta.tables.DeltaMergeNotMatchedActionBuilder;
import io.delta.tables.DeltaMergeNotMatchedBySourceActionBuilder;
import io.delta.tables.DeltaTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.connect.proto.Expression;
import org.apache.spark.connect.proto.Relation;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.parser.ParseException;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.classic.Dataset;
import org.apache.spark.sql.classic.ExpressionUtils;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.connect.planner.SparkConnectPlanner;
import org.apache.spark.sql.connect.plugin.RelationPlugin;
import org.sparkproject.connect.protobuf.ByteString;
import org.sparkproject.connect.protobuf.InvalidProtocolBufferException;
import org.sparkproject.connect.protobuf.UnknownFieldSet;

/**
 * The server's part of DeltaTable over Spark Connect, as far as lessons use it: Delta publishes its own for other
 * releases of Spark.  The client's messages are delta.connect.DeltaRelation of delta-spark; the numbers are its fields'.
 */
public final class DeltaRelations implements RelationPlugin {
  private static final String TYPE = "type.googleapis.com/delta.connect.DeltaRelation";
  private static final int SCAN = 1, HISTORY = 2, DETAIL = 3, DELETE = 7, UPDATE = 8, MERGE = 9;
  private static final int TARGET = 1, SOURCE = 2, MERGE_CONDITION = 3;
  private static final int MATCHED = 4, NOT_MATCHED = 5, NOT_MATCHED_BY_SOURCE = 6, WITH_SCHEMA_EVOLUTION = 7;
  private static final int CONDITION_OF_ACTION = 1;
  private static final int DELETE_ACTION = 2, UPDATE_ACTION = 3, UPDATE_ALL_ACTION = 4, INSERT_ACTION = 5;

  public Optional<LogicalPlan> transform(byte[] bytes, SparkConnectPlanner planner) {
    try {
      UnknownFieldSet any = UnknownFieldSet.parseFrom(bytes);
      if (!first(any, 1).toStringUtf8().equals(TYPE)) {
        return Optional.empty();
      }
      UnknownFieldSet relation = message(any, 2);
      if (relation.hasField(SCAN)) {
        return plan(scanned(message(relation, SCAN), planner.session()).toDF());
      }
      if (relation.hasField(HISTORY)) {
        return plan(scanned(message(relation, HISTORY), planner.session()).history());
      }
      if (relation.hasField(DETAIL)) {
        return plan(scanned(message(relation, DETAIL), planner.session()).detail());
      }
      if (relation.hasField(DELETE)) {
        return plan(delete(message(relation, DELETE), planner));
      }
      if (relation.hasField(UPDATE)) {
        return plan(update(message(relation, UPDATE), planner));
      }
      if (relation.hasField(MERGE)) {
        return plan(merge(message(relation, MERGE), planner));
      }
      return Optional.empty();
    } catch (InvalidProtocolBufferException error) {
      throw new IllegalArgumentException(error);
    }
  }

  private static org.apache.spark.sql.Dataset delete(UnknownFieldSet request, SparkConnectPlanner planner)
      throws InvalidProtocolBufferException {
    DeltaTable table = target(Relation.parseFrom(first(request, TARGET).toByteArray()), planner.session());
    if (request.hasField(2)) {
      table.delete(column(first(request, 2), planner));
    } else {
      table.delete();
    }
    return affectedRows(table, "numDeletedRows");
  }

  private static org.apache.spark.sql.Dataset update(UnknownFieldSet request, SparkConnectPlanner planner)
      throws InvalidProtocolBufferException {
    DeltaTable table = target(Relation.parseFrom(first(request, TARGET).toByteArray()), planner.session());
    Map<String, Column> values = assignments(request, 3, planner);
    if (request.hasField(2)) {
      table.update(column(first(request, 2), planner), values);
    } else {
      table.update(values);
    }
    return affectedRows(table, "numUpdatedRows");
  }

  private static org.apache.spark.sql.Dataset affectedRows(DeltaTable table, String metric) {
    return table.history(1).selectExpr("CAST(operationMetrics." + metric + " AS BIGINT) AS num_affected_rows");
  }

  private static org.apache.spark.sql.Dataset merge(UnknownFieldSet request, SparkConnectPlanner planner)
      throws InvalidProtocolBufferException {
    DeltaTable table = target(Relation.parseFrom(first(request, TARGET).toByteArray()), planner.session());
    LogicalPlan source = planner.transformRelation(Relation.parseFrom(first(request, SOURCE).toByteArray()));
    Dataset rows = Dataset.ofRows(planner.session(), source);
    DeltaMergeBuilder merge = table.merge(rows, column(first(request, MERGE_CONDITION), planner));
    for (Object bytes : all(request, MATCHED)) {
      UnknownFieldSet action = UnknownFieldSet.parseFrom((ByteString) bytes);
      DeltaMergeMatchedActionBuilder builder = action.hasField(CONDITION_OF_ACTION)
          ? merge.whenMatched(column(first(action, CONDITION_OF_ACTION), planner))
          : merge.whenMatched();
      if (action.hasField(DELETE_ACTION)) {
        merge = builder.delete();
      } else if (action.hasField(UPDATE_ALL_ACTION)) {
        merge = builder.updateAll();
      } else {
        merge = builder.update(assignments(message(action, UPDATE_ACTION), 1, planner));
      }
    }
    for (Object bytes : all(request, NOT_MATCHED)) {
      UnknownFieldSet action = UnknownFieldSet.parseFrom((ByteString) bytes);
      DeltaMergeNotMatchedActionBuilder builder = action.hasField(CONDITION_OF_ACTION)
          ? merge.whenNotMatched(column(first(action, CONDITION_OF_ACTION), planner))
          : merge.whenNotMatched();
      if (action.hasField(INSERT_ACTION)) {
        merge = builder.insert(assignments(message(action, INSERT_ACTION), 1, planner));
      } else {
        merge = builder.insertAll();
      }
    }
    for (Object bytes : all(request, NOT_MATCHED_BY_SOURCE)) {
      UnknownFieldSet action = UnknownFieldSet.parseFrom((ByteString) bytes);
      DeltaMergeNotMatchedBySourceActionBuilder builder = action.hasField(CONDITION_OF_ACTION)
          ? merge.whenNotMatchedBySource(column(first(action, CONDITION_OF_ACTION), planner))
          : merge.whenNotMatchedBySource();
      if (action.hasField(DELETE_ACTION)) {
        merge = builder.delete();
      } else {
        merge = builder.update(assignments(message(action, UPDATE_ACTION), 1, planner));
      }
    }
    boolean evolves = request.getField(WITH_SCHEMA_EVOLUTION).getVarintList().contains(Long.valueOf(1));
    return evolves ? merge.withSchemaEvolution().execute() : merge.execute();
  }

  private static Map<String, Column> assignments(UnknownFieldSet request, int number, SparkConnectPlanner planner)
      throws InvalidProtocolBufferException {
    Map<String, Column> values = new HashMap<String, Column>();
    for (Object bytes : all(request, number)) {
      UnknownFieldSet assignment = UnknownFieldSet.parseFrom((ByteString) bytes);
      Expression field = Expression.parseFrom(first(assignment, 1).toByteArray());
      values.put(field.getUnresolvedAttribute().getUnparsedIdentifier(), column(first(assignment, 2), planner));
    }
    return values;
  }

  private static Column column(ByteString bytes, SparkConnectPlanner planner) throws InvalidProtocolBufferException {
    return ExpressionUtils.column(planner.transformExpression(Expression.parseFrom(bytes.toByteArray())));
  }

  /** Return the table of a scan, and its alias. */
  private static DeltaTable target(Relation relation, SparkSession session) throws InvalidProtocolBufferException {
    if (relation.hasSubqueryAlias()) {
      return target(relation.getSubqueryAlias().getInput(), session).alias(relation.getSubqueryAlias().getAlias());
    }
    UnknownFieldSet scan = UnknownFieldSet.parseFrom(relation.getExtension().getValue());
    return scanned(message(scan, SCAN), session);
  }

  private static DeltaTable scanned(UnknownFieldSet request, SparkSession session)
      throws InvalidProtocolBufferException {
    UnknownFieldSet table = message(request, 1);
    if (table.hasField(1)) {
      return DeltaTable.forPath(session, first(message(table, 1), 1).toStringUtf8());
    }
    return DeltaTable.forName(session, inCurrentCatalog(first(table, 2).toStringUtf8(), session));
  }

  /** Delta looks for a table of one or two parts in spark_catalog only. */
  private static String inCurrentCatalog(String name, SparkSession session) {
    int parts;
    try {
      parts = session.sessionState().sqlParser().parseMultipartIdentifier(name).size();
    } catch (ParseException error) {
      return name; // which Delta then refuses
    }
    String catalog = session.catalog().currentCatalog();
    if (catalog.equals("spark_catalog") || parts > 2) {
      return name;
    }
    String schema = parts == 2 ? "" : "`" + session.catalog().currentDatabase() + "`.";
    return "`" + catalog + "`." + schema + name;
  }

  private static Optional<LogicalPlan> plan(org.apache.spark.sql.Dataset rows) {
    return Optional.of(((Dataset) rows).queryExecution().commandExecuted()); // a merge that has run is not run again
  }

  private static List<ByteString> all(UnknownFieldSet message, int number) {
    return message.getField(number).getLengthDelimitedList();
  }

  private static ByteString first(UnknownFieldSet message, int number) {
    return (ByteString) all(message, number).get(0);
  }

  private static UnknownFieldSet message(UnknownFieldSet message, int number) throws InvalidProtocolBufferException {
    return UnknownFieldSet.parseFrom(first(message, number));
  }
}
