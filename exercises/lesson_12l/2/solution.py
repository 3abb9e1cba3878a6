DA.exercise("12L.2")  # removes what an earlier attempt created


def newest_values(changes):
    for field in ["name", "email", "city"]:
        changes = changes.withColumn(
            field, F.expr(f"IF(operation = 'DELETE', '-', {field})"))
    newest = [
        F.expr(f"max(struct(at, {field} AS value)) FILTER (WHERE {field} IS NOT NULL)")
        .alias(field)
        for field in ["operation", "name", "email", "city"]
    ]
    return changes.groupBy("card").agg(*newest)
