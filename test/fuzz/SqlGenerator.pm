# Statements at random, but of the right types: calls of everything that Calls.pm knows, with ordinary, extreme, huge,
# broken and NULL arguments, results as arguments of other calls, aggregates and windows. What comes depends on Perl's
# srand() and on the catalogs alone, so a seed gives the same statements again.
#
#   my $gen = SqlGenerator->new($calls, tables => 'fuzz', frames => [...], samples => [...]);
#   my $s = $gen->statement;      # { sql, callable, kind => query|binary|copy, type, huge, read_back }
#
# For a statement of kind binary, $1 is of the type {type}, whose bytes mutate($gen->bytes($type)) makes.
package SqlGenerator;

use strict;
use utf8;
use warnings;

my @own = qw(flamegraph flamestats flameseries perfmodel stackpath stackquery);
my %own = map { $_ => 1 } @own;

sub new
{
	my ($class, $calls, %options) = @_;
	my $self = bless { calls => $calls, all => [ $calls->all ], huge => {}, %options }, $class;
	my (%column, %words);
	for my $c (@{ $self->{all} })
	{
		# One column of a row, or of the first row of a set.
		if ($c->{kind} eq 'f' && !$c->{volatile} && ($c->{set} || @{ $c->{out} }))
		{
			push @{ $column{ $_->[1] } }, [ $c, $_->[0] ] for grep { $_->[0] ne '' } @{ $c->{out} };
		}
		for my $n (0 .. $#{ $c->{args} })
		{
			my ($name, $type) = @{ $c->{args}[$n] }{qw(name type)};
			push @{ $words{$name} }, $calls->words($c, $n) if $type =~ /^text/;
		}
	}
	$self->{column} = \%column;
	# Everything that the server has to be asked for, so that it can be used without.
	$self->bytes($_) for @own;
	$calls->literals($_) for map { map { $_->{type} } @{ $_->{args} } } @{ $self->{all} };
	# An option of a jsonb object is called as the argument that it stands for.
	for my $name (keys %words)
	{
		my %seen;
		$self->{words}{$name} = [ grep { !$seen{$_}++ } @{ $words{$name} } ];
	}
	return $self;
}

sub any { return $_[ int rand @_ ]; }
sub chance { return rand() < $_[0]; }

# --- values ----------------------------------------------------------------------------------------------------------

my @numbers = (1, 2, 3, 0.5, 0.1, 10, 1e3, 1e15, 1e16, 1e100, 1e154, 1e155, 1e200, 1e307, 1e308, '1.7976931348623157e308', '5e-324', '2.2250738585072014e-308', 1e-200, 1e-16, 9007199254740993);

sub number { return (chance(0.3) ? '-' : '') . (chance(0.3) ? int(rand 100) + 1 : any(@numbers)); }

sub frame
{
	my ($self) = @_;
	return any('main', 'a', 'b', 'c', 'f 1', 'µ', '!x', '*', '"', '[x.c:12]', 'f (x.c:12)', 'x_[k]', '_', 'lambda', '%') if chance(0.9);
	return join '', map { chr(any(33 .. 126, 0xe9, 0x1F525, 0x301, 9)) } 1 .. 1 + int rand 12;
}

# Text forms escape what separates.
sub path_text
{
	my ($self, $n) = @_;
	return join ';', map { $self->frame =~ s/([;\\])/\\$1/gr } 1 .. $n // int rand 6;
}

sub profile_text { return join "\n", map { $_[0]->path_text(1 + int rand 5) . ' ' . number() } 1 .. int rand 7; }

sub query_text
{
	my ($self) = @_;
	my @levels;
	for (1 .. 1 + int rand 5)
	{
		my @items = map {
			my $frame = $self->frame =~ s/([;|!*%\@\{\}"\\~])/\\$1/gr;
			any($frame, $frame, "$frame*", "$frame%", "$frame@", '~"' . any('^a', '[ab]+$', '.*', '(a|b)*c', 'a{1,3}') . '"')
		} 1 .. any(1, 1, 1, 2, 5);
		my $level = (chance(0.1) ? '!' : '') . join('|', @items);
		$level = '*' if chance(0.3);
		$level .= '{' . any('1', '2', '0,', ',3', '1,2', '65535', '0,65535', '3,1') . '}' if chance(0.15);
		push @levels, $level;
	}
	return join ';', @levels;
}

sub quoted
{
	my ($text) = @_;
	utf8::encode($text);
	return "'$text'" unless $text =~ /[\\'\n\t\r]/;
	$text =~ s/([\\'])/\\$1/g;
	$text =~ s/\n/\\n/g;
	$text =~ s/\t/\\t/g;
	$text =~ s/\r/\\r/g;
	return "E'$text'";
}

# A json value: of an option an object with a word, or anything else.
sub json
{
	my ($self, $depth, @names) = @_;
	my $kind = rand;
	if ($depth > 0 && $kind < (@names ? 0.85 : 0.4))
	{
		my @keys = @names ? map { any(@names) } 1 .. int rand 4 : map { any('t', 'u', 'prefix', 'exact', 'frame', 'x') } 1 .. int rand 4;
		return '{' . join(', ', map { qq("$_": ) . $self->json_of($_, $depth - 1) } @keys) . '}';
	}
	return '[' . join(', ', map { $self->json($depth - 1) } 1 .. int rand 4) . ']' if $depth > 0 && $kind < 0.9;
	return any('null', 'true', 'false', '""', '"main"', '"a;b"', '1', '-1', '0', '0.5', '3', '1e308', '1e400', '5e-324', '2147483648', '"x"');
}

sub json_of
{
	my ($self, $key, $depth) = @_;
	my $words = $self->{words}{$key};
	return '"' . any(@$words) . '"' if $words && @$words && chance(0.7);
	return any('1', '2', '3', '10', '0.5', '0', '-1', '1e308', '65536', 'true', 'false') if chance(0.6);
	return $self->json($depth);
}

# A value written at random.
sub made
{
	my ($self, $type, $arg) = @_;
	if ($type eq 'flamegraph') { return quoted($self->profile_text) . '::flamegraph'; }
	if ($type eq 'stackpath') { return quoted($self->path_text) . '::stackpath'; }
	if ($type eq 'stackquery') { return quoted($self->query_text) . '::stackquery'; }
	if ($type eq 'double precision') { return "'" . any(number(), number(), number(), number(), 'nan', 'inf', '-inf') . "'::float8"; }
	if ($type eq 'integer') { return any(-2147483648, -1, 0, 1, 2, 3, 4, 5, 7, 10, 64, 100, 1000, 65535, 65536, 1000000, 2147483647) . '::int4' =~ s/^(-.*)(::)/($1)$2/r; }
	if ($type eq 'bigint') { return "'" . any(-9223372036854775807, -1, 0, 1, 2, 3, 42, '9223372036854775807') . "'::int8"; }
	if ($type eq 'boolean') { return any('true', 'false'); }
	if ($type eq 'text') { return quoted(any($self->frame, $self->frame, $self->path_text, $self->profile_text, $self->query_text)) . '::text'; }
	if ($type eq 'double precision[]') { return "'{" . join(',', map { chance(0.03) ? any('nan', 'inf', 'NULL') : number() } 1 .. any(0, 1, 2, 3, 6, 6, 6, 6, 6, 12, 30)) . "}'::float8[]"; }
	if ($type eq 'flamegraph[]') { return 'ARRAY[' . join(', ', map { chance(0.03) ? 'NULL' : quoted($self->profile_text) } 1 .. any(0, 1, 2, 3, 4, 6, 6, 6, 6)) . ']::flamegraph[]'; }
	if ($type eq 'stackpath[]') { return 'ARRAY[' . join(', ', map { chance(0.03) ? 'NULL' : quoted($self->path_text) } 1 .. int rand 6) . ']::stackpath[]'; }
	if ($type eq 'text[]') { return 'ARRAY[' . join(', ', map { chance(0.05) ? 'NULL' : quoted($self->frame) } 1 .. any(0, 1, 2, 2, 3, 6, 6)) . ']::text[]'; }
	if ($type eq 'jsonb')
	{
		return quoted('{' . join(', ', map { qq("t$_": {"prefix": ) . '"' . any('', 'main', 'a', 'a;b') . '"}' } 1 .. int rand 5) . '}') . '::jsonb' if $arg && $arg->{name} eq 'tasks' && chance(0.7);
		return quoted($self->json(3, $arg ? @{ $arg->{words} // [] } : ())) . '::jsonb';
	}
	if ($type eq 'bytea') { return q('\\x') =~ s/x/'x' . unpack('H*', mutated(any(@{ $self->{samples} })))/er . '::bytea'; }
	if ($type eq 'timestamp with time zone') { return "'" . any(map { sprintf '%04d-%02d-%02d UTC', $_, 1 + int rand 12, 1 + int rand 28 } 2020, 2021, 2021, 2022, 2026, 9999, 1) . "'::timestamptz"; }
	if ($type eq 'date') { return "'" . sprintf('%04d-%02d-01', any(2020, 2021, 2026, 9999, 1), 1 + int rand 12) . "'::date"; }
	if ($type eq 'interval') { return "'" . any('1 day', '3 months', '-1 year', '1 microsecond', '100 years') . "'::interval"; }
	return;
}

sub mutated
{
	my ($bytes) = @_;
	for (1 .. any(1, 1, 1, 2, 3, 8))
	{
		my $n = length $bytes;
		my $at = int rand($n + 1);
		my $kind = int rand 8;
		if ($kind == 0 && $n) { substr($bytes, $at % $n, 1) ^= chr(1 << int rand 8); }
		elsif ($kind == 1 && $n) { substr($bytes, $at % $n, 1) = chr any(0, 1, 0x7f, 0x80, 0xff, int rand 256); }
		elsif ($kind == 2) { substr($bytes, $at, 0) = join '', map { chr int rand 256 } 1 .. 1 + int rand 8; }
		elsif ($kind == 3) { substr($bytes, $at, 1 + int rand 8) = '' if $at < $n; }
		elsif ($kind == 4) { $bytes = substr $bytes, 0, $at; }
		elsif ($kind == 5) { substr($bytes, $at, 0) = substr $bytes, int rand($n + 1), 1 + int rand 32; }
		elsif ($kind == 6 && $n >= 4) { substr($bytes, int rand($n - 3), 4) = pack 'V', any(0, 1, 0x7fffffff, 0x80000000, 0xffffffff, $n, int rand 65536); }
		elsif ($kind == 7 && $n >= 8) { substr($bytes, int rand($n - 7), 8) = pack 'd<', any(0, -1, 1e308, 5e-324, 9**9**9, -9**9**9, -sin(9**9**9), 1); }
	}
	return $bytes;
}

# The binary form of some value of a type, as its send function made it.
sub bytes
{
	my ($self, $type) = @_;
	if ($type eq 'bytea') { return any(@{ $self->{samples} }); }
	$self->{bytes}{$type} //= [
		map { pack 'H*', $_->[0] } @{ $self->{calls}{db}->rows("SELECT encode(${type}_send(v), 'hex') FROM (VALUES "
			  . join(', ', map { "($_->[1])" } grep { $_->[1] !~ /^NULL/ } $self->{calls}->literals($type)) . ') AS t (v)') } ];
	return any(@{ $self->{bytes}{$type} });
}

# --- expressions -----------------------------------------------------------------------------------------------------

# An argument of a call; $arg may be undef.
sub value
{
	my ($self, $type, $depth, $arg) = @_;
	my $kind = rand;
	if ($arg && $arg->{words} && @{ $arg->{words} } && $type eq 'text' && $kind < 0.85) { return "'" . any(@{ $arg->{words} }) . "'::text"; }
	if ($arg && $arg->{words} && @{ $arg->{words} } && $type eq 'text[]' && $kind < 0.85) { return "'{" . join(',', map { any(@{ $arg->{words} }) } 1 .. int rand 4) . "}'::text[]"; }
	if ($kind < 0.03) { return "NULL::$type"; }
	if ($kind < 0.03 + $self->{huge_share} && $self->{huge}{$type})
	{
		$self->{used_huge} = 1;
		return "(SELECT v FROM $self->{tables}.huge_$self->{huge}{$type}[0] WHERE n = '" . any(@{ $self->{huge}{$type}[1] }) . "')";
	}
	if ($kind < 0.35 && $depth > 0)
	{
		my $nested = $self->nested($type, $depth - 1);
		return $nested if defined $nested;
	}
	if ($kind < 0.65)
	{
		my $made = $self->made($type, $arg);
		return $made if defined $made;
	}
	my $value = any($self->{calls}->literals($type))->[1];
	# A text form that is broken somewhere.
	if ($own{$type} && chance(0.04) && $value =~ /^E?'(.*)'::\w+$/s)
	{
		my $text = $1;
		my $at = int rand length $text;
		if (length $text && chance(0.5)) { substr($text, $at, 1) = any(' ', ';', '0', '9', 'e', '-', '{', '"', 'Z'); }
		elsif (length $text) { substr($text, $at, 1 + int rand 3) = ''; }
		return "E'$text'::$type" if $text !~ /(?<!\\)(?:\\\\)*(?:'|\\$)/;
	}
	return $value;
}

# A call that returns this type.
sub nested
{
	my ($self, $type, $depth) = @_;
	my @candidates = grep { !$_->{volatile} } $self->{calls}->returning($type);
	my $columns = $self->{column}{$type};
	if ($columns && (!@candidates || chance(0.3)))
	{
		my ($c, $column) = @{ any(@$columns) };
		return "(SELECT r.\"$column\" FROM " . $self->{calls}->expression($c, $self->arguments($c, $depth)) . ' AS r LIMIT 1)';
	}
	if ($type =~ /^(.*)\[\]$/ && chance(0.3)) { return 'ARRAY[' . join(', ', map { $self->value($1, $depth) } 1 .. int rand 4) . "]::$type"; }
	return unless @candidates;
	my $c = any(@candidates);
	return $self->{calls}->expression($c, $self->arguments($c, $depth)) if $c->{kind} ne 'a';
	return '(' . $self->{calls}->statement($c, map { [ $self->arguments($c, $depth) ] } 1 .. 1 + int rand 3) . ')';
}

# Mostly the ordinary arguments with a few others, so that calls get past the checks of their words.
sub arguments
{
	my ($self, $c, $depth) = @_;
	my @row = $self->{calls}->ordinary($c);
	return @row unless @row;
	if (chance(0.25)) { return map { $self->value($c->{args}[$_]{type}, $depth, $c->{args}[$_]) } 0 .. $#row; }
	for (1 .. any(1, 1, 1, 2, 2, 3))
	{
		my $n = int rand @row;
		$row[$n] = $self->value($c->{args}[$n]{type}, $depth, $c->{args}[$n]);
	}
	return @row;
}

# --- statements ------------------------------------------------------------------------------------------------------

sub statement
{
	my ($self) = @_;
	$self->{used_huge} = 0;
	my $c = any(@{ $self->{all} });
	my %s = (callable => $c, kind => 'query', read_back => chance(0.3));
	my $kind = rand;
	if ($kind < 0.03)
	{
		$s{kind} = 'copy';
		$s{type} = any(@own);
		$s{sql} = "COPY $self->{copies}_$s{type} FROM STDIN (FORMAT binary)";
	}
	elsif ($kind < 0.07) { @s{qw(sql over_table)} = ($self->over_table, 1); }
	elsif ($c->{kind} eq 'a') { $s{sql} = $self->aggregate($c); }
	else
	{
		my @row = $self->arguments($c, 2);
		my @binary = grep { $own{ $c->{args}[$_]{type} } || $c->{args}[$_]{type} eq 'bytea' } 0 .. $#row;
		if (@binary && $c->{kind} ne 'p' && $kind < 0.25)
		{
			my $n = any(@binary);
			$row[$n] = '$1';
			$s{kind} = 'binary';
			$s{type} = $c->{args}[$n]{type};
		}
		$s{sql} = $self->{calls}->statement($c, \@row);
	}
	$s{huge} = $self->{used_huge};
	return \%s;
}

# Whether all results of a call are the same after they were written as text; undef where they are of no type of ours.
sub read_back_sql
{
	my ($self, $s) = @_;
	my $c = $s->{callable};
	return if $s->{kind} ne 'query' || $s->{over_table} || $c->{kind} eq 'p' || $c->{volatile};
	my @columns = @{ $c->{out} } ? @{ $c->{out} } : ([ 'c1', $c->{result} ]);
	my @own_columns = grep { $own{ $_->[1] } } @columns or return;
	my $names = join ', ', map { qq("$_->[0]") } @columns;
	return 'SELECT ' . join(' AND ', map { qq(coalesce(bool_and(("$_->[0]"::text)::$_->[1] = "$_->[0]"), true)) } @own_columns) . " FROM ($s->{sql}) AS q ($names)";
}

sub aggregate
{
	my ($self, $c) = @_;
	my @rows = map { [ $self->arguments($c, 1) ] } 1 .. any(1, 1, 2, 3, 6);
	# The last argument of most is one for all rows.
	if (chance(0.5)) { $_->[-1] = $rows[0][-1] for @rows; }
	my $columns = join ', ', map { "a$_" } 1 .. @{ $c->{args} };
	my $from = 'FROM (VALUES ' . join(', ', map { '(' . join(', ', @$_) . ')' } @rows) . ") AS v ($columns)";
	my $kind = rand;
	return "SELECT $c->{called}($columns) $from" if $kind < 0.4;
	return "SELECT $c->{called}($columns ORDER BY " . any(map { "a$_" } 1 .. @{ $c->{args} }) . ") $from" if $kind < 0.5;
	return "SELECT $c->{called}($columns) FILTER (WHERE a1 IS NOT NULL) $from GROUP BY a1" if $kind < 0.6;
	return "SELECT $c->{called}(DISTINCT $columns) $from" if $kind < 0.65;
	my $frame = any('ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING', 'ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW', 'ROWS BETWEEN 2 PRECEDING AND 1 PRECEDING',
		'GROUPS BETWEEN CURRENT ROW AND 1 FOLLOWING', 'ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING EXCLUDE CURRENT ROW');
	return "SELECT $c->{called}($columns) OVER (ORDER BY n $frame) FROM (SELECT row_number() OVER () AS n, v.* $from) AS w";
}

# What the planner and the indexes do with the types: sorting, hashing, index conditions, parallel plans.
sub over_table
{
	my ($self) = @_;
	my $t = "$self->{tables}.value";
	my $type = any('flamegraph', 'stackpath', 'stackquery');
	my $column = { flamegraph => 'fg', stackpath => 'path', stackquery => 'query' }->{$type};
	my $value = $self->value($type, 1);
	my $query = $self->value('stackquery', 1);
	my $path = $self->value('stackpath', 1);
	return any(
		"SELECT count(*) FROM $t WHERE $column " . any('=', '<>', '<', '<=', '>', '>=') . " $value",
		"SELECT count(*) FROM $t WHERE path " . any('<@', '@>') . " $path",
		"SELECT count(*) FROM $t WHERE " . any('fg', 'path') . " ~ $query",
		"SELECT count(*) FROM $t WHERE " . any('fg', 'path') . ' ? ' . $self->value('text', 1),
		"SELECT count(*) FROM $t WHERE " . any('fg', 'path') . any(' ?| ', ' ?& ') . $self->value('text[]', 1),
		"SELECT $column FROM $t UNION SELECT $value",
		"SELECT DISTINCT $column FROM $t ORDER BY 1",
		"SELECT $column, count(*), sum(fg) FROM $t GROUP BY $column",
		"SELECT a.id FROM $t AS a JOIN $t AS b USING ($column) WHERE a.path <@ $path",
		"SELECT stats(fg, " . $self->value('text', 0) . ") FROM $t WHERE total(fg) > " . $self->value('double precision', 1),
		"SELECT total(sum(fg)), nnodes(max(fg)) FROM $t WHERE fg ~ $query GROUP BY id % 3");
}

1;
