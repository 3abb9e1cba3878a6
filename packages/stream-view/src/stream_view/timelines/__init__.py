"""How a query's watermark moved and what became of its events: the data, the picture, the text."""
