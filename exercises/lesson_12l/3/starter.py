DA.exercise("12L.3")  # removes what an earlier attempt created

VALUE = "STRUCT<at: STRUCT<sequence: LONG, changed_at: TIMESTAMP>, value: STRING>"
spark.sql(
    f"CREATE TABLE members (card STRING, operation {VALUE}, name {VALUE}, email {VALUE}, "
    f"city {VALUE})")


def apply_changes(batch, batch_id):
    ...  # merge the newest values of this batch into members


applied = None  # the stream of changes that calls apply_changes

# spark.sql("CREATE OR REPLACE TEMP VIEW members_now AS SELECT ...")
