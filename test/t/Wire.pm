# A client that speaks the frontend/backend protocol itself, over the socket of a PostgreSQL::Test::Cluster node.
#
# psql in a pipe can neither tell the moment at which an error arrives, nor hand over its SQLSTATE and DETAIL for
# every statement of a session without parsing text; a hundred lines do both.
#
#   my $db = Wire->connect($node, 'postgres');
#   my $result = $db->query($sql);            # simple protocol, one or more statements
#   $result->{rows}                           # rows of the last statement that returned some: [[text or undef, ...]]
#   $result->{columns}                        # their names and types: [[name, OID], ...]
#   $result->{error}                          # undef or { sqlstate, message, detail, hint }
#   $result->{notices}                        # the same for NOTICE and WARNING
#   $result->{notifications}                  # [[channel, payload], ...] that have arrived since; undef for none
#   $db->value($sql), $db->row($sql)          # die on an error
#   $db->text($sql)                           # what psql -At would print, as if it were the session's first statements
#   Wire::answer($node, $database, $sql)      # the same as safe_psql() gives, without a psql
#   Wire::said($node, $database, $sql)        # what psql() gives: the rows, and what is said, with SQLSTATEs
#   $db->start($sql); ...; $db->finish        # the two halves of query(), for what goes on in between
#   $db->query_binary($sql, [$type, $bytes])  # a statement with parameters in binary form, of types by OID
#   $db->copy($sql, $bytes)                   # COPY ... FROM STDIN
package Wire;

use strict;
use warnings;

use Carp;
use IO::Socket::UNIX;
use Test::More ();
use Time::HiRes ();

sub connect
{
	my ($class, $node, $database, %options) = @_;
	my $socket = IO::Socket::UNIX->new(Peer => $node->host . '/.s.PGSQL.' . $node->port)
	  or croak "cannot connect: $!";
	binmode $socket;
	my $self = bless { socket => $socket, buffer => '' }, $class;
	my $user = $options{user} // getpwuid($>);
	my $body = pack('N Z* Z* Z* Z* Z* Z* Z* Z* x', 196608, user => $user, database => $database,
		client_encoding => 'UTF8', application_name => 'tap');
	$self->_write(pack('N', 4 + length $body) . $body);
	my $result = $self->finish;
	croak "cannot connect: $result->{error}{message}" if $result->{error};
	return $self;
}

sub pid { $_[0]{pid} }

sub close
{
	my ($self) = @_;
	return unless $self->{socket};
	$self->_write('X' . pack('N', 4));
	close delete $self->{socket};
	return;
}

sub start
{
	my ($self, $sql) = @_;
	utf8::encode($sql) if utf8::is_utf8($sql);
	$self->{started} = Time::HiRes::time();
	$self->_write('Q' . pack('N', 5 + length $sql) . $sql . "\0");
	return;
}

# Reads up to ReadyForQuery. {errored} is the moment at which the error arrived, {finished} that of the end.
sub finish
{
	my ($self) = @_;
	my %result = (rows => [], notices => [], tags => []);
	while (1)
	{
		my ($type, $body) = $self->_message;
		if ($type eq 'T') { $result{rows} = []; $result{columns} = _columns($body); }
		elsif ($type eq 'D')
		{
			my ($n, $at, @row) = (unpack('n', $body), 2);
			for (1 .. $n)
			{
				my $length = unpack('l>', substr($body, $at, 4));
				$at += 4;
				if ($length < 0) { push @row, undef; next; }
				push @row, substr($body, $at, $length);
				$at += $length;
			}
			push @{ $result{rows} }, \@row;
		}
		elsif ($type eq 'C') { push @{ $result{tags} }, unpack('Z*', $body); }
		elsif ($type eq 'E')
		{
			$result{errored} = Time::HiRes::time();
			$result{error} //= _fields($body);
			# Followed by the end of the connection.
			$self->{fatal} = $result{error} if $result{error}{severity} =~ /^(?:FATAL|PANIC)$/;
			last unless $self->{pid};
		}
		elsif ($type eq 'N')
		{
			my $notice = _fields($body);
			push @{ $result{notices} }, $notice;
			# Another session's crash ends this one: a warning, and the end of the connection.
			$self->{fatal} = $notice if $notice->{sqlstate} eq '57P02';
		}
		elsif ($type eq 'A') { push @{ $result{notifications} }, [ (unpack 'N Z* Z*', $body)[1, 2] ]; }
		elsif ($type eq 'K') { $self->{pid} = unpack('N', $body); }
		elsif ($type eq 'R')
		{
			croak 'the server asks for a password' if unpack('N', $body) != 0;
		}
		elsif ($type eq 'Z')
		{
			$self->{in_transaction} = $body ne 'I';
			last;
		}
	}
	$result{finished} = Time::HiRes::time();
	return \%result;
}

sub query
{
	my ($self, $sql) = @_;
	$self->start($sql);
	return $self->finish;
}

sub rows
{
	my ($self, $sql) = @_;
	my $result = $self->query($sql);
	if (my $e = $result->{error})
	{
		my $problem = "$e->{sqlstate} $e->{message} " . ($e->{detail} // '') . "\nin: " . substr($sql, 0, 500);
		# What goes to STDERR would only be found in a file.
		Test::More::diag($problem);
		croak $problem;
	}
	return $result->{rows};
}

sub row { return $_[0]->rows($_[1])->[0] // []; }
sub value { return $_[0]->row($_[1])->[0]; }
sub run { $_[0]->rows($_[1]); return; }

# As a new session, whatever was left behind: an error leaves a transaction that was begun by hand.
sub _forget_session
{
	my ($self) = @_;
	$self->run('ROLLBACK') if $self->{in_transaction};
	$self->run('DISCARD ALL');
	return;
}

# Of the last statement that returns rows. A psql of its own for each question costs 40 ms of processor time, most of it
# for a session that knows nothing yet.
sub text
{
	my ($self, $sql) = @_;
	$self->_forget_session;
	return join "\n", map { join '|', map { $_ // '' } @$_ } @{ $self->rows($sql) };
}

# What $node->safe_psql() gives, in a session that is kept for the next question. Statements that are sent together are one
# transaction, so those that stand in none, and what is meant for psql itself, go to psql; a database that is copied or
# dropped must have no session.
my %kept;

sub answer
{
	my ($node, $database, $sql) = @_;
	if ($sql =~ /\b(?:CREATE|DROP|ALTER) +(?:DATABASE|SUBSCRIPTION)\b/i) { forget($node); }
	if ($sql =~ /\b(?:VACUUM|DATABASE|SUBSCRIPTION|CONCURRENTLY|CALL|BEGIN|COMMIT|ROLLBACK|SYSTEM)\b|^\s*\\/im) { return $node->safe_psql($database, $sql); }
	my $db = $kept{ $node->name }{$database} //= Wire->connect($node, $database);
	return $db->text($sql);
}

# What a statement gives, and everything that it says, as psql with VERBOSITY verbose says it.
sub said
{
	my ($node, $database, $sql) = @_;
	my $db = $kept{ $node->name }{$database} //= Wire->connect($node, $database);
	$db->_forget_session;
	my $result = $db->query($sql);
	my $text = '';
	for my $message (@{ $result->{notices} }, $result->{error} // ())
	{
		$text .= "$message->{severity}:  $message->{sqlstate}: $message->{message}\n";
		for my $more (qw(detail hint context)) { $text .= uc($more) . ":  $message->{$more}\n" if defined $message->{$more}; }
	}
	return (join("\n", map { join '|', map { $_ // '' } @$_ } @{ $result->{rows} }), $text);
}

sub forget
{
	my ($node) = @_;
	$_->close for values %{ delete $kept{ $node->name } // {} };
	return;
}

# Parse, Bind, Describe, Execute and Sync at once; the results are text.
sub query_binary
{
	my ($self, $sql, @parameters) = @_;
	utf8::encode($sql) if utf8::is_utf8($sql);
	my $n = @parameters;
	my $parse = pack("Z* Z* n N$n", '', $sql, $n, map { $_->[0] } @parameters);
	my $bind = pack('Z* Z* n n n', '', '', 1, 1, $n) . join('', map { pack('N/a*', $_->[1]) } @parameters) . pack('n n', 1, 0);
	my @messages = ([ P => $parse ], [ B => $bind ], [ D => "P\0" ], [ E => "\0" . pack('N', 0) ], [ S => '' ]);
	$self->{started} = Time::HiRes::time();
	$self->_write(join '', map { $_->[0] . pack('N', 4 + length $_->[1]) . $_->[1] } @messages);
	return $self->finish;
}

# Without waiting for the server to ask for the data: what it does not want it throws away.
sub copy
{
	my ($self, $sql, $bytes) = @_;
	$self->start($sql);
	$self->_write('d' . pack('N', 4 + length $bytes) . $bytes . 'c' . pack('N', 4));
	return $self->finish;
}

# The SQLSTATE of a statement, or 'no error'.
sub sqlstate
{
	my ($self, $sql) = @_;
	my $error = $self->query($sql)->{error};
	return $error ? $error->{sqlstate} : 'no error';
}

# A text as an SQL literal. Needs standard_conforming_strings, which is on by default.
sub literal
{
	my ($text) = @_;
	utf8::encode($text) if utf8::is_utf8($text);
	$text =~ s/'/''/g;
	return "'$text'";
}

# RowDescription: the number of columns, and of each its name, table, number there, type, length, modifier and format.
sub _columns
{
	my ($body) = @_;
	my (undef, @fields) = unpack 'n (Z* N n N n N n)*', $body;
	my @columns;
	while (my ($name, undef, undef, $type) = splice @fields, 0, 7)
	{
		utf8::decode($name);
		push @columns, [ $name, $type ];
	}
	return \@columns;
}

sub _fields
{
	my ($body) = @_;
	my %names = (S => 'severity', C => 'sqlstate', M => 'message', D => 'detail', H => 'hint', W => 'context');
	my %fields;
	for my $field (split /\0/, $body)
	{
		my $name = $names{ substr $field, 0, 1 } or next;
		$fields{$name} = substr $field, 1;
	}
	return \%fields;
}

sub _write
{
	my ($self, $bytes) = @_;
	my $at = 0;
	while ($at < length $bytes)
	{
		my $n = syswrite $self->{socket}, $bytes, length($bytes) - $at, $at;
		next if !defined $n && $!{EINTR};
		croak "lost the server: $!" unless defined $n;
		$at += $n;
	}
	return;
}

sub _read
{
	my ($self, $length) = @_;
	while (length $self->{buffer} < $length)
	{
		my $want = $length - length $self->{buffer};
		my $n = sysread $self->{socket}, $self->{buffer}, $want < 65536 ? 65536 : $want, length $self->{buffer};
		# a child that ends, for example
		next if !defined $n && $!{EINTR};
		croak 'lost the server: ' . ($! || 'end of file') unless $n;
	}
	return substr $self->{buffer}, 0, $length, '';
}

sub _message
{
	my ($self) = @_;
	my ($type, $length) = unpack 'a N', $self->_read(5);
	return ($type, $self->_read($length - 4));
}

1;
