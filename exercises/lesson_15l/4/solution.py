DA.exercise("15L.4")  # removes what an earlier attempt created

dp.create_streaming_table("once")
dp.create_auto_cdc_flow(
    target="once", source="placed", keys=["station", "measured"], sequence_by="received")

update = run_pipeline()
