# The golden jobs: what the extension computes is what an independent reference computed, to nine digits. Runs every file of
# test/data/golden/jobs (or $GOLDEN_JOBS_DIR); the large jobs are made by gen_job.py beside them, which needs numpy. The files
# about graph benchmarks are in 100_jobs.pl.
use strict;
use warnings;

use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use GoldenJobs;
use Wire;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->start;
my $db = Wire->connect($node, 'postgres');
$db->run('CREATE EXTENSION flamegraph_jobs CASCADE; SET extra_float_digits = 1; SET search_path = jobs, public');
GoldenJobs::check_folder($db, $ENV{GOLDEN_JOBS_DIR} // "$FindBin::RealBin/../data/golden/jobs");

done_testing();
