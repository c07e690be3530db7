# Recipes.pm: the recipes of the pages as SQL, and the same recipes over other rows.
#
# A recipe is an SQL block below a heading of the chapter Recipes of sql/README.md, or of the chapters Tasks and Moving
# windows of README.md.  Its rows stand in the block itself.  Each place where rows stand is a source with a name:
#
#   (VALUES ...) AS name (columns)            also unnest(...), generate_series(...), regexp_split_to_table(...)
#   name (columns) AS (VALUES ...)
#   INSERT INTO name VALUES ...;
#   \copy name FROM ...
package Recipes;

use strict;
use warnings;

# The recipes of the pages below a folder, in order: page, title (its heading,
# and a number from the second block on), sql.
sub of
{
	my ($root) = @_;
	my @recipes;

	for ([ 'README.md', 'Tasks', 'Moving windows' ], [ 'sql/README.md', 'Recipes' ])
	{
		my ($page, @chapters) = @$_;
		open my $in, '<', "$root/$page" or die "$page: $!";
		my ($text, $chapter, $heading, %blocks) = (do { local $/; <$in> }, '', '');
		while ($text =~ /^(?:(##) ([^\n]*)|### ([^\n]*)|```(\w*)\n(.*?)^```)$/gms)
		{
			my ($is_chapter, $new_chapter, $title, $language, $sql) = ($1, $2, $3, $4, $5);
			$chapter = $heading = $new_chapter if $is_chapter;
			$heading = $title if defined $title;
			next unless ($language // '') eq 'sql' && grep { $_ eq $chapter } @chapters;
			my $number = ++$blocks{$heading};
			push @recipes, { page => $page, title => $number == 1 ? $heading : "$heading, $number", sql => $sql };
		}
	}
	return @recipes;
}

# A pair of parentheses with what is in it; no literal of a recipe has a parenthesis in it.
my $pair = qr/(\((?:[^()]++|(?-1))*+\))/;

# The sources of an SQL text, in order: name, first and last offset, and what stands in front of and behind a query that
# takes the source's place.
sub sources
{
	my ($sql) = @_;
	my @sources;

	while ($sql =~ /(\w+)( \([^()]*\))? AS (?=\(VALUES\b)$pair/g)
	{
		push @sources, { name => $1, start => $-[3], end => $+[3], before => '(', after => ')' };
	}
	my $source = '(?<!\bAS )(?=\(VALUES\b)|\b(?:unnest|generate_series|regexp_split_to_table)(?=\()';
	while ($sql =~ /(?:$source)$pair(?: WITH ORDINALITY)?\s+AS (\w+)( \([^()]*\))?/g)
	{
		push @sources,
			{ name => $2, start => $-[0], end => $+[0], before => '(', after => ') AS ' . $2 . ($3 // " ($2)") };
	}
	while ($sql =~ /\bINSERT INTO (\w+) (VALUES.*?);$/gms)
	{
		push @sources, { name => $1, start => $-[2], end => $+[2], before => '', after => '' };
	}
	while ($sql =~ /^\\copy (\w+) .*$/gm)
	{
		push @sources, { name => $1, start => $-[0], end => $+[0], before => "INSERT INTO $1 ", after => ';' };
	}
	return sort { $a->{start} <=> $b->{start} } @sources;
}

# The text with queries in the place of its sources.  `rows` has a query for each source, by its name; undef leaves the
# source as it is.  A source without a query, and a query without a source, are errors.
sub over
{
	my ($sql, %rows) = @_;
	my %left = %rows;

	for my $source (reverse sources($sql))
	{
		my $name = $source->{name};
		die "no rows for $name\n" unless exists $rows{$name};
		delete $left{$name};
		substr($sql, $source->{start}, $source->{end} - $source->{start}) =
			"$source->{before}$rows{$name}$source->{after}" if defined $rows{$name};
	}
	die 'no source ' . join(', ', sort keys %left) . "\n" if %left;
	return $sql;
}

# The last statement of a text, and what comes before it.
sub last_statement
{
	my ($sql) = @_;
	my ($before, $last) = $sql =~ /\A((?:.*?;[ \t]*\n|\\copy[^\n]*\n)*)(.*?);\s*\z/s;
	return ($before, $last);
}

1;
