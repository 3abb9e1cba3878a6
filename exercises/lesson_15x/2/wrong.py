# %% without `, (None, "app")`: keeps orders without an id
DA.exercise("15X.2")  # removes what an earlier attempt created


def check_shop(pipeline):
    pipeline.mock("raw_orders", [(1, "web"), (1, "web"), (2, "app"), (3, None)], schema=RAW)
    expected = [("app", 1), ("web", 1), (None, 1)]
    assert set(pipeline.run("per_channel").rows("per_channel")) == set(expected)

    pipeline.append("raw_orders", [(1, "web"), (4, "web")])
    expected = [("app", 1), ("web", 2), (None, 1)]
    assert set(pipeline.run("per_channel").rows("per_channel")) == set(expected)


with PipelineTest(shop) as pipeline:
    check_shop(pipeline)

# %% without `1, "web"), (`: counts an order twice
DA.exercise("15X.2")  # removes what an earlier attempt created


def check_shop(pipeline):
    pipeline.mock("raw_orders", [(1, "web"), (2, "app"), (3, None), (None, "app")], schema=RAW)
    expected = [("app", 1), ("web", 1), (None, 1)]
    assert set(pipeline.run("per_channel").rows("per_channel")) == set(expected)

    pipeline.append("raw_orders", [(4, "web")])
    expected = [("app", 1), ("web", 2), (None, 1)]
    assert set(pipeline.run("per_channel").rows("per_channel")) == set(expected)


with PipelineTest(shop) as pipeline:
    check_shop(pipeline)

# %% without an order without a channel: leaves out orders without a channel
DA.exercise("15X.2")  # removes what an earlier attempt created


def check_shop(pipeline):
    pipeline.mock("raw_orders", [(1, "web"), (1, "web"), (2, "app"), (None, "app")], schema=RAW)
    expected = [("app", 1), ("web", 1)]
    assert set(pipeline.run("per_channel").rows("per_channel")) == set(expected)

    pipeline.append("raw_orders", [(1, "web"), (4, "web")])
    expected = [("app", 1), ("web", 2)]
    assert set(pipeline.run("per_channel").rows("per_channel")) == set(expected)


with PipelineTest(shop) as pipeline:
    check_shop(pipeline)

# %% asserts the expectation: raises no `AssertionError`
DA.exercise("15X.2")  # removes what an earlier attempt created


def check_shop(pipeline):
    pipeline.mock("raw_orders", [(1, "web"), (1, "web"), (3, None), (None, "app")], schema=RAW)
    result = pipeline.run("per_channel")
    assert result.expectation("valid_orders", "has an id").failed == 1
    assert set(result.rows("per_channel")) == {("web", 1), (None, 1)}

# %% `", 3),` for `", 2),`: which is right
DA.exercise("15X.2")  # removes what an earlier attempt created


def check_shop(pipeline):
    pipeline.mock("raw_orders", [(1, "web"), (1, "web"), (2, "app"), (3, None), (None, "app")], schema=RAW)
    expected = [("app", 1), ("web", 1), (None, 1)]
    assert set(pipeline.run("per_channel").rows("per_channel")) == set(expected)

    pipeline.append("raw_orders", [(1, "web"), (4, "web")])
    expected = [("app", 1), ("web", 3), (None, 1)]
    assert set(pipeline.run("per_channel").rows("per_channel")) == set(expected)


with PipelineTest(shop) as pipeline:
    check_shop(pipeline)
