# %% without `.option("mergeSchema", True)`: metadata mismatch
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1


nightly()

# %% `restarts = 0` for `restarts = 5`: UNKNOWN_FIELD_EXCEPTION
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 0
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1


nightly()

# %% without `.option("badRecordsPath", ...)`: a row without a sale
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1


nightly()

# %% `multiLine", False` for `cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)"`: has the type string
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("multiLine", False)
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1


nightly()

# %% `inferColumnTypes", True` for `schemaHints", "seats INT, amount DECIMAL(8, 2)"`: has the type bigint
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.inferColumnTypes", True)
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1


nightly()

# %% with `.option("cloudFiles.inferColumnTypes", True)`: and not text
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("cloudFiles.inferColumnTypes", True)
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1


nightly()

# %% with `.option("cloudFiles.schemaEvolutionMode", "rescue")`: are missing
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("cloudFiles.schemaEvolutionMode", "rescue")
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1


nightly()

# %% with `.option("readerCaseSensitive", False)`: `sales`
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("readerCaseSensitive", False)
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1


nightly()

# %% without `.selectExpr("*", "_metadata.file_name AS file")`: no column `file`
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1


nightly()

# %% without `"UNKNOWN_FIELD_EXCEPTION" not in str(error) or`: because the disk is full, and restarted
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if restarts == 0:
                raise
            restarts -= 1


nightly()

# %% without `or restarts == 0`: restarted more than five times
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error):
                raise
            restarts -= 1


nightly()

# %% `return` for `raise`: as if all were well
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                return
            restarts -= 1


nightly()

# %% `nights` for `sales`: checkpoint is not in the directory `sales`
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/nights")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1


nightly()

# %% without `nightly()`: There is no table `sales`
DA.exercise("08L.1")  # removes what an earlier attempt created

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1

# %% a table built from all files each night: an archived file
DA.exercise("08L.1")  # removes what an earlier attempt created

import shutil

from pyspark.errors import StreamingQueryException


def nightly():
    """Bring what has landed since the last run into the table sales."""
    shutil.rmtree(DA.paths.local(f"{DA.paths.checkpoints}/sales"), ignore_errors=True)
    spark.sql("DROP TABLE IF EXISTS sales")
    restarts = 5
    while True:
        query = (spark.readStream
            .format("cloudFiles")
            .option("cloudFiles.format", "json")
            .option("cloudFiles.schemaLocation", f"{DA.paths.checkpoints}/sales")
            .option("cloudFiles.schemaHints", "seats INT, amount DECIMAL(8, 2)")
            .option("badRecordsPath", f"{DA.paths.working_dir}/unreadable")
            .load(DA.paths.landing)
            .selectExpr("*", "_metadata.file_name AS file")
            .writeStream
            .option("checkpointLocation", f"{DA.paths.checkpoints}/sales")
            .option("mergeSchema", True)
            .trigger(availableNow=True)
            .toTable("sales"))
        try:
            query.awaitTermination()
            return
        except StreamingQueryException as error:
            if "UNKNOWN_FIELD_EXCEPTION" not in str(error) or restarts == 0:
                raise
            restarts -= 1


nightly()
