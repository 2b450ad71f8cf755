"""Live settings in the browser and on the command line."""
