# Up to PostgreSQL 14 everybody may create objects in the schema public of every database, and flamegraph_store refuses
# to be created beside such a schema; nor does it belong to the owner of the database. Loaded by tools/tap.sh there: clusters of
# the tests are as from 15 on.
package PublicSchema;

use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;

my $init = PostgreSQL::Test::Cluster->can('init');

no warnings 'redefine';
*PostgreSQL::Test::Cluster::init = sub {
	my ($node) = @_;
	&$init;
	# a server of one user, because the cluster does not run yet and nobody else can go into template0
	for my $database ('template0', 'template1', 'postgres')
	{
		my $statements = "REVOKE CREATE ON SCHEMA public FROM PUBLIC\nALTER SCHEMA public OWNER TO pg_database_owner\n";
		my ($out, $err);
		IPC::Run::run([ 'postgres', '--single', '-D', $node->data_dir, $database ], '<', \$statements, '>', \$out, '2>', \$err)
		  or die "public of $database: $err";
	}
	return;
};

1;
