# Comments.pm: the comments of a file, and the names in a comment that must exist, for names.t.
#
# A name that must exist is one of these:
#
#   file         window.c, column/rows.h, test/cluster.sh
#   function     name(), with empty parentheses
#   identifier   two_words or TwoWords
#   member       a file and a name of any of these kinds that the comment says is in it: "init.c sets TwoWords",
#                "TwoWords() of init.c", "init.c's two_words", "init.c:TwoWords"
#
# A name of one lower-case word without parentheses may be any word of English, so it is not looked at.  Neither are
# placeholders such as x_i, a_1, D_join, scan_FUNCTION and NAME.t, nor the examples and tables of runs in a page.
package Comments;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(divide names_in);

my $string = qr/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/;
my $c_comment = qr{/\*.*?\*/|//[^\n]*}s;
my $script_comment = qr/(?:^|(?<=\s))(?:\#(?!!)|--\s).*$/m;
my $is_c = qr/\.(?:[ch]|cc|cuh?)$/;

my $extension = qr/(?:[ch]|cc|cuh?|t|pl|pm|py|sh|sql|md|conf|diff)\b/;
my $file = qr{(?:[\w-]+/)*[\w-]+\.$extension};
my $compound = qr/[A-Za-z]\w*_\w+|[A-Z][a-z]+[A-Z]\w+/;
my $gap = qr/[\s*#]+/;

# Divides a file: returns its code, and its comments, each as [ line, text ].  All of a page is one comment.
sub divide
{
	my ($name, $text) = @_;
	my @comments;

	if ($name =~ /\.md$/)
	{
		# lines stay where they are
		$text =~ s{^ *```.*?^ *```|^<!-- (\w+) -->\n.*?^<!-- end of \1 -->$}{"\n" x ($& =~ tr/\n//)}gems;
		return ('', [ 1, $text ]);
	}
	# consecutive lines of a script's comment are one, so that what it says may cross lines
	my $any = $name =~ $is_c ? qr/$string|($c_comment)/ : qr/($script_comment(?:\n\s*(?:\#(?!!)|--\s|\#$).*)*)/m;
	my ($code, $line, $at) = ('', 1, 0);
	while ($text =~ /$any/g)
	{
		next unless defined $1;
		my $before = substr $text, $at, $-[1] - $at;
		$code .= "$before ";
		$line += $before =~ tr/\n//;
		push @comments, [ $line, $1 ];
		$line += $1 =~ tr/\n//;
		$at = $+[1];
	}
	return ($code . substr($text, $at), @comments);
}

sub is_placeholder
{
	my ($name) = @_;

	return $name =~ /^[A-Za-z]_\w+$/ || $name =~ /_(?:[ijknK]|\d)$/ || ($name =~ /(?:^|_)[A-Z]+$/ && $name =~ /[a-z]/);
}

# The names of a comment that must exist, as [ kind, name, line within the comment ]; a member has its file as well.
sub names_in
{
	my ($comment) = @_;
	my @names;
	my $add = sub { my ($at, @what) = @_; push @names, [ @what[0, 1], substr($comment, 0, $at) =~ tr/\n//, $what[2] ] };

	while ($comment =~ /(?<![\w.\/*<>{}\$%~-])($file)(?![\w.\/*<{-]*[\w*<{])/g)
	{
		$add->($-[1], 'file', $1) unless $1 =~ m{^[A-Z]+\.|/[A-Z]+\.};
	}
	while ($comment =~ /\b([A-Za-z_]\w*)\(\)/g)
	{
		$add->($-[1], 'function', $1) unless is_placeholder($1);
	}
	while ($comment =~ /(?<![\w\/.\$<%-])($compound)\b(?![\/.*<-]\w|\*|<|\(\))/g)
	{
		$add->($-[1], 'identifier', $1) unless is_placeholder($1);
	}
	# `FILE: NAME` begins a chapter about the name, and says nothing of where it is
	while ($comment =~ /\b($file)(?:(?:'s|${gap}\w+s|${gap}has|${gap}have)${gap}|:)($compound|\w+\(\))/g)
	{
		my ($at, $in, $name) = ($-[2], $1, $2);
		$name =~ s/\(\)//;
		$add->($at, 'member', $name, $in) unless is_placeholder($name);
	}
	while ($comment =~ /(?<!\w)($compound|\w+\(\))${gap}(?:of|in)$gap($file)/g)
	{
		my ($at, $name, $in) = ($-[1], $1, $2);
		$name =~ s/\(\)//;
		$add->($at, 'member', $name, $in) unless is_placeholder($name);
	}
	return @names;
}

1;
