"""The archive: what it holds, read in slices, and the ZIP file that it becomes."""
