"""pandas on Spark: the functions and classes that notebooks use, with pandas' results, worked out by Spark.

A frame holds a `Table` (`core/tables.py`): labelled values in a `Space` of rows (`core/spaces.py`), an index and
an order. An operation makes another table, of Spark expressions alone; Spark runs when somebody looks. So a frame's
plan has the operators that the program wrote, and can be traced like any other.

Each family of methods has a folder, and in it `methods.py` has what `DataFrame` and `Series` inherit.

Where the result could be another than pandas', the call is refused in one sentence with its line (`core/steps.py`).
"""
