# Smaller.pm: makes a small query of a random one that fails.
#
# `make soak SEED=... ONLY=N SMALLER=1` does it for a trial, SCAN_TEST_SMALLER=1 for the first query at which
# node_random.t fails.  A generated query has three thousand characters, of which some hundred matter.
#
# The query is cut into tokens and nested parentheses.  Pieces are taken out as long as it still fails in the same way:
# first whole ranges of a level, which end at commas and keywords, in halves, quarters, and so on (delta debugging:
# Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing Input, IEEE TSE 28(2), 2002); then parentheses are
# replaced by what they contain, by a table, or by NULL.  Nothing here knows SQL: most attempts are no queries, fail by
# another error in core, and are rejected for that.  Then ways, settings and statements are taken out, and at last rows
# of the tables.
package Smaller;

use strict;
use warnings;

my %boundary = map { $_ => 1 }
	(',', qw(SELECT FROM WHERE GROUP HAVING WINDOW ORDER LIMIT OFFSET FETCH UNION INTERSECT EXCEPT OVER FILTER
	PARTITION ROWS RANGE GROUPS EXCLUDE LEFT RIGHT FULL INNER CROSS JOIN ON USING WHEN THEN ELSE AND OR AS WITH));

# ---- text and tree: a level is a list of tokens and of levels, which are references

sub tree
{
	my ($sql) = @_;
	my @open = ([]);
	while ($sql =~ /\G\s*([BbXxEe]?'(?:[^']|'')*'|"(?:[^"]|"")*"|\$?\w+(?:\.\d+)?|::|[-+*\/<>=~!@#%^&|`?]+|.)/gs)
	{
		my $token = $1;
		if ($token eq '(')
		{
			push @open, [];
			push @{ $open[-2] }, $open[-1];
		}
		elsif ($token eq ')' && @open > 1)
		{
			pop @open;
		}
		else
		{
			push @{ $open[-1] }, $token;
		}
	}
	return $open[0];
}

sub text
{
	my ($level) = @_;
	my $text = join ' ', map { ref ? '(' . text($_) . ')' : $_ } @$level;
	$text =~ s/ (?=[,.\[\]]|::)|(?<=[.\[]) |(?<=::) //g;
	return $text;
}

# All levels, the outer ones first.
sub levels
{
	my ($level) = @_;
	return ($level, map { ref $_ ? levels($_) : () } @$level);
}

# ---- attempts

# The attempts of one level: each is a list of what shall stand in it instead.
sub ranges
{
	my ($level) = @_;
	my @ends = (0, (grep { !ref $level->[$_] && $boundary{ uc $level->[$_] } } 1 .. $#$level), scalar @$level);
	my @attempts;
	for (my $size = @ends - 1; $size >= 1; $size = int($size / 2))
	{
		for (my $i = 0; $i + 1 < @ends; $i += $size)
		{
			my $j = $i + $size < @ends ? $i + $size : $#ends;
			my ($from, $to) = @ends[ $i, $j ];
			next if $to - $from >= @$level;
			push @attempts, [ @$level[ 0 .. $from - 1 ], @$level[ $to .. $#$level ] ];
			# the first of a list goes with the comma behind it
			push @attempts, [ @$level[ 0 .. $from ], @$level[ $to + 1 .. $#$level ] ]
				if $to < @$level && $level->[$to] eq ',';
		}
	}
	return @attempts;
}

sub replaced
{
	my ($level) = @_;
	my @attempts;
	for my $i (grep { ref $level->[$_] } 0 .. $#$level)
	{
		my @with = (['NULL'], ['t'], map { [$_] } grep { ref } @{ $level->[$i] });
		push @with, $level->[$i] if grep { !ref && uc eq 'SELECT' } @{ $level->[$i] } or @{ $level->[$i] } < 4;
		for my $with (@with)
		{
			push @attempts, [ @$level[ 0 .. $i - 1 ], @$with, @$level[ $i + 1 .. $#$level ] ];
			# a call with its name
			push @attempts, [ @$level[ 0 .. $i - 2 ], @$with, @$level[ $i + 1 .. $#$level ] ]
				if $i > 0 && !ref $level->[ $i - 1 ] && $level->[ $i - 1 ] =~ /^\w/;
		}
	}
	return @attempts;
}

# Makes a query smaller by the attempts of each level, as long as it gets smaller.
sub smaller_text
{
	my ($sql, $fails) = @_;
	my $tree = tree($sql);
	my $least = length text($tree);
	return $sql if !$fails->(text($tree));
	for (my $again = 1; $again;)
	{
		$again = 0;
		for my $attempts (\&ranges, \&replaced)
		{
			for (my $k = 0; $k < (my @levels = levels($tree)); $k++)
			{
				for (my $more = 1; $more;)
				{
					$more = 0;
					my $level = $levels[$k];
					my @was = @$level;
					for my $attempt ($attempts->(\@was))
					{
						@$level = @$attempt;
						my $text = text($tree);
						if (length $text < $least && $fails->($text))
						{
							$least = length $text;
							$again = $more = 1;
							last;
						}
						@$level = @was;
					}
				}
			}
		}
	}
	return text($tree);
}

# Takes elements of a list out that are not needed.
sub smaller_list
{
	my ($list, $fails) = @_;
	for (my $i = $#$list; $i >= 0; $i--)
	{
		my @without = grep { $_ != $i } 0 .. $#$list;
		$list = [ @$list[@without] ] if $fails->([ @$list[@without] ]);
	}
	return $list;
}

# ---- a job

# How a verdict of Compare.pm fails: one word.  No verdict is a crash.
sub kind
{
	my ($verdict) = @_;
	return 'CRASH' if !defined $verdict;
	my ($kind) = $verdict =~ / (DIFFERENT|EARLY ERROR|INTERNAL|MEMORY|NO PLAN) \[/;
	return $kind // '';
}

# Makes the job small in place; $ask runs a script in a session of a superuser and returns its lines, or nothing where
# the server has died.  Returns what was done, as text.
sub make_small
{
	my ($job, $role, $ask, $call) = @_;
	my ($attempts, $before) = (0, length $job->{sql});
	my $verdict = sub {
		my ($first, $last) = @_;
		my @lines = $ask->("BEGIN;\n$first SET LOCAL ROLE $role;\n" . $call->($job) . ";\n$last;");
		$attempts++;
		return @lines ? join "\n", @lines : undef;
	};
	# what runs alone or first must not be in a block
	delete @$job{qw(alone first timeout live limited)};
	my $wanted = kind($verdict->('', 'ROLLBACK'));
	return "it does not fail here\n" if $wanted eq '';
	my $with = sub {
		my ($member, $value) = @_;
		my $was = $job->{$member};
		$job->{$member} = $value;
		return 1 if kind($verdict->('', 'ROLLBACK')) eq $wanted;
		$job->{$member} = $was;
		return 0;
	};
	for my $member (grep { ref $job->{$_} eq 'ARRAY' } qw(ways set ddl))
	{
		smaller_list($job->{$member}, sub { $with->($member, $_[0]) });
	}
	for my $k (0 .. $#{ $job->{ways} })
	{
		smaller_list($job->{ways}[$k], sub {
			my @ways = @{ $job->{ways} };
			$ways[$k] = $_[0];
			$with->('ways', \@ways);
		});
	}
	smaller_text($job->{sql}, sub { $with->('sql', $_[0]) });
	my $rows = fewer_rows($job, sub { kind($verdict->(@_)) eq $wanted }, $ask);
	return sprintf "%s, after %d attempts; of %d characters %d are left:\n%s\n   ways: %s\n   set: %s\n%s", $wanted,
		$attempts, $before, length $job->{sql}, $job->{sql}, join('; ', map { join ', ', @$_ } @{ $job->{ways} }),
		join(', ', @{ $job->{set} }), $rows;
}

# Deletes rows of the tables that the query names, in halves, quarters, and so on.
sub fewer_rows
{
	my ($job, $fails, $ask) = @_;
	my $rows = '';
	for my $table (do { my %seen; grep { !$seen{$_}++ } $job->{sql} =~ /\b(?:FROM|JOIN) (\w+)/g })
	{
		my ($count) = $ask->("SELECT count(*) FROM pg_class, LATERAL (SELECT 1 FROM $table) AS t "
			. "WHERE relkind = 'r' AND oid = to_regclass('$table');") or next;
		next if $count !~ /^[1-9]\d{0,4}$/;
		for (my $size = $count; $size >= 1; $size = int($size / 2))
		{
			for (my $from = 0; $from < $count;)
			{
				my $delete = "DELETE FROM $table WHERE ctid IN (SELECT ctid FROM $table OFFSET $from LIMIT $size);";
				$from += $size, next if !$fails->($delete, 'ROLLBACK');
				$ask->($delete);
				($count) = $ask->("SELECT count(*) FROM $table;");
			}
		}
		$rows .= "   $table: $count rows\n" . join '',
			map { "      $_\n" } $count <= 10 ? $ask->("SELECT t FROM $table AS t;") : ();
	}
	return $rows;
}

1;
