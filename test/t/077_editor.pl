# flamegraph-lsp: the protocol on a recorded store. Hints, lenses, hovers, actions, pictures and diagnostics are at the right
# places with the numbers that SQL gives, in a real Neovim, too; documents are edited in units of UTF-16; a database that is down is told once; and
# nothing that comes in, from the editor or from the store, ends the server.
use strict;
use warnings;

use FindBin;
use IO::Socket::INET;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

use lib $FindBin::RealBin;
use Lsp;
use Store;
use Wire;

my ($true, $false) = (JSON::PP::true, JSON::PP::false);
my $dir = PostgreSQL::Test::Utils::tempdir();
delete @ENV{qw(PGHOST PGPORT PGDATABASE PGUSER XDG_RUNTIME_DIR)};
$ENV{TMPDIR} = $dir;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
$node->append_conf('postgresql.conf', "fsync = off\ntimezone = 'Asia/Tokyo'\nlog_statement = 'all'\n");
$node->start;
my $db = Wire->connect($node, 'postgres');
Store::create($db);
$node->safe_psql('postgres', "\\i test/data/nights/load.sql\nSELECT load_night(n) FROM generate_series(1, 9) AS n; INSERT INTO profiling.owner (pattern, team) VALUES ('*;~\"^orders\\.js:\";*', 'billing')");
$db->run('CALL profiling.watch_run()');
$db->run("INSERT INTO profiling.commit_change (commit, parent, committed_at, file, added, subject) SELECT DISTINCT commit, '', timestamptz '2026-11-08 12:00 UTC', 'src/orders.js', 1, 'faster distance' FROM profiling.test_run WHERE started_at = '2026-11-09 02:00 UTC' AND branch = 'main'");
# frames with lines and threads, and names with everything that means something to JSON and Markdown
$db->run(<<'SQL');
SELECT profiling.import_flamegraph('lines', f::flamegraph, started_at => t, branch => 'main') FROM (VALUES
	(E'T1;main (data.py:9);load (data.py:2);read (io.py:1) 30\nT1;main (data.py:10);load (data.py:3);read (io.py:5) 20\nT2;main (data.py:10);load (data.py:3) 10\nT1;main (data.py:9);gone (data.py:4) 5\nT2;<module> (data.py:12) 5', timestamptz '2026-11-01 UTC'),
	(E'T1;main (data.py:9);load (data.py:2);read (io.py:1) 60\nT1;main (data.py:10);load (data.py:3);read (io.py:5) 20\nT2;main (data.py:10);load (data.py:3) 10\nT1;main (data.py:9);gone (data.py:4) 5\nT2;<module> (data.py:12) 5', '2026-11-02 UTC')) AS v (f, t);
SELECT profiling.import_flamegraph('hostile', E'`a` "b" <script>\\\\;x.js:f;[c](http://d) `` \u202E\\\\;x.js:f;x.js:(anonymous):2 7'::flamegraph, started_at => '2026-11-01 UTC', branch => 'main');
SQL

my %store = (connection => 'host=' . $node->host . ' port=' . $node->port . ' dbname=postgres', benchmark => 'orders', branch => 'main');
my %all = (textDocument => { inlayHint => {}, hover => { contentFormat => [ 'markdown', 'plaintext' ] } }, workspace => { inlayHint => { refreshSupport => $true } },
	window => { showDocument => { support => $true } });
my $source = PostgreSQL::Test::Utils::slurp_file('test/data/nights/src/orders.js');
my $uri = 'file:///src/orders.js';
sub in { return { textDocument => { uri => $_[0] } } }
sub whole { return { %{ in($_[0]) }, range => { start => { line => $_[1] // 0, character => 0 }, end => { line => $_[2] // 9999, character => 0 } } } }
sub at { return { %{ in($_[0]) }, position => { line => $_[1], character => $_[2] // 0 } } }
sub line_of { my ($text, $part) = @_; my $before = substr $text, 0, index($text, $part); return scalar(() = $before =~ /\n/g) }
# { line => label }
sub labels { return { map { $_->{position}{line} => $_->{label} } @{ $_[0] } } }

# --- the store of the tutorial ------------------------------------------------------------------------------------------

my $lsp = Lsp->start;
is($lsp->call('textDocument/hover', at($uri, 0))->{error}{code}, -32002, 'a request before initialize');
my $can = $lsp->initialize(undef, capabilities => \%all, initializationOptions => \%store);
is($can->{serverInfo}{name}, 'flamegraph-lsp', 'initialize');
is($can->{capabilities}{textDocumentSync}{change}, 2, 'documents are synchronized by increments');
$lsp->open($uri, 'javascript', $source);
my $hints = $lsp->call('textDocument/inlayHint', whole($uri));
my $labels = labels($hints);
my $row = $db->row(<<'SQL');
SELECT round((100 * sum(frame_total(flamegraph, 'orders.js:distance')) / sum(total))::numeric, 1), round((100 * sum(frame_total(flamegraph, 'orders.js:run')) / sum(total))::numeric, 1),
	round((100 * sum(frame_self(flamegraph, 'orders.js:run')) / sum(total))::numeric, 1)
FROM profiling.profile_full WHERE benchmark = 'orders' AND branch = 'main' AND event = 'cpu' AND started_at = '2026-11-09 02:00 UTC'
SQL
my $distance = line_of($source, 'function distance');
is($labels->{$distance}, "$row->[0] % total, $row->[0] % self, 1 caller ↑" =~ s/↑/\x{2191}/r, 'the hint of a function that became slower');
like($labels->{ line_of($source, 'exports.run') }, qr/^\Q$row->[1] % total, $row->[2] % self, 1 caller \E\x{2192}$/, 'of one that takes as long as before');
is(scalar(grep { $_->{label} =~ /total/ } @$hints), 6, 'one for each function, and the file');
my ($hint) = grep { $_->{position}{line} == $distance } @$hints;
is_deeply([ $hint->{position}{character}, $hint->{data}{class} ], [ length((split /\n/, $source)[$distance]), 'slower' ], 'it stands behind the line, and has the class of its arrow');
is_deeply($lsp->call('textDocument/inlayHint', whole($uri, $distance + 1, $distance + 3)), [], 'only those in the range');
is_deeply($lsp->call('textDocument/codeLens', in($uri)), [], 'no lens says the same again');

my $hover = $lsp->call('textDocument/hover', at($uri, $distance, 12))->{contents};
is($hover->{kind}, 'markdown', 'the hover is Markdown');
like($hover->{value}, qr/^`orders\.js:distance`: /, 'it names the function');
like($hover->{value}, qr/Callers:\n\n- 100\.0 % `orders\.js:meant`/, 'its callers');
like($hover->{value}, qr/Trend: [\x{2581}-\x{2588}]{8}\x{2588} [0-9.]+ % \x{2026} \Q$row->[0]\E % in 9 runs/, 'the trend, which ends at its highest');
like($hover->{value}, qr/Open findings:\n\n- `degradation of the function, \+\d+ %, first seen 2026-11-09 at commit [0-9a-f]+, event cpu, team billing`; suspects: `[0-9a-f]+ \([0-9.]+\)`/, 'the finding, with its date and suspects');
like($lsp->call('textDocument/hover', at($uri, 0))->{contents}{value}, qr/`orders`, run \d+ of 2026-11-09 02:00 UTC, branch main, .*: 5 of 5 functions are in the profile/, 'the first line says what there is');
is($lsp->call('textDocument/hover', at($uri, $distance + 2)), undef, 'nothing where nothing is');

my $diagnostics = $lsp->next_of('textDocument/publishDiagnostics')->{params};
is_deeply([ $diagnostics->{uri}, map { ($_->{severity}, $_->{code}, $_->{range}{start}) } @{ $diagnostics->{diagnostics} } ],
	[ $uri, 3, 'degradation', { line => $distance, character => 9 } ], 'the finding is an information at its function');
ok($lsp->next_of('workspace/inlayHint/refresh'), 'the editor is asked to show them');

my $actions = $lsp->call('textDocument/codeAction', { %{ whole($uri, $distance, $distance) }, context => { diagnostics => [] } });
is_deeply([ map { $_->{title} } @$actions ], [ 'Flame graph: callers and callees of orders.js:distance', 'Flame graph: the SQL for orders.js:distance', 'Flame graph: the whole run' ], 'actions');
my $file = $lsp->call('workspace/executeCommand', $actions->[0]{command});
like($file, qr{^file://\Q$dir\E/flamegraph-lsp\.\w+/1\.svg$}, 'a picture is a file');
my $shown = $lsp->next_of('window/showDocument')->{params};
is_deeply([ @$shown{qw(uri external)} ], [ $file, $true ], 'which the editor shows');
my $path = $file =~ s{^file://}{}r;
like(PostgreSQL::Test::Utils::slurp_file($path), qr/^<svg.*orders\.js:distance/s, 'it is the flame graph');
is((stat $path)[2] & 0777, 0600, 'that nobody else may read');
my $sql = PostgreSQL::Test::Utils::slurp_file($lsp->call('workspace/executeCommand', $actions->[1]{command}) =~ s{^file://}{}r);
is(($node->safe_psql('postgres', "SELECT round((100 * total_share)::numeric, 1) FROM (" . ($sql =~ s/^--.*\n//r =~ s/;\s*$//r) . ') AS q')), $row->[0], 'the SQL gives the number that is shown');
like($lsp->call('workspace/executeCommand', $actions->[2]{command}), qr/\.svg$/, 'a picture of the whole run');
is($lsp->call('workspace/executeCommand', { command => 'rm', arguments => [$uri] })->{error}{code}, -32602, 'another command');

# --- edits ----------------------------------------------------------------------------------------------------------------

# "é🔥" in front: two characters, three units of UTF-16, six bytes
$lsp->notify('textDocument/didChange', { textDocument => { uri => $uri, version => 2 }, contentChanges => [
	{ range => { start => { line => $distance, character => 0 }, end => { line => $distance, character => 0 } }, text => "/* \x{E9}\x{1F525} */\n/*\x{1F525}*/ " } ] });
$labels = labels($hints = $lsp->call('textDocument/inlayHint', whole($uri)));
like($labels->{ $distance + 1 }, qr/caller \x{2191}$/, 'a hint moves with its function');
is((grep { $_->{position}{line} == $distance + 1 } @$hints)[0]{position}{character}, 7 + length((split /\n/, $source)[$distance]), 'places are in units of UTF-16');
$lsp->notify('textDocument/didChange', { textDocument => { uri => $uri, version => 3 }, contentChanges => [
	{ range => { start => { line => $distance + 1, character => 7 }, end => { line => $distance + 1, character => 7 + length 'function distance' } }, text => 'function other' } ] });
$labels = labels($lsp->call('textDocument/inlayHint', whole($uri)));
is($labels->{ $distance + 1 }, undef, 'a function that is called differently has none');
like($lsp->call('textDocument/hover', at($uri, 0))->{contents}{value}, qr/1 that were there are gone from the text/, 'which the first line says');
$lsp->notify('textDocument/didChange', { textDocument => { uri => $uri, version => 4 }, contentChanges => [ { text => "\n$source" } ] });
like(labels($lsp->call('textDocument/inlayHint', whole($uri)))->{ $distance + 1 }, qr/caller \x{2191}$/, 'the whole text anew');
$lsp->notify('textDocument/didClose', in($uri));
is_deeply($lsp->call('textDocument/inlayHint', whole($uri)), [], 'a document that is closed');
is($lsp->finish, 0, 'shutdown and exit');
ok(!-e $path, 'its files are gone');
my $log = PostgreSQL::Test::Utils::slurp_file($node->logfile);
is(scalar(() = $log =~ /BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY/g), 3, 'the store was asked once for the document, and once for each picture');

# --- lines, threads, lenses -------------------------------------------------------------------------------------------------

my $python = "def load(name):\n    a = read(name)\n    b = read(name)\n    return a, b\n\n\ndef main():\n    for i in range(3):\n        load(i)\n        load(i + 1)\n\nmain()\n";
$lsp = Lsp->start;
$lsp->initialize(undef, initializationOptions => { %store, benchmark => 'lines', baseline => 'window:1' });
my $data = 'file:///src/data.py';
$lsp->open($data, 'python', $python);
my $lenses = $lsp->call('textDocument/codeLens', in($data));
is_deeply({ map { $_->{range}{start}{line} => $_->{command}{title} } @$lenses },
	{ 6 => "95.0 % total, 0.0 % self, 2 callers \x{2192}", 0 => "90.0 % total, 10.0 % self, 1 caller \x{2192}" }, 'lenses, where an editor has no hints')
	or diag(explain $lenses);
$labels = labels($lsp->call('textDocument/inlayHint', whole($data)));
is_deeply([ @$labels{ 1, 2, 8, 9 } ], [ "60.0 % \x{21D2} read (io.py)", "20.0 % \x{21D2} read (io.py)", "65.0 % \x{21D2} load (data.py), gone (data.py)", "30.0 % \x{21D2} load (data.py)" ], 'what is called from each line');
my $text = $lsp->call('textDocument/hover', at($data, 0))->{contents};
is($text->{kind}, 'plaintext', 'plain text, where an editor has no Markdown');
like($text->{value}, qr/1 frames of this file match no function:\n\n- `gone \(data\.py:4\)`/, 'what cannot be matched');
like($text->{value}, qr/Threads:\n\n- 88\.9 % `T1`\n- 11\.1 % `T2`/, 'threads');
# a change within load() takes its calls away, and moves those of main()
$lsp->notify('textDocument/didChange', { textDocument => { uri => $data, version => 2 }, contentChanges => [
	{ range => { start => { line => 1, character => 0 }, end => { line => 1, character => 0 } }, text => "    pass\n    pass\n" } ] });
$labels = labels($lsp->call('textDocument/inlayHint', whole($data)));
is_deeply([ sort { $a <=> $b } grep { $labels->{$_} =~ /\x{21D2}/ } keys %$labels ], [ 10, 11 ], 'calls in a function that was edited are not shown');
is($lsp->finish, 0, 'exit');

# --- the project's file -----------------------------------------------------------------------------------------------------

mkdir "$dir/project";
sub project
{
	my ($toml, %more) = @_;
	PostgreSQL::Test::Utils::append_to_file("$dir/project/.flamegraph.toml", '');
	open my $out, '>', "$dir/project/.flamegraph.toml" or die $!;
	print $out $toml;
	close $out;
	my $server = Lsp->start;
	$server->initialize("$dir/project", capabilities => \%all, %more);
	$server->open($uri, 'javascript', $source);
	return $server;
}
$lsp = project("# the store\nconnection = \"$store{connection}\"   # here\nbenchmark = 'orders'\nbranch = \"main\"\nbaseline = \"none\"\nmin_percent = 40\n");
$labels = labels($lsp->call('textDocument/inlayHint', whole($uri)));
is($labels->{$distance}, "$row->[0] % total, $row->[0] % self, 1 caller", 'settings of the project, without a baseline');
is(scalar(keys %$labels), 3, 'and with a least share');
is($lsp->finish, 0, 'exit');
for my $wrong ([ "benchmark = 1 2\n", qr/line 1: the value of "benchmark"/ ], [ "\nbenchmrak = \"x\"\n", qr/line 2: there is no setting "benchmrak"/ ],
	[ "[store]\n", qr/there are no tables/ ], [ "connection = \"host=x passfile=/etc/passwd\"\n", qr/"passfile" of a connection is not taken/ ],
	[ "refresh = 0\n", qr/"refresh" is a number from 1 to 86400/ ], [ "frame_rules = \"java'); DROP\"\n", qr/"frame_rules" is a list/ ])
{
	$lsp = project($wrong->[0]);
	like($lsp->next_of('window/showMessage')->{params}{message}, $wrong->[1], "wrong: $wrong->[0]");
	is_deeply($lsp->call('textDocument/inlayHint', whole($uri)), [], 'then nothing is shown');
	$lsp->finish;
}

# A server that asks for a password: the one in the environment was meant for another than that of a project's file.
sub password_sent
{
	my ($toml, %more) = @_;
	my $listener = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1', Timeout => 30) or die $!;
	my $where = 'sslmode=disable host=127.0.0.1 user=x dbname=x port=' . $listener->sockport;
	local $ENV{PGPASSWORD} = 'secret';
	my $server = $toml ? project("connection = \"$where\"\nbenchmark = \"b\"\n") : project('', initializationOptions => { connection => $where, benchmark => 'b' });
	my $client = $listener->accept or die 'nobody connects';
	my ($answer, $request) = ('', '');
	# the first message has its length in front; a request for encryption by GSS is declined
	while (sysread $client, $request, 4)
	{
		sysread $client, $request, unpack('N', $request) - 4;
		last if unpack('N', $request) == 196608;
		syswrite $client, 'N';
	}
	syswrite $client, 'R' . pack('NN', 8, 3);
	sysread $client, $answer, 100;
	close $client;
	$server->finish;
	return $answer;
}
is(password_sent(0), 'p' . pack('N', 11) . "secret\0", "a password of the environment, for the editor's own settings");
is(password_sent(1), '', "and none for those of a project");

# --- a real editor -------------------------------------------------------------------------------------------------------------

SKIP:
{
	skip 'Neovim is not installed (make deps)', 8 if system('nvim --version >/dev/null 2>&1') != 0;
	project("connection = \"$store{connection}\"\nbenchmark = 'orders'\nbranch = \"main\"\n")->finish;
	PostgreSQL::Test::Utils::append_to_file("$dir/project/orders.js", $source);
	PostgreSQL::Test::Utils::append_to_file("$dir/editor.lua", <<"LUA");
vim.o.swapfile = false
local id = vim.lsp.start_client({ name = 'flamegraph', cmd = { 'flamegraph-lsp' }, root_dir = '$dir/project' })
vim.cmd('edit $dir/project/orders.js')
vim.lsp.buf_attach_client(0, id)
vim.wait(20000, function() return vim.lsp.get_client_by_id(id).initialized end)
local said = {}
vim.lsp.handlers['window/showMessage'] = function(_, result) table.insert(said, result.message) end
vim.lsp.handlers['window/showDocument'] = function(_, result) table.insert(said, result.uri) return { success = true } end
local found = { lenses = {}, shown = {}, actions = {}, diagnostics = {} }
-- From 0.10 on it has hints, which it shows when it is told to; before that lenses.
if vim.lsp.inlay_hint then
	vim.lsp.inlay_hint.enable()
	vim.wait(20000, function() return #vim.lsp.inlay_hint.get({ bufnr = 0 }) > 0 end)
	for _, h in ipairs(vim.lsp.inlay_hint.get({ bufnr = 0 })) do table.insert(found.lenses, { h.inlay_hint.position.line, h.inlay_hint.label }) end
else
	vim.lsp.codelens.refresh()
	vim.wait(20000, function() return #(vim.lsp.codelens.get(0) or {}) > 0 end)
	for _, lens in ipairs(vim.lsp.codelens.get(0)) do table.insert(found.lenses, { lens.range.start.line, lens.command.title }) end
end
for _, ns in pairs(vim.api.nvim_get_namespaces()) do
	for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, ns, 0, -1, { details = true })) do
		if mark[4].virt_text and mark[4].virt_text[1][2] == 'LspCodeLens' then table.insert(found.shown, { mark[2], mark[4].virt_text[1][1] }) end
	end
end
found.has_hints = vim.lsp.inlay_hint ~= nil
vim.wait(20000, function() return #vim.diagnostic.get(0) > 0 end)
for _, d in ipairs(vim.diagnostic.get(0)) do table.insert(found.diagnostics, { d.lnum, d.severity, d.code }) end
vim.api.nvim_win_set_cursor(0, { $distance + 1, 10 })
local window = vim.api.nvim_get_current_win()
vim.lsp.buf.hover()
vim.wait(20000, function() return #vim.api.nvim_list_wins() > 1 end)
for _, w in ipairs(vim.api.nvim_list_wins()) do
	if w ~= window then found.hover = vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(w), 0, -1, false) end
end
vim.ui.select = function(items, _, choose)
	for _, item in ipairs(items) do table.insert(found.actions, (item.action or item[2]).title) end
	choose(items[1], 1)
end
vim.lsp.buf.code_action()
vim.wait(20000, function() return #said > 0 end)
found.said = said
local file = said[1] and io.open((said[1]:gsub('^file://', '')))
found.picture = file and file:read(4) or ''
vim.lsp.stop_client(id)
vim.wait(20000, function() return vim.lsp.get_client_by_id(id) == nil end)
found.stopped = vim.lsp.get_client_by_id(id) == nil
local out = io.open('$dir/found.json', 'w')
out:write(vim.fn.json_encode(found))
out:close()
vim.cmd('qa!')
LUA
	local @ENV{qw(XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME XDG_CACHE_HOME)} = ("$dir/nvim") x 4;
	system("timeout 120 nvim --headless -u NONE -i NONE -c 'luafile $dir/editor.lua' >$dir/nvim.log 2>&1 </dev/null");
	my $found = eval { decode_json(PostgreSQL::Test::Utils::slurp_file("$dir/found.json")) } // {};
	diag(PostgreSQL::Test::Utils::slurp_file("$dir/nvim.log")) unless %$found;
	my %lenses = map { @$_ } @{ $found->{lenses} };
	is($lenses{$distance}, "$row->[0] % total, $row->[0] % self, 1 caller \x{2191}", 'Neovim: the lens or hint of a function');
	is(scalar(keys %lenses), 6, 'of each function and of the file');
	SKIP:
	{
		skip 'Neovim draws hints when it has a screen', 1 if $found->{has_hints};
		is_deeply({ map { @$_ } @{ $found->{shown} } }, \%lenses, 'they are drawn behind their lines');
	}
	like(join("\n", @{ $found->{hover} }), qr/orders\.js:distance.*Callers:.*orders\.js:meant.*Open findings:.*degradation/s, 'the hover is a window');
	is_deeply($found->{diagnostics}, [ [ $distance, 3, 'degradation' ] ], 'the finding is a diagnostic');
	is($found->{actions}[0], 'Flame graph: callers and callees of orders.js:distance', 'actions are offered');
	is($found->{picture}, '<svg', 'and the flame graph comes');
	ok($found->{stopped}, 'the editor stops the server');
}

# --- a database that does not answer ---------------------------------------------------------------------------------------------

$lsp = Lsp->start;
$lsp->initialize(undef, capabilities => \%all, initializationOptions => { %store, connection => "host=$dir/nowhere", refresh => 1 });
$lsp->open("$uri$_", 'javascript', $source) for 1 .. 3;
is_deeply($lsp->call('textDocument/inlayHint', whole("$uri$_")), [], 'no database, no hints') for 1 .. 3;
like($lsp->next_of('window/showMessage')->{params}{message}, qr/^flamegraph: the store does not answer: .*nowhere/, 'it is told');
sleep 3;
$lsp->call('textDocument/hover', at("${uri}1", 5));
is($lsp->seen('window/showMessage'), 0, 'once');
like($lsp->call('textDocument/hover', at("${uri}1", 0))->{contents}{value}, qr/nowhere|did not answer/, 'the first line says it, too');
is($lsp->finish, 0, 'exit');

# What is known stays until all that is new is there.
$lsp = Lsp->start;
$lsp->initialize(undef, initializationOptions => { %store, refresh => 1 });
$lsp->open($uri, 'javascript', $source);
my $began = time;
my %counts;
$counts{ scalar @{ $lsp->call('textDocument/inlayHint', whole($uri)) } }++ while time - $began < 4;
is_deeply([ keys %counts ], [6], 'no hint goes away while the store is asked again');
is($lsp->finish, 0, 'exit');

# a server that accepts and says nothing
my $silent = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1') or die $!;
$lsp = Lsp->start;
$lsp->initialize(undef, initializationOptions => { %store, connection => 'host=127.0.0.1 port=' . $silent->sockport });
$lsp->open($uri, 'javascript', $source);
my $waits = $lsp->request('textDocument/inlayHint', whole($uri));
is($lsp->call('nothing', {})->{error}{code}, -32601, 'another request is answered meanwhile');
$lsp->notify('$/cancelRequest', { id => $waits });
is($lsp->answer($waits)->{error}{code}, -32800, 'one that waits can be cancelled');
is_deeply($lsp->call('textDocument/inlayHint', whole($uri)), [], 'and has an end');
is($lsp->finish, 0, 'exit');

# --- what is hostile ---------------------------------------------------------------------------------------------------------------

$lsp = Lsp->start;
$lsp->initialize(undef, capabilities => \%all, initializationOptions => { %store, benchmark => 'hostile' });
$lsp->open('file:///x.js', 'javascript', "function f() {\n  g(() => { return 1; }); }\n");
like($lsp->call('textDocument/hover', at('file:///x.js', 0, 10))->{contents}{value}, qr/- 100\.0 % ``` \[c\]\(http:\/\/d\) `` \\u202E\\ ```\n/, 'a name is code, whatever is in it');
like(labels($lsp->call('textDocument/inlayHint', whole('file:///x.js')))->{1}, qr/^100\.0 % total/, 'a function without a name');
for my $broken ('{', '{"id": 1, "method": 7}', '[]', '[{"id": 3}]', '"x"', "{\"a\": \"\xFF\"}", '{"id": 2, "method": "textDocument/hover", "params": {"position": {"line": -1}}}', '')
{
	$lsp->raw('Content-Length: ' . length($broken) . "\r\n\r\n$broken");
	like($lsp->wait_for(sub { $_[0]{error} })->{error}{code}, qr/^-32[67]00$/, "broken: $broken");
}
$lsp->notify('textDocument/didChange', { textDocument => { uri => 'file:///x.js' }, contentChanges => [ { range => { start => { line => 4294967294, character => 4294967294 }, end => { line => 0, character => 0 } }, text => "\n" }, {} ] });
$lsp->notify('textDocument/didChange', { textDocument => { uri => 'file:///unknown.js' }, contentChanges => [ { text => '' } ] });
is(ref $lsp->call('textDocument/inlayHint', whole('file:///x.js')), 'ARRAY', 'changes from nowhere to nowhere');
my $large = "function f() {}\n" x 640_000;
$lsp->open("file:///large$_/x.js", 'javascript', $large) for 1 .. 3;
is(ref $lsp->call('textDocument/inlayHint', whole("file:///large$_/x.js", 0, 10)), 'ARRAY', 'a document of 10 MB') for 1 .. 3;
like($lsp->call('textDocument/hover', at('file:///large3/x.js', 0))->{contents}{value}, qr/The file is too large to be kept/, 'of three of them the last is too much, and it is said');
SKIP:
{
	CORE::open my $status, '<', "/proc/$lsp->{pid}/status" or skip 'no /proc', 1;
	my ($peak) = join('', <$status>) =~ /VmHWM:\s+(\d+) kB/;
	cmp_ok($peak, '<', 65536, 'and 64 MB of memory are enough');
}
is($lsp->finish, 0, 'exit');

$lsp = Lsp->start;
$lsp->raw("GET / HTTP/1.1\r\n\r\n");
is($lsp->end, 1, 'what is no message ends it');
$lsp = Lsp->start;
$lsp->initialize(undef);
is($lsp->end, 1, 'an editor that goes away without a word');
$lsp = Lsp->start;
$lsp->notify('exit', undef);
is($lsp->end, 1, 'exit without shutdown');

$node->stop;
done_testing();
