"""An update, shown below its cell as a graph."""
