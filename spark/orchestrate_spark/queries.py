# SPDX-License-Identifier: Apache-2.0
"""Refuses SQL that is more than a query of a store's tables, before any engine sees it.

A query only reads. A statement that changes something, a script that a query starts (TRANSFORM ... USING), a
function that reaches the engine's own process (Spark: reflect, java_method) and a table that is a file do not
pass, whichever engine answers.

The parser is sqlglot and not the engine's own, because a Spark Connect session executes a statement such as
DROP TABLE as soon as it gets it.
"""

from __future__ import annotations

import logging
import re

from orchestrate_spark.errors import WrongQuery

DIALECT = "spark"
# Names of functions, in small letters: Spark's that call the JVM or make a table's name of a text, and table
# functions that read files.
DENIED = re.compile(r"java_method|(?:try_)?reflect|identifier|(?:read|scan)_\w+|\w+_scan|glob")
_LOG = "sqlglot"  # it logs what it can't parse, which check() refuses


def check(query: str) -> None:
    """Raise WrongQuery if this is not one query, or one that does more than read the store's tables."""
    import sqlglot
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    logging.getLogger(_LOG).setLevel(logging.ERROR)
    try:
        statements = [one for one in sqlglot.parse(query, read=DIALECT) if one is not None]
    except (SqlglotError, RecursionError) as error:
        what = str(error).splitlines()[0] if isinstance(error, SqlglotError) else "it is nested too deeply"
        raise WrongQuery(f"not SQL that can be read: {what}") from error
    if len(statements) != 1:
        raise WrongQuery(f"{len(statements)} statements; write one query")
    (statement,) = statements
    if not isinstance(statement, exp.Query | exp.Values):
        raise WrongQuery(
            f"{query.split()[0].upper()} is not a query: write SELECT, VALUES or WITH ... SELECT"
        )
    for node in statement.walk():
        if isinstance(node, exp.QueryTransform):
            raise WrongQuery("TRANSFORM starts a program; a query only reads")
        if isinstance(node, exp.DML | exp.DDL | exp.Command | exp.Into) and not isinstance(node, exp.Query):
            raise WrongQuery(f"{node.key.upper()} changes something; a query only reads")
        if isinstance(node, exp.Func) and DENIED.fullmatch(name := _name(node)):
            raise WrongQuery(f"the function {name} is not for queries: they read the store's tables only")
        if isinstance(node, exp.Table) and (node.db or "/" in node.name):
            raise WrongQuery(f"{node.sql(DIALECT)} is not a table of the store")


def _name(function: object) -> str:
    from sqlglot import exp

    named = function.name if isinstance(function, exp.Anonymous) else function.sql_name()
    return named.lower()
