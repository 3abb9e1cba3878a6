DA.exercise("15X.2")  # removes what an earlier attempt created


def check_shop(pipeline):
    rows = [(1, "web"), (1, "web"), (2, "app"), (3, None), (None, "app")]
    pipeline.mock("raw_orders", rows, schema=RAW)
    expected = [("app", 1), ("web", 1), (None, 1)]
    assert set(pipeline.run("per_channel").rows("per_channel")) == set(expected)

    pipeline.append("raw_orders", [(1, "web"), (4, "web")])
    expected = [("app", 1), ("web", 2), (None, 1)]
    assert set(pipeline.run("per_channel").rows("per_channel")) == set(expected)


with PipelineTest(shop) as pipeline:
    check_shop(pipeline)
