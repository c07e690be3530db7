# Trial.pm: a query, and the conditions that it runs under.
#
# Everything hangs on a seed and a number, so that one trial can be done again without
# those before it: the query (Queries.pm, Hazards.pm, Arrays.pm), the tables, the ways that are compared
# with core's, the fault of the mock device in each, a timeout.  What other processes do
# meanwhile (Faults.pm) does not.
package Trial;

use strict;
use warnings;
use Digest::MD5 qw(md5);
use Arrays;
use Compare;
use Hazards;
use Joins;
use Queries;

# How many of a thousand jobs meet a fault, where it is not ordinary: a crash or a timeout
# keeps the device away for seconds, "slow" takes 50 ms.
my %rare = (crash => 15, timeout => 15, slow => 30);
my $ordinary = 120;

my @algorithms = qw(sequential hillis_steele blelloch blocked);

sub one_of { return $_[ rand @_ ] }
sub chance { return rand(100) < $_[0] }

# The schemas beside `public`, with a table t of their own: more rows, and rows that change.
sub tables
{
	my ($role) = @_;
	my $sql = Queries::tables($role) . Hazards::tables($role) . Joins::tables($role);
	my ($rows) = $sql =~ /^CREATE TABLE t AS (.*?)^ FROM generate_series/ms;
	my $indexes = 'CREATE INDEX ON t (id); CREATE INDEX ON t (p, id); CREATE INDEX ON t (o DESC, id);';
	return $sql . <<"SQL";
CREATE SCHEMA large;
CREATE SCHEMA live;
SET search_path = large, public;
CREATE TABLE large.t AS $rows FROM generate_series(1, 1200) AS i ORDER BY hashint4(i);
$indexes
SET search_path = live, public;
CREATE TABLE live.t WITH (fillfactor = 60) AS SELECT * FROM public.t;
$indexes
RESET search_path;
GRANT USAGE ON SCHEMA large, live TO $role;
GRANT SELECT ON large.t, live.t TO $role;
ANALYZE;
SQL
}

# What the role that runs trials may do beside: be wrong, be refused, look at its memory.
sub rights
{
	my ($role) = @_;
	return "GRANT SET ON PARAMETER scan.mock_fault, temp_file_limit TO $role; GRANT pg_read_all_stats TO $role;";
}

# ---- the ways

sub fault
{
	my (@faults) = @_;
	my $dice = rand 1000;
	for my $fault (@faults)
	{
		$dice -= $rare{$fault} // $ordinary;
		return $fault if $dice < 0;
	}
	return 'none';
}

# Settings of a run that is compared: server tells what there is, as soak.pl found it.
sub way
{
	my ($server, $arrays, $limits) = @_;
	my @set = ('scan.prefixscan ' . (chance(75) ? 'force' : 'auto'));
	my $small = chance(25);
	push @set, 'scan.algorithm ' . one_of(@algorithms) if chance($arrays ? 50 : 10);
	if (chance($arrays ? 70 : 40))
	{
		push @set, 'scan.device gpu', 'scan.mock_fault ' . fault(@{ $server->{faults} });
	}
	elsif (chance(10))
	{
		push @set, 'scan.device cpu';
	}
	push @set, 'scan.work_mem ' . one_of(qw(64kB 64kB 64kB 100kB 250kB 1MB -1)), 'work_mem 64kB' if $small;
	push @set, one_of('temp_file_limit 8kB', 'temp_file_limit 64kB', ('temp_tablespaces tiny') x 2)
		if $small && $limits;
	# the dice are the same where there is no such file system
	return [ grep { $server->{tiny} || !/ tiny$/ } @set ];
}

# ---- statements between two executions

sub ddl
{
	my @possible = (
		'ALTER TABLE t ADD COLUMN extra int DEFAULT 3', 'ALTER TABLE t DROP COLUMN bits', 'ALTER TABLE t DROP COLUMN u',
		'ALTER TABLE t DROP COLUMN f4',
		'ALTER TABLE t DROP COLUMN id', 'ALTER TABLE t ALTER p TYPE bigint', 'ALTER TABLE t ALTER i4 TYPE numeric',
		'ALTER TABLE t ALTER num TYPE float8',
		'ALTER TABLE t RENAME TO gone', 'ALTER TABLE t ALTER t TYPE varchar(9)',
		'ALTER TABLE t ALTER t TYPE text COLLATE "C"', 'ALTER TABLE t RENAME o TO oh',
		'CREATE INDEX ON t (id)', 'CREATE INDEX ON t (p, id)', 'CREATE UNIQUE INDEX ON t (id)',
		'CREATE INDEX ON t (o DESC, id)',
		'ANALYZE t', 'TRUNCATE t', 'DELETE FROM t WHERE id % 2 = 0', 'UPDATE t SET i4 = id, f8 = -f8', 
		# as often as you like: no id twice, or rows would have no order
		'INSERT INTO t (id, p, o) SELECT id - (SELECT max(id) - min(id) + 1 FROM t), p, o FROM t',
		'ALTER TABLE t ALTER id SET NOT NULL', 'ALTER TABLE t SET (fillfactor = 20)', 'DROP TABLE t');
	return [ map { one_of(@possible) } 1 .. one_of(1, 1, 2, 3) ];
}

# Another query with rows in one order.
sub ordered
{
	while (1)
	{
		my $query = Queries->next;
		return $query->{sql} if $query->{ordered} && !$query->{parameters};
	}
}

# ---- a trial

# The job for Compare.pm; with `timeout` (milliseconds), `live` (the rows change
# meanwhile) and `limited` (temporary files are refused).
sub of
{
	my ($seed, $number, $server) = @_;
	srand unpack 'N', md5("$seed $number");
	my $arrays = chance(15);
	# together, since each needs a new connection, and a session has to grow old too
	my $limits = int($number / 400) % 8 == 0;
	my $hazard = !$arrays && chance(25);
	my $query = $arrays ? Arrays::next() : $hazard ? Hazards->next(chance(30) ? 'joins' : undef) : Queries->next;
	my %job = (%$query, number => $number, set => [ grep { $_ ne '' } split /, /, $query->{set} // '' ]);
	my $schema = chance($arrays ? 30 : 2) ? 'large' : chance(10) ? 'live' : undef;

	delete $job{ddl} if !$hazard;
	if ($job{ddl})
	{
		# other sessions alter the same functions and wait: for one, and for no table of theirs
		$job{ddl} = [ (grep { !/^ALTER (?:TYPE|DOMAIN)/ } @{ $job{ddl} }, 'ANALYZE t')[0] ];
	}
	elsif ($job{parameters} && chance(30))
	{
		$job{ddl} = ddl();
	}
	elsif ($job{fetch} && chance(40))
	{
		$job{beside} = ordered();
	}
	elsif ($schema)
	{
		push @{ $job{set} }, "search_path $schema,public";
		$job{live} = 1 if $schema eq 'live';
	}
	push @{ $job{set} }, 'max_parallel_workers_per_gather 2', 'parallel_setup_cost 0', 'parallel_tuple_cost 0',
		'min_parallel_table_scan_size 0' if chance(1);
	$job{sql} =~ s/COLLATE "C"/COLLATE "en-x-icu"/g if chance(20);
	$job{ways} = [ map { way($server, $arrays, $limits) } 1 .. one_of(1, 1, 1, 2, 2, 3) ];
	unshift @{ $job{ways} }, ['scan.prefixscan force'] if chance(40);
	# PL/pgSQL's loop over EXECUTE of a prepared statement keeps its rows in a tuplestore; when the disk is
	# full core closes that by writing to it once more, is left in an aborted subtransaction, and crashes
	@$_ = grep { !/^temp_/ } @$_ for $job{live} || $job{parameters} ? @{ $job{ways} } : ();
	@$_ = grep { !/^work_mem/ } @$_ for $job{large} ? @{ $job{ways} } : ();
	$job{limited} = 1 if grep { /^temp_/ } map { @$_ } @{ $job{ways} };
	$job{explain} = chance(5);
	$job{timeout} = one_of(1, 2, 3, 5, 8, 20, 60) if chance(1.5);
	return \%job;
}

# Its lines for a session that tells each end by "~ NUMBER SQLSTATE MESSAGE".
sub script
{
	my ($job) = @_;
	my %job = %$job;
	my ($timeout, $live, $limited) = delete @job{qw(timeout live limited)};
	delete $job{small};
	$job{alone} = 1 if !$live;
	# a session's first statement, which nothing else may come before
	my $begun = $job{first} ? "\\connect\n" : '';
	my $script = $begun . Compare::call(\%job) . ";\n\\echo ~ $job{number} :SQLSTATE :LAST_ERROR_MESSAGE\n";
	$script = "BEGIN ISOLATION LEVEL REPEATABLE READ;\n${script}COMMIT;\n" if $live;
	# never around COMMIT
	$script = "SET statement_timeout = $timeout;\n${script}RESET statement_timeout;\n" if $timeout && !$live;
	# core itself comes out of such an error with a subtransaction open: closing a tuplestore
	# writes its last page, which fails again while the first failure is cleaned up
	$script .= "\\connect\nDO 'BEGIN PERFORM deepest(); END';\n" if $limited;
	return $script;
}

1;
