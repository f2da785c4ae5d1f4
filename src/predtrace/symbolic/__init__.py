"""Proves and refutes statements about operators, for all tables up to a bound. The only room that knows Z3.

`terms` are formulas as data; `values` are SQL values made of them (a term, and whether it is NULL);
`expressions` turns the model's expressions into such values; `tables` are a few rows of them that may or may not
exist; `groups` has what grouping operators need; `laws` states the laws of push-down as claims; `solver` decides
a claim: PROVED, REFUTED with the rows that show it, or UNKNOWN.

What is not known about a function is left open (an uninterpreted function): what holds for every function holds
for the real one. The reverse is not true, so a refutation may be too strict and a proof never is.

A Filter, run by hand, and the predicate that finds the lineage of its rows:

>>> from predtrace.ir.expressions import Call, Column, ColumnId, Literal
>>> from predtrace.ir.predicates import Parameter
>>> from predtrace.ir.types import BOOLEAN, INTEGER
>>> from predtrace.symbolic.laws import Run, lineage_exact
>>> from predtrace.symbolic.solver import prove
>>> from predtrace.symbolic.tables import SymbolicTable, filtered, fresh_table, own_lineage
>>> a = Column(ColumnId("1"), "a", INTEGER)
>>> b = Column(ColumnId("2"), "b", INTEGER)
>>> positive = Call(">", (b, Literal(0, INTEGER)), BOOLEAN)
>>> selection = Call("<=>", (a, Parameter("v", INTEGER)), BOOLEAN)
>>> def run(inputs: tuple[SymbolicTable, ...]) -> SymbolicTable:
...     return filtered(own_lineage(inputs[0]), positive)
>>> table = fresh_table("t", (a, b), 2)
>>> done = Run((table,), run((table,)))
>>> prove(lineage_exact(done, 0, selection, Call("and", (selection, positive), BOOLEAN))).is_proved
True
>>> refuted = prove(lineage_exact(done, 0, selection, selection)).counterexample
>>> [" ".join(note.split()[3:]) for note in refuted.notes]
['t is selected although it is in the lineage of no target row']
"""
