# Finds out which calls in the SQL of an extension could be captured by a function or an operator that somebody plants in a
# schema of the search path, and plants them.
#
# A call is bound to the first exact match along the path, and pg_catalog comes first. So an exact match there cannot be
# captured, but where arguments are coerced, left to their defaults, polymorphic or literals of unknown type, a function
# that matches better can. Stored trees (bodies with BEGIN ATOMIC, views, defaults, checks, indexes) say with which types
# each call was made; signatures() are the ones that would match these calls better or as well.
#
#   Traps::signatures($db, @extensions)     [{ kind => 'f' or 'o', name, args => [type names], result }, ...]
#   Traps::near_signatures($db, $extension) the same of its own functions: shorter ones, and with other types of arguments
#   Traps::plant($db, $schema, $list)       number of traps that were made; each counts in trap.hits when it runs
#   Traps::bound($db, @extensions)          what depends on a trap, as text
#   Traps::hits($db)                        how often any of them ran, also in transactions that were rolled back
package Traps;

use strict;
use warnings;

# --- stored trees -----------------------------------------------------------------------------------------------------

# {NAME :field value ...}, (list), atoms; a field may have several values, such as the bytes of a constant.
sub parse
{
	my ($text) = @_;
	my @tokens = $text =~ /[(){}]|"(?:\\.|[^"\\])*"|(?:\\.|[^\s(){}\\])+/gs;
	my $at = 0;
	return _value(\@tokens, \$at);
}

sub _value
{
	my ($tokens, $at) = @_;
	my $token = $tokens->[ $$at++ ];
	if ($token eq '(')
	{
		my @list;
		push @list, _value($tokens, $at) while $tokens->[$$at] ne ')';
		$$at++;
		return \@list;
	}
	return $token unless $token eq '{';
	my %node = (node => $tokens->[ $$at++ ]);
	my $field;
	while ($tokens->[$$at] ne '}')
	{
		if ($tokens->[$$at] =~ /^:(.+)/) { $field = $1; $$at++; next; }
		my $value = _value($tokens, $at);
		$node{$field} = $value unless exists $node{$field};
	}
	$$at++;
	return \%node;
}

# Calls f for every node.
sub walk
{
	my ($tree, $f) = @_;
	if (ref $tree eq 'ARRAY') { walk($_, $f) for @$tree; }
	return unless ref $tree eq 'HASH';
	$f->($tree);
	ref $tree->{$_} and walk($tree->{$_}, $f) for sort keys %$tree;
	return;
}

my %type_field = (
	VAR => 'vartype', CONST => 'consttype', PARAM => 'paramtype', FUNCEXPR => 'funcresulttype', OPEXPR => 'opresulttype',
	NULLIFEXPR => 'opresulttype', AGGREF => 'aggtype', WINDOWFUNC => 'wintype', RELABELTYPE => 'resulttype',
	COERCEVIAIO => 'resulttype', ARRAYCOERCEEXPR => 'resulttype', COERCETODOMAIN => 'resulttype', CASE => 'casetype', CASEEXPR => 'casetype',
	COALESCE => 'coalescetype', COALESCEEXPR => 'coalescetype', ARRAY => 'array_typeid', ARRAYEXPR => 'array_typeid', ROW => 'row_typeid', ROWEXPR => 'row_typeid',
	FIELDSELECT => 'resulttype', MINMAX => 'minmaxtype', MINMAXEXPR => 'minmaxtype', SQLVALUEFUNCTION => 'type', SUBSCRIPTINGREF => 'refrestype',
	CONVERTROWTYPE => 'resulttype', CONVERTROWTYPEEXPR => 'resulttype', NEXTVALUEEXPR => 'typeId', CASETESTEXPR => 'typeId');
my %boolean = map { $_ => 1 } qw(BOOLEXPR NULLTEST BOOLEANTEST SCALARARRAYOPEXPR DISTINCTEXPR ROWCOMPARE ROWCOMPAREEXPR);

# The type that an argument had before it was coerced without anybody having asked for it.
sub type_of
{
	my ($node, $array_of) = @_;
	return type_of($node->{arg}, $array_of) if $node->{node} =~ /^(NAMEDARGEXPR|COLLATE|COLLATEEXPR|TARGETENTRY)$/ && $node->{arg};
	return type_of($node->{expr}, $array_of) if $node->{node} eq 'TARGETENTRY';
	for my $form (qw(relabelformat coerceformat))
	{
		return type_of($node->{arg}, $array_of) if ($node->{$form} // '') eq '2';
	}
	return type_of($node->{args}[0], $array_of) if $node->{node} eq 'FUNCEXPR' && ($node->{funcformat} // '') eq '2';
	return 16 if $boolean{ $node->{node} };
	if ($node->{node} eq 'SUBLINK')
	{
		return 16 if $node->{subLinkType} < 4;
		my $type = type_of($node->{subselect}{targetList}[0], $array_of);
		return $node->{subLinkType} == 6 ? $array_of->{$type} || $type : $type;
	}
	my $field = $type_field{ $node->{node} } or die "the type of a node $node->{node} is not known here";
	return $node->{$field};
}

# Every stored tree of the members of these extensions: [where, text].
sub trees
{
	my ($db, @extensions) = @_;
	my $names = join ', ', map { "'$_'" } @extensions;
	return $db->rows(<<"SQL");
WITH member AS (SELECT classid, objid FROM pg_depend WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass
	AND refobjid IN (SELECT oid FROM pg_extension WHERE extname IN ($names))),
relation AS (SELECT objid FROM member WHERE classid = 'pg_class'::regclass)
SELECT objid::regprocedure::text, prosqlbody::text FROM member JOIN pg_proc ON classid = 'pg_proc'::regclass AND pg_proc.oid = objid WHERE prosqlbody IS NOT NULL
UNION ALL SELECT objid::regprocedure::text, proargdefaults::text FROM member JOIN pg_proc ON classid = 'pg_proc'::regclass AND pg_proc.oid = objid WHERE proargdefaults IS NOT NULL
UNION ALL SELECT 'rule of ' || ev_class::regclass, ev_action::text FROM relation JOIN pg_rewrite ON ev_class = objid
UNION ALL SELECT 'default of ' || adrelid::regclass, adbin::text FROM relation JOIN pg_attrdef ON adrelid = objid
UNION ALL SELECT conname || ' of ' || conrelid::regclass, conbin::text FROM relation JOIN pg_constraint ON conrelid = objid WHERE conbin IS NOT NULL
UNION ALL SELECT 'index ' || indexrelid::regclass, coalesce(indexprs::text, '()') FROM relation JOIN pg_index ON indrelid = objid WHERE indexprs IS NOT NULL
UNION ALL SELECT 'index ' || indexrelid::regclass, indpred::text FROM relation JOIN pg_index ON indrelid = objid WHERE indpred IS NOT NULL
SQL
}

# All calls: [{ oid, kind, result, args => [type oids], constant => [positions that are constants], where }, ...]
sub calls
{
	my ($db, @extensions) = @_;
	my %array_of = map { $_->[0] => $_->[1] } @{ $db->rows('SELECT oid, typarray FROM pg_type WHERE typarray <> 0') };
	my @calls;
	for my $tree (@{ trees($db, @extensions) })
	{
		my ($where, $text) = @$tree;
		walk(parse($text), sub {
			my ($node) = @_;
			my ($oid, $kind, $result) =
				$node->{node} eq 'FUNCEXPR' ? ($node->{funcid}, 'f', $node->{funcresulttype})
			  : $node->{node} eq 'AGGREF' ? ($node->{aggfnoid}, 'f', $node->{aggtype})
			  : $node->{node} eq 'WINDOWFUNC' ? ($node->{winfnoid}, 'f', $node->{wintype})
			  : $node->{node} eq 'OPEXPR' ? ($node->{opno}, 'o', $node->{opresulttype})
			  : $node->{node} =~ /^(SCALARARRAYOPEXPR|DISTINCTEXPR|NULLIFEXPR)$/ ? ($node->{opno}, 'o', 16)
			  : return;
			return if ($node->{funcformat} // '') =~ /^[12]$/;
			my @args = ref $node->{args} ? @{ $node->{args} } : ();
			my @types = map { type_of($_, \%array_of) } @args;
			$types[1] = { reverse %array_of }->{ $types[1] } // $types[1] if $node->{node} eq 'SCALARARRAYOPEXPR';
			push @calls, { oid => $oid, kind => $kind, result => $result, args => \@types, where => $where,
				constant => [ grep { $args[$_]{node} eq 'CONST' } 0 .. $#args ] };
		});
	}
	return \@calls;
}

# --- what to plant ------------------------------------------------------------------------------------------------------

my $text = 25;

sub signatures
{
	my ($db, @extensions) = @_;
	my (%name, %type, %seen, @list);
	$db->run("SET search_path = ''");
	$name{"f$_->[0]"} = $_->[1] for @{ $db->rows('SELECT oid, proname FROM pg_proc') };
	$name{"o$_->[0]"} = $_->[1] for @{ $db->rows('SELECT oid, oprname FROM pg_operator') };
	# Pseudo-types cannot be arguments of what is planted; an array of records is no type that a trap can have, either.
	$type{ $_->[0] } = $_->[1] for @{ $db->rows("SELECT oid, format_type(oid, NULL) FROM pg_type WHERE typtype <> 'p'") };
	for my $call (@{ calls($db, @extensions) })
	{
		my @variants = ($call->{args});
		for my $i (@{ $call->{constant} })
		{
			my @other = @{ $call->{args} };
			# A literal may have been of unknown type: then text is preferred, or what the other operand is.
			push @variants, [ map { $_ == $i ? $text : $other[$_] } 0 .. $#other ];
			push @variants, [ ($other[ 1 - $i ]) x 2 ] if $call->{kind} eq 'o' && @other == 2;
		}
		for my $variant (@variants)
		{
			next if grep { !$type{$_} } @$variant, $call->{result};
			my %trap = (kind => $call->{kind}, name => $name{"$call->{kind}$call->{oid}"}, result => $type{ $call->{result} },
				args => [ map { $type{$_} } @$variant ]);
			push @list, \%trap unless $seen{"$trap{kind} $trap{name}(@{ $trap{args} })"}++;
		}
	}
	return \@list;
}

# What a call of one of ours from PL/pgSQL could be taken for: with defaults left out, with types that literals or
# narrower numbers have.
sub near_signatures
{
	my ($db, $extension) = @_;
	my @list;
	$db->run("SET search_path = ''");
	my %like = (text => [ 'name', 'character varying' ], bigint => ['integer'], 'double precision' => [ 'integer', 'numeric', 'bigint' ],
		integer => [ 'smallint', 'bigint' ], 'timestamp with time zone' => [ 'date', 'timestamp without time zone' ]);
	for my $row (@{ $db->rows(<<"SQL") })
SELECT proname, pronargs, pronargdefaults, ARRAY(SELECT format_type(t, NULL) FROM unnest(proargtypes) WITH ORDINALITY AS u (t, n) ORDER BY n)::text,
	CASE WHEN prorettype = 'record'::regtype THEN 'pg_catalog.text' ELSE format_type(prorettype, NULL) END
FROM pg_proc WHERE prokind IN ('f', 'p') AND prorettype <> 'trigger'::regtype AND oid IN (SELECT objid FROM pg_depend WHERE deptype = 'e' AND classid = 'pg_proc'::regclass
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = '$extension'))
SQL
	{
		my ($name, $n, $defaults, $types, $result) = @$row;
		my @types = map { s/^"|"$//gr } $types =~ /"[^"]*"|[^{},]+/g;
		push @list, { kind => 'f', name => $name, args => [ @types[ 0 .. $n - $_ - 1 ] ], result => $result } for 1 .. $defaults;
		for my $i (0 .. $#types)
		{
			# Where a literal has no type, NULL neither, a function that takes text is preferred.
			for my $other (@{ $like{ $types[$i] } // [] }, $types[$i] eq 'text' ? () : 'text')
			{
				push @list, { kind => 'f', name => $name, args => [ map { $_ == $i ? $other : $types[$_] } 0 .. $#types ], result => $result };
			}
		}
	}
	return \@list;
}

# --- planting ---------------------------------------------------------------------------------------------------------------

# Signatures that exist are left out: two functions of one schema cannot have the same, and those of pg_catalog come first.
# So are those that PostgreSQL does not take.
sub plant
{
	my ($db, $schema, $list) = @_;
	$db->run(<<'SQL');
SET search_path = '';
CREATE SCHEMA IF NOT EXISTS trap;
GRANT USAGE ON SCHEMA trap TO PUBLIC;
CREATE SEQUENCE IF NOT EXISTS trap.hits;
GRANT ALL ON SEQUENCE trap.hits TO PUBLIC;
SET client_min_messages = error;
CREATE OR REPLACE FUNCTION trap.try(statement text) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN 1;
EXCEPTION WHEN OTHERS THEN
	RETURN 0;
END
$$;
SQL
	my $body = q($$BEGIN PERFORM pg_catalog.nextval('trap.hits'::pg_catalog.regclass); RAISE WARNING 'trapped'; RETURN NULL; END$$);
	my @statements;
	my %functions;
	for my $t (@$list)
	{
		my $name = $t->{kind} eq 'f' ? '"' . ($t->{name} =~ s/"/""/gr) . '"' : '"trap ' . $t->{name} . '"';
		my $arguments = join ', ', @{ $t->{args} };
		# Returns jsonb, text, ... as the real one does, so that the rest of the expression still parses.
		push @statements, "CREATE FUNCTION $schema.$name($arguments) RETURNS $t->{result} LANGUAGE plpgsql IMMUTABLE AS $body"
		  unless $functions{"$name($arguments)"}++;
		next if $t->{kind} eq 'f';
		my ($left, $right) = @{ $t->{args} } == 2 ? @{ $t->{args} } : (undef, $t->{args}[0]);
		push @statements, "CREATE OPERATOR $schema.$t->{name} (FUNCTION = $schema.$name, "
		  . (defined $left ? "LEFTARG = $left, " : '') . "RIGHTARG = $right)";
	}
	my $made = 0;
	while (my @some = splice @statements, 0, 500)
	{
		$made += $db->value('SELECT sum(trap.try(s)) FROM unnest(ARRAY[' . join(', ', map { Wire::literal($_) } @some) . ']) AS u (s)');
	}
	$db->run('RESET client_min_messages');
	return $made;
}

# Traps are what is in a schema, is called from there, and belongs to no extension.
sub bound
{
	my ($db, @extensions) = @_;
	return [ map { $_->[0] } @{ $db->rows(<<'SQL') } ];
SELECT DISTINCT pg_describe_object(d.classid, d.objid, 0) || ' uses ' || pg_describe_object(d.refclassid, d.refobjid, 0)
FROM pg_depend AS d
WHERE d.refclassid IN ('pg_proc'::regclass, 'pg_operator'::regclass)
	AND d.refobjid IN (SELECT oid FROM pg_proc WHERE prosrc ~ 'trap\.hits' UNION ALL SELECT oid FROM pg_operator WHERE oprcode IN (SELECT oid FROM pg_proc WHERE prosrc ~ 'trap\.hits'))
	AND d.classid <> 'pg_operator'::regclass
ORDER BY 1
SQL
}

sub hits { return $_[0]->value('SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM trap.hits'); }

1;
