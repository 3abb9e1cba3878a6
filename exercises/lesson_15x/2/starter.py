DA.exercise("15X.2")  # removes what an earlier attempt created


def check_shop(pipeline):
    ...  # pipeline.mock("raw_orders", [...], schema=RAW), then assert


with PipelineTest(shop) as pipeline:
    check_shop(pipeline)
