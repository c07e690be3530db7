# Server.pm: what the TAP tests need of a PostgreSQL server: the one that PGHOST,
# PGPORT and PGUSER name, by way of plain psql, in a database of their own.
package Server;

use strict;
use warnings;
use File::Temp;
use Time::HiRes qw(sleep);

our $psql = defined $ENV{PG_BINDIR} ? "$ENV{PG_BINDIR}/psql" : 'psql';

# A database with scan in it, gone when the object is; `extension` creates it otherwise.
sub new
{
	my ($class, $name, %option) = @_;
	my $self = bless { database => "scan_test_${name}_$$", owner => $$ }, $class;

	$self->{maintenance} = $ENV{PGDATABASE} // 'postgres';
	$self->_must($self->{maintenance}, "CREATE DATABASE $self->{database} TEMPLATE template0 ENCODING 'UTF8'");
	$self->{created} = 1;
	$self->_must($self->{database}, $option{extension} // 'CREATE EXTENSION scan');
	return $self;
}

# What a script prints (unaligned, tuples only), its messages, its exit status:
# 0, or 3 if a statement failed.  All statements run in one session.
sub run
{
	my ($self, $script, %option) = @_;
	return _psql($self->{database}, $script, $option{go_on} ? 0 : 1);
}

# The printed lines of a script that must not fail.
sub lines
{
	my ($self, $script) = @_;
	return split /\n/, $self->_must($self->{database}, $script);
}

# One value.
sub value
{
	my ($self, $script) = @_;
	return ($self->lines($script))[0];
}

# Waits up to half a minute until a query answers t.
sub comes
{
	my ($self, $query) = @_;
	for (1 .. 300)
	{
		return 1 if (($self->run($query))[0] // '') eq "t\n";
		select undef, undef, undef, 0.1;
	}
	return 0;
}

# True if core's frames are right for the largest offsets.  Older minor versions, 16.2 for example, add them to the
# number of the row without a check.
sub takes_largest_offsets
{
	my ($self) = @_;
	return $self->value('SELECT count(x) FROM (SELECT last_value(i) OVER (ORDER BY i ROWS BETWEEN CURRENT ROW '
		. 'AND 9223372036854775807 FOLLOWING) AS x FROM generate_series(1, 3) AS i) AS s') == 3;
}

# True if core uses an aggregate's inverse only for frames that rows leave.  Older minor versions, 16.2 for example, use
# it for all frames, and an aggregate whose two sets of functions differ has another result then.
sub spares_the_inverse
{
	my ($self) = @_;
	my ($out) = $self->run(<<'SQL');
CREATE AGGREGATE pg_temp.which(int4)
  (SFUNC = int4pl, STYPE = int4, INITCOND = '0', MSFUNC = int4pl, MINVFUNC = int4mi, MSTYPE = int4, MINITCOND = '1');
SET scan.prefixscan = off;
SELECT 'which ' || pg_temp.which(0) OVER ();
SQL
	return $out =~ /which 0/;
}

# How many temporary files are left of sessions that have ended: other tests may have some meanwhile.
sub files_left
{
	my ($self) = @_;
	my $files;

	for (1 .. 30)
	{
		$files = $self->value("SELECT count(*) FROM pg_ls_tmpdir() AS f "
			. "WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE f.name LIKE 'pgsql_tmp' || pid || '.%')");
		last if $files == 0;
		sleep 0.1;
	}
	return $files;
}

# What each of some queries answers in one session: "rows hash" over its rows, in the
# order of their column id, or "sqlstate message".
sub answers
{
	my ($self, $settings, @queries) = @_;
	my $script = <<'SQL';
LOAD 'scan';
CREATE FUNCTION pg_temp.answer(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  y text; state text; message text;
BEGIN
  EXECUTE 'SELECT count(*) || '' '' || coalesce(md5(string_agg(r::text, ''|'' ORDER BY r.id, r::text)), ''-'') FROM ('
    || q || ') AS r' INTO y;
  RETURN y;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
  RETURN state || ' ' || message;
END $$;
SQL
	$script .= "SET jit = off; $settings;\n";
	$script .= "SELECT '$_ ' || pg_temp.answer(\$q\$$queries[$_]\$q\$);\n" for 0 .. $#queries;
	return $self->lines($script);
}

sub _must
{
	my ($self, $database, $script) = @_;
	my ($out, $err, $status) = _psql($database, $script, 1);

	die "psql: $err" if $status != 0;
	return $out;
}

# By files: a pipe in both directions could fill up.
sub _psql
{
	my ($database, $script, $stop) = @_;
	my ($in, $out, $err) = map { File::Temp->new } 1 .. 3;

	print $in $script, "\n";
	$in->flush;
	open my $saved_out, '>&', \*STDOUT or die "dup: $!";
	open my $saved_err, '>&', \*STDERR or die "dup: $!";
	open STDOUT, '>&', $out or die "dup: $!";
	open STDERR, '>&', $err or die "dup: $!";
	my $status = system $psql, '-XAtq', '-v', "ON_ERROR_STOP=$stop", '-d', $database, '-f', $in->filename;
	open STDOUT, '>&', $saved_out or die "dup: $!";
	open STDERR, '>&', $saved_err or die "dup: $!";
	return (_content($out), _content($err), $status >> 8);
}

sub _content
{
	my ($file) = @_;
	local $/;
	seek $file, 0, 0;
	return <$file> // '';
}

sub DESTROY
{
	my ($self) = @_;
	local ($?, $@);
	_psql($self->{maintenance}, "DROP DATABASE IF EXISTS $self->{database} WITH (FORCE)", 0)
		if $self->{created} && $self->{owner} == $$;
}

1;
