# Battery.pm: the shapes in which companions.t runs each query, and how the answers of two servers are compared.
#
# An answer is [what the query printed, what it reported]: reports are SQLSTATEs, so that no companion's context lines
# count.  What EXPLAIN prints is not compared, only looked into.
package Battery;

use strict;
use warnings;
use JSON::PP;
use Portal;

our @formats = qw(text json xml yaml);
our @shapes = (qw(plain scroll hold generic loop subtransactions), (map { "explain_$_" } @formats),
	qw(ctas matview parallel portal portal_left));
# those that a standby refuses
my %writes = map { $_ => 1 } qw(ctas matview);

sub shapes_of_standby { return grep { !$writes{$_} } @shapes }

# What a session with a setting begins with: "without" is a server that has no scan.
our %settings = (
	without => '',
	off => 'SET scan.prefixscan = off;',
	auto => 'SET scan.prefixscan = auto;',
	force => 'SET scan.prefixscan = force; SET scan.index_skip = force;');

# The tables and the queries of a file: the SQL before the first query, then hashes.
sub read_file
{
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!";
	local $/;
	my ($tables, @pieces) = split /^--- /m, readline $in;
	return ($tables, map { query($_) } @pieces);
}

# A query of its text: "NAME, own, core, plan, fails SQLSTATE", a line break, SQL.
sub query
{
	my ($text) = @_;
	my ($head, $sql) = split /\n/, $text, 2;
	my %query;
	$query{fails} = $1 if $head =~ s/, fails (\w+)$//;
	$query{plan} = 1 if $head =~ s/, plan$//;
	$query{core} = 1 if $head =~ s/, core$//;
	$query{own} = 1 if $head =~ s/, own$//;
	$sql =~ s/;?\s*\z//;
	$query{parameters} = [ $sql =~ /\{(\d+)\}/g ];
	return { %query, name => $head, sql => $sql };
}

# The query with its constants, with $1 ..., or with variables of PL/pgSQL.
sub with_constants { return $_[0]{sql} =~ s/\{(\d+)\}/$1/gr }
sub with_parameters { my $i = 0; return $_[0]{sql} =~ s/\{\d+\}/'$' . ++$i/ger }
sub with_variables { my $i = 0; return $_[0]{sql} =~ s/\{\d+\}/'parameter_' . ++$i/ger }

# Runs until it fails or is at an end, and takes notes of its rows; a standby lets nobody create a function.
sub in_plpgsql
{
	my ($query, $body) = @_;
	my $i = 0;
	my $variables = join '', map { 'parameter_' . ++$i . " int := $_; " } @{ $query->{parameters} };
	return "SET companions.notes = '';\nDO \$do\$ DECLARE the_row record; the_count int := 0; the_notes text := ''; "
		. "$variables BEGIN $body PERFORM set_config('companions.notes', the_notes, false); END \$do\$;\n"
		. "SELECT current_setting('companions.notes');\n";
}

my %script = (
	plain => sub { return with_constants($_[0]) . ";\n" },
	scroll => sub {
		my @fetches = ('FETCH 7', 'FETCH BACKWARD 3', 'FETCH ABSOLUTE 40', 'FETCH RELATIVE -2', 'FETCH FIRST',
			'FETCH 3', 'FETCH LAST', 'FETCH BACKWARD ALL', 'MOVE 5', 'FETCH ALL');
		return 'BEGIN; DECLARE c SCROLL CURSOR FOR ' . with_constants($_[0]) . ";\n"
			. join('', map { "$_ FROM c;\n" } @fetches) . "COMMIT;\n";
	},
	hold => sub { return 'BEGIN; DECLARE c SCROLL CURSOR WITH HOLD FOR ' . with_constants($_[0])
		. "; FETCH 5 FROM c; COMMIT;\nFETCH ALL FROM c; FETCH BACKWARD 4 FROM c; CLOSE c;\n" },
	generic => sub {
		my ($query, $standby) = @_;
		my $values = join ', ', @{ $query->{parameters} };
		my $others = join ', ', map { $_ + 1 } @{ $query->{parameters} };
		my ($execute, $again) = map { 'EXECUTE prepared' . (length $_ ? "($_)" : '') . ";\n" } $values, $others;
		my $types = @{ $query->{parameters} } ? '(' . join(', ', map { 'int' } @{ $query->{parameters} }) . ')' : '';
		# what the plan was made of changes
		my $ddl = $standby
			? '' : "ALTER TABLE data ALTER x SET STATISTICS 99; CREATE INDEX companions ON data (o, id);\n";
		my $undo = $standby ? '' : "DROP INDEX companions; ALTER TABLE data ALTER x SET STATISTICS -1;\n";
		return "PREPARE prepared$types AS " . with_parameters($query) . ";\n$execute$again$ddl$execute$undo$again"
			. "DEALLOCATE prepared;\n";
	},
	loop => sub { return in_plpgsql($_[0],
			'FOR the_row IN ' . with_variables($_[0]) . " LOOP the_count := the_count + 1; "
				. "the_notes := the_notes || the_row::text || ';'; EXIT WHEN the_count = 30; END LOOP; FOR the_row IN "
				. with_variables($_[0]) . " LOOP the_notes := the_notes || the_row::text || ';'; END LOOP;") },
	subtransactions => sub {
		my $rows = 'FOR the_row IN ' . with_variables($_[0]) . " LOOP the_count := the_count + 1; "
			. "BEGIN the_notes := the_notes || the_row::text || ';'; IF the_count % 9 = 0 THEN RAISE division_by_zero; "
			. "END IF; EXCEPTION WHEN division_by_zero THEN the_notes := the_notes || 'caught;'; END; END LOOP;";
		return in_plpgsql($_[0],
			"BEGIN $rows EXCEPTION WHEN data_exception THEN the_notes := the_notes || SQLSTATE; END; "
				. "BEGIN FOR the_row IN " . with_variables($_[0]) . " LOOP the_count := 10 / (the_count - the_count); "
				. "END LOOP; EXCEPTION WHEN OTHERS THEN the_notes := the_notes || SQLSTATE; END;");
	},
	(map {
		my $format = $_;
		("explain_$format" =>
				sub { return "EXPLAIN (ANALYZE, VERBOSE, BUFFERS, FORMAT $format) " . with_constants($_[0]) . ";\n" })
	} @formats),
	# a query may have two columns of one name, a table may not
	ctas => sub { return 'CREATE TEMP TABLE made AS SELECT q::text FROM (' . with_constants($_[0])
		. ") AS q;\nSELECT * FROM made; DROP TABLE made;\n" },
	matview => sub { return 'CREATE MATERIALIZED VIEW made AS SELECT q::text FROM (' . with_constants($_[0])
		. ") AS q WITH NO DATA;\nREFRESH MATERIALIZED VIEW made; SELECT * FROM made; DROP MATERIALIZED VIEW made;\n" },
	parallel => sub { return with_constants($_[0]) . ";\n" });

my %before = (
	generic => 'SET plan_cache_mode = force_generic_plan;',
	parallel => 'SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; '
		. 'SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0; '
		. 'SET parallel_leader_participation = off;');

# Runs queries in one shape with each of some settings, in one session; `begin` is what the session begins with.
# Answers by the settings and by the names of the queries.
sub answers
{
	my ($server, $shape, $settings, $begin, $standby, @queries) = @_;
	my $script = "\\set VERBOSITY sqlstate\nSET client_min_messages = warning;\n$begin\n" . ($before{$shape} // '')
		. "\n";
	my %answers;

	return through_portal($server, $shape, $settings, $begin, @queries) if $shape =~ /^portal/;
	for my $setting (@$settings)
	{
		$script .= "$settings{$setting}\n";
		for my $query (@queries)
		{
			my $mark = "\@\@$setting $query->{name}";
			$script .= "\\echo $mark\n\\warn $mark\n" . require_node($setting, $query)
				. $script{$shape}->($query, $standby);
		}
	}
	$script .= "\\echo \@\@end\n\\warn \@\@end\n";
	my ($out, $err) = $server->run($script, go_on => 1);
	for my $text ($out, $err)
	{
		my (undef, @pieces) = split /^@@(.*)\n/m, $text, -1;
		while (my ($name, $piece) = splice @pieces, 0, 2)
		{
			$piece =~ s/^psql:\S+ //mg;
			push @{ $answers{$name} }, $piece;
		}
	}
	# a server that has died answers no more
	my $of = sub { return $answers{end} && $answers{"$_[0] $_[1]{name}"} || [ '', "no answer\n" ] };
	return { map { my $setting = $_; $setting => { map { $_->{name} => $of->($setting, $_) } @queries } } @$settings };
}

# No other plan may stand in for the node unseen.
sub require_node
{
	my ($setting, $query) = @_;
	return '' if $setting ne 'force';
	return 'SET scan.debug_require = ' . ($query->{core} ? 'allow' : 'node') . ";\n";
}

sub through_portal
{
	my ($server, $shape, $settings, $begin, @queries) = @_;
	my ($client, %answers);

	for my $setting (@$settings)
	{
		undef $client;
		$answers{$setting} = {};
		for my $query (@queries)
		{
			my @answer = eval {
				$client //= do {
					my $new = Portal->new($server->{database});
					$new->query($_) for grep { /\S/ } "SET client_min_messages = warning", $begin, $settings{$setting};
					$new;
				};
				$client->query($_) for grep { length } require_node($setting, $query);
				$client->fetch(with_parameters($query), $query->{parameters}, $shape eq 'portal' ? (7, 1, 50, 0) : (7));
			};
			if ($@)
			{
				@answer = ('', "no answer\n");
				undef $client;
			}
			$answers{$setting}{ $query->{name} } = [ @answer[ 0, 1 ] ];
		}
	}
	return \%answers;
}

# What is wrong with an answer, as [kind, words]; the reference is one of a server without scan.
sub judged
{
	my ($query, $shape, $setting, $answer, $reference) = @_;
	my ($out, $err) = @$answer;

	return [ 'error', said($err) . ' instead of ' . said($reference->[1]) ] if $err ne $reference->[1];
	if ($shape !~ /^explain_(.*)/)
	{
		return $out eq $reference->[0] ? undef : [ 'rows', first_difference($out, $reference->[0]) ];
	}
	my $format = $1;
	return undef if $err ne '';
	return [ 'rows', 'EXPLAIN prints nothing' ] if $out !~ /\S/;
	return [ 'rows', 'EXPLAIN prints no JSON' ] if $format eq 'json' && !eval { decode_json($out) };
	return [ 'rows', 'EXPLAIN shows no node' ] if $setting eq 'force' && $out !~ /PrefixScan|IndexSkip/;
	return [ 'rows', 'EXPLAIN shows a node' ]
		if $setting eq 'off' && $out =~ /\((?:PrefixScan|IndexSkip)\)|Provider.*(?:PrefixScan|IndexSkip)/;
	return undef;
}

sub said
{
	my ($err) = @_;
	$err =~ s/\s+/ /g;
	$err =~ s/ERROR: +//g;
	$err =~ s/ $//;
	return $err eq '' ? 'rows' : substr $err, 0, 200;
}

sub first_difference
{
	my ($ours, $theirs) = map { [ split /\n/ ] } @_;
	for my $i (0 .. ($#$ours > $#$theirs ? $#$ours : $#$theirs))
	{
		my ($one, $other) = map { $_->[$i] // 'no row' } $ours, $theirs;
		return "row $i: '" . substr($one, 0, 200) . "' instead of '" . substr($other, 0, 200) . "'" if $one ne $other;
	}
	return 'the same rows';
}

1;
