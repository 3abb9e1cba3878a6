DA.exercise("05.3")  # removes what an earlier attempt created

job = None  # write the nightly job here, and wait for its end

DA.data_factory.load()  # the next day lands

live = None  # write the live stream here
