"""A syntax tree for a function without source, guessed from its bytecode.

Nobody has to trust the guess: it is compiled, and counts only if that gives the bytecode it was guessed from
(`source.py`). So what is wrong or missing here costs precision, never truth. All work is bounded.

| room | what is there |
|---|---|
| `instructions` | the instructions of a function; how the versions of Python name them |
| `nodes`, `stack`, `stack_machine` | a straight run of them as statements and expressions |
| `rewriting` | what the compiler did to conditions of loops and to ends of functions, undone |
| `blocks`, `graph` | where straight runs begin, end and lead to |
| `decisions`, `statements`, `loops` | rules that put runs together |
| `control_flow` | from jumps back to conditions and loops, by these rules |
| `proposal` | the tree of a whole function |

Written for Python 3.10 to 3.13; of 3.11 most is read, of the others less (comprehensions that 3.12 puts into the
function, for one). What the interpreter does not follow anyway is not looked for: handlers of exceptions, `with`,
`match`, imports.
"""

from predtrace.symbolic.python.bytecode.instructions import is_whole
from predtrace.symbolic.python.bytecode.proposal import VARIANTS, imported_by, proposed

__all__ = ["VARIANTS", "imported_by", "is_whole", "proposed"]
