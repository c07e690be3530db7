#!/usr/bin/perl
#
# compare.pl FORM SUITE CORE OURS: compares what the tests of one suite printed without scan and with it.
#
# core_suite.sh calls it.  CORE and OURS are two folders of pg_regress: `results` has what the tests printed, `sql`
# their scripts; isolation tests have no scripts.  Each statement whose output differs is of one of these kinds:
#
#   plans    The statement is an EXPLAIN or calls a function of that name, and with scan its plan has a node of scan.
#            In the form `parallel` a plan may also differ otherwise: how many workers start, and so what EXPLAIN
#            (ANALYZE) counts in each, is not the same in two runs of core.
#   order    The same lines come in another order.  In the form `plain` ties.txt has to list the statement.  In the form
#            `parallel`, workers return rows in any order, so any statement may differ so.
#   values   The lines differ, and ties.txt lists the statement as one where ties decide which values are shown.  In the
#            form `plain` there have to be as many lines.
#   wrong    Anything else.  It is printed.
#
# The last line has the numbers that core_suite.sh adds up: the files compared, those that differ, the statements of
# each kind, and the plans that show a node of scan.  SCAN_CORE_SHOW=1 prints the differences of all kinds.
use strict;
use warnings;
use FindBin;

my ($form, $suite, $core, $ours) = @ARGV;
my @numbers = qw(compared differ plans order values wrong shown);
my %count = map { $_ => 0 } @numbers;
my %ties = read_ties("$FindBin::Bin/ties.txt");

sub content
{
	my ($file) = @_;
	local $/;
	open my $in, '<', $file or return undef;
	return scalar <$in>;
}

# A statement on one line, without comments.
sub normal { return $_[0] =~ s/--[^\n]*//gr =~ s/\s+/ /gr =~ s/^ | $//gr }

# The statements that ties.txt lists for this form: "test: statement" => kind.
sub read_ties
{
	my ($file) = @_;
	my (%found, $why);
	for my $line (split /\n/, content($file) // die "$file: $!\n")
	{
		next if $line =~ /^(?:#|\s*$)/;
		if ($line =~ /^\[(.*?)\] (\S+), (order|values): \S/)
		{
			$why = [ $1, $2, $3 ];
			next;
		}
		die "$file: a statement without a reason: $line\n" if !$why;
		$found{"$why->[1]: " . normal($line)} = $why->[2] if $why->[0] =~ /\b\Q$form\E\b/;
	}
	return %found;
}

# The statement that ends in front of a line of a script.
sub statement
{
	my ($lines, $printed, $end) = @_;
	my $begin = $end - 1;

	return '' if $end == 0;
	$begin-- while $begin > 0 && $lines->[ $begin - 1 ] !~ /;\s*(?:--.*)?$|^\s*\\/ && $printed->[$begin] eq '';
	return normal(join "\n", @$lines[ $begin .. $end - 1 ]);
}

# What psql printed, as [statement, output] for each line of the script: psql -a repeats the lines, but for empty ones.
sub statements
{
	my ($script, $text) = @_;
	my @lines = grep { $_ ne '' } split /\n/, $script;
	my @printed = ('') x (@lines + 1);
	my $next = 0;

	for my $line (split /\n/, $text)
	{
		if ($next < @lines && $line eq $lines[$next])
		{
			$next++;
		}
		else
		{
			$printed[$next] .= "$line\n";
		}
	}
	return map { [ statement(\@lines, \@printed, $_), $printed[$_] ] } 0 .. @lines;
}

# What isolationtester printed, as [step, output].
sub steps
{
	my ($text) = @_;
	return map { [ normal(/^(step .*?;\s*$|.*)/ms ? $1 : ''), $_ ] } split /^(?=step |starting permutation)/m, $text;
}

sub sorted { return join "\n", sort split /\n/, $_[0] }

sub kind
{
	my ($test, $statement, $theirs, $mine) = @_;
	my $shown = $mine =~ /\((?:PrefixScan|IndexSkip)\)|"(?:PrefixScan|IndexSkip)"/;
	my $explains = $statement =~ /explain/i || "$theirs$mine" =~ /QUERY PLAN/;
	my $tie = $ties{"$test: $statement"} // '';
	my $same = sorted($theirs) eq sorted($mine);

	if ($explains && ($shown || $form eq 'parallel'))
	{
		$count{shown}++ if $shown;
		return 'plans';
	}
	return 'order' if $same && ($tie ne '' || $form eq 'parallel');
	return $tie eq 'values' && ($form eq 'parallel' || $theirs =~ tr/\n// == $mine =~ tr/\n//) ? 'values' : 'wrong';
}

sub compare
{
	my ($name) = @_;
	my ($theirs, $mine) = map { content("$_/results/$name.out") } $core, $ours;
	my $script = content("$core/sql/$name.sql");

	$count{compared}++;
	return if defined $theirs && defined $mine && $theirs eq $mine;
	$count{differ}++;
	if (!defined $theirs || !defined $mine)
	{
		$count{wrong}++;
		printf "%s, wrong: there is no file %s scan\n", "$suite/$name", defined $theirs ? 'with' : 'without';
		return;
	}
	my $before = $count{plans} + $count{order} + $count{values} + $count{wrong};
	my ($core_parts, $our_parts) = map { [ defined $script ? statements($script, $_) : steps($_) ] } $theirs, $mine;
	for my $i (0 .. (@$core_parts > @$our_parts ? $#$core_parts : $#$our_parts))
	{
		my ($statement, $without) = @{ $core_parts->[$i] // [ '', "nothing\n" ] };
		my $with = ($our_parts->[$i] // [ '', "nothing\n" ])->[1];
		next if $without eq $with;
		my $kind = kind("$suite/$name", $statement, $without, $with);
		$count{$kind}++;
		printf "%s, %s: %s\n--- without scan\n%s--- with scan\n%s\n", "$suite/$name", $kind, $statement,
			map { substr $_, 0, 3000 } $without, $with if $kind eq 'wrong' || $ENV{SCAN_CORE_SHOW};
	}
	# what psql repeats of a script can differ, too
	if ($before == $count{plans} + $count{order} + $count{values} + $count{wrong})
	{
		$count{wrong}++;
		print "$suite/$name, wrong: the two files differ outside of what the statements print\n";
	}
}

my %names = map { m{([^/]+)\.out$} ? ($1 => 1) : () } map { glob("'$_'/results/*.out") } $core, $ours;
compare($_) for sort keys %names;
print join(', ', map { "$_ $count{$_}" } @numbers), "\n";
