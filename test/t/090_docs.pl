# The manual tells the truth: every SQL block of README.md, docs/ and bench/ is run, a psql session per page, and
# what is printed under it is what comes out. Every function, aggregate, operator and type has a line in the
# reference.
use strict;
use warnings;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('docs');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;

# The fenced blocks of a page: [language, text, line number].
sub blocks
{
	my ($page) = @_;
	my @blocks;
	my $line = 0;
	my $open;
	open my $in, '<:encoding(UTF-8)', $page or die "$page: $!";
	while (my $text = <$in>)
	{
		$line++;
		if ($text =~ /^```(\w*)\s*$/)
		{
			if ($open) { push @blocks, $open; undef $open; next; }
			$open = { language => $1, text => '', line => $line + 1 };
			next;
		}
		$open->{text} .= $text if $open;
	}
	close $in;
	die "$page: a block is not closed" if $open;
	return @blocks;
}

# Pages are easier to keep when blanks at line ends and the width of a column do not matter.
sub normal
{
	my ($text) = @_;
	$text =~ s/^[-+]+$/---/mg;
	$text =~ s/[ \t]+/ /g;
	$text =~ s/ ?\+$/+/mg;
	$text =~ s/ *\| */|/g;
	$text =~ s/ \+\|/+|/g;
	$text =~ s/ +$//mg;
	$text =~ s/^ +//mg;
	$text =~ s/\n{2,}/\n/g;
	$text =~ s/^\n+|\n+$//g;
	return $text;
}

# Pictures and pages (.html) that a page of the docs writes go to a folder of the test; the pictures have to be those in docs/pictures.
my $drawn = PostgreSQL::Test::Utils::tempdir();

sub compare_pictures
{
	my ($page) = @_;
	for my $file (sort glob "$drawn/*.svg")
	{
		(my $kept = $file) =~ s{.*/}{docs/pictures/};
		ok(-f $kept && slurp_file($file) eq slurp_file($kept), "$page draws $kept");
		unlink $file;
	}
	for my $file (sort glob "$drawn/*.html")
	{
		like(slurp_file($file), qr{^<!doctype html>.*</html>\s*\z}si, "$page writes a page");
		unlink $file;
	}
	return;
}

# A page's SQL blocks in one session, a marker after each. From standard input psql prints messages without
# file and line, as a reader's session does.
sub run_page
{
	my ($database, @sql) = @_;
	my $script = "SET client_min_messages = notice;\n";
	$script .= "$_->{text}\n\\echo END-OF-BLOCK\n" for @sql;
	$script =~ s{(\\g \(format=unaligned tuples_only=on\)) ([\w-]+\.(?:svg|html))$}{$1 $drawn/$2}mg;
	my $file = PostgreSQL::Test::Utils::tempdir() . "/page.sql";
	open my $out, '>:encoding(UTF-8)', $file or die $!;
	print $out $script;
	close $out;
	my $port = $node->port;
	my $host = $node->host;
	my $output = `psql -X -q -h '$host' -p $port -d $database <'$file' 2>&1`;
	utf8::decode($output);
	my @parts = split /^END-OF-BLOCK\n/m, $output, -1;
	pop @parts;
	return @parts;
}

# DOCS_PAGES ("README.md docs/tutorial.md") runs these pages only.
my @pages = split ' ', $ENV{DOCS_PAGES} // '';
@pages = ('README.md', sort glob 'docs/*.md') unless @pages;
my $number = 0;
for my $page (@pages)
{
	my @all = blocks($page);
	my @sql = grep { $_->{language} eq 'sql' } @all;
	next unless @sql;
	my $database = 'page' . $number++;
	$node->safe_psql('postgres', "CREATE DATABASE $database");
	$node->safe_psql($database, 'CREATE EXTENSION flamegraph')
	  unless $sql[0]{text} =~ /CREATE EXTENSION/;
	my @got = run_page($database, @sql);
	is(scalar @got, scalar @sql, "$page: all blocks ran");
	for my $i (0 .. $#all)
	{
		next unless $all[$i]{language} eq 'sql';
		my $expected = $all[ $i + 1 ];
		my $got = shift @got;
		my $name = "$page:$all[$i]{line}";
		if (!$expected || $expected->{language} ne '')
		{
			unlike($got, qr/ERROR/, "$name runs");
			next;
		}
		is(normal($got), normal($expected->{text}), "$name prints what the page says");
	}
	compare_pictures($page);
}

# The reference is whole.
$node->safe_psql('postgres', 'CREATE EXTENSION flamegraph');
my $reference = slurp_file('docs/reference.md');
my $objects = $node->safe_psql('postgres', q{
	SELECT DISTINCT p.proname::text
	FROM pg_depend d JOIN pg_proc p ON p.oid = d.objid
	WHERE d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
	  AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'flamegraph')
	  AND coalesce(obj_description(p.oid, 'pg_proc'), '')
	      !~ '^(I/O|hash|less-equal-greater|implementation of|aggregate (transition|combine|final)|planner support|GIN support)'
	UNION
	SELECT DISTINCT o.oprname::text FROM pg_depend d JOIN pg_operator o ON o.oid = d.objid
	WHERE d.classid = 'pg_operator'::regclass AND d.deptype = 'e'
	  AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'flamegraph')
	UNION
	SELECT t.typname::text FROM pg_depend d JOIN pg_type t ON t.oid = d.objid
	WHERE d.classid = 'pg_type'::regclass AND d.deptype = 'e' AND t.typname::text !~ '^_'
	  AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'flamegraph')
	ORDER BY 1});
for my $name (split /\n/, $objects)
{
	# a vertical bar is written \| inside a table
	(my $form = $name) =~ s/\|/\\|/g;
	$form = quotemeta $form;
	$form = "(?<![a-z_0-9])$form(?![a-z_0-9])" if $name =~ /^\w+$/;
	like($reference, qr/`[^`]*$form[^`]*`/, "reference: $name");
}

$node->stop;
done_testing();
