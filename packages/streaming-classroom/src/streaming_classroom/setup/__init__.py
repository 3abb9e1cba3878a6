"""Set-up inside the virtual environment: Java, jars, datasets, class-data archive, doctor, reset."""
