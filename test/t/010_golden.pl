# The golden cases: what the extension computes is what an independent reference computed (or what was worked out by
# hand), for text in and out, the vector space, norms, sums and averages of sets, the calling context tree, potentials,
# metrics of methods, tasks, partial stacks and the comparison with a baseline. Runs every case in test/data/golden/cases (or $GOLDEN_DIR/cases) whose op is known below; the format
# is described in test/data/golden/README.md.
use strict;
use warnings;

use Digest::MD5 qw(md5_hex);
use Encode qw(decode encode);
use FindBin;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Wire;

my $dir = $ENV{GOLDEN_DIR} // "$FindBin::RealBin/../data/golden";
my $only = $ENV{GOLDEN_CASE};

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph');
# Shortest round-trip numbers, also in PostgreSQL 12+ installations that were told otherwise.
$db->run('SET extra_float_digits = 1');

# --- inputs ----------------------------------------------------------------------------------------------------------

sub slurp
{
	my ($file) = @_;
	open my $in, '<:raw', $file or die "$file: $!";
	local $/;
	return scalar <$in>;
}

sub bytea { return q('\x) . unpack('H*', $_[0]) . q('::bytea); }

# The SQL expression of a profile from the bytes of a folded text. The type's input function reads it; a lenient
# reading, a byte order mark and what is not UTF-8 text are for the reader of files.
sub profile_from_bytes
{
	my ($bytes, $args) = @_;
	return 'flamegraph_from_folded(' . bytea($bytes) . ", on_error => 'skip')" if $args->{lenient};
	my $valid = !($bytes =~ /\0/ || $bytes =~ /^\xEF\xBB\xBF/)
	  && eval { my $copy = $bytes; decode('UTF-8', $copy, Encode::FB_CROAK); 1 };
	return 'flamegraph_from_folded(' . bytea($bytes) . ')' unless $valid;
	return Wire::literal($bytes) . '::flamegraph';
}

sub input_bytes
{
	my ($input) = @_;
	return encode('UTF-8', $input->{text}) if exists $input->{text};
	return pack('H*', $input->{hex}) if exists $input->{hex};
	return slurp("$dir/$input->{file}") if exists $input->{file};
	if (my $repeat = $input->{repeat})
	{
		return join "\n", map {
			encode('UTF-8',
				join(';', (@{ $_->{frames} }) x $_->{times}, @{ $_->{then} // [] }) . " $_->{value}")
		} @$repeat;
	}
	die 'input of an unknown kind: ' . join(' ', keys %$input);
}

# The folded texts of a list of profiles.
sub profile_list
{
	my ($input) = @_;
	return map { profile_list($_) } @$input if ref $input eq 'ARRAY';
	my @texts = @{ $input->{profiles} // [] };
	if (my $file = $input->{set})
	{
		my $set = decode_json(slurp("$dir/$file"))->{profiles};
		if (my $ids = $input->{ids})
		{
			my %by_id = map { $_->{id} => $_ } @$set;
			$set = [ map { $by_id{$_} // die "$file has no profile $_" } @$ids ];
		}
		push @texts, map { $_->{folded} } @$set;
	}
	return @texts;
}

# Puts a list of profiles into a table; the expression of their sum or average over its rows.
sub load_set
{
	my ($table, $input) = @_;
	my @texts = profile_list($input);
	$db->run("DROP TABLE IF EXISTS $table; CREATE TABLE $table (id serial, fg flamegraph)");
	$db->run("INSERT INTO $table (fg) VALUES " . join(', ', map { '(' . Wire::literal($_) . ')' } @texts))
	  if @texts;
	return $table;
}

# --- comparing -------------------------------------------------------------------------------------------------------
# A case is a list of [what, ok, got, expected]; it passes when all of them are ok.

my @checks;

sub check
{
	my ($what, $ok, $got, $expected) = @_;
	push @checks, [ $what, $ok, $got, $expected ];
	return $ok;
}

# A number from JSON, or one of the texts "Infinity" and "-Infinity".
sub same_number
{
	my ($got, $expected) = @_;
	return !defined $got && !defined $expected if !defined $got || !defined $expected;
	return $got eq $expected if $expected =~ /Infinity$/;
	return 0 if $got =~ /[^-+.0-9e]/;
	return 1 if $got == $expected;
	my $difference = abs($got - $expected);
	# Whole numbers are counts, and exact.
	return 0 if $expected == int $expected && abs($expected) < 2**53 && $got == int $got;
	return $difference <= 1e-9 || $difference <= 1e-9 * abs $expected;
}

sub number { return check($_[0], same_number($_[1], $_[2]), $_[1], $_[2]); }
sub text { return check($_[0], $_[1] eq $_[2], $_[1], $_[2]); }
sub failure { return $_[0]{error} ? "$_[0]{error}{sqlstate} $_[0]{error}{message}" : 'no error'; }

# Runs a statement whose error is a finding and not the end of the test.
sub rows_of
{
	my ($what, $sql) = @_;
	my $result = $db->query($sql);
	check($what, !$result->{error}, failure($result), 'no error') or return;
	return $result->{rows};
}

sub check_error
{
	my ($what, $result, $expected) = @_;
	text("$what: SQLSTATE", $result->{error} ? $result->{error}{sqlstate} : 'no error', $expected->{sqlstate});
	if ($result->{error} && defined $expected->{line})
	{
		my ($line) = ($result->{error}{detail} // '') =~ /^Line (\d+)\b/;
		number("$what: line in the DETAIL", $line, $expected->{line});
	}
	return;
}

# A profile, given by an SQL expression, against its expected facts.
sub check_profile
{
	my ($what, $expression, $expected) = @_;
	# Stored, so that what is compared went through the encoded form.
	$db->run('DROP TABLE IF EXISTS result; CREATE TABLE result (fg flamegraph)');
	my $result = $db->query("INSERT INTO result SELECT $expression");
	if (my $error = $expected->{error})
	{
		check_error($what, $result, $error);
		return $result;
	}
	check($what, !$result->{error}, failure($result), 'no error') or return $result;

	my ($stacks, $total, $norm, $text) =
	  @{ $db->row('SELECT nstacks(fg), total(fg), @-@ fg, flamegraph_to_folded(fg) FROM result') };
	number("$what: stacks", $stacks, $expected->{stacks}) if exists $expected->{stacks};
	number("$what: total", $total, $expected->{total}) if exists $expected->{total};
	number("$what: norm", $norm, $expected->{norm1}) if exists $expected->{norm1};
	text("$what: text", $text, encode('UTF-8', $expected->{text})) if defined $expected->{text};
	text("$what: md5 of the text", md5_hex($text), $expected->{md5}) if defined $expected->{md5};

	my @rows = @{ $db->rows('SELECT stack, value FROM stacks((SELECT fg FROM result))') };
	if (my $entries = $expected->{entries})
	{
		number("$what: rows of stacks()", scalar @rows, scalar @$entries);
		for my $i (0 .. $#$entries)
		{
			last if $i > $#rows;
			text("$what: stack $i", stack_of_line($rows[$i][0]), encode('UTF-8', $entries->[$i][0]));
			number("$what: value $i", $rows[$i][1], $entries->[$i][1]);
		}
	}
	if (my $heaviest = $expected->{heaviest})
	{
		# Ties may stand in any order: the values in order, and each stack with its own.
		my @values = sort { abs $b->[1] <=> abs $a->[1] } @rows;
		my %value = map { stack_of_line($_->[0]) => $_->[1] } @rows;
		for my $i (0 .. $#$heaviest)
		{
			my ($stack, $expected_value) = @{ $heaviest->[$i] };
			number("$what: heaviest value $i", abs($values[$i][1] // 0), abs $expected_value);
			number("$what: value of $stack", $value{ encode('UTF-8', $stack) }, $expected_value);
		}
	}
	# Independent of any expectation: the text reads back as the same value.
	my ($again, $binary) = @{
		$db->row('SELECT flamegraph_to_folded(fg)::flamegraph = fg, '
			  . 'flamegraph_send(flamegraph_to_folded(fg)::flamegraph) = flamegraph_send(fg) FROM result')
	};
	text("$what: text reads back", "$again$binary", 'tt');
	return $result;
}

# The cases write a stack as it stands in a line of text, where a hash that would start a comment is escaped, and
# so is a backslash before a hash; a stackpath needs no escape there.
sub stack_of_line
{
	my ($stack) = @_;
	return $stack =~ /^(?:# |#$|\\#)/ ? "\\$stack" : $stack;
}

# Rows against expected ones, in this order. $columns: [name in the case, kind, factor].
sub check_table
{
	my ($what, $sql, $expected, @columns) = @_;
	my $rows = rows_of($what, $sql) or return;
	number("$what: number of rows", scalar @$rows, $expected->{count}) if exists $expected->{count};
	for my $i (0 .. $#{ $expected->{rows} })
	{
		my $want = $expected->{rows}[$i];
		my $got = $rows->[$i] // [];
		for my $c (0 .. $#columns)
		{
			my ($name, $kind, $factor) = @{ $columns[$c] };
			next unless exists $want->{$name};
			my $value = $got->[$c];
			if ($kind eq 'text')
			{
				text("$what: row $i, $name", $value // '(none)', encode('UTF-8', $want->{$name} // '(none)'));
			}
			else
			{
				$value *= $factor if $factor && defined $value;
				number("$what: row $i, $name", $value, $want->{$name});
			}
		}
	}
	return;
}

# --- ops -------------------------------------------------------------------------------------------------------------

sub one { return profile_from_bytes(input_bytes($_[0]{inputs}{ $_[1] }), $_[0]{args}); }

# The profile of a case that has either one profile or a list, which is summed by the aggregate.
sub one_or_sum
{
	my ($case) = @_;
	return one($case, 'profile') if $case->{inputs}{profile};
	return '(SELECT sum(fg) FROM ' . load_set('profiles', $case->{inputs}{profiles}) . ')';
}

# The parts of after - before. Parts that the extension has no function for yet are left out.
sub check_parts
{
	my ($before, $after, $expected) = @_;
	$db->run("DROP TABLE IF EXISTS two; CREATE TABLE two AS SELECT $before AS f1, $after AS f2");
	my %part = (
		delta => '(SELECT f2 - f1 FROM two)',
		positive => '(SELECT positive_part(f2 - f1) FROM two)',
		negative => '(SELECT negative_part(f2 - f1) FROM two)');
	my $have = $db->value("SELECT count(*) FROM pg_proc WHERE proname IN ('appeared', 'grown', 'disappeared', 'shrunk')");
	if ($have == 4)
	{
		$part{$_} = "(SELECT $_(f1, f2) FROM two)" for qw(appeared grown disappeared shrunk);
	}
	for my $name (sort keys %part)
	{
		check_profile($name, $part{$name}, $expected->{$name}) if $expected->{$name};
	}
	# f2 = f1 + positive - negative, whatever the case expects.
	my $whole = rows_of('parts add up',
		'SELECT total((f1 + positive_part(f2 - f1) - negative_part(f2 - f1)) - f2), '
		  . '@-@ ((f1 + positive_part(f2 - f1) - negative_part(f2 - f1)) - f2) < 1e-9 FROM two');
	text('parts add up to the difference', $whole->[0][1], 't') if $whole;
	return;
}

# The averages of the two samples of a case.
sub averages
{
	my ($case) = @_;
	return map { '(SELECT avg(fg) FROM ' . load_set("set_$_", $case->{inputs}{$_}) . ')' } qw(f1 f2);
}

# The reference's names of the transformations in SQL; a frame is quoted, a count is not.
sub transform_call
{
	my ($name, $profile, @arguments) = @_;
	my %sql = (normalise => 'rescale', collapse_direct => 'collapse_recursion', collapse_cycles => 'collapse_recursion',
		without_frame => 'exclude_stacks');
	push @arguments, 'cycles' if $name eq 'collapse_cycles';
	@arguments = (qq{*;"$arguments[0]";*}) if $name eq 'without_frame';
	my $function = $sql{$name} // $name;
	return "$function(" . join(', ', $profile, map { /^\d+$/ ? $_ : "'$_'" } @arguments) . ')';
}

# Metrics of methods, from a function of the extension in FROM.
sub check_metrics
{
	my ($what, $function, $expected) = @_;
	check_table($what, "SELECT frame, nodes, recursion_free, self, total, total_share, self_fraction FROM $function",
		$expected, [ frame => 'text' ], [ nodes => 'number' ], [ recursion_free => 'number' ], [ self_samples => 'number' ],
		[ method_samples => 'number' ], [ method_time => 'number' ], [ self_time => 'number' ]);
	return;
}

# callers() or callees(), and call_edges() with them.
sub check_calls
{
	my ($case, $side) = @_;
	my $fg = one($case, 'profile');
	my $frame = Wire::literal(encode('UTF-8', $case->{args}{frame}));
	my @columns = ([ frame => 'text' ], [ samples => 'number' ], [ time => 'number' ]);
	check_table("${side}s", "SELECT $side, samples, share FROM ${side}s($fg, $frame)", $case->{expected}, @columns);
	my ($other, $share) = $side eq 'caller' ? qw(callee callee_share) : qw(caller caller_share);
	check_table('call_edges', "SELECT $side, samples, $share FROM call_edges($fg) WHERE $other = $frame",
		$case->{expected}, @columns);
	return;
}

# The two samples of a case as the array arguments of a comparison.
sub samples
{
	my ($case) = @_;
	return map { "(SELECT array_agg(fg ORDER BY id) FROM " . load_set("set_$_", $case->{inputs}{$_}) . ')' } qw(f1 f2);
}

# The same with the arguments that follow.
sub hotelling_arguments
{
	my ($case) = @_;
	my @arguments = samples($case);
	push @arguments, 'alpha => ' . ($case->{args}{alpha} // 0.01), 'min_df => ' . ($case->{args}{min_df} // 1);
	push @arguments, "level => 'node'" if ($case->{args}{on} // '') eq 'cumulate';
	return join ', ', @arguments;
}

# Probabilities have a tolerance of their own, also when they are tiny.
sub probability
{
	my ($what, $got, $expected) = @_;
	return check($what, defined $got && abs($got - $expected) <= 1e-6 * $expected, $got, $expected);
}

# Rows of a comparison, by key.
sub rows_by_key
{
	my ($what, $sql) = @_;
	my $rows = rows_of($what, $sql) or return;
	return { map { $_->[0] => $_ } @$rows };
}

sub check_hotelling
{
	my ($case) = @_;
	my $expected = $case->{expected};
	my $arguments = hotelling_arguments($case);
	my $rows = rows_of('hotelling_test', 'SELECT status, n1, n2, p, kept, kept + dropped, t2, f, df1, df2, f_critical, p_value '
		  . "FROM hotelling_test($arguments)") or return;
	my @got = @{ $rows->[0] };
	text('status', shift @got, $expected->{status});
	my $p_value = pop @got;
	number($_, shift @got, $expected->{$_}) for qw(n1 n2 p kept stacks t2 f df1 df2 f_crit);
	if (defined $expected->{p_value}) { probability('p_value', $p_value, $expected->{p_value}); }
	else { number('p_value', $p_value, undef); }

	$rows = rows_of('hotelling_intervals', 'SELECT key, delta, variance, lower, upper, significant, certain '
		  . "FROM hotelling_intervals($arguments)") or return;
	number('rows', scalar @$rows, $expected->{rows} ? $expected->{kept} : 0);
	my %row = map { decode('UTF-8', $_->[0]) => $_ } @$rows;
	for my $want (@{ $expected->{rows} // [] })
	{
		my $stack = $want->{stack};
		my (undef, @values) = @{ $row{$stack} // [] };
		number("$stack: $_", shift @values, $want->{$_}) for qw(delta var lower upper);
		my $significant = defined $want->{significant} ? ($want->{significant} ? 't' : 'f') : '-';
		text("$stack: significant", $values[0] // '-', $significant);
		my $certain = grep { $_ eq $stack } @{ $expected->{constant_changed} };
		text("$stack: certain", $values[1] // '-', $certain ? 't' : 'f');
	}
	number('significant', scalar(grep { ($_->[5] // '') eq 't' } @$rows), $expected->{significant})
	  if defined $expected->{significant};
	return;
}

# The profiles of a case as rows of table "runs": number, profile, metric, benchmark.
sub load_runs
{
	my ($input) = @_;
	my @rows = run_list($input, undef);
	$db->run('DROP TABLE IF EXISTS runs; CREATE TABLE runs (id serial, fg flamegraph, metric float8, benchmark text)');
	$db->run('INSERT INTO runs (fg, metric, benchmark) VALUES ' . join(', ', map {
		'(' . join(', ', Wire::literal($_->[0]), $_->[1] // 'NULL', defined $_->[2] ? Wire::literal($_->[2]) : 'NULL') . ')' } @rows));
	return;
}

# Profiles of a case with their metrics and groups.
sub run_list
{
	my ($input, $group) = @_;
	return map { run_list($_, $group) } @$input if ref $input eq 'ARRAY';
	$group = $input->{group} // $group;
	my @profiles = @{ $input->{profiles} // [] };
	push @profiles, set_profiles($input) if $input->{set};
	return map { ref $_ ? [ $_->{folded}, $_->{metric}, $input->{group} // $_->{group} // $group ] : [ $_, undef, $group ] } @profiles;
}

sub set_profiles
{
	my ($input) = @_;
	my $set = decode_json(slurp("$dir/$input->{set}"))->{profiles};
	my $ids = $input->{ids} or return @$set;
	my %by_id = map { $_->{id} => $_ } @$set;
	return map { $by_id{$_} // die "$input->{set} has no profile $_" } @$ids;
}

# All runs but the last, and the last.
my $history = '(SELECT array_agg(fg ORDER BY id) FROM runs WHERE id < (SELECT max(id) FROM runs)), '
  . '(SELECT fg FROM runs ORDER BY id DESC LIMIT 1)';
my $benchmarks = '(SELECT array_agg(fg ORDER BY id) FROM runs), (SELECT array_agg(metric ORDER BY id) FROM runs), '
  . '(SELECT array_agg(benchmark ORDER BY id) FROM runs)';

# The reference's metrics of functions in SQL.
sub metric_of
{
	my ($args) = @_;
	my $metric = $args->{metric} // 'total';
	return $metric eq 'potential' ? "potential:$args->{n}" : $metric;
}

# Options of a search: all of the reference's defaults, so that none of ours matters.
sub search_options
{
	my ($args) = @_;
	my %options = (window_size => ($args->{window} // 10) + 0, metric => metric_of($args));
	$options{$_} = ($args->{$_} // 0) + 0 for qw(poisson_unit min_std threshold);
	$options{zero_std} = $args->{zero_std} // 'inf';
	$options{max_depth} = ($args->{max_depth} // 10) + 0;
	$options{max_breadth} = ($args->{max_breadth} // 1) + 0;
	$options{$_} = $args->{$_} // JSON::PP::true for qw(stop_at_equal keep_stem);
	$options{measure} = $args->{measure} // 'through';
	$options{min_profiles} = ($args->{least} // 3) + 0;
	$options{half_life} = ($args->{half_life} // 15) . ' days';
	$options{weights} = $args->{weights} // [ 1, 1, 1 ];
	$options{ages} = { map { $_ => $args->{ages}{$_} * 86400 } keys %{ $args->{ages} } } if $args->{ages};
	return Wire::literal(encode_json(\%options)) . '::jsonb';
}

# Rows of traces: [trace, step, frame, context, diff, candidate_diff, score, status], against paths and their rows.
sub check_traces
{
	my ($what, $rows, $expected, $upwards) = @_;
	my @traces;
	push @{ $traces[ $_->[0] - 1 ] }, $_ for @$rows;
	number("$what: traces", scalar @traces, scalar @$expected);
	for my $t (0 .. $#$expected)
	{
		my @steps = @{ $traces[$t] // [] };
		my @want = @{ $expected->[$t]{rows} };
		number("$what $t: steps", scalar @steps, scalar @want);
		for my $i (0 .. $#want)
		{
			my ($trace, $step, $frame, $context, $diff, $candidate_diff, $score, $status) = @{ $steps[$i] // [] };
			my $row = "$what $t, step $i";
			number($row, $step, $i);
			text("$row: frame", $frame // '(none)', encode('UTF-8', $want[$i]{frame}));
			number("$row: score", $score, $want[$i]{score});
			number("$row: diff", $diff, $want[$i]{diff}) if exists $want[$i]{diff};
			number("$row: candidate_diff", $candidate_diff, $want[$i]{candidate_diff}) if exists $want[$i]{candidate_diff};
			text("$row: status", $status, $want[$i]{status}) if exists $want[$i]{status};
			my @frames = @{ $expected->[$t]{path} };
			@frames = $upwards ? @frames[ $#frames - $i .. $#frames ] : @frames[ 0 .. $i ];
			text("$row: context", $context, encode('UTF-8', join ';', @frames)) if defined $context;
		}
	}
	return;
}

my %ops = (
	parse => sub {
		my ($case) = @_;
		my $bytes = input_bytes($case->{inputs}{profile});
		my $expression = profile_from_bytes($bytes, $case->{args});
		my $result = check_profile('parse', $expression, $case->{expected});
		my $report = $case->{expected}{report};
		if ($report && $report->{skipped} && $case->{args}{lenient})
		{
			my ($skipped, $lines) =
			  map { $_->{detail} =~ /^Skipped (\d+) of (\d+) lines/ } grep { $_->{severity} eq 'WARNING' } @{ $result->{notices} };
			number('skipped lines in the WARNING', $skipped, $report->{skipped});
			# The reference counts what follows the last LF as a line, also when nothing does.
			number('lines in the WARNING', $lines, $report->{lines} - ($bytes =~ /\n\z/ ? 1 : 0));
		}
		# The reader of files agrees where the dialects do: no escape, no empty frame, no control character.
		if (!$case->{args}{lenient} && $expression =~ /::flamegraph$/ && $bytes !~ /[\\\x00-\x08\x0B-\x1F\x7F]|\t[^\n]*\S|;;|;\s*$|^;/m)
		{
			my $file = 'flamegraph_from_folded(' . bytea($bytes) . ')';
			check_profile('as a file', $file, $case->{expected});
		}
	},
	parse_many => sub {
		my ($case) = @_;
		my $texts = $case->{args}{texts};
		number('as many results as texts', scalar @{ $case->{expected} }, scalar @$texts);
		for my $i (0 .. $#$texts)
		{
			my $expected = $case->{expected}[$i];
			my $expression = profile_from_bytes(encode('UTF-8', $texts->[$i]), $case->{args});
			$expected = { error => $expected } if $expected->{sqlstate};
			check_profile("text $i", $expression, $expected);
		}
	},
	add => sub { my ($case) = @_; check_profile('f + g', one($case, 'f') . ' + ' . one($case, 'g'), $case->{expected}); },
	# "What changed from f to g", as in decompose.
	sub => sub { my ($case) = @_; check_profile('g - f', one($case, 'g') . ' - ' . one($case, 'f'), $case->{expected}); },
	scale => sub {
		my ($case) = @_;
		my $fg = one($case, 'profile');
		my $k = sprintf '%.17g', $case->{args}{k};
		check_profile("fg * $k", "$fg * '$k'::float8", $case->{expected});
		check_profile("$k * fg", "'$k'::float8 * $fg", $case->{expected});
	},
	norms => sub {
		my ($case) = @_;
		my $fg = one($case, 'profile');
		my %expression = (
			total => ["total($fg)"],
			l1 => [ "norm($fg)", "norm($fg, 1)", "\@-\@ $fg" ],
			l2 => ["norm($fg, 2)"],
			max => ["norm($fg, 'inf')"]);
		for my $name (sort keys %expression)
		{
			my $expected = $case->{expected}{$name} // next;
			for my $expression (@{ $expression{$name} })
			{
				my $what = $expression =~ s/\Q$fg\E/fg/r;
				my $result = $db->query("SELECT $expression");
				if (ref $expected) { check_error($what, $result, $expected); next; }
				check($what, !$result->{error}, failure($result), 'no error') or next;
				number($what, $result->{rows}[0][0], $expected);
			}
		}
	},
	distance => sub {
		my ($case) = @_;
		my ($f, $g) = (one($case, 'f'), one($case, 'g'));
		my $rows = rows_of('distance', "SELECT $f <-> $g, distance($f, $g), distance($g, $f), "
			  . "similarity($f, $g), similarity($g, $f)") or return;
		number("distance $_", $rows->[0][$_], $case->{expected}{distance}) for 0 .. 2;
		number("similarity $_", $rows->[0][$_], $case->{expected}{similarity}) for 3 .. 4;
	},
	similarity => sub {
		my ($case) = @_;
		my $rows = rows_of('similarity', 'SELECT similarity(' . one($case, 'f') . ', ' . one($case, 'g') . ')') or return;
		number('similarity', $rows->[0][0], $case->{expected});
	},
	sum => sub {
		my ($case) = @_;
		my $table = load_set('profiles', $case->{inputs}{profiles});
		check_profile('sum', "sum(fg) FROM $table", $case->{expected});
	},
	avg => sub {
		my ($case) = @_;
		my $table = load_set('profiles', $case->{inputs}{profiles});
		check_profile('avg', "avg(fg) FROM $table", $case->{expected});
	},
	nodes => sub {
		my ($case) = @_;
		my $fg = one_or_sum($case);
		# Where a case lists only some nodes, these are the heaviest.
		my $order = $case->{args}{limit} ? 'total DESC, stack' : 'node';
		check_table('nodes', "SELECT stack, frame, depth, self, total FROM nodes($fg) ORDER BY $order",
			$case->{expected}, [ stack => 'text' ], [ frame => 'text' ], [ depth => 'number' ],
			[ self => 'number' ], [ total => 'number' ]);
		# The rest of the columns follow from the stack; and node_facts() is the same without it.
		my $rows = rows_of('nodes', "SELECT n.node, row_number() OVER (ORDER BY n.stack), "
			  . 'p.stack IS NOT DISTINCT FROM CASE WHEN n.depth > 1 THEN parent(n.stack) END, '
			  . "(SELECT count(*) FROM unnest(frames(parent(n.stack))) AS f WHERE f = n.frame) = n.recursion, "
			  . 'abs(n.self_share * total(fg) - n.self) < 1e-6, abs(n.total_share * total(fg) - n.total) < 1e-6, '
			  . '(n.node, n.parent, n.frame, n.depth, n.recursion, n.self, n.total, n.self_share, n.total_share) = f '
			  . "FROM (SELECT $fg AS fg) AS s, nodes(s.fg) AS n LEFT JOIN nodes($fg) AS p ON p.node = n.parent "
			  . "LEFT JOIN node_facts($fg) AS f ON f.node = n.node ORDER BY n.node") or return;
		for my $i (0 .. $#$rows)
		{
			number("node $i", $rows->[$i][0], $i + 1);
			number("node $i in canonical order", $rows->[$i][1], $i + 1);
			text("node $i: parent, recursion, shares, node_facts", join('', map { $_ // '-' } @{ $rows->[$i] }[ 2 .. 6 ]), 'ttttt');
		}
	},
	code_path_potential => sub {
		my ($case) = @_;
		check_table('code_path_potential',
			'SELECT frame, potential, share FROM code_path_potential(' . one_or_sum($case) . ')',
			$case->{expected}, [ frame => 'text' ], [ potential => 'number' ], [ percent => 'number', 100 ]);
	},
	subtree_potential => sub {
		my ($case) = @_;
		check_table('subtree_potential',
			'SELECT frame, potential, share, naive, correction FROM subtree_potential('
			  . one_or_sum($case) . ", $case->{args}{n})",
			$case->{expected}, [ frame => 'text' ], [ potential => 'number' ], [ percent => 'number', 100 ],
			[ naive => 'number' ], [ correction => 'number' ]);
	},
	recursion_edges => sub {
		my ($case) = @_;
		my $fg = one($case, 'profile');
		my $rows = rows_of('recursion_edges',
			"SELECT ancestor, descendant, distance, ancestor_node, descendant_node FROM recursion_edges($fg)") or return;
		number('edges', scalar @$rows, $case->{expected}{count});
		my $sum = 0;
		$sum += $_->[2] for @$rows;
		number('sum of distances', $sum, $case->{expected}{distance_sum});
		for my $i (0 .. $#{ $case->{expected}{edges} })
		{
			my $edge = $case->{expected}{edges}[$i];
			text("edge $i: ancestor", $rows->[$i][0] // '', encode('UTF-8', $edge->[0]));
			text("edge $i: descendant", $rows->[$i][1] // '', encode('UTF-8', $edge->[1]));
			number("edge $i: distance", $rows->[$i][2], $edge->[2]);
		}
		# The narrow form, the count, and the numbers of the nodes agree.
		my $same = rows_of('recursion_pairs', "SELECT recursion_edge_count(f.fg) = count(*), "
			  . 'bool_and((p.ancestor_node, p.descendant_node, p.distance) IS NOT DISTINCT FROM '
			  . '(e.ancestor_node, e.descendant_node, e.distance)), bool_and(a.stack = e.ancestor AND d.stack = e.descendant '
			  . "AND d.recursion > 0 AND d.depth - a.depth = e.distance) FROM (SELECT $fg AS fg) f, "
			  . 'ROWS FROM (recursion_edges(f.fg)) WITH ORDINALITY AS e (ancestor_node, descendant_node, ancestor, descendant, distance, i) '
			  . "LEFT JOIN ROWS FROM (recursion_pairs($fg)) WITH ORDINALITY AS p (ancestor_node, descendant_node, distance, i) ON p.i = e.i "
			  . "LEFT JOIN nodes($fg) a ON a.node = e.ancestor_node LEFT JOIN nodes($fg) d ON d.node = e.descendant_node GROUP BY f.fg")
		  or return;
		text('narrow form, count and nodes agree', join('', map { $_ // '-' } @{ $same->[0] // [] }), 'ttt') if @$rows;
	},
	method_metrics => sub {
		my ($case) = @_;
		my $fg = one($case, 'profile');
		check_metrics('frame_metrics', "frame_metrics($fg)", $case->{expected});
		check_metrics('frame_metrics within all', "frame_metrics($fg, '*')", $case->{expected});
		# Callers and callees are counted as callers() and callees() list them.
		my $rows = rows_of('calls', "SELECT m.frame, m.callers = (SELECT count(caller) FROM callers($fg, m.frame)), "
			  . "m.callees = (SELECT count(*) FROM callees($fg, m.frame)), m.total = frame_total($fg, m.frame), "
			  . "m.self = frame_self($fg, m.frame) FROM frame_metrics($fg) m") or return;
		text("$_->[0]: numbers of calls, totals", join('', @{$_}[ 1 .. 4 ]), 'tttt') for @$rows;
	},
	callers => sub { check_calls($_[0], 'caller'); },
	callees => sub { check_calls($_[0], 'callee'); },
	thread_time => sub {
		my ($case) = @_;
		my $fg = one($case, 'profile');
		for my $frame (@{ $case->{args}{frames} })
		{
			my $expected = $case->{expected}{$frame};
			my $rows = rows_of('thread_metrics', 'SELECT thread, samples, share FROM thread_metrics('
				  . "$fg) WHERE frame = " . Wire::literal(encode('UTF-8', $frame))) or return;
			number("$frame: threads", scalar @$rows, scalar keys %$expected);
			for my $row (@$rows)
			{
				my $thread = $expected->{ decode('UTF-8', $row->[0]) } // {};
				number("$frame in $row->[0]: samples", $row->[1], $thread->{samples});
				number("$frame in $row->[0]: share", $row->[2], $thread->{time});
			}
		}
	},
	tasks => sub {
		my ($case) = @_;
		my $fg = one($case, 'profile');
		my $expected = $case->{expected};
		my %definitions = map { $_->{task} => { $_->{type} => $_->{value} } } @{ $case->{args}{tasks} };
		my $tasks = Wire::literal(encode_json(\%definitions)) . '::jsonb';
		my $selected = 'ARRAY[' . join(', ', map { Wire::literal(encode('UTF-8', $_)) } @{ $case->{args}{selected} }) . ']::text[]';
		$selected = 'NULL' unless $case->{args}{selected};
		my $view = "task_view($fg, $tasks, $selected)";
		check_profile('task_view', $view, $expected->{view});
		my $rows = rows_of('task_totals',
			qq{SELECT task, samples, share, total(value) = samples, value = task_view($fg, $tasks, ARRAY[task]) }
			  . qq{FROM task_totals($fg, $tasks) ORDER BY task COLLATE "C"}) or return;
		text('tasks', join(' ', map { $_->[0] } @$rows), encode('UTF-8', join ' ', @{ $expected->{tasks} }));
		for my $row (@$rows)
		{
			number("task $row->[0]", $row->[1], $expected->{task_totals}{ decode('UTF-8', $row->[0]) });
			text("task $row->[0]: its view", "$row->[3]$row->[4]", 'tt');
		}
		my ($total) = @{ rows_of('total', "SELECT total($view)") // [] };
		number('samples of the selected', $total->[0], $expected->{root_samples});
		check_metrics('metrics within tasks', "frame_metrics($view)", $expected->{methods});
	},
	merge_partial => sub {
		my ($case) = @_;
		my $expected = $case->{expected};
		my $call = 'merge_partial(' . one($case, 'full') . ', ' . one($case, 'partial') . ', ' . ($case->{args}{threshold} // 0) . ')';
		check_profile('merged', "merged FROM $call", $expected->{fg});
		check_profile($_, "$_ FROM $call", $expected->{$_}) for qw(ambiguous unmatched);
		my ($sum) = @{ rows_of('nothing is lost', 'SELECT total(merged + ambiguous + unmatched) - total('
				  . one($case, 'full') . ' + ' . one($case, 'partial') . ") FROM $call") // [] };
		number('nothing is lost', $sum->[0], 0);
	},
	hot_contexts => sub {
		my ($case) = @_;
		my $fg = one($case, 'profile');
		my $phi = $case->{args}{phi};
		check_profile('hot_tree', "hot_tree($fg, $phi)", $case->{expected}{fg});
		my $rows = rows_of('hot_contexts', "SELECT count(*), sum(self), bool_and(self = ($fg -> stack) AND total = ($fg ->> stack)), "
			  . "nnodes(hot_tree($fg, $phi)) FROM hot_contexts($fg, $phi)") or return;
		number('hot contexts', $rows->[0][0], $case->{expected}{hot});
		number('hot contexts: sum', $rows->[0][1], $case->{expected}{fg}{total});
		text('hot contexts: values', $rows->[0][2], 't');
		number('nodes of the hot tree', $rows->[0][3], $case->{expected}{nodes});
	},
	subsuming => sub {
		my ($case) = @_;
		my $fg = one($case, 'profile');
		my $bounds = join ', ', $case->{args}{hbound}, $case->{args}{dbound};
		my $where = $case->{args}{only_subsuming} ? 'AND subsuming' : '';
		check_table('subsuming_frames', 'SELECT frame, height, distance, CASE WHEN subsuming THEN 1 ELSE 0 END, induced_cost '
			  . "FROM subsuming_frames($fg, $bounds) WHERE frame IS NOT NULL $where",
			$case->{expected}{table}, [ frame => 'text' ], [ height => 'number' ], [ dmd_min => 'number' ],
			[ subsuming => 'number' ], [ induced => 'number' ]);
		my $rows = rows_of('facts', "SELECT count(frame), count(*) FILTER (WHERE subsuming), "
			  . 'coalesce(sum(induced_cost) FILTER (WHERE frame IS NULL), 0), '
			  . "subsuming_tree($fg, $bounds) -> '', sum(induced_cost) - total($fg) FROM subsuming_frames($fg, $bounds)") or return;
		number('methods', $rows->[0][0], $case->{expected}{methods});
		number('subsuming methods', $rows->[0][1], $case->{expected}{subsuming});
		number('unclaimed', $rows->[0][2], $case->{expected}{unclaimed});
		number('unclaimed in the tree', $rows->[0][3], $case->{expected}{unclaimed});
		number('no cost is lost', $rows->[0][4], 0);
	},
	baseline_change => sub {
		my ($case) = @_;
		# A function with this share of either version, the rest of the time elsewhere.
		for my $i (0 .. $#{ $case->{args}{pairs} })
		{
			my @shares = @{ $case->{args}{pairs}[$i] };
			my ($current, $baseline) = map { "flamegraph_agg(v.s::stackpath, v.x) FROM (VALUES ('f', $_), ('rest', 1 - $_)) v(s, x)" } @shares;
			my $expected = $case->{expected}[$i];
			my $rows = rows_of('compare_baseline', 'SELECT angle, shown_angle, red, green, blue, baseline_share, current_share '
				  . "FROM compare_baseline((SELECT $baseline), (SELECT $current)) WHERE frame = 'f'") or return;
			# A frame without samples in both versions has no row, and no arrow.
			$rows->[0] //= [ 0, 0, 0, 0, 255, 0, 0 ] if $shares[0] == 0 && $shares[1] == 0;
			my @names = qw(angle shown red green blue);
			number("pair $i: $names[$_]", $rows->[0][$_], $expected->{ $names[$_] }) for 0 .. 4;
			number("pair $i: baseline share", $rows->[0][5], $shares[1]);
			number("pair $i: current share", $rows->[0][6], $shares[0]);
		}
	},
	ts_scores => sub {
		my ($case) = @_;
		my $args = $case->{args};
		load_runs($case->{inputs}{profiles});
		my $scores = sprintf "deviation_scores($history, window_size => %d, metric => '%s', poisson_unit => %s, min_std => %s, zero_std => '%s')",
		  $args->{window} // 10, metric_of($args), $args->{poisson_unit} // 0, $args->{min_std} // 0, $args->{zero_std} // 'inf';
		if (my $error = $case->{expected}{error})
		{
			check_error('deviation_scores', $db->query("SELECT * FROM $scores"), $error);
			return;
		}
		check_table('deviation_scores', 'SELECT frames(key), key::text, expected, stddev, actual, diff, score, status '
			  . "FROM $scores", { count => $case->{expected}{count} });
		# Scores that differ in the last digit may stand in either order.
		for my $want (@{ $case->{expected}{rows} })
		{
			my $frame = encode('UTF-8', $want->{frame});
			my $rows = rows_of($frame, 'SELECT expected, stddev, actual, diff, score, status, n FROM '
				  . "$scores WHERE frames(key) = ARRAY[" . Wire::literal($frame) . ']') or next;
			my @names = qw(expected std actual diff score);
			number("$frame: $names[$_]", $rows->[0][$_], $want->{ $names[$_] }) for 0 .. $#names;
			text("$frame: status", $rows->[0][5] // '(none)', $want->{status});
		}
		my $counts = rows_of('facts', "SELECT count(*) FILTER (WHERE status = '+'), count(*) FILTER (WHERE status = '-'), "
			  . 'bool_and(p_value BETWEEN 0 AND 1 AND q_value BETWEEN p_value AND 1), bool_and(score <= before OR before IS NULL) '
			  . "FROM (SELECT *, lag(score) OVER () AS before FROM $scores) s") or return;
		number('new functions', $counts->[0][0], $case->{expected}{plus});
		number('functions that are gone', $counts->[0][1], $case->{expected}{minus});
		text('probabilities; the highest score first', "$counts->[0][2]$counts->[0][3]", 'tt');
	},
	pearson => sub {
		my ($case) = @_;
		my $args = $case->{args};
		load_runs($case->{inputs}{profiles});
		$db->run('UPDATE runs SET fg = rescale(fg)') if $args->{share};
		my $level = ($args->{metric} // 'self') eq 'total' ? 'frame' : 'self';
		my $missing = $args->{missing} // 'skip';
		my $scores = sprintf "frame_correlation($benchmarks, level => '$level', min_profiles => %d, missing => '$missing', sign => 'both')",
		  $args->{least} // 3;
		check_table('frame_correlation', "SELECT frame, score FROM $scores", $case->{expected}, [ frame => 'text' ], [ score => 'number' ]);
		for my $want (@{ $case->{expected}{rows} })
		{
			my $frame = encode('UTF-8', $want->{frame});
			my $rows = rows_of($frame, "SELECT s.benchmarks, s.n FROM $scores s WHERE frame = " . Wire::literal($frame)) or next;
			my @of = values %{ $want->{benchmarks} };
			number("$frame: benchmarks", $rows->[0][0], scalar @of);
			my $n = 0;
			$n += $_->{n} for @of;
			number("$frame: profiles", $rows->[0][1], $n);
			my $points = rows_of($frame, 'SELECT benchmark, n, coefficient, cardinality(samples), cardinality(metrics) FROM correlation_points('
				  . ($benchmarks =~ s/, (?=\(SELECT array_agg\(benchmark)/, frame => @{[Wire::literal($frame)]}, benchmark_of => /r)
				  . ", level => '$level', missing => '$missing')") or next;
			for my $point (@$points)
			{
				my $expected = $want->{benchmarks}{ decode('UTF-8', $point->[0] // '') } // next;
				number("$frame, $point->[0]: n", $point->[1], $expected->{n});
				number("$frame, $point->[0]: coefficient", $point->[2], $expected->{pcc});
				text("$frame, $point->[0]: points", "$point->[3] $point->[4]", "$expected->{n} $expected->{n}");
			}
		}
	},
	expand => sub {
		my ($case) = @_;
		my $args = $case->{args};
		my $selection = $args->{selection} // 'greedy';
		my $direction = $args->{direction} // 'child';
		my $start = Wire::literal(encode('UTF-8', $args->{frame}));
		load_runs($case->{inputs}{profiles});
		my $call = $selection eq 'correlation'
		  ? "expand_context($benchmarks, $start, '$direction', " . search_options($args) . ')'
		  : "expand_context($history, $start, '$direction', '$selection', " . search_options($args) . ')';
		my $rows = rows_of('expand_context',
			"SELECT trace, step, frame, array_to_string(frames(context), ';'), diff, candidate_diff, score, status FROM $call") or return;
		check_traces('trace', $rows, $case->{expected}, $direction eq 'parent');
		# The measures of an informed search are those of single steps.
		return unless $selection eq 'informed';
		for my $trace (@{ $case->{expected} })
		{
			for my $i (1 .. $#{ $trace->{rows} })
			{
				my $want = $trace->{rows}[$i];
				my $context = 'stackpath(ARRAY[' . join(', ', map { Wire::literal(encode('UTF-8', $_)) } @{ $trace->{path} }[ 0 .. $i - 1 ]) . '])';
				my $step = rows_of('expand_step', "SELECT recency, mode_shift, depth_novelty, score FROM expand_step($history, $context, "
					  . "'$direction', " . search_options($args) . ') WHERE frame = ' . Wire::literal(encode('UTF-8', $want->{frame}))) or next;
				my @names = qw(git mode depth score);
				number("step to $want->{frame}: $names[$_]", $step->[0][$_], $want->{ $names[$_] }) for 0 .. $#names;
			}
		}
	},
	report => sub {
		my ($case) = @_;
		my $args = $case->{args};
		load_runs($case->{inputs}{profiles});
		my $report = "regression_report($history, $args->{k}, options => " . search_options($args) . ')';
		my $candidates = rows_of('candidates', 'SELECT rank, frame, expected, actual, diff, candidate_diff, score, status '
			  . "FROM $report WHERE section = 'candidate'") or return;
		number('candidates', scalar @$candidates, scalar @{ $case->{expected} });
		for my $i (0 .. $#{ $case->{expected} })
		{
			my $want = $case->{expected}[$i];
			my $got = $candidates->[$i] // [];
			text("candidate $i", $got->[1], encode('UTF-8', $want->{frame}));
			text("candidate $i: status", $got->[7], $want->{status});
			my @names = qw(expected actual diff diff score);
			number("candidate $i: $names[$_]", $got->[ $_ + 2 ], $want->{ $names[$_] }) for 0 .. $#names;
			number("candidate $i: rank", $got->[0], $want->{rank});
			for my $section (qw(child parent))
			{
				my $rows = rows_of($section, 'SELECT trace, step, frame, NULL, diff, candidate_diff, score, status '
					  . "FROM $report WHERE section = '$section' AND rank = $want->{rank}") or next;
				check_traces("candidate $i, $section", $rows, $want->{$section}, $section eq 'parent');
			}
		}
	},
	decompose => sub { my ($case) = @_; check_parts(one($case, 'f1'), one($case, 'f2'), $case->{expected}); },
	decompose_avg => sub { my ($case) = @_; check_parts(averages($case), $case->{expected}); },
	welch => sub {
		my ($case) = @_;
		my $level = ($case->{args}{on} // '') eq 'cumulate' ? 'node' : 'stack';
		my $min_df = $case->{args}{min_df} // 1;
		my ($f1, $f2) = samples($case);
		my $call = "compare_profiles($f1, $f2, '$level', min_df => $min_df";
		my %adjusted = map { $_ => rows_by_key($_, "SELECT key, q_value FROM $call, correction => '$_')") // return } qw(bh holm bonferroni);
		my $rows = rows_of('welch', "SELECT key, delta, t, df, p_value, lag(p_value, 1, 0) OVER () <= p_value FROM $call)") or return;
		number('keys', scalar @$rows, $case->{expected}{count});
		text('smallest p first', join('', map { $_->[5] } @$rows), 't' x @$rows);
		my %got = map { stack_of_line($_->[0]) => $_ } @$rows;
		for my $want (@{ $case->{expected}{rows} })
		{
			my $stack = encode('UTF-8', $want->{stack});
			my $row = $got{$stack} // [];
			number("$stack: delta", $row->[1], $want->{delta});
			number("$stack: t", $row->[2], $want->{t});
			number("$stack: df", $row->[3], $want->{df});
			probability("$stack: p", $row->[4], $want->{p});
			probability("$stack: $_", $adjusted{$_}{ $row->[0] // '' }[1], $want->{"p_$_"}) for sort keys %adjusted;
		}
		# The largest p that is shown bounds those that are not.
		my $shown = @{ $case->{expected}{rows} };
		probability('the last one shown', $rows->[ $shown - 1 ][4], $case->{expected}{rows}[-1]{p});
	},
	maxt_exact => sub {
		my ($case) = @_;
		my $rows = rows_by_key('maxt', 'SELECT key, abs(t), q_value FROM compare_profiles(' . join(', ', samples($case)) . ", method => 'maxt')") or return;
		number('keys', scalar keys %$rows, scalar @{ $case->{expected} });
		for my $want (@{ $case->{expected} })
		{
			my $row = $rows->{ $want->{stack} } // [];
			number("$want->{stack}: t", $row->[1], $want->{t});
			probability("$want->{stack}: p", $row->[2], $want->{p_adj});
			probability("$want->{stack}: share of relabellings", $row->[2], $want->{count} / $want->{of});
		}
	},
	hotelling => \&check_hotelling,
	# Intervals of given differences, variances and critical value: by profiles that have them.
	t2_intervals => sub {
		my ($case) = @_;
		my ($n1, $n2, $critical, $delta, $variance) = @{ $case->{args} }{qw(n1 n2 f_crit delta var)};
		# P(F(3, 196) > 3.8), as case f_distribution has it.
		my $alpha = 0.011151544039053858;
		my @samples;
		for my $sample ([ $n1, 0 ], [ $n2, 1 ])
		{
			my ($n, $after) = @$sample;
			push @samples, { profiles => [ map {
				my $sign = $_ % 2 ? 1 : -1;
				join "\n", map { "k$_ " . sprintf '%.17g', 1e6 + $after * $delta->[$_] + $sign * sqrt($variance->[$_] * ($n - 1) / $n) } 0 .. $#$delta
			} 1 .. $n ] };
		}
		my $arguments = hotelling_arguments({ inputs => { f1 => $samples[0], f2 => $samples[1] }, args => { alpha => $alpha } });
		my $rows = rows_of('intervals', "SELECT i.lower, i.upper, t.f_critical, t.p FROM hotelling_test($arguments) AS t, "
			  . "hotelling_intervals($arguments) AS i ORDER BY i.key") or return;
		for my $i (0 .. $#$delta)
		{
			number("interval $i, end $_", $rows->[$i][$_], $case->{expected}[$i][$_]) for 0, 1;
			number('critical F', $rows->[$i][2], $critical);
			number('p', $rows->[$i][3], $case->{args}{p});
		}
	},
	reduced_difference => sub {
		my ($case) = @_;
		my $expected = $case->{expected};
		my $arguments = hotelling_arguments($case);
		my $rows = rows_of('test', "SELECT status, p_value FROM hotelling_test($arguments)") or return;
		text('status', $rows->[0][0], $expected->{status});
		probability('p_value', $rows->[0][1], $expected->{p_value});
		check_profile('delta', "reduced_difference($arguments)", $expected->{delta});
		my ($before, $after) = averages($case);
		# Reduced, both averages still have the four parts of a change.
		for my $part (qw(appeared grown disappeared shrunk))
		{
			check_profile($part, "$part(restrict(b, s), restrict(a, s)) FROM (SELECT $before AS b, $after AS a, "
				  . "(SELECT array_agg(stack) FROM stacks(reduced_difference($arguments))) AS s) AS t", $expected->{$part});
		}
	},
	size_factor => sub {
		my ($case) = @_;
		my @arguments = (averages($case), "'median_ratio'");
		push @arguments, $case->{args}{min_mean} if defined $case->{args}{min_mean};
		my $rows = rows_of('size_factor', 'SELECT size_factor(' . join(', ', @arguments) . ')');
		number('factor', $rows->[0][0], $case->{expected}{factor}) if $rows;
	},
	prune => sub {
		my ($case) = @_;
		my @arguments = (one($case, 'profile'), $case->{args}{share});
		if (exists $case->{args}{other})
		{
			push @arguments, defined $case->{args}{other} ? "'$case->{args}{other}'" : 'NULL';
		}
		check_profile('prune', 'prune(' . join(', ', @arguments) . ')', $case->{expected});
	},
	transform => sub {
		my ($case) = @_;
		my $call = transform_call($case->{args}{name}, one($case, 'profile'), @{ $case->{args}{args} // [] });
		if (!defined $case->{expected})
		{
			my $rows = rows_of('transform', "SELECT $call IS NULL");
			text('the result is NULL', $rows->[0][0], 't') if $rows;
			return;
		}
		check_profile($case->{args}{name}, $call, $case->{expected});
	});

# --- running ---------------------------------------------------------------------------------------------------------

# One test for all checks that were made; the failing ones are shown.
sub verdict
{
	my ($name) = @_;
	my @failed = grep { !$_->[1] } @checks;
	my $count = scalar @checks;
	# A case that compared nothing proves nothing.
	ok($count > 0 && !@failed, "$name ($count checks)");
	for my $failed (@failed[ 0 .. ($#failed < 9 ? $#failed : 9) ])
	{
		my ($what, undef, $got, $expected) = @$failed;
		diag("$what\n    got: " . shown($got) . "\n    expected: " . shown($expected));
	}
	diag('nothing was compared') unless $count;
	@checks = ();
	return;
}

sub shown
{
	my ($value) = @_;
	return 'NULL' unless defined $value;
	return length $value > 300 ? substr($value, 0, 300) . '...' : $value;
}

my ($run, %unknown);
for my $file (sort glob "'$dir'/cases/*.json")
{
	my $case = decode_json(slurp($file));
	next if defined $only && $case->{id} !~ /$only/;
	my $op = $ops{ $case->{op} };
	if (!$op) { push @{ $unknown{ $case->{op} } }, $case->{id}; next; }
	eval { $op->($case); 1 } or check('the case runs', 0, $@, 'no error');
	verdict("$case->{op}: $case->{id}");
	$run++;
}
note("no runner for op $_: @{ $unknown{$_} }") for sort keys %unknown;
ok($run, "cases were found in $dir");

# --- stand-ins for the cases with data files under another licence ----------------------------------------------------

# A line that is not one, or whose value is out of range: by default an error, skipped and counted when asked for; a sum
# that overflows is no fault of a line, and an error always.
{
	my $file = "# a comment\na;b 1\nno value\n\na;b nan\na;c 2\n";
	my $lenient = { lenient => 1 };
	check_profile('strict', profile_from_bytes($file, {}), { error => { sqlstate => '22P02', line => 3 } });
	check_profile('strict, as a file', 'flamegraph_from_folded(' . bytea($file) . ')',
		{ error => { sqlstate => '22P02', line => 3 } });
	my $result = check_profile('lenient', profile_from_bytes($file, $lenient),
		{ stacks => 2, total => 3, norm1 => 3, text => "a;b 1\na;c 2" });
	my ($warning) = grep { $_->{severity} eq 'WARNING' } @{ $result->{notices} };
	check('one WARNING counts them', $warning && $warning->{detail} =~ /^Skipped 2 of \d+ lines, the first of them line 3\b/,
		$warning->{detail}, 'Skipped 2 of ... line 3');
	check_profile('lenient, a value out of range', profile_from_bytes("a 1\nx\nb 1e400\n", $lenient),
		{ stacks => 1, total => 1, norm1 => 1, text => 'a 1' });
	check_profile('lenient, a sum out of range', profile_from_bytes("a 1e308\nx\na 1e308\n", $lenient),
		{ error => { sqlstate => '22003', line => 3 } });
	verdict('a line that does not parse');
}

# UTF-16 in either byte order, with and without a mark, is refused by the first line.
for my $order ('LE', 'BE')
{
	for my $mark ('', "\x{FEFF}")
	{
		my $bytes = encode("UTF-16$order", "${mark}main;caf\x{E9} 1\r\n");
		for my $lenient (0, 1)
		{
			check_profile("UTF-16$order", profile_from_bytes($bytes, { lenient => $lenient }),
				{ error => { sqlstate => '22021', line => 1 } });
		}
	}
	verdict("UTF-16$order is refused");
}

$db->close;
$node->stop;
done_testing();
