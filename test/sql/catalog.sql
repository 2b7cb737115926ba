-- What the extension puts into the catalogs, and the rules it follows there.

CREATE TEMP VIEW member AS
SELECT classid, objid, pg_describe_object(classid, objid, objsubid) AS name
FROM pg_depend
WHERE refclassid = 'pg_extension'::regclass AND deptype = 'e'
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'flamegraph');
CREATE TEMP VIEW member_function AS
SELECT p.* FROM member JOIN pg_proc p ON p.oid = objid WHERE classid = 'pg_proc'::regclass;

-- Functions: names, arguments, defaults, results: what users write against
\pset format unaligned
SELECT format('%s(%s) %s', proname, pg_get_function_arguments(oid), pg_get_function_result(oid)) AS "function"
FROM member_function
WHERE prokind = 'f'
ORDER BY proname, pg_get_function_arguments(oid) COLLATE "C";
\pset format aligned

-- Aggregates and their parts
SELECT a.aggfnoid::regprocedure AS aggregate, aggtransfn, aggtranstype::regtype, aggcombinefn, aggfinalfn,
	aggserialfn, aggmtransfn, agginitval, proparallel
FROM pg_aggregate a JOIN member_function p ON p.oid = a.aggfnoid
ORDER BY a.aggfnoid::regprocedure::text COLLATE "C";

-- Every operator class is valid.
SELECT amname, opcname, amvalidate(c.oid)
FROM pg_opclass c JOIN pg_am a ON a.oid = c.opcmethod
	JOIN member m ON m.classid = 'pg_opclass'::regclass AND m.objid = c.oid
ORDER BY opcname COLLATE "C", amname COLLATE "C";

-- Casts: none between our types and text, which the automatic ones serve
SELECT castsource::regtype, casttarget::regtype, castfunc::regprocedure, castcontext
FROM pg_cast
WHERE castsource::regtype::text IN ('stackpath', 'stackquery', 'flamegraph', 'flamestats', 'flameseries')
	OR casttarget::regtype::text IN ('stackpath', 'stackquery', 'flamegraph', 'flamestats', 'flameseries')
ORDER BY castsource::regtype::text COLLATE "C", casttarget::regtype::text COLLATE "C";

-- Storage
SELECT typname, typlen, typalign, typstorage, typcollation, typcategory, typispreferred
FROM pg_type WHERE typname IN ('stackpath', 'stackquery', 'flamegraph', 'flamestats', 'flameseries') ORDER BY typname COLLATE "C";

--
-- Rules; each query lists what breaks one
--
SELECT count(*) > 50 AS some_functions FROM member_function;

-- every object has a comment, but for array types
SELECT name AS without_comment
FROM member
WHERE obj_description(objid, classid::regclass::name) IS NULL
	AND NOT (classid = 'pg_type'::regclass AND (SELECT typelem <> 0 FROM pg_type WHERE oid = objid))
ORDER BY name COLLATE "C";

-- nobody has to quote the name of a function, argument or column
SELECT n AS needs_quotes
FROM (SELECT proname::text FROM member_function UNION SELECT unnest(proargnames) FROM member_function) names(n)
WHERE quote_ident(n) <> n ORDER BY n COLLATE "C";

-- an input and an output column never share a name
SELECT oid::regprocedure AS shares_a_name
FROM member_function
WHERE (SELECT count(*) <> count(DISTINCT n) FROM unnest(proargnames) n WHERE n <> '');

-- immutable, parallel safe
SELECT oid::regprocedure AS not_immutable_parallel_safe
FROM member_function WHERE provolatile <> 'i' OR proparallel <> 's';

-- not strict: transition functions that build the first state, and where a null argument has a meaning
SELECT oid::regprocedure AS not_strict
FROM member_function WHERE NOT proisstrict AND prokind = 'f' ORDER BY oid::regprocedure::text COLLATE "C";

-- a strict function has no default that is null
SELECT oid::regprocedure AS strict_with_null_default
FROM member_function WHERE proisstrict AND pg_get_expr(proargdefaults, 0) ~* 'null';

-- an operator that commutes or has a negator says so, and these agree
CREATE TEMP VIEW member_operator AS
SELECT o.* FROM member JOIN pg_operator o ON o.oid = objid WHERE classid = 'pg_operator'::regclass;
SELECT o.oid::regoperator AS one_sided
FROM member_operator o JOIN pg_operator c ON c.oid = o.oprcom
WHERE c.oprcom <> o.oid;
SELECT o.oid::regoperator AS comparison_without_negator
FROM member_operator o
WHERE o.oprname IN ('=', '<>', '<', '<=', '>', '>=') AND o.oprnegate = 0;
-- what commutes, negates, and how rows are estimated
SELECT oid::regoperator AS operator, oprcode, oprcom::regoperator AS commutator, oprnegate::regoperator AS negator,
	oprrest AS restrict, oprjoin AS join, concat_ws(' ', CASE WHEN oprcanhash THEN 'hashes' END, CASE WHEN oprcanmerge THEN 'merges' END) AS can
FROM member_operator WHERE oprresult = 'bool'::regtype ORDER BY oprname COLLATE "C", oprleft::regtype::text COLLATE "C", oprright::regtype::text COLLATE "C";

-- expected rows and costs
SELECT oid::regprocedure AS set_returning, procost, prorows
FROM member_function WHERE proretset ORDER BY oid::regprocedure::text COLLATE "C";

-- calls with defaults only, and named arguments
SELECT norm(fg => flamegraph 'a 3'), distance(a => 'a 3', b => 'b 4'),
	similarity(a => 'a 1', b => 'a 1'), flamegraph_from_folded(data => 'a 1'::text),
	flamegraph_from_folded(data => 'a 1'::bytea), flamegraph_to_folded(fg => flamegraph 'a 1');
SELECT rescale(fg => flamegraph 'a 3'), prune(fg => flamegraph E'a 3\nb 1', min_share => 0.5) AS prune, collapse_recursion(fg => flamegraph 'a;a 3'),
	size_factor(before => 'a 10', after => 'a 20', method => 'median_ratio'), position_of(path => stackpath 'a;b', sub => 'b'), subpath(path => stackpath 'a;b', start => 1);
SELECT restrict(fg => flamegraph 'a 1', paths => ARRAY[stackpath 'a']), rename_frames(fg => flamegraph 'a 1', pattern => 'a', replacement => 'b') AS rename, rename_frames(fg => flamegraph 'a 1', rules => '{{a,b}}') AS rename_rules,
	filter_stacks(fg => flamegraph 'a 1', query => 'a') AS filter, exclude_stacks(fg => flamegraph 'a 1', query => 'b') AS exclude, drop_frames(fg => flamegraph 'a;b 1', query => 'b') AS drop, cut_depth(fg => flamegraph 'a;b 1', max_depth => 1) AS cut, k_context(fg => flamegraph 'a;b 1', k => 0), strip_outer(fg => flamegraph 'a;b 1', n => 1) AS strip;
