# companions.t: scan in one server with another extension of PostgreSQL.  companions.sh runs it for each of a list.
#
# The server first runs with the companion and without scan: its answers are what is right, and what it fails with is
# no fault of scan's.  Then scan comes in each way that it can be loaded.  Each time all queries of
# companions/queries.sql, and those of the companion's own, run in all shapes of companions/Battery.pm, with
# scan.prefixscan off, auto and force.  A query that calls functions of scan is compared with itself with the
# setting off.  The rows have to be the same, and what fails has to fail with the same SQLSTATE.
#
# Besides, query identifiers and the plans of queries without windows must not change.
#
#   SCAN_COMPANION          the companion's name in companions/Companions.pm
#   SCAN_COMPANION_EVERY    5: each shape runs every fifth query only, the next shape other ones
#   SCAN_COMPANION_ROW      a file for its row of RESULTS.md
#
#   SCAN_COMPANION=auto_explain prove -v test/package/companions.t
use strict;
use warnings;
use FindBin;
use lib "$FindBin::Bin/../t", "$FindBin::Bin/companions";
use Test::More;
use POSIX qw(strftime);
use Cluster;
use Companions;
use Battery;

my @settings = qw(off auto force);
my $every = $ENV{SCAN_COMPANION_EVERY} // 1;
my $folder = "$FindBin::Bin/companions";
my $companion = Companions::named($ENV{SCAN_COMPANION} // die "SCAN_COMPANION=NAME\n");
my $cluster = Cluster->new("include_if_exists 'companions.conf'\nmax_connections = 50\n");
my $server = $cluster->{server};
my $data = "$cluster->{folder}/data";
my %name = (database => $server->{database}, socket => $cluster->{PGHOST}, port => $cluster->{PGPORT},
	folder => $folder);
my ($tables, @queries) = Battery::read_file("$folder/queries.sql");
push @queries, map { Battery::query($_) } grep { length } split /^--- /m, $companion->{queries};
my @plans = grep { $_->{plan} } @queries;
@queries = grep { !$_->{plan} } @queries;

sub filled { return $_[0] =~ s/%(database|socket|port|folder)%/$name{$1}/gr }

# ---- the server

my @log;

# Restarts a server with these libraries; false if it does not come up.
sub restart
{
	my ($data, $shared, $session) = @_;
	my @libraries = map { "'" . filled($_) . "'" } @$shared;
	open my $out, '>', "$data/companions.conf" or die $!;
	print $out filled($companion->{conf}), 'shared_preload_libraries = ',
		("'" . join(', ', map { '"' . filled($_) . '"' } @$shared) . "'"), "\nsession_preload_libraries = '$session'\n";
	close $out;
	push @log, "$data/companions.log" if !grep { $_ eq "$data/companions.log" } @log;
	my @ctl = ($cluster->as_server, "$cluster->{PG_BINDIR}/pg_ctl", '-s', '-w', '-D', $data, '-l',
		"$data/companions.log");
	system 'sh', '-c', 'cd "$0" && exec "$@"', $data, @ctl, 'restart';
	return $? == 0;
}

# How many lines of the servers' logs match.
sub logged
{
	my ($pattern) = @_;
	my $count = 0;
	for my $file (@log)
	{
		open my $in, '<', $file or next;
		while (my $line = <$in>) { $count++ if $line =~ $pattern }
	}
	return $count;
}

# ---- what is counted

my ($runs, %wrong, %only, %both, @said) = (0);

sub note_difference
{
	my ($where, $kind, $words) = @_;
	push @said, "$where: $words";
	($kind eq 'rows' ? \%wrong : \%only)->{$where}++;
	diag($said[-1]) if @said <= 20;
}

# ---- the reference: without scan

my %reference;

# The queries that run in a shape, with the companion's hint in front: all, or some that are others in the next shape.
sub asked
{
	my ($shape) = @_;
	my ($at) = grep { $Battery::shapes[$_] eq $shape } 0 .. $#Battery::shapes;
	return map { { %{ $queries[$_] }, sql => $companion->{hint} . $queries[$_]{sql} } }
		grep { ($_ + $at) % $every == 0 } 0 .. $#queries;
}

# The answers in one shape: those of scan's own functions with the setting off, because a call loads scan.
sub reference_of
{
	my ($shape) = @_;
	my $stock = Battery::answers($server, $shape, ['without'], $companion->{begin}, 0,
		grep { !$_->{own} } asked($shape));
	my $own = Battery::answers($server, $shape, ['off'], $companion->{begin}, 0, grep { $_->{own} } asked($shape));
	return { %{ $stock->{without} }, %{ $own->{off} } };
}

# What fails without scan, but for the queries that have to fail.
sub note_failures
{
	my ($shape, $answers) = @_;
	for my $query (asked($shape))
	{
		my $err = $answers->{ $query->{name} }[1];
		my $expected = $query->{fails} && $err =~ $query->{fails};
		$both{"$shape " . Battery::said($err)}++ if $err ne '' && !$expected;
		ok($expected, "$query->{name}: fails") if $query->{fails} && $shape eq 'plain';
	}
}

# The identifiers of queries, and the plans of those without windows: texts that must not change.
sub texts
{
	my ($begin, $setting) = @_;
	my @all = (grep({ !$_->{own} } @queries), @plans);
	my $script = "SET compute_query_id = on;\n$begin;\n$Battery::settings{$setting}\n";
	for my $query (@all)
	{
		my $sql = $companion->{hint} . Battery::with_constants($query);
		$script .= "\\echo \@\@$query->{name}\nEXPLAIN (VERBOSE) $sql;\n";
	}
	my ($out) = $server->run($script, go_on => 1);
	my (undef, %text) = split /^@@(.*)\n/m, $out;
	my %identifiers = map { $_->{name} => $text{ $_->{name} } =~ /Query Identifier: (\S+)/ }
		grep { ($text{ $_->{name} } // '') =~ /Query Identifier/ } @all;
	return { identifiers => \%identifiers, plans => { map { $_->{name} => $text{ $_->{name} } } @plans } };
}

# What the companion itself has noted of the queries in one session.
sub ledger
{
	my ($begin, $setting) = @_;
	return '' if !$companion->{ledger};
	my $script = "$begin;\n$Battery::settings{$setting}\nSELECT pg_stat_statements_reset();\n\\o /dev/null\n";
	$script .= Battery::with_constants($_) . ";\n" for grep { !$_->{own} } @queries;
	my ($out) = $server->run("$script\\o\n$companion->{ledger};\n", go_on => 1);
	return $out;
}

# ---- the ways to load scan

my @libraries = @{ $companion->{preload} };
my @orders = @libraries ? ([ 'after', [ @libraries, 'scan' ], '', '' ], [ 'before', [ 'scan', @libraries ], '', '' ],
	[ 'LOAD', \@libraries, '', "LOAD 'scan';" ], [ 'session', \@libraries, 'scan', '' ])
	: ([ 'preloaded', ['scan'], '', '' ], [ 'LOAD', [], '', "LOAD 'scan';" ], [ 'session', [], 'scan', '' ]);
if ($companion->{loads})
{
	my $loads = filled($companion->{loads});
	push @orders, [ 'companion by LOAD', ['scan'], '', "LOAD '$loads';" ],
		[ 'both by LOAD', [], '', "LOAD 'scan'; LOAD '$loads';" ];
}

# All queries in all shapes, on the server that is the current one.
sub battery
{
	my ($where, $begin, $standby, @shapes) = @_;
	for my $shape (@shapes)
	{
		my @asked = asked($shape);
		my $answers = Battery::answers($server, $shape, \@settings, "$begin $companion->{begin}", $standby, @asked);
		for my $setting (@settings)
		{
			for my $query (@asked)
			{
				my $difference = Battery::judged($query, $shape, $setting, $answers->{$setting}{ $query->{name} },
					$reference{$shape}{ $query->{name} });
				$runs++;
				note_difference("$where, $shape, $setting, $query->{name}", @$difference) if $difference;
			}
		}
	}
}

sub run_order
{
	my ($order, $same, $noted) = @_;
	my ($label, $shared, $session, $begin) = @$order;
	ok(restart($data, $shared, $session), "$label: the server starts") or return;
	battery($label, $begin, 0, @Battery::shapes);
	for my $setting (@settings)
	{
		my $texts = texts("$begin $companion->{begin}", $setting);
		is_deeply($texts->{identifiers}, $same->{identifiers}, "$label, $setting: the identifiers of the queries")
			or $wrong{"$label, identifiers, $setting"}++;
		is_deeply($texts->{plans}, $same->{plans}, "$label, $setting: the plans without windows")
			or $wrong{"$label, plans, $setting"}++;
		is(ledger("$begin $companion->{begin}", $setting), $noted, "$label, $setting: what it has noted of the queries")
			|| $wrong{"$label, notes, $setting"}++ if $companion->{ledger};
	}
	for my $member (grep { $_->{works} || $_->{logs} } @{ $companion->{members} })
	{
		is(at_work($member, $begin), 't', "$label: $member->{name} was at work")
			or $only{"$label, $member->{name} not at work"}++;
	}
}

# Whether a companion has done what it is for: "t", or what it says instead.
sub at_work
{
	my ($member, $begin) = @_;
	return logged($member->{logs}) > 0 ? 't' : 'nothing logged' if $member->{logs};
	my ($out, $err) = $server->run("$begin $companion->{begin};\n\\echo \@\@\n" . filled($member->{works}) . ';',
		go_on => 1);
	return $out =~ /@@\n(.*)\n\z/s ? $1 : $err;
}

# ---- a standby

# The address of the primary or of the standby, for all that follows.
sub use_port { $ENV{PGPORT} = $_[0]; $name{port} = $_[0] }

sub run_standby
{
	my $standby = "$cluster->{folder}/standby";
	my $port = $cluster->{PGPORT} + 1;
	my @as = $cluster->as_server;
	my @shapes = Battery::shapes_of_standby();

	$server->lines('SELECT 1');
	system(@as, "$cluster->{PG_BINDIR}/pg_basebackup", '-D', $standby, '-R', '-c', 'fast', '-h', $cluster->{PGHOST},
		'-p', $cluster->{PGPORT}, '-U', 'postgres');
	is($?, 0, 'a standby is made') or return;
	open my $conf, '>>', "$standby/postgresql.conf" or die $!;
	print $conf "port = $port\nhot_standby = on\n";
	close $conf;
	system @as, "$cluster->{PG_BINDIR}/pg_ctl", '-s', '-w', '-D', $standby, '-l', "$standby/first.log", 'start';
	use_port($port);
	for my $order (@orders)
	{
		my ($label, $shared, $session, $begin) = @$order;
		ok(restart($standby, $shared, $session), "standby, $label: the server starts") or next;
		is($server->value('SELECT pg_is_in_recovery()'), 't', 'it is a standby');
		battery("standby, $label", $begin, 1, @shapes);
	}
	system @as, "$cluster->{PG_BINDIR}/pg_ctl", '-s', '-w', '-D', $standby, 'promote';
	is($server->value('SELECT pg_is_in_recovery()'), 'f', 'it is promoted');
	battery('promoted', '', 0, @Battery::shapes);
	ok(restart($standby, ['scan'], ''), 'promoted and restarted');
	battery('promoted, restarted', '', 0, @Battery::shapes);
	system @as, "$cluster->{PG_BINDIR}/pg_ctl", '-s', '-w', '-D', $standby, '-m', 'fast', 'stop';
	use_port($cluster->{PGPORT});
}

# ---- the row of the table

sub versions
{
	my @versions = map {
		my $name = $_;
		my $version = $server->value("SELECT extversion FROM pg_extension WHERE extname = '$name'");
		defined $version ? (@{ $companion->{extensions} } > 1 ? "$name $version" : $version) : ()
	} @{ $companion->{extensions} };
	return join ', ', @versions if @versions;
	my ($package) = @{ $companion->{packages} };
	my $version = $package && $package ne 'postgresql-15'
		? (qx{dpkg-query -W -f '\${Version}' $package 2>/dev/null} =~ /^([\w.]+)/)[0] : '';
	return $version || 'PostgreSQL ' . $server->value('SHOW server_version') =~ s/ .*//r;
}

# "3 (after, plain: XX000)": how many, and the first of each kind.
sub counted
{
	my ($count) = @_;
	my %kinds;
	my $sum = 0;
	for my $where (keys %$count)
	{
		$kinds{ $where =~ /^([^,]+, [^,]+),/ ? $1 : $where } += $count->{$where};
		$sum += $count->{$where};
	}
	my @kinds = sort { $kinds{$b} <=> $kinds{$a} || $a cmp $b } keys %kinds;
	return $sum ? "$sum (" . join('; ', @kinds > 4 ? (@kinds[ 0 .. 3 ], '...') : @kinds) . ')' : '0';
}

sub write_row
{
	my ($version, $orders, $starts) = @_;
	open my $out, '>', $ENV{SCAN_COMPANION_ROW} // return;
	printf $out "| %s | %s | %s | %s | %d | %s | %s | %s |\n", $companion->{name}, $version, strftime('%F', gmtime),
		$orders, $runs, counted(\%wrong), counted(\%only), $starts // counted(\%both);
	close $out;
}

# ---- all of it

$server->lines($tables);
if (!restart($data, \@libraries, ''))
{
	# no way to start it with scan either, or a fault that is seen without scan
	diag(qx{tail -n 5 $data/companions.log});
	restart($data, [], '');
	write_row(versions(), 'none', 'the server does not start');
	plan(skip_all => "the server does not start with $companion->{name} alone");
}
my ($out, $err, $status) = $server->run(filled("$companion->{create}\n$companion->{tables}"));
is($status, 0, 'the companion is created') or $both{'it is not created'}++ or diag($err);
$server->lines('VACUUM ANALYZE');
$reference{$_} = reference_of($_) for @Battery::shapes;
note_failures($_, $reference{$_}) for @Battery::shapes;
my $same = texts($companion->{begin}, 'without');
cmp_ok(scalar keys %{ $same->{identifiers} }, '>', 40, 'queries have identifiers');
my $noted = ledger($companion->{begin}, 'without');
if ($companion->{standby}) { run_standby() }
else { run_order($_, $same, $noted) for @orders }
is(logged(qr/was terminated by signal|PANIC/), 0, 'no process has crashed');
is(scalar keys %wrong, 0, "$companion->{name}: rows, of $runs runs");
is(scalar keys %only, 0, "$companion->{name}: errors that are only with scan");
diag("$companion->{name}: without scan fail: " . counted(\%both)) if %both;
write_row(versions(), join(', ', ($companion->{standby} ? ('standby', 'promoted') : ()), map { $_->[0] } @orders));
done_testing();
