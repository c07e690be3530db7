# core_changes.t: test/package/core_fields.pl finds what a version of PostgreSQL has added to the nodes of windows.
#
# The server headers of this version must have nothing new.  Then the test adds to a copy of them what a later version
# might have.
use strict;
use warnings;
use Test::More;
use File::Basename;
use File::Copy qw(copy);
use File::Temp qw(tempdir);

chdir dirname(__FILE__) . '/../..' or die $!;

my $pg_config = $ENV{PG_CONFIG} // 'pg_config';
my ($server) = split /\n/, qx{$pg_config --includedir-server};
plan skip_all => 'there are no server headers' if !-e "$server/nodes/primnodes.h";

my $folder = tempdir('scan-headers-XXXXXX', DIR => '/tmp', CLEANUP => 1);

# Returns what the script prints about headers, and its exit status.
sub found
{
	my ($headers) = @_;
	my $printed = qx{test/package/core_fields.pl $headers 2>&1};
	return ($printed, $? >> 8);
}

# Returns what the script finds in a copy of the headers in which `old` has become `new`.
sub found_after
{
	my ($file, $old, $new) = @_;

	mkdir "$folder/nodes";
	copy("$server/pg_config.h", $folder) or die "pg_config.h: $!";
	copy("$server/nodes/$_", "$folder/nodes") or die "$_: $!" for qw(primnodes.h parsenodes.h pathnodes.h plannodes.h);
	open my $in, '<', "$folder/nodes/$file" or die "$file: $!";
	my $text = join '', <$in>;
	is($text =~ s/$old/$new/, 1, "there is a place for: $new");
	open my $out, '>', "$folder/nodes/$file" or die "$file: $!";
	print $out $text;
	close $out or die "$file: $!";
	return join '', found($folder);
}

is_deeply([ found($server) ], [ '', 0 ], 'no node of this version has a field that scan does not know');
is(found_after('parsenodes.h', qr/^(?=\} WindowClause;)/m,
		"\tList\t   *rowPattern pg_node_attr(array_size(x), query_jumble_ignore);\t/* AFTER MATCH (a, b); */\n"),
	"WindowClause has a new field: rowPattern\n1", 'a field of a window');
is(found_after('primnodes.h', qr/^(?=\} WindowFunc;)/m, "\tbool\t\tfrom_last;\n"),
	"WindowFunc has a new field: from_last\n1", 'a field of a function');
is(found_after('pathnodes.h', qr/^(?=\} WindowAggPath;)/m, "\tOid\t\t\tswept[3];\n"),
	"WindowAggPath has a new field: swept\n1", 'a field of a path');
is(found_after('parsenodes.h', qr/^(?=#define FRAMEOPTION_DEFAULTS)/m, "#define FRAMEOPTION_EXCLUDE_ALL 0x40000\n"),
	"a new bit of a window's frame: FRAMEOPTION_EXCLUDE_ALL\n1", 'a frame option');
is(found_after('plannodes.h', qr/WindowAgg\b/, 'WindowStep'), "there is no struct WindowAgg any more\n1",
	'a node that is gone');
done_testing();
