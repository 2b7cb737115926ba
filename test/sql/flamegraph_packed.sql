-- The packed text form and the binary form of flamegraph: the bytes of layout
-- version 1 (src/core/profile/codec.h), and that no damaged byte is accepted.
\pset null NULL

--
-- The bytes of some values, computed apart from this implementation
--
SELECT t.shown(s) AS text, encode(flamegraph_send(s::flamegraph), 'hex') = h AS same_bytes, length(h) / 2 AS bytes
FROM (VALUES
	('', '01000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000f03f0000000001000000000000000000000000'),
	(' 5', '01000000000000000100000000000000000000000000000000000000000014400000000000001440000000000000144000000000010000000000000000000000000002'),
	('a 1', '010001000100000001000000010000000100000001000000000000000000f03f000000000000f03f000000000000f03f03000000030000000100000001000000000161000100000002'),
	(E' 7\nmain 2\nmain;parse 4\nmain;parse;read 6\nmain;print 8',
		'0100030004000000050000000400000002000000040000000000000000003b400000000000003b40000000000000f03f1900000009000000040000000300000000046d61696e00057061727365010472696e74000472656164020100010300000100000000010201000000000c100e0408'),
	(E'a;b 1.5\na;c 0.25', '012002000300000002000000030000000200000003000000000000000000fc3f000000000000fc3f000000000000394009000000070000000300000003000000000161000162000163020100000001000000010100000c02'),
	(E'a 1000000\nb -3000000', '0100010002000000020000000200000002000000020000000000000080843ec10000000080844e410000000080842e4106000000050000000200000003000000000161000162000002000000010000000205'),
	(E'a 0.1\nb 0.3333333333333333', '010101000200000002000000020000000200000002000000bcbbbbbbbbbbdb3fbcbbbbbbbbbbdb3f000000000000f03f06000000050000000200000003000000000161000162000002000000010000003f3fb9d5995599559955995599559a55'),
	(E'a 1e300\nb -2.5e-10', '0101010002000000020000000200000002000000020000009c7500883ce4377e9c7500883ce4377e000000000000f03f06000000050000000200000003000000000161000162000002000000010000007ebd37f1e42e3c0b88e8002675d69c95')
) v(s, h);

-- packed text reads as the same value; white space behind it does not matter
CREATE FUNCTION pg_temp.pack(b bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT 'flamegraph:1:' || replace(encode(b, 'base64'), E'\n', '')
$$;
SELECT pg_temp.pack(flamegraph_send('a;b 1')) AS packed;
SELECT flamegraph 'flamegraph:1:AQACAAIAAAABAAAAAgAAAAEAAAACAAAAAAAAAAAA8D8AAAAAAADwPwAAAAAAAPA/BgAAAAUAAAACAAAAAQAAAAABYQABYgEBAAEAAAABAg==';
SELECT bool_and((pg_temp.pack(flamegraph_send(f)) || w)::flamegraph = f) AS exact, bool_and(t.receive('flamegraph', flamegraph_send(f))::flamegraph = f) AS exact_binary
FROM (VALUES (flamegraph ''), (' 5'), ('a;b 1'), (E'a 0.1\nb 1e300\n -3'), (E'é;\\;;\\\\;x 7')) v(f), (VALUES (''), (' '), (E'\n'), (E' \t\r\n\n')) s(w);

-- Output is folded up to 64 KiB, packed beyond; both read back.
SELECT n, length(v::text) AS length, left(v::text, 13) AS start, v::text::flamegraph = v AS exact, flamegraph_to_folded(v)::flamegraph = v AS folded_exact, length(flamegraph_to_folded(v)) AS folded
FROM (SELECT n, (repeat('x', n) || ' 1')::flamegraph AS v FROM unnest(ARRAY[65533, 65534, 65535, 65536]) n) x;
-- the same in many lines: 6 bytes each and a line feed, but for the last
SELECT n, length(v::text) < 65537 AS folded, v::text::flamegraph = v AS exact, length(flamegraph_to_folded(v)) AS folded_length
FROM (SELECT n, (SELECT flamegraph_agg(ARRAY['f', lpad(to_hex(i), 4, '0')], 1) FROM generate_series(1, n) i) AS v FROM unnest(ARRAY[7281, 7282]) n) x;
-- an array, COPY's text form, and a cast to text of a stored value
CREATE TEMP TABLE large AS SELECT (repeat('x', 70000) || ' 1')::flamegraph AS v;
SELECT (ARRAY[v, 'a 1'])::text::flamegraph[] = ARRAY[v, 'a 1'] AS array_exact, v::text::flamegraph = v AS stored_exact FROM large;

--
-- Bad packed text
--
\pset format unaligned
\pset tuples_only on
SELECT t.input('flamegraph', 'flamegraph:1:', 'flamegraph:1:A', 'flamegraph:1:AB==', 'flamegraph:1:!!!!', 'flamegraph:1:AQAC=', 'flamegraph:1:AQ AC', E'flamegraph:1:AQAC\nAAAA', 'flamegraph:0:AQAC', 'flamegraph:2:AQAC', 'flamegraph:12:AQAC', 'flamegraph:01:AQAC');
-- these are folded lines, good or bad
SELECT t.input('flamegraph', 'flamegraph:1:AQAC 5', 'flamegraph 5', 'flamegraph:x;y 5', ' flamegraph:1:AQAC', 'flamegraph:', 'flamegraph::AQAC', 'Flamegraph:1:AQAC', 'xflamegraph:1:AQAC');
\pset tuples_only off
\pset format aligned

--
-- Damaged values: the good one is E' 7\nmain 2\nmain;parse 4\nmain;parse;read 6\nmain;print 8',
-- given by its header fields and sections, of which each case replaces some.
--
CREATE FUNCTION pg_temp.le(b bytea, n int) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT string_agg(substr(b, length(b) + 1 - i, 1), '' ORDER BY i) FROM generate_series(1, n) i
$$;
CREATE FUNCTION pg_temp.value(version int DEFAULT 1, mode int DEFAULT 0, depth int DEFAULT 3, nnodes bigint DEFAULT 4, nstacks bigint DEFAULT 5,
		nframes bigint DEFAULT 4, nleaves bigint DEFAULT 2, nedges bigint DEFAULT 4, total float8 DEFAULT 27, norm float8 DEFAULT 27, unit float8 DEFAULT 1,
		dictionary bytea DEFAULT '\x00046d61696e00057061727365010472696e74000472656164', edges bytea DEFAULT '\x020100010300000100',
		ranks bytea DEFAULT '\x00000001', chains bytea DEFAULT '\x020100', gaps bytea DEFAULT '\x000000', vals bytea DEFAULT '\x0c100e0408',
		dictionary_size bigint DEFAULT NULL, edges_size bigint DEFAULT NULL, ranks_size bigint DEFAULT NULL, chains_size bigint DEFAULT NULL)
	RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
	SELECT pg_temp.le(int8send(version), 1) || pg_temp.le(int8send(mode), 1) || pg_temp.le(int8send(depth), 2) || pg_temp.le(int8send(nnodes), 4) ||
		pg_temp.le(int8send(nstacks), 4) || pg_temp.le(int8send(nframes), 4) || pg_temp.le(int8send(nleaves), 4) || pg_temp.le(int8send(nedges), 4) ||
		pg_temp.le(float8send(total), 8) || pg_temp.le(float8send(norm), 8) || pg_temp.le(float8send(unit), 8) ||
		pg_temp.le(int8send(coalesce(dictionary_size, length(dictionary))), 4) || pg_temp.le(int8send(coalesce(edges_size, length(edges))), 4) ||
		pg_temp.le(int8send(coalesce(ranks_size, length(ranks))), 4) || pg_temp.le(int8send(coalesce(chains_size, length(chains))), 4) ||
		dictionary || edges || ranks || chains || gaps || vals
$$;
SELECT pg_temp.value() = flamegraph_send(E' 7\nmain 2\nmain;parse 4\nmain;parse;read 6\nmain;print 8') AS good;

CREATE TEMP TABLE damaged (id serial, damage text, value bytea);
INSERT INTO damaged (damage, value) VALUES
	('nothing at all', ''), ('one byte', '\x01'), ('one byte less than a header', substr(pg_temp.value(), 1, 63)), ('only the header', substr(pg_temp.value(), 1, 64)),
	('last byte missing', substr(pg_temp.value(), 1, 112)), ('a byte too many', pg_temp.value() || '\x02'), ('a zero byte too many', pg_temp.value() || '\x00'),
	('version 0', pg_temp.value(version => 0)), ('version 2', pg_temp.value(version => 2)), ('version 255', pg_temp.value(version => 255)),
	-- value mode, digits, unit
	('mode 2', pg_temp.value(mode => 2)), ('mode 15', pg_temp.value(mode => 15)), ('10 digits', pg_temp.value(mode => 160)), ('doubles with digits', pg_temp.value(mode => 17)),
	('doubles with a unit', pg_temp.value(mode => 1, unit => 2)), ('unit 0', pg_temp.value(unit => 0)), ('unit -1', pg_temp.value(unit => -1)), ('unit 0.5', pg_temp.value(unit => 0.5)),
	('unit 1.5', pg_temp.value(unit => 1.5)), ('unit 2^53', pg_temp.value(unit => 9007199254740992)), ('unit NaN', pg_temp.value(unit => 'NaN')), ('unit Infinity', pg_temp.value(unit => 'Infinity')),
	-- counts
	('2^27 nodes', pg_temp.value(nnodes => 134217728)), ('2^32 - 1 nodes', pg_temp.value(nnodes => 4294967295)),
	('more leaves than nodes', pg_temp.value(nleaves => 5)), ('fewer stacks than leaves', pg_temp.value(nstacks => 1)), ('more stacks than nodes and the root', pg_temp.value(nstacks => 6)),
	('deeper than nodes', pg_temp.value(depth => 5)), ('no leaf', pg_temp.value(nleaves => 0)), ('no depth', pg_temp.value(depth => 0)), ('no node', pg_temp.value(nnodes => 0)),
	('no node, no leaf', pg_temp.value(nnodes => 0, nleaves => 0)), ('2^32 - 1 stacks', pg_temp.value(nstacks => 4294967295)),
	('more frames than fit', pg_temp.value(nframes => 9)), ('2^32 - 1 frames', pg_temp.value(nframes => 4294967295)), ('more edges than fit', pg_temp.value(nedges => 10)),
	('a rank too few', pg_temp.value(ranks => '\x000000')), ('chains too short', pg_temp.value(chains => '\x02')),
	('2^32 - 1 edges', pg_temp.value(nedges => 4294967295)),
	('total NaN', pg_temp.value(total => 'NaN')), ('norm NaN', pg_temp.value(norm => 'NaN')),
	('dictionary longer than the value', pg_temp.value(dictionary_size => 200)), ('edges longer than the value', pg_temp.value(edges_size => 4294967295)),
	('ranks longer than the value', pg_temp.value(ranks_size => 4294967295)), ('chains longer than the value', pg_temp.value(chains_size => 4294967295)),
	('all sections of 2^32 - 1 bytes', pg_temp.value(dictionary_size => 4294967295, edges_size => 4294967295, ranks_size => 4294967295, chains_size => 4294967295)),
	-- dictionary
	('a frame too few', pg_temp.value(nframes => 3)), ('a frame too many', pg_temp.value(nframes => 5)),
	('more shared than the frame before', pg_temp.value(dictionary => '\x00046d61696e00057061727365060472696e74000472656164')), ('48 shared', pg_temp.value(dictionary => '\x00046d61696e00057061727365300472696e74000472656164')),
	('the first frame shares', pg_temp.value(dictionary => '\x01046d61696e00057061727365010472696e74000472656164')),
	('a frame adds nothing', pg_temp.value(dictionary => '\x00046d61696e000570617273650100000472656164696e7474')), ('a frame beyond the section', pg_temp.value(dictionary => '\x00046d61696e00057061727365010472696e74000572656164')),
	('a length of two bytes that fits one', pg_temp.value(dictionary => '\x0084006d61696e00057061727365010472696e74000472656164')), ('an endless length', pg_temp.value(dictionary => '\x00ffffffffffffffffffff01696e74000472656164000000')),
	('a length beyond 32 bits', pg_temp.value(dictionary => '\x00848080801000057061727365010472696e7400047265616400')), ('a byte behind the frames', pg_temp.value(dictionary => '\x00046d61696e00057061727365010472696e7400047265616400')),
	('frames out of order', pg_temp.value(dictionary => '\x00046d61696e00057a61727365000570696e7474000472656164')), ('a frame twice', pg_temp.value(dictionary => '\x00046d61696e00046d61696e00057072696e74000472656164')),
	('a prefix behind the longer frame', pg_temp.value(dictionary => '\x00046d61696e00057061727365000470617273000472656164')),
	('less shared than possible', pg_temp.value(dictionary => '\x00046d61696e0005706172736500057072696e74000472656164')),
	('a NUL in a frame', pg_temp.value(dictionary => '\x00046d61006e00057061727365010472696e74000472656164')), ('a line feed in a frame', pg_temp.value(dictionary => '\x00046d610a6e00057061727365010472696e74000472656164')),
	('a carriage return in a frame', pg_temp.value(dictionary => '\x00046d610d6e00057061727365010472696e74000472656164')), ('a frame that is not UTF-8', pg_temp.value(dictionary => '\x00046d61c36e00057061727365010472696e74000472656164')),
	-- edges
	('a frame called twice', pg_temp.value(edges => '\x0201ff010300000100')), ('an edge to an unknown frame', pg_temp.value(edges => '\x020100010400000100')), ('an edge beyond the last frame', pg_temp.value(edges => '\x020102010300000100')),
	('more children than edges', pg_temp.value(edges => '\x050100010300000100')), ('an edge too few', pg_temp.value(nedges => 3)), ('an edge too many', pg_temp.value(nedges => 5)), ('a byte behind the edges', pg_temp.value(edges => '\x02010001030000010000')),
	('an edge that no node uses', pg_temp.value(nedges => 5, edges => '\x02010001030001030100')), ('edges cut short', pg_temp.value(edges => '\x0201000103000001')),
	-- ranks
	('a rank beyond the children', pg_temp.value(ranks => '\x00000002')), ('siblings out of order', pg_temp.value(ranks => '\x00010000')), ('the same sibling twice', pg_temp.value(ranks => '\x00000000')),
	('a rank of two bytes that fits one', pg_temp.value(ranks => '\x0000008100')), ('a byte behind the ranks', pg_temp.value(ranks => '\x0000000100')),
	-- chains
	('the first chain is too long', pg_temp.value(chains => '\x040100')), ('the first chain is too short', pg_temp.value(chains => '\x010100')), ('climbing above the root', pg_temp.value(chains => '\x020300')),
	('a chain deeper than the depth', pg_temp.value(depth => 2)), ('climbing to another parent', pg_temp.value(chains => '\x020000')), ('a byte behind the chains', pg_temp.value(chains => '\x02010000')), ('a chain cut short', pg_temp.value(chains => '\x0281')),
	('depth more than there is', pg_temp.value(depth => 4)),
	-- gaps
	('a gap beyond the last node', pg_temp.value(gaps => '\x000003')), ('a gap that ends at the last leaf', pg_temp.value(gaps => '\x000002')), ('a gap that ends at a leaf', pg_temp.value(gaps => '\x000001')), ('a gap of two bytes that fits one', pg_temp.value(gaps => '\x00008000')),
	('a huge gap', pg_temp.value(gaps => '\xffffffff0f0000')),
	-- values
	('a value 0', pg_temp.value(vals => '\x0c10000408')), ('a value too few', pg_temp.value(vals => '\x0c100e04')), ('a value too many', pg_temp.value(vals => '\x0c100e040802')), ('a value beyond 2^53', pg_temp.value(vals => '\x0c100e048080808080808020')),
	('a value times unit beyond 2^53', pg_temp.value(unit => 4503599627370496)), ('a value of two bytes that fits one', pg_temp.value(vals => '\x0c100e048800')),
	('unit smaller than the common divisor', pg_temp.value(vals => '\x18201c0810', total => 54, norm => 54)),
	('digits for whole numbers', pg_temp.value(mode => 16, unit => 10)), ('doubles for whole numbers', pg_temp.value(mode => 1, vals => decode('404040404018201c0010' || repeat('00', 30), 'hex'))),
	('a double too short', pg_temp.value(mode => 1, vals => decode('404040404018201c0010' || repeat('00', 29), 'hex'))),
	('an infinite double', pg_temp.value(mode => 1, vals => decode('7f40404040f0201c0010' || repeat('00', 30), 'hex'))),
	('a double NaN', pg_temp.value(mode => 1, vals => decode('7f40404040f8201c0010' || repeat('00', 30), 'hex'))),
	('a double -0', pg_temp.value(mode => 1, vals => decode('804040404000201c0010' || repeat('00', 30), 'hex'))),
	-- sums
	('wrong total', pg_temp.value(total => 28)), ('wrong norm', pg_temp.value(norm => 26)), ('infinite total', pg_temp.value(total => 'Infinity')), ('total -0 for an empty value', set_byte(flamegraph_send(''), 31, 128)),
	-- a frame that no node uses, in an otherwise good value
	('an unused frame', pg_temp.value(nframes => 5, dictionary => '\x00046d61696e00057061727365010472696e7400047265616400017a', edges => '\x02010001030000000100')),
	-- the packed form of another type
	('a stackpath', stackpath_send('a;b'));

-- From text each is 22P02, from the wire 22P03, with the same detail.
WITH outcome AS (
	SELECT id, damage, ARRAY(SELECT btrim(t.outcome(format('SELECT %L::flamegraph', pg_temp.pack(value))))) AS text,
		ARRAY(SELECT btrim(t.outcome(format('SELECT t.receive(''flamegraph'', %L)', value)))) AS wire
	FROM damaged OFFSET 0)
SELECT damage, left(text[1], 5) AS text, left(wire[1], 5) AS wire,
	CASE WHEN text[1] <> '22P02 invalid packed value of type flamegraph' THEN text[1]
		WHEN text[2:] <> wire[2:] THEN array_to_string(text || wire, ' ') ELSE substr(text[2], 9) END AS detail
FROM outcome ORDER BY id;

-- with a unit of 2 the same bytes are twice the value
SELECT pg_temp.pack(pg_temp.value(unit => 2, total => 54, norm => 54))::flamegraph;
-- a frame of 1 MiB and a byte; a frame of 1 MiB
SELECT n, btrim(t.outcome(format('SELECT total(%L::flamegraph)', pg_temp.pack(pg_temp.value(depth => 1, nnodes => 1, nstacks => 1, nframes => 1, nleaves => 1, nedges => 1, total => 6, norm => 6, unit => 6,
	dictionary => decode('00' || CASE n WHEN 1048576 THEN '808040' ELSE '818040' END || repeat('78', n), 'hex'), edges => '\x000100', ranks => '\x00', chains => '\x00', gaps => '', vals => '\x02'))))) AS outcome
FROM unnest(ARRAY[1048576, 1048577]) n;

-- Every single bit of a good value matters: flipped, it is refused or is another value.
SELECT count(*) AS bits, count(*) FILTER (WHERE state LIKE '22P02%') AS refused, count(*) FILTER (WHERE state LIKE 'no error%') AS other_values,
	count(*) FILTER (WHERE state NOT LIKE '22P02%' AND state NOT LIKE 'no error%') AS other_errors
FROM (SELECT (SELECT btrim(o) FROM t.outcome(format('SELECT %L::flamegraph IS NOT DISTINCT FROM %L', pg_temp.pack(b), pg_temp.pack(flamegraph_send(v)))) o LIMIT 1) AS state
	FROM (SELECT flamegraph E' 7\nmain 2\nmain;parse 4\nmain;parse;read 6\nmain;print 8' AS v) x, generate_series(0, 113 * 8 - 1) bit,
		LATERAL set_bit(flamegraph_send(v), bit, 1 - get_bit(flamegraph_send(v), bit)) b) y;
-- none of them equals the value itself
SELECT count(*) AS equal
FROM (SELECT (SELECT btrim(o) FROM t.outcome(format('SELECT %L::flamegraph = %L', pg_temp.pack(b), pg_temp.pack(flamegraph_send(v)))) o LIMIT 1) AS state
	FROM (SELECT flamegraph E' 7\nmain 2\nmain;parse 4\nmain;parse;read 6\nmain;print 8' AS v) x, generate_series(0, 113 * 8 - 1) bit,
		LATERAL set_bit(flamegraph_send(v), bit, 1 - get_bit(flamegraph_send(v), bit)) b) y
WHERE state LIKE 'no error: t%';
-- cut short anywhere it is refused
SELECT count(*) AS lengths, count(*) FILTER (WHERE state LIKE '22P02%') AS refused
FROM (SELECT (SELECT btrim(o) FROM t.outcome(format('SELECT %L::flamegraph', pg_temp.pack(substr(pg_temp.value(), 1, n)))) o LIMIT 1) AS state
	FROM generate_series(0, 112) n) y;
