# PostgreSQL 15's test library runs initdb for every cluster; from 16 on it copies the cluster that INITDB_TEMPLATE names
# where no options are asked for. Loaded by tools/tap.sh, this does the same, and has a second one for the options that many
# scripts give.
package ClusterTemplate;

use strict;
use warnings;

use PostgreSQL::Test::Utils;

my $run = PostgreSQL::Test::Utils->can('system_or_bail');

no warnings 'redefine';
*PostgreSQL::Test::Utils::system_or_bail = sub {
	my ($program, @arguments) = @_;
	if ($program eq 'initdb' && defined $ENV{INITDB_TEMPLATE} && "@arguments" =~ /^-D (\S+) -A trust -N( --encoding=UTF8 --locale=C)?$/)
	{
		return $run->('cp', '-RPp', $ENV{INITDB_TEMPLATE} . ($2 ? '_c' : ''), $1);
	}
	return $run->($program, @arguments);
};

1;
