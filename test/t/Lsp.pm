# An editor for tests of flamegraph-lsp: speaks the language server protocol with it over pipes.
#
#   my $lsp = Lsp->start(%ENV_more)             # the program
#   $lsp->initialize($root, %more)              # capabilities => {…}, initializationOptions => {…}; the answer
#   $lsp->open($uri, $language, $text)
#   $lsp->call($method, $params)                # the result; an error is a hash with the key "error"
#   $lsp->notify($method, $params), $lsp->raw($bytes)
#   $lsp->next_of($method)                      # the next notification or request of that name
#   $lsp->finish                                # shutdown and exit: the exit status
package Lsp;

use strict;
use warnings;

use IO::Select;
use IPC::Open2;
use JSON::PP;

my $json = JSON::PP->new->utf8->canonical->allow_nonref;

sub start
{
	my ($class, @command) = @_;
	my ($out, $in);
	my $pid = open2($out, $in, @command ? @command : ('flamegraph-lsp', '--stdio'));
	binmode $_ for $in, $out;
	return bless { in => $in, out => $out, pid => $pid, buffer => '', queue => [], id => 0, log => [] }, $class;
}

sub raw
{
	my ($self, $bytes) = @_;
	local $SIG{PIPE} = 'IGNORE';
	# The server reads and writes at once; so does this.
	while (length $bytes)
	{
		my $written = syswrite $self->{in}, $bytes, 32768;
		last unless $written;
		substr $bytes, 0, $written, '';
		$self->_read(0);
	}
	return;
}

sub send
{
	my ($self, $message) = @_;
	my $body = $json->encode({ jsonrpc => '2.0', %$message });
	$self->raw('Content-Length: ' . length($body) . "\r\n\r\n$body");
	return;
}

# False at the end of what the server says, or when it says nothing for so many seconds.
sub _read
{
	my ($self, $seconds) = @_;
	return 0 unless IO::Select->new($self->{out})->can_read($seconds);
	my $count = sysread $self->{out}, $self->{buffer}, 65536, length $self->{buffer};
	return 0 unless $count;
	while ($self->{buffer} =~ /\AContent-Length: (\d+)\r\n\r\n/)
	{
		my $head = $+[0];
		last if length $self->{buffer} < $head + $1;
		push @{ $self->{queue} }, $json->decode(substr $self->{buffer}, $head, $1);
		substr $self->{buffer}, 0, $head + $1, '';
	}
	return 1;
}

# The first message that the test is true for; undef when none comes.
sub wait_for
{
	my ($self, $test) = @_;
	my $until = time + 60;
	while (1)
	{
		for my $i (0 .. $#{ $self->{queue} })
		{
			return splice @{ $self->{queue} }, $i, 1 if $test->($self->{queue}[$i]);
		}
		return unless time < $until && $self->_read(60);
	}
}

sub request
{
	my ($self, $method, $params) = @_;
	my $id = ++$self->{id};
	$self->send({ id => $id, method => $method, params => $params });
	return $id;
}

sub answer
{
	my ($self, $id) = @_;
	my $message = $self->wait_for(sub { defined $_[0]{id} && $_[0]{id} eq $id && !$_[0]{method} });
	return $message && exists $message->{result} ? $message->{result} : $message;
}

sub call
{
	my ($self, $method, $params) = @_;
	return $self->answer($self->request($method, $params));
}

sub notify
{
	my ($self, $method, $params) = @_;
	$self->send({ method => $method, params => $params });
	return;
}

sub next_of
{
	my ($self, $method) = @_;
	return $self->wait_for(sub { ($_[0]{method} // '') eq $method });
}

# What has come of that name, without waiting.
sub seen
{
	my ($self, $method) = @_;
	return scalar grep { ($_->{method} // '') eq $method } @{ $self->{queue} };
}

sub initialize
{
	my ($self, $root, %more) = @_;
	my $result = $self->call('initialize', { processId => $$, rootUri => defined $root ? "file://$root" : undef, capabilities => {}, %more });
	$self->notify('initialized', {});
	return $result;
}

sub open
{
	my ($self, $uri, $language, $text) = @_;
	$self->notify('textDocument/didOpen', { textDocument => { uri => $uri, languageId => $language, version => 1, text => $text } });
	return;
}

sub end
{
	my ($self) = @_;
	close $self->{in};
	1 while $self->_read(30);
	waitpid $self->{pid}, 0;
	return $? >> 8;
}

sub finish
{
	my ($self) = @_;
	$self->call('shutdown', undef);
	$self->notify('exit', undef);
	return $self->end;
}

1;
