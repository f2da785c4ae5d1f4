"""What a Python function returns, as an expression of the model over its arguments: read, never run.

`understand` follows the function's syntax tree along every path that its conditions allow. Each path has the
conditions that lead there and the value that comes back. Where a path does something that is not modelled here, its
value is the call of the function itself, of which nothing is known but that equal arguments give equal values. So the
expression equals the function for all arguments that it returns for; for arguments that make it raise, it says
nothing.

What is modelled means what it means in Python, not in Spark: functions named `python ...` have the meaning of the
operator or method they are named after, and nobody but this room and its readers gives them another. Comparisons,
logic and CASE are the model's own, written so that NULL, NaN and -0.0 come out as Python has it.

| room | what is there |
|---|---|
| `source` | the syntax tree of a function, proved to be that function's by its bytecode |
| `bytecode` | a guess of that tree where there is no source |
| `values` | what a value can be while a path is followed |
| `paths` | decisions, and the budget |
| `operations` | operators, comparisons, truth, containers |
| `calls` | builtin functions and methods |
| `names` | arguments, variables, globals and closures |
| `expressions`, `interpreter` | what expressions are worth; statements and calls |
| `picking` | aggregates that return one of the values they were given |
| `implied` | back from the value a function returned to its arguments |

Nothing of the user's is executed: names are looked up in the function's globals and closure, and only values of
Python's own plain types are taken from there. Work is bounded by steps, paths and the size of constants.
"""

from predtrace.symbolic.python.implied import calls_what_is_known, implied, unfolded
from predtrace.symbolic.python.picking import picked
from predtrace.symbolic.python.understanding import Understood, understand

__all__ = ["Understood", "calls_what_is_known", "implied", "picked", "understand", "unfolded"]
