# Files of golden jobs (test/data/golden/jobs): loads the jobs, calls the functions, and compares. Intervals are merged and
# compared exactly, step functions at every bound, tables by key; numbers to nine digits.
#
#   GoldenJobs::check_folder($db, $folder)   # a test for each call of each file; $db: a Wire, in a database with flamegraph_jobs
#   GoldenJobs::load_folder($db, $folder)    # loads the jobs that can be analysed, without large ones: [name, job_id], ...
package GoldenJobs;

use strict;
use warnings;

use Digest::SHA qw(sha256_hex);
use File::Temp qw(tempdir);
use JSON::PP;
use List::Util qw(max);
use PostgreSQL::Test::Utils;
use Test::More;

use Wire;

my ($db, $dir);

# --- loading ---------------------------------------------------------------------------------------------------------

# Each table of the files: ours, the columns of both in one order, and their types. {m} and {j} are the model and the job.
my $time = q('2000-01-01 00:00:00+00'::timestamptz + interval '1 microsecond' * );
my %tables = (
	phase_type => [
		'phase_type (model, phase_type, parent_type, repeat, bottleneck_predicate)',
		'{m}, phase_type, parent_type, repeat, predicate',
		'phase_type text, parent_type text, repeat phase_repeat, predicate text' ],
	precedence => [ 'phase_type_precedence (model, before, after)', '{m}, before, after', 'before text, after text' ],
	resource_type => [
		'resource_type (model, resource_type, parent_type, class, unit)',
		'{m}, resource_type, parent_type, class, unit',
		'resource_type text, parent_type text, class resource_class, unit text' ],
	rule => [
		'attribution_rule (model, phase_type, resource_type, rule, cap, delta)',
		'{m}, phase_type, resource_type, rule, cap, delta',
		'phase_type text, resource_type text, rule attribution_rule_kind, cap float8, delta float8' ],
	phase => [
		'phase (job_id, phase_id, parent_id, phase_type, instance, start_time, end_time)',
		qq({j}, phase_id, parent_id, phase_type, coalesce(instance, ''), $time "start", $time "end"),
		'phase_id bigint, parent_id bigint, phase_type text, instance text, "start" float8, "end" float8' ],
	resource => [
		'resource (job_id, resource_id, parent_id, resource_type, instance, capacity, delta)',
		q({j}, resource_id, parent_id, resource_type, coalesce(instance, ''), capacity, delta),
		'resource_id bigint, parent_id bigint, resource_type text, instance text, capacity float8, delta float8' ],
	phase_resource => [
		'phase_resource (job_id, phase_id, resource_id)',
		'{j}, phase_id, resource_id', 'phase_id bigint, resource_id bigint' ],
	usage => [
		'usage_measurement (job_id, resource_id, start_time, end_time, usage)',
		qq({j}, resource_id, $time "start", $time "end", usage),
		'resource_id bigint, "start" float8, "end" float8, usage float8' ],
	blocking => [
		'blocking_interval (job_id, resource_id, start_time, end_time)',
		qq({j}, resource_id, $time "start", $time "end"),
		'resource_id bigint, "start" float8, "end" float8' ]);
my @order = qw(phase_type precedence resource_type rule phase resource phase_resource usage blocking);

sub new_job
{
	my ($name) = @_;
	my $model = Wire::literal($name);
	$db->run("INSERT INTO platform_model (model) VALUES ($model)");
	my $job = $db->value("INSERT INTO job (model, name) VALUES ($model, $model) RETURNING job_id");
	return ($model, $job);
}

sub insert_sql
{
	my ($table, $model, $job, $source) = @_;
	my ($into, $values) = @{ $tables{$table} };
	$values =~ s/\{m\}/$model/g;
	$values =~ s/\{j\}/$job/g;
	return "INSERT INTO $into SELECT $values FROM $source";
}

# The job of a file, or the error of its rows.
sub load_input
{
	my ($file) = @_;
	my ($model, $job) = new_job($file->{name});
	for my $table (@order)
	{
		my $rows = Wire::literal(encode_json($file->{input}{$table} // []));
		my $result = $db->query(
			insert_sql($table, $model, $job, "jsonb_to_recordset($rows\::jsonb) AS x ($tables{$table}[2])"));
		return (undef, $result->{error}) if $result->{error};
	}
	return ($job, undef);
}

# Makes the tables of a large job and copies them in; undef where numpy is missing.
sub load_large
{
	my ($file) = @_;
	my $out = tempdir(CLEANUP => 1);
	my %options = %{ $file->{generator} };
	delete $options{diff};
	my $gc = delete $options{gc_phases};
	my @options = ((map { ("--$_", $options{$_}) } sort keys %options), $gc ? '--gc-phases' : ());
	run_log([ 'python3', "$dir/gen_job.py", '--out', $out, @options ]) or return;
	my ($model, $job) = new_job($file->{name});
	for my $table (@order)
	{
		my $csv = slurp_file("$out/$table.csv");
		is(sha256_hex($csv), $file->{tables}{$table}{sha256}, "$file->{name}: made the same $table");
		my ($columns) = $csv =~ /^(.*)$/m;
		$db->run("DROP TABLE IF EXISTS csv; CREATE TEMP TABLE csv ($tables{$table}[2])");
		my $result = $db->copy('COPY csv (' . join(', ', map { qq("$_") } split /,/, $columns)
			  . ') FROM STDIN (FORMAT csv, HEADER)', $csv);
		is($result->{error} && $result->{error}{message}, undef, "$file->{name}: copied $table");
		$db->run(insert_sql($table, $model, $job, 'csv'));
	}
	return $job;
}

# --- calls -----------------------------------------------------------------------------------------------------------

sub argument
{
	my ($name, $value) = @_;
	return "interval '$value microseconds'" if $name eq 'slice';
	return "$time $value" if $name eq 'origin';
	return Wire::literal(encode_json($value)) . '::jsonb' if ref $value eq 'HASH';
	return Wire::literal('{' . join(',', @$value) . '}') if ref $value eq 'ARRAY';
	return $value ? 'true' : 'false' if JSON::PP::is_bool($value);
	return Wire::literal("$value");
}

my %column = (
	start_us => 'round(extract(epoch FROM start_time) * 1000000) - 946684800000000',
	end_us => 'round(extract(epoch FROM end_time) * 1000000) - 946684800000000',
	resource_types => q(array_to_string(resource_types, ',')));

sub call_sql
{
	my ($job, $call) = @_;
	my %args = %{ $call->{args} };
	my %where = map { $_ => $call->{where}{$_} } keys %{ $call->{where} // {} };
	$where{phase_id} = delete $args{phase_id} if exists $args{phase_id};
	my @columns = @{ $call->{columns} // [] } ? @{ $call->{columns} } : ('*');
	my $sql = 'SELECT ' . join(', ', map { $column{$_} // $_ } @columns) . " FROM jobs.$call->{fn}("
	  . join(', ', "job_id => $job", map { "$_ => " . argument($_, $args{$_}) } sort keys %args) . ')';
	my @where = map {
		"$_ IN (" . join(', ', map { Wire::literal($_) } ref $where{$_} ? @{ $where{$_} } : $where{$_}) . ')'
	} sort keys %where;
	$sql .= ' WHERE ' . join(' AND ', @where) if @where;
	return $sql;
}

# --- comparing ---------------------------------------------------------------------------------------------------------

my %is_steps = map { $_ => 1 } qw(estimated_workload upsample_usage attribute_usage unattributed_usage);
my %is_intervals = map { $_ => 1 }
  qw(blocked_intervals active_phases leaf_bottlenecks bottlenecks bottleneck_timeline);
my %is_key = map { $_ => 1 }
  qw(phase_id resource_id phase_type resource_type start_us end_us issue source sampling factor direction measure
  slice phase predicate);

sub is_number { return defined $_[0] && $_[0] =~ /^[-+]?(?:\d|\.\d)/; }

sub same
{
	my ($got, $expected) = @_;
	return !defined $got && !defined $expected unless defined $got && defined $expected;
	return $got eq $expected unless is_number($got) && is_number($expected);
	return abs($got - $expected) <= 1e-9 * max(1, abs $got, abs $expected);
}

sub text { return join ' | ', map { $_ // 'null' } @_; }

# Rows of one key as sorted pieces of time, [start, end, values ...].
sub by_key
{
	my ($columns, $rows, @keys) = @_;
	my %place = map { $columns->[$_] => $_ } 0 .. $#$columns;
	my @values = grep {
		my $column = $columns->[$_];
		$column ne 'start_us' && $column ne 'end_us' && !grep { $_ eq $column } @keys
	} 0 .. $#$columns;
	my %found;
	for my $row (@$rows)
	{
		push @{ $found{ text(@$row[ @place{@keys} ]) } },
		  [ (defined $place{start_us} ? @$row[ @place{qw(start_us end_us)} ] : (0, 0)), @$row[@values] ];
	}
	@$_ = sort { $a->[0] <=> $b->[0] } @$_ for values %found;
	return \%found;
}

# The value columns of each moment at which anything may change, of two lists of pieces; where neither has a piece nothing.
sub compare_steps
{
	my ($got, $expected, $covers) = @_;
	my %bounds = map { $_->[0] => 1, $_->[1] => 1 } @$got, @$expected;
	my ($g, $e) = (0, 0);
	for my $t (sort { $a <=> $b } keys %bounds)
	{
		$g++ while $g < @$got && $got->[$g][1] <= $t;
		$e++ while $e < @$expected && $expected->[$e][1] <= $t;
		my $mine = $g < @$got && $got->[$g][0] <= $t ? $got->[$g] : undef;
		my $theirs = $e < @$expected && $expected->[$e][0] <= $t ? $expected->[$e] : undef;
		next unless $mine || $theirs;
		return "at $t: " . ($mine ? 'too much' : 'missing') if $covers && !($mine && $theirs);
		for my $i (2 .. $#{ $mine // $theirs })
		{
			my ($x, $y) = ($mine ? $mine->[$i] : 0, $theirs ? $theirs->[$i] : 0);
			return "at $t: got " . text($x) . ', expected ' . text($y) unless same($x, $y);
		}
	}
	return;
}

sub overlap
{
	my ($pieces) = @_;
	for my $i (1 .. $#$pieces) { return $pieces->[$i][0] if $pieces->[$i][0] < $pieces->[ $i - 1 ][1]; }
	return;
}

sub differ_in_steps
{
	my ($call, $rows) = @_;
	my @keys = grep { /_id$/ } @{ $call->{columns} };
	my $got = by_key($call->{columns}, $rows, @keys);
	my $expected = by_key($call->{columns}, $call->{rows}, @keys);
	my %all = (%$got, %$expected);
	for my $key (sort keys %all)
	{
		my $overlap = overlap($got->{$key} // []);
		return "$key: rows overlap at $overlap" if defined $overlap;
		my $what = compare_steps($got->{$key} // [], $expected->{$key} // [], $call->{fn} eq 'upsample_usage');
		return "$key $what" if $what;
	}
	return;
}

# Neighbours as one, as sorted texts.
sub merged
{
	my ($columns, $rows) = @_;
	my $pieces = by_key($columns, $rows, grep { !/_us$/ } @$columns);
	my @merged;
	for my $key (sort keys %$pieces)
	{
		my @times;
		for my $piece (@{ $pieces->{$key} })
		{
			if (@times && $piece->[0] <= $times[-1][1]) { $times[-1][1] = max($times[-1][1], $piece->[1]); }
			else { push @times, [ @$piece[ 0, 1 ] ]; }
		}
		push @merged, map { "$key: $_->[0] to $_->[1]" } @times;
	}
	return @merged;
}

sub differ_in_intervals
{
	my ($call, $rows) = @_;
	my %got = map { $_ => 1 } merged($call->{columns}, $rows);
	my %expected = map { $_ => 1 } merged($call->{columns}, $call->{rows});
	my ($missing) = grep { !$got{$_} } sort keys %expected;
	my ($more) = grep { !$expected{$_} } sort keys %got;
	return unless defined $missing || defined $more;
	return 'missing ' . text($missing) . ', too much ' . text($more);
}

sub differ_in_table
{
	my ($call, $rows) = @_;
	my @columns = @{ $call->{columns} };
	my @keys = grep { $is_key{ $columns[$_] } } 0 .. $#columns;
	my %got = map { text(@$_[@keys]) => $_ } @$rows;
	return 'got ' . @$rows . ' rows, expected ' . @{ $call->{rows} } if @$rows != @{ $call->{rows} };
	for my $expected (@{ $call->{rows} })
	{
		my $key = text(@$expected[@keys]);
		my $row = $got{$key} or return "missing $key";
		for my $i (0 .. $#columns)
		{
			return "$key, $columns[$i]: got " . text($row->[$i]) . ', expected ' . text($expected->[$i])
			  unless same($row->[$i], $expected->[$i]);
		}
	}
	return;
}

# What differs, undef when nothing does.
sub difference
{
	my ($call, $result) = @_;
	if (defined $call->{error})
	{
		my $detail = $result->{error} ? $result->{error}{detail} // '' : '';
		return $detail =~ /\b\Q$call->{error}\E\b/ ? undef : "expected $call->{error}, got '$detail'";
	}
	return "$result->{error}{sqlstate} $result->{error}{message}" if $result->{error};
	return differ_in_steps($call, $result->{rows}) if $is_steps{ $call->{fn} };
	return differ_in_intervals($call, $result->{rows}) if $is_intervals{ $call->{fn} };
	return differ_in_table($call, $result->{rows});
}

sub check_calls
{
	my ($file, $job) = @_;
	for my $call (@{ $file->{calls} })
	{
		# Booleans are texts in both.
		my @rows = map { [ map { JSON::PP::is_bool($_) ? ($_ ? 't' : 'f') : $_ } @$_ ] } @{ $call->{rows} // [] };
		my %call = (%$call, rows => \@rows);
		my $sql = $job ? call_sql($job, \%call) : call_of_values(\%call);
		my $what = difference(\%call, $db->query($sql));
		is($what, undef, "$file->{name}: $call->{fn} " . encode_json($call->{args}) =~ s/(.{120}).*/$1.../sr);
	}
	return;
}

# --- algorithms by themselves ----------------------------------------------------------------------------------------------

sub array_of { return "'{" . join(',', map { $_ // 'null' } @_) . "}'"; }

sub call_of_values
{
	my ($call) = @_;
	my $args = $call->{args};
	return "SELECT slice, greedy_usage, sink_usage, background_usage, usage FROM algorithm1($args->{usage}, "
	  . "$args->{capacity}, " . array_of(@{ $args->{greedy_demand} }) . ', ' . array_of(@{ $args->{sink_count} }) . ')'
	  if $call->{fn} eq 'algorithm1';
	if ($call->{fn} eq 'algorithm2')
	{
		my @names = ((map { $_->{phase} } @{ $args->{greedy} }), @{ $args->{sink} });
		return "SELECT (" . array_of(@names) . "::text[])[phase + 1], usage, available_capacity FROM algorithm2("
		  . "$args->{sample}, $args->{capacity}, " . array_of(map { $_->{cap} } @{ $args->{greedy} }) . ', '
		  . @{ $args->{sink} } . ')';
	}
	my $types = array_of(map { $_->[0] } @{ $args->{subphases} });
	my $states = array_of(map { defined $_->[1] ? ($_->[1] ? 'true' : 'false') : undef } @{ $args->{subphases} });
	return 'SELECT p, predicate_holds(p, ' . "$types, $states) FROM unnest("
	  . array_of(map { $_->[0] } @{ $call->{rows} }) . '::text[]) AS p';
}

# --- all files ---------------------------------------------------------------------------------------------------------------

sub check_job
{
	my ($file) = @_;
	my ($job, $error) = load_input($file);
	return check_calls($file, $job) unless $error;
	# A constraint has the name of the problem.
	like($error->{message}, qr/"\Q$_->{error}\E"/, "$file->{name}: refused by a constraint") for @{ $file->{calls} };
	return;
}

sub check_large
{
	my ($file) = @_;
	my $job = load_large($file);
	return check_calls($file, $job) if $job;
	diag("$file->{name} was NOT checked: gen_job.py needs numpy");
	return;
}

sub check_folder
{
	($db, $dir) = @_;
	my @files = sort glob("$dir/*.json");
	cmp_ok(scalar @files, '>', 0, 'there are files');
	for my $name (@files)
	{
		my $file = decode_json(slurp_file($name));
		my $kind = $file->{kind};
		# 100_jobs.pl has the metrics of graph benchmarks.
		next if $kind eq 'graphalytics' || $file->{name} =~ /^graph_/;
		if ($kind eq 'unit') { check_calls($file, undef); }
		elsif ($kind eq 'large_job') { check_large($file); }
		else { check_job($file); }
	}
	return;
}

sub load_folder
{
	($db, $dir) = @_;
	my @jobs;
	for my $name (sort glob("$dir/*.json"))
	{
		my $file = decode_json(slurp_file($name));
		next if $file->{kind} =~ /^(graphalytics|unit|large_job)$/ || $file->{name} =~ /^graph_/;
		my ($job, $error) = load_input($file);
		push @jobs, [ $file->{name}, $job ]
		  if $job && !$db->value("SELECT count(*) FROM validate_job($job) WHERE severity = 'error'");
	}
	return @jobs;
}

1;
