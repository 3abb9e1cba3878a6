# %% without `IS NOT TRUE`: let through
DA.exercise("15.1")  # removes what an earlier attempt created

every_rule = " AND ".join(RULES.values())


@dp.table
@dp.expect_or_drop("breaks a rule", f"({every_rule})")
def quarantine():
    return spark.readStream.table("orders")


update = run_pipeline()

# %% `expect` for `expect_or_drop`: Every order is there
DA.exercise("15.1")  # removes what an earlier attempt created

every_rule = " AND ".join(RULES.values())


@dp.table
@dp.expect("breaks a rule", f"({every_rule}) IS NOT TRUE")
def quarantine():
    return spark.readStream.table("orders")


update = run_pipeline()

# %% `NOT ({every_rule})` for `({every_rule}) IS NOT TRUE`: is NULL
DA.exercise("15.1")  # removes what an earlier attempt created

every_rule = " AND ".join(RULES.values())


@dp.table
@dp.expect_or_drop("breaks a rule", f"NOT ({every_rule})")
def quarantine():
    return spark.readStream.table("orders")


update = run_pipeline()

# %% each expectation inverted: violate every rule
DA.exercise("15.1")  # removes what an earlier attempt created

every_rule = " AND ".join(RULES.values())


@dp.table
@dp.expect_all_or_drop({name: f"({rule}) IS NOT TRUE" for name, rule in RULES.items()})
def quarantine():
    return spark.readStream.table("orders")


update = run_pipeline()

# %% with `.drop("value", "file_name")`: has no column
DA.exercise("15.1")  # removes what an earlier attempt created

every_rule = " AND ".join(RULES.values())


@dp.table
@dp.expect_or_drop("breaks a rule", f"({every_rule}) IS NOT TRUE")
def quarantine():
    return spark.readStream.table("orders").drop("value", "file_name")


update = run_pipeline()

# %% `order` for `orders`: The update has failed
DA.exercise("15.1")  # removes what an earlier attempt created

every_rule = " AND ".join(RULES.values())


@dp.table
@dp.expect_or_drop("breaks a rule", f"({every_rule}) IS NOT TRUE")
def quarantine():
    return spark.readStream.table("order")


update = run_pipeline()
