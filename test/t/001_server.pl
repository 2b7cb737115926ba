# The extension can be created in a UTF-8 database, and in no other: frames are UTF-8 text, so a value could not be
# read back where the server's encoding is another one.
use strict;
use warnings;

use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init;
$node->start;

$node->safe_psql('postgres', 'CREATE EXTENSION flamegraph');
is( $node->safe_psql('postgres',
        "SELECT extversion FROM pg_extension WHERE extname = 'flamegraph'"),
    $node->safe_psql('postgres',
        "SELECT default_version FROM pg_available_extensions WHERE name = 'flamegraph'"),
    'the extension is created in its default version');

# As from 15 on; on 14 tools/tap.sh sees to it (PublicSchema.pm).
is($node->safe_psql($_, "SELECT has_schema_privilege('pg_monitor', 'public', 'CREATE')"), 'f', "not everybody may create in public of $_")
  for 'postgres', 'template1';

# The module loads: a function that is not found would only show when it is called.
is( $node->safe_psql('postgres', "SELECT 'main;parse;read'::stackpath"),
    'main;parse;read', 'a value goes in and out');

for my $encoding ('LATIN1', 'SQL_ASCII')
{
    $node->safe_psql('postgres',
        "CREATE DATABASE other_encoding TEMPLATE template0 ENCODING '$encoding' "
          . "LC_COLLATE 'C' LC_CTYPE 'C'");
    my ($status, $stdout, $stderr) = $node->psql('other_encoding',
        "\\set VERBOSITY verbose\nCREATE EXTENSION flamegraph");
    isnt($status, 0, "no extension in a $encoding database");
    like($stderr, qr/ERROR:  0A000:/, "$encoding: SQLSTATE feature_not_supported");
    $node->safe_psql('postgres', 'DROP DATABASE other_encoding');
}

# A database's owner who is no superuser may create it: it is a trusted extension.
$node->safe_psql('postgres', 'CREATE ROLE app LOGIN; CREATE DATABASE app OWNER app');
$node->safe_psql('app', 'CREATE EXTENSION flamegraph', extra_params => [ '-U', 'app' ]);
is( $node->safe_psql('app', 'SELECT count(*) FROM pg_extension WHERE extname = \'flamegraph\''),
    '1', 'the owner of a database may create it');

$node->stop;
done_testing();
