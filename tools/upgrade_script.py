#!/usr/bin/env python3
"""Writes the upgrade scripts from the last release to what is in sql/ now, or says with --check that they are not current.

    tools/upgrade_script.py [--check]

An upgrade is what the two install scripts differ in, statement by statement: functions, views and comments that are new or
changed are taken from the new script, those that are gone are dropped. What becomes of tables, types and their rows no
comparison can tell: that is written by hand into sql/upgrade-RELEASE.sql and sql/store/upgrade-RELEASE.sql, which stand
first. test/t/006_upgrade.pl compares an updated database with a fresh one.

Functions of flamegraph are called by what users have made, and by the store. One that gets more arguments (with defaults) or
columns therefore keeps its oid: its row of pg_proc gets what the new form says, as upgrades of PostgreSQL's own intarray do,
and the planner supplies defaults to calls that were stored before. Functions of the store that change their form are
dropped together with what depends on them and made anew.

Lines of the parts by hand name functions that stay as they are in the script and have to be treated nevertheless:
"-- made anew: NAME" (what uses the row type of a table that changes), "-- replaced: NAME" (what returns all columns of one).
"""

import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
WORD = re.compile(r"\w+")
QUOTED = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"[^\"]*\"|(\$\w*\$).*?\1", re.S)

RETYPE = """
CREATE FUNCTION takes_form_of(old regprocedure, new regprocedure) RETURNS void
	LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
	v pg_proc;
BEGIN
	SELECT * INTO STRICT v FROM pg_proc WHERE oid = new;
	EXECUTE format('DROP FUNCTION %s', new);
	UPDATE pg_proc SET pronargs = v.pronargs, pronargdefaults = v.pronargdefaults, proargtypes = v.proargtypes,
		proallargtypes = v.proallargtypes, proargmodes = v.proargmodes, proargnames = v.proargnames,
		proargdefaults = v.proargdefaults, prorettype = v.prorettype, prosrc = v.prosrc, procost = v.procost,
		prorows = v.prorows, proisstrict = v.proisstrict
	WHERE oid = old;
END
$$;
"""

# Who could execute what is made anew may do so again. Only functions that not everybody may execute have such rights.
KEEP_RIGHTS = """
CREATE TABLE kept_rights AS
SELECT p.proname::text AS name, g.rolname::text AS role
FROM pg_catalog.pg_proc AS p CROSS JOIN LATERAL pg_catalog.aclexplode(p.proacl) AS a
	JOIN pg_catalog.pg_roles AS g ON g.oid OPERATOR(pg_catalog.=) a.grantee
WHERE p.pronamespace OPERATOR(pg_catalog.=) 'profiling'::pg_catalog.regnamespace
	AND a.grantee OPERATOR(pg_catalog.<>) p.proowner AND a.privilege_type OPERATOR(pg_catalog.=) 'EXECUTE';
"""

# A superuser may update what is somebody else's, and after pg_upgrade nobody else does: it makes extensions the superuser's.
HAND_OVER = """
DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	r pg_catalog.record;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	FOR r IN
		SELECT format('ALTER %s %s OWNER TO %I', o.kind, o.name, pg_get_userbyid(t.relowner)) AS command
		FROM pg_class AS t, pg_extension AS x JOIN pg_depend AS d
			ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = x.oid AND d.deptype = 'e',
			LATERAL (SELECT c.relowner AS owner, c.oid::regclass::text AS name,
					CASE c.relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END AS kind
				FROM pg_class AS c
				WHERE d.classid = 'pg_class'::regclass AND c.oid = d.objid AND c.relkind IN ('r', 'p', 'v')
				UNION ALL SELECT p.proowner, p.oid::regprocedure::text, 'ROUTINE' FROM pg_proc AS p
				WHERE d.classid = 'pg_proc'::regclass AND p.oid = d.objid
				UNION ALL SELECT y.typowner, format_type(y.oid, NULL), 'TYPE' FROM pg_type AS y
				WHERE d.classid = 'pg_type'::regclass AND y.oid = d.objid AND y.typtype IN ('c', 'd', 'e')) AS o
		WHERE t.oid = 'profiling.profile_data'::regclass AND x.extname = 'flamegraph_store' AND o.owner <> t.relowner
	LOOP
		EXECUTE r.command;
	END LOOP;
	PERFORM set_config('search_path', v_path, true);
END
$$;
"""
# Readers and admins have rights on all tables and views: those that are new or made anew are given to the same roles as
# the findings.
GIVE_RIGHTS = """
DO LANGUAGE plpgsql $$
DECLARE
	v_path CONSTANT pg_catalog.text := pg_catalog.current_setting('search_path');
	r pg_catalog.record;
BEGIN
	PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);
	FOR r IN
		SELECT DISTINCT c.oid::regclass AS relation, a.privilege_type AS right, g.rolname AS role
		FROM pg_class AS f CROSS JOIN LATERAL aclexplode(f.relacl) AS a JOIN pg_roles AS g ON g.oid = a.grantee,
			pg_class AS c
		WHERE f.oid = 'profiling.regression'::regclass AND a.grantee <> f.relowner
			AND c.relnamespace = f.relnamespace AND c.relkind IN ('r', 'v', 'p')
			AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
			AND NOT has_table_privilege(g.oid, c.oid, a.privilege_type)
	LOOP
		EXECUTE format('GRANT %s ON %s TO %I', r.right, r.relation, r.role);
	END LOOP;
	FOR r IN
		SELECT DISTINCT p.oid::regprocedure AS routine, k.role
		FROM profiling.kept_rights AS k JOIN pg_proc AS p ON p.proname = k.name
		WHERE p.pronamespace = 'profiling'::regnamespace AND NOT has_function_privilege(k.role, p.oid, 'EXECUTE')
	LOOP
		EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', r.routine, r.role);
	END LOOP;
	PERFORM set_config('search_path', v_path, true);
END
$$;
"""


# --- statements ----------------------------------------------------------------------------------------------------------


def statements(script):
    """The statements of a script, each without the comments and blank lines before it."""
    start = at = depth = 0
    atomic = []
    found = []
    while at < len(script):
        quoted = QUOTED.match(script, at)
        word = WORD.match(script, at)
        if quoted:
            at = quoted.end()
            continue
        if word:
            track_blocks(word.group().upper(), script[start:at], atomic)
            at = word.end()
            continue
        depth += {"(": 1, ")": -1}.get(script[at], 0)
        at += 1
        if script[at - 1] == ";" and depth == 0 and not atomic:
            found.append(without_heading(script[start:at]))
            start = at
    return found


def track_blocks(word, before, atomic):
    """BEGIN ATOMIC … END, and CASE … END within it, hold semicolons of their own."""
    if word == "ATOMIC" and re.search(r"\bBEGIN\s+$", before) or word == "CASE" and atomic:
        atomic.append(word)
    elif word == "END" and atomic:
        atomic.pop()


def without_heading(text):
    return re.sub(r"\A(\s+|--[^\n]*\n|\\[^\n]*\n|/\*.*?\*/)+", "", text, flags=re.S)


def kind_and_name(statement):
    """('FUNCTION', 'name') and the like; ('', text) for what has no name."""
    found = re.match(r'CREATE (?:OR REPLACE )?(?:UNIQUE )?(FUNCTION|PROCEDURE|AGGREGATE|VIEW|TABLE|TYPE|INDEX|TRIGGER|SEQUENCE) "?([\w.]+)',
                     statement)
    if found:
        return found.group(1), found.group(2)
    found = re.match(r"CREATE OPERATOR CLASS (\w+) [^;]*?USING (\w+)", statement)
    return ("OPERATOR CLASS", " ".join(found.groups())) if found else ("", statement)


# --- templates of the store -----------------------------------------------------------------------------------------------


def expanded(script):
    """The script with what profiling.define() would have executed, and without define()."""
    found = re.search(r"CREATE FUNCTION selection_arguments\(.*?VALUES(.*?);", script, re.S)
    if not found:
        return script
    rows = re.findall(r"\(\d+, '([\w]+)', '([\w\[\]]+)', '(.*?)'\)[,\s]", found.group(1) + "\n")
    rows = [(name, kind, default.replace("''", "'")) for name, kind, default in rows]

    def filled(match):
        text = match.group(1).strip()
        text = text.replace("{arguments}", ", ".join(f"{name} {kind} DEFAULT {default}" for name, kind, default in rows))
        text = text.replace("{types}", ", ".join(kind for _, kind, _ in rows))
        return re.sub(r"\{passed:(\w+)\}", lambda f: ", ".join(f"{n} => {f.group(1)}.{n}" for n, _, _ in rows), text) + ";"

    script = re.sub(r"SELECT profiling\.define\(\$define\$(.*?)\$define\$(?:::pg_catalog\.text)?\);", filled, script,
                    flags=re.S)
    script = re.sub(r"CREATE FUNCTION define\(.*?\$\$;", "", script, flags=re.S)
    return script.replace("DROP FUNCTION profiling.define(text);", "")


def named(by_hand, what):
    """The names in lines such as "-- replaced: profiles, profiles_of"."""
    return {name for line in re.findall(rf"^-- {what}: (.*)$", by_hand, re.M) for name in re.split(r",\s*", line)}


def created_by(statement):
    """The function that a statement makes, also from within a DO."""
    found = re.search(r'CREATE (?:FUNCTION|PROCEDURE) "?(\w+)"?\(', statement)
    return found.group(1) if found and statement.startswith(("CREATE ", "DO ")) else None


# --- functions -----------------------------------------------------------------------------------------------------------


def squeezed(text):
    return re.sub(r"\s+", " ", text).strip()


def arguments(statement):
    """The argument list, the text in the first parentheses."""
    start = statement.index("(")
    depth = 0
    for at in range(start, len(statement)):
        depth += {"(": 1, ")": -1}.get(statement[at], 0)
        if depth == 0:
            return statement[start + 1:at]
    raise ValueError(statement)


def split_arguments(text):
    parts, depth, start = [], 0, 0
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1, "[": 1, "]": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [squeezed(part) for part in [*parts, text[start:]] if part.strip()]


def input_types(statement):
    """What identifies a function besides its name: the types of the arguments that go in."""
    types = []
    for part in split_arguments(arguments(statement)):
        words = re.sub(r"\s+(DEFAULT|=)\s.*", "", part).split()
        if words[0] == "OUT":
            continue
        words = [word for word in words if word not in ("IN", "INOUT", "VARIADIC")]
        types.append(" ".join(words[1:] if len(words) > 1 else words))
    return ", ".join(types)


def identity(statement):
    kind, name = kind_and_name(statement)
    return (kind, name, input_types(statement))


def header(statement):
    """Arguments and result: what CREATE OR REPLACE cannot change."""
    return squeezed(re.split(r"\s(?:LANGUAGE|AS)\s", statement, maxsplit=1)[0])


def is_routine(statement):
    return kind_and_name(statement)[0] in ("FUNCTION", "PROCEDURE")


# --- the difference --------------------------------------------------------------------------------------------------------


class Difference:
    """Statements of the new script that are not in the old one, and what must go."""

    def __init__(self, old, new):
        self.old, self.new = old, new
        self.had = set(old)
        self.old_routines = {identity(s): s for s in old if is_routine(s)}
        self.new_routines = {identity(s): s for s in new if is_routine(s)}
        self.old_names = {kind_and_name(s) for s in old if not is_routine(s)}

    def added(self):
        """In the order of the new script; comments that are copied from tables to views are always copied again."""
        return [s for s in self.new if (s not in self.had or s.startswith("DO ")) and self.is_for_upgrades(s)]

    def is_for_upgrades(self, statement):
        kind, name = kind_and_name(statement)
        if statement.startswith("DO "):
            return "COMMENT ON COLUMN" in statement
        # Tables, types and what belongs to them change by hand.
        return kind in ("FUNCTION", "PROCEDURE", "VIEW", "AGGREGATE", "") or (kind, name) not in self.old_names

    def of_another_form(self):
        """Old routines of which the new script has another form, by the name: (old, new) pairs, and those that are gone."""
        pairs, gone = [], []
        fresh = [s for key, s in self.new_routines.items() if key not in self.old_routines]
        for key, statement in self.old_routines.items():
            same = self.new_routines.get(key)
            if same is not None:
                if header(same) != header(statement):
                    pairs.append((statement, same))
                continue
            heirs = [s for s in fresh if extends(s, statement)]
            pairs.append((statement, heirs[0])) if heirs else gone.append(statement)
        return pairs, gone


def extends(new, old):
    """Whether a form has the same name, and the old one's arguments as its first ones."""
    return identity(new)[:2] == identity(old)[:2] and input_types(new).startswith(input_types(old))


def signature(statement):
    kind, name, types = identity(statement)
    return f"{name}({types})"


def replaced(statement):
    return re.sub(r"\bCREATE (?=FUNCTION|PROCEDURE|VIEW|AGGREGATE)", "CREATE OR REPLACE ", statement, count=1)


# --- flamegraph --------------------------------------------------------------------------------------------------------------


def core_upgrade(old, new, by_hand):
    difference = Difference(old, new)
    pairs, gone = difference.of_another_form()
    forms = {new_form: old_form for old_form, new_form in pairs}
    body = [f"DROP {kind_and_name(s)[0]} {signature(s)};" for s in gone]
    for statement in difference.added():
        kind, name = kind_and_name(statement)
        if statement in forms:
            body += [statement.replace(f" {name}(", f" new_{name}(", 1),
                     f"SELECT takes_form_of('{signature(forms[statement])}', 'new_{signature(statement)}');"]
        else:
            body.append(replaced(statement) if is_routine(statement) or kind == "VIEW" else statement)
    if not forms:
        return [by_hand, *body]
    return [by_hand, RETYPE.strip(), *body, "DROP FUNCTION takes_form_of(regprocedure, regprocedure);"]


# --- the store -----------------------------------------------------------------------------------------------------------------


def is_bound(statement):
    """Whether PostgreSQL knows what a statement uses: views, functions with BEGIN ATOMIC."""
    return kind_and_name(statement)[0] == "VIEW" or "BEGIN ATOMIC" in statement


def uses(statement, name):
    kind, own = kind_and_name(statement)
    rest = statement.split(own, 1)[1]
    return re.search(rf"\b{name}\(", rest) or kind == "VIEW" and re.search(rf"\b(FROM|JOIN) {name}\b", rest)


def dependents(old, names):
    """The views and functions of the old script that cannot stay when routines of these names go."""
    found = []
    size = -1
    while size != len(found):
        size = len(found)
        for statement in old:
            if statement not in found and is_bound(statement) and any(uses(statement, name) for name in names):
                found.append(statement)
                names = names | {kind_and_name(statement)[1]}
    return found


def store_upgrade(old, new, by_hand):
    difference = Difference(old, new)
    pairs, gone = difference.of_another_form()
    dropped = [form for form, _ in pairs] + gone
    # What uses the row type of a table stands in the way of its new columns.
    dropped += [s for s in old if is_routine(s) and kind_and_name(s)[1] in named(by_hand, "made anew") and s not in dropped]
    bound = [s for s in dependents(old, {kind_and_name(s)[1] for s in dropped}) if s not in dropped]
    views = [kind_and_name(s)[1] for s in bound if kind_and_name(s)[0] == "VIEW"]
    routines = dropped + [s for s in bound if is_routine(s)]
    anew = {identity(s) for s in routines}
    again = [s for s in new if s in difference.had and
             (is_routine(s) and identity(s) in anew or kind_and_name(s)[0] == "VIEW" and kind_and_name(s)[1] in views)]
    comments = [s for s in new if s in difference.had and is_comment_on(s, routines, views)]
    # A stored query names all columns of what it calls.
    grown = named(by_hand, "replaced")
    tables = re.findall(r"^ALTER TABLE (\w+)\s+ADD COLUMN", by_hand, re.M)
    replaced_too = [s for s in new if created_by(s) in grown or is_bound(s) and re.search(r"\w\.\*", s) and any(
        re.search(rf"\b{table}\b", s) for table in tables)] + dependents(new, grown | forms_of_types())
    wanted = set(again) | set(comments) | set(replaced_too) | set(difference.added())
    body = [f"DROP VIEW {', '.join(views)};"] if views else []
    body.insert(0, KEEP_RIGHTS.strip())
    if routines:
        body.append("DROP ROUTINE " + ",\n\t".join(sorted(signature(s) for s in routines)) + ";")
    body.append(by_hand)
    for statement in new:
        if statement in wanted:
            kind = kind_and_name(statement)[0]
            body.append(replaced(statement) if created_by(statement) or kind == "VIEW" else statement)
    # What roles had been granted, and the look for what is bound to others' objects, which ends the new script.
    return body + [HAND_OVER.strip(), GIVE_RIGHTS.strip(), "DROP TABLE kept_rights;", new[-1]]


def forms_of_types():
    """The names of functions of flamegraph that have another form than in the release."""
    release = released()
    old, new = scripts("flamegraph", TOP / "sql", release, "SQL_TOPICS")
    return {kind_and_name(s)[1] for s, _ in Difference(old, new).of_another_form()[0]}


# --- jobs ------------------------------------------------------------------------------------------------------------------------


def jobs_upgrade(old, new, by_hand):
    """As of flamegraph; new tables and views are granted to who may read phases, get their owner, and nothing foreign is bound."""
    rights = GIVE_RIGHTS.replace("profiling.regression", "jobs.phase").split("\tFOR r IN\n\t\tSELECT DISTINCT p.oid")[0]
    ending = "\tPERFORM set_config('search_path', v_path, true);\nEND\n$$;"
    return [*core_upgrade(old, new, by_hand), new[-2], rights.strip() + "\n" + ending, new[-1]]


def is_comment_on(statement, routines, views):
    found = re.match(r"COMMENT ON (FUNCTION|PROCEDURE|VIEW|COLUMN) ([\w]+)(\(|\.| )", statement)
    if not found:
        return statement.startswith(("DO ", "GRANT ", "REVOKE ")) and any(
            re.search(rf"\b{name}\b", statement) for name in [*views, *(kind_and_name(s)[1] for s in routines)])
    names = views if found.group(1) in ("VIEW", "COLUMN") else [kind_and_name(s)[1] for s in routines]
    return found.group(2) in names


# --- files -------------------------------------------------------------------------------------------------------------------------


def version_of(extension):
    control = (TOP / f"{extension}.control").read_text(encoding="utf-8")
    return re.search(r"^default_version *= *'(.*)'", control, re.M).group(1)


def topics(variable):
    makefile = (TOP / "Makefile").read_text(encoding="utf-8")
    return re.search(rf"^{variable} *= *(.*)$", makefile, re.M).group(1).split()


def released():
    makefile = (TOP / "Makefile").read_text(encoding="utf-8")
    return re.search(r"^RELEASED *= *(.*)$", makefile, re.M).group(1)


def scripts(extension, folder, release, variable):
    """The statements of the release's script and of the one that the topics make."""
    new = "".join((folder / f"{topic}.sql").read_text(encoding="utf-8") for topic in topics(variable))
    old = (TOP / f"sql/released/{extension}--{release}.sql").read_text(encoding="utf-8")
    return statements(expanded(old)), statements(expanded(new))


def script_of(extension, folder, release, variable, differ):
    by_hand = folder / f"upgrade-{release}.sql"
    now = version_of(extension)
    head = ("-- complain if script is sourced in psql, rather than via ALTER EXTENSION\n"
            f"\\echo Use \"ALTER EXTENSION {extension} UPDATE TO '{now}'\" to load this file. \\quit\n\n"
            f"-- Written by tools/upgrade_script.py: by hand is only what comes from {by_hand.relative_to(TOP)}.\n\n")
    parts = differ(*scripts(extension, folder, release, variable), by_hand.read_text(encoding="utf-8").strip())
    return folder / f"{extension}--{release}--{now}.sql", head + "\n\n".join(part for part in parts if part) + "\n"


def main():
    release = released()
    stale = []
    extensions = [("flamegraph", TOP / "sql", release, "SQL_TOPICS", core_upgrade),
                  ("flamegraph_store", TOP / "sql/store", release, "STORE_TOPICS", store_upgrade)]
    # The first release of the jobs is 0.2.0.
    if (TOP / f"sql/released/flamegraph_jobs--{release}.sql").exists():
        extensions.append(("flamegraph_jobs", TOP / "sql/jobs", release, "JOBS_TOPICS", jobs_upgrade))
    for path, text in [script_of(*extension) for extension in extensions]:
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(str(path.relative_to(TOP)))
            if "--check" not in sys.argv:
                path.write_text(text, encoding="utf-8")
    if stale and "--check" in sys.argv:
        sys.exit(f"not current: {', '.join(stale)}; run tools/upgrade_script.py")


main()
