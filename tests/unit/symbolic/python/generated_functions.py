"""Small functions as text, drawn from a grammar of what is read from bytecode."""

from __future__ import annotations

from random import Random

_NAMES = ("a", "b", "c", "x", "y")
_BINARY = ("+", "-", "*", "//", "%", "**", "&")
_COMPARED = ("<", "<=", "==", "!=", ">", ">=", "in", "not in", "is", "is not")


class Writer:
    """Writes a function; the same random numbers give the same one."""

    def __init__(self, random: Random) -> None:
        self.random = random

    def function(self) -> str:
        body = ["x = 1", "y = 'k'"] if self.random.random() < 0.7 else ["x = y = a"]
        body += self.block(2, in_loop=False)
        if self.random.random() < 0.8:
            body.append(f"return {self.expression(3)}")
        doc = ["'What it does.'"] if self.random.random() < 0.2 else []
        return "\n".join(["def f(a, b, c=2):", *("    " + line for line in [*doc, *body])])

    def block(self, depth: int, in_loop: bool) -> list[str]:
        count = self.random.randint(1, 3)
        return [line for _ in range(count) for line in self.statement(depth, in_loop)]

    def statement(self, depth: int, in_loop: bool) -> list[str]:
        kinds = ["assign", "assign", "add", "unpack", "call", "return"]
        kinds += ["if", "if else", "elif", "for", "while", "assert"] if depth else []
        kinds += ["break", "continue"] if in_loop else []
        match self.random.choice(kinds):
            case "assign":
                return [f"{self.random.choice('xy')} = {self.expression(2)}"]
            case "add":
                return [f"x {self.random.choice(_BINARY)}= {self.expression(1)}"]
            case "unpack":
                return [f"x, y = {self.expression(1)}, {self.expression(1)}"]
            case "call":
                return [f"str({self.expression(1)})"]
            case "return":
                return [f"if {self.condition(1)}:", f"    return {self.expression(2)}"]
            case "if":
                return [f"if {self.condition(2)}:", *self.inner(depth, in_loop)]
            case "if else":
                head = [f"if {self.condition(2)}:", *self.inner(depth, in_loop)]
                return [*head, "else:", *self.inner(depth, in_loop)]
            case "elif":
                head = [f"if {self.condition(2)}:", *self.inner(depth, in_loop)]
                middle = [f"elif {self.condition(1)}:", *self.inner(depth, in_loop)]
                return [*head, *middle, "else:", *self.inner(depth, in_loop)]
            case "for":
                target = self.random.choice(("x", "x", "(x, y)"))
                over = "[(1, 2), (3, 4)]" if target != "x" else f"range({self.random.randint(0, 4)})"
                return [f"for {target} in {over}:", *self.inner(depth, True)]
            case "while":
                return [f"while {self.condition(1)}:", *self.inner(depth, True)]
            case "assert":
                return [f"assert {self.condition(1)}, 'said'"]
            case word:
                return [f"if {self.condition(1)}:", f"    {word}"]

    def inner(self, depth: int, in_loop: bool) -> list[str]:
        return ["    " + line for line in self.block(depth - 1, in_loop)]

    def condition(self, depth: int) -> str:
        kind = self.random.randint(0, 5) if depth else 0
        one = self.random.choice(_NAMES) if depth < 2 else f"len({self.expression(depth - 1)})"
        match kind:
            case 0:
                return f"({one} {self.random.choice(_COMPARED)} {self.expression(0)})"
            case 1:
                return f"({self.condition(depth - 1)} and {self.condition(depth - 1)})"
            case 2:
                return f"({self.condition(depth - 1)} or {self.condition(depth - 1)})"
            case 3:
                return f"(not {self.condition(depth - 1)})"
            case 4:
                return f"(0 < {one} <= {self.expression(0)})"
        return self.random.choice(_NAMES)

    def expression(self, depth: int) -> str:
        if not depth:
            return self.random.choice((*_NAMES, "1", "2.5", "'t'", "None", "(1, 2)", "True", "LIMIT"))
        one, other = self.expression(depth - 1), self.expression(depth - 1)
        match self.random.randint(0, 12):
            case 0 | 1:
                return f"({one} {self.random.choice(_BINARY)} {other})"
            case 2:
                return f"({one} if {self.condition(depth - 1)} else {other})"
            case 3:
                return f"({self.condition(depth - 1)} {self.random.choice(('and', 'or'))} {other})"
            case 4:
                return f"min({one}, {other})"
            case 5:
                return f"str({one}).upper()"
            case 6:
                return f"f'{{{self.random.choice(_NAMES)}}}-{{{self.random.choice(_NAMES)}!r:>5}}'"
            case 7:
                return f"[{one}, {other}][{self.random.choice(('0', '1:', ':-1', '::2'))}]"
            case 8:
                return f"[{one} for k in (1, 2, 3) if k != {other}]"
            case 9:
                return f"any(k == {one} for k in [{other}])"
            case 10:
                return f"{{'a': {one}, 'b': {other}}}.get({self.expression(0)})"
            case 11:
                return f"(lambda k: {one})({other})"
        return self.condition(depth - 1)
