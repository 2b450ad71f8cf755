"""The access log: a line for each request, on its way to the file of its day.

A process writes its lines to files, which outlive it. Any process of the machine ships complete
files to the store (`sender.py`). A worker moves the blocks to the files of their days, and adds up
their counts in the script that takes a block out (`reader.py`).
"""
