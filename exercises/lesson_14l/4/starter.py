DA.exercise("14L.4")  # removes what an earlier attempt created
wars_topic = DA.kafka.create_topic("wars")

alerts = None  # write wars_vw here, as messages to wars_topic
