"""How a query's watermark moved and what happened to its events: the data, the picture, the text."""
