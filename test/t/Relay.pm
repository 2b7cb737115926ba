# A relay between a client and a server of PostgreSQL on Unix sockets, in a process of its own, that loses one connection; later ones are
# relayed as they are. Either the first one of all, as soon as it is there; or the first that executes a prepared statement, when the server
# has committed it and its reply is on its way; or the first that sends BEGIN, as a crash of the server loses it now and then: with the reply come a server's last words, a WARNING, which the client has not read when it sends the next command,
# and nobody takes that any more. libpq reads 16 kB at once, so the reply is filled up to that; and the client stands still until all of
# it is there.
#
#   my $relay = Relay->start($node, 'connection');     # or 'reply', 'BEGIN'
#   local $ENV{PGHOST} = $relay->host;                 # the port is the node's
#   $relay->stop;
package Relay;

use strict;
use warnings;

use Carp;
use IO::Select;
use IO::Socket::UNIX;
use POSIX ();
use PostgreSQL::Test::Utils;
use Socket qw(SOL_SOCKET SO_PEERCRED SOMAXCONN);
use Time::HiRes qw(sleep);

my $at_once = 16 * 1024;

sub start
{
	my ($class, $node, $loses) = @_;
	my $self = bless { loses => $loses, host => PostgreSQL::Test::Utils::tempdir_short(), server => $node->host . '/.s.PGSQL.' . $node->port }, $class;
	$self->{listener} = IO::Socket::UNIX->new(Local => "$self->{host}/.s.PGSQL." . $node->port, Listen => SOMAXCONN) or croak "cannot listen: $!";
	$self->{pid} = fork // croak "cannot fork: $!";
	return $self if $self->{pid} != 0;
	$self->_serve;
	POSIX::_exit(0);
}

sub host { $_[0]{host} }

sub stop
{
	my ($self) = @_;
	kill 'KILL', $self->{pid};
	waitpid $self->{pid}, 0;
	return;
}

# Connections one after the other: a client with several at once would need more.
sub _serve
{
	my ($self) = @_;
	# who has hung up has all that it wants
	local $SIG{PIPE} = 'IGNORE';
	while (my $client = $self->{listener}->accept)
	{
		my $server = IO::Socket::UNIX->new(Peer => $self->{server}) or next;
		if ($self->{loses} eq 'connection') { $self->{loses} = ''; }
		else { $self->_relay($client, $server); }
		close $_ for $client, $server;
	}
	return;
}

sub _relay
{
	my ($self, $client, $server) = @_;
	my $select = IO::Select->new($client, $server);
	my ($begins, $executes);
	while (1)
	{
		for my $from ($select->can_read)
		{
			return unless sysread($from, my $bytes, $at_once);
			return $self->_lose($client, $bytes) if $begins && $from == $server;
			if ($executes && $from == $server)
			{
				$self->{loses} = '';
				return;
			}
			_write($from == $client ? $server : $client, $bytes);
			# Bind first, and Sync at the end
			$executes = $from == $client && $bytes =~ /^B.*S\x00\x00\x00\x04$/s && $self->{loses} eq 'reply';
			$begins = $from == $client && $bytes =~ /^Q....BEGIN\0$/s && $self->{loses} eq 'BEGIN';
		}
	}
}

sub _write
{
	my ($to, $bytes) = @_;
	while (length $bytes > 0)
	{
		my $written = syswrite($to, $bytes) // return;
		substr($bytes, 0, $written) = '';
	}
	return;
}

sub _message { my ($type, $body) = @_; return $type . pack('N', 4 + length $body) . $body; }

sub _lose
{
	my ($self, $client, $reply) = @_;
	my ($pid) = unpack 'i', getsockopt($client, SOL_SOCKET, SO_PEERCRED);
	my $name = "application_name\0";
	my $filling = 'x' x ($at_once - length($reply) - length(_message('S', "$name\0")));
	kill 'STOP', $pid;
	sleep 0.01 until _state($pid) eq 'T';
	_write($client, _message('S', "$name$filling\0") . $reply
		. _message('N', join('', map { "$_\0" } 'SWARNING', 'VWARNING', 'C57P02', 'Mlast words') . "\0"));
	close $client;
	$self->{loses} = '';
	kill 'CONT', $pid;
	return;
}

# What Linux calls the state of a process.
sub _state
{
	my ($pid) = @_;
	open my $file, '<', "/proc/$pid/stat" or return 'T';
	return <$file> =~ /\) (\w)/ ? $1 : 'T';
}

1;
