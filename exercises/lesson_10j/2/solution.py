DA.exercise("10J.2")  # removes what an earlier attempt created

paid_in_time = (orders.withWatermark("ordered_at", "10 minutes")
    .join(
        payments.withWatermark("paid_at", "10 minutes"),
        F.expr("""
            paid_order = order_id
            AND paid_at BETWEEN ordered_at - INTERVAL 5 MINUTES
                AND ordered_at + INTERVAL 30 MINUTES""")))
