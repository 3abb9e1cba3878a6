"""What a pipeline's sources say: datasets, flows and expectations, as the Python names and the cells define them."""
