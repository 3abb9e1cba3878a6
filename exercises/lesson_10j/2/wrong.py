# %% without the range: 31 minutes
DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = (orders.withWatermark("ordered_at", "10 minutes")
    .join(
        payments.withWatermark("paid_at", "10 minutes"),
        F.expr("""
            paid_order = order_id""")))

# %% without a lower limit: 31 minutes
DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = (orders.withWatermark("ordered_at", "10 minutes")
    .join(
        payments.withWatermark("paid_at", "10 minutes"),
        F.expr("""
            paid_order = order_id
            AND paid_at <= ordered_at + INTERVAL 30 MINUTES""")))

# %% without an upper limit: 31 minutes
DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = (orders.withWatermark("ordered_at", "10 minutes")
    .join(
        payments.withWatermark("paid_at", "10 minutes"),
        F.expr("""
            paid_order = order_id
            AND paid_at >= ordered_at - INTERVAL 5 MINUTES""")))

# %% without an allowance for the clocks: 31 minutes
DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = (orders.withWatermark("ordered_at", "10 minutes")
    .join(
        payments.withWatermark("paid_at", "10 minutes"),
        F.expr("""
            paid_order = order_id
            AND paid_at BETWEEN ordered_at AND ordered_at + INTERVAL 30 MINUTES""")))

# %% the range the wrong way round: 31 minutes
DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = (orders.withWatermark("ordered_at", "10 minutes")
    .join(
        payments.withWatermark("paid_at", "10 minutes"),
        F.expr("""
            paid_order = order_id
            AND ordered_at BETWEEN paid_at - INTERVAL 5 MINUTES AND paid_at + INTERVAL 30 MINUTES""")))

# %% without the watermark of the orders: keeps rows that can no longer match
DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = (orders
    .join(
        payments.withWatermark("paid_at", "10 minutes"),
        F.expr("""
            paid_order = order_id
            AND paid_at BETWEEN ordered_at - INTERVAL 5 MINUTES AND ordered_at + INTERVAL 30 MINUTES""")))

# %% without the watermark of the payments: keeps rows that can no longer match
DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = (orders.withWatermark("ordered_at", "10 minutes")
    .join(
        payments,
        F.expr("""
            paid_order = order_id
            AND paid_at BETWEEN ordered_at - INTERVAL 5 MINUTES AND ordered_at + INTERVAL 30 MINUTES""")))

# %% a delay of 5 minutes for the orders: It loses them
DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = (orders.withWatermark("ordered_at", "5 minutes")
    .join(
        payments.withWatermark("paid_at", "10 minutes"),
        F.expr("""
            paid_order = order_id
            AND paid_at BETWEEN ordered_at - INTERVAL 5 MINUTES AND ordered_at + INTERVAL 30 MINUTES""")))

# %% a delay of 5 minutes for the payments: It loses them
DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = (orders.withWatermark("ordered_at", "10 minutes")
    .join(
        payments.withWatermark("paid_at", "5 minutes"),
        F.expr("""
            paid_order = order_id
            AND paid_at BETWEEN ordered_at - INTERVAL 5 MINUTES AND ordered_at + INTERVAL 30 MINUTES""")))

# %% limits that are left out: 31 minutes
DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = (orders.withWatermark("ordered_at", "10 minutes")
    .join(
        payments.withWatermark("paid_at", "10 minutes"),
        F.expr("""
            paid_order = order_id
            AND paid_at > ordered_at - INTERVAL 5 MINUTES AND paid_at < ordered_at + INTERVAL 30 MINUTES""")))

# %% a left join: an outer join adds
DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = (orders.withWatermark("ordered_at", "10 minutes")
    .join(
        payments.withWatermark("paid_at", "10 minutes"),
        F.expr("""
            paid_order = order_id
            AND paid_at BETWEEN ordered_at - INTERVAL 5 MINUTES AND ordered_at + INTERVAL 30 MINUTES"""),
        "left"))
