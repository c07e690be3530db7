# hints.t: an error of ours names the likely mistake.
#
# Every ereport(ERROR) of src/call must have a hint, but for those in core's words: their
# users find them in PostgreSQL's documentation as they are.
use strict;
use warnings;
use Test::More;
use File::Basename;

chdir dirname(__FILE__) . '/../..' or die $!;

my $of_core = join '|', 'bit string length exceeds', 'invalid input syntax for type', 'is out of range for type',
	'invalid external', 'is not between 0 and 1';
my $core = qr/$of_core/;
my $found = 0;

for my $file (sort glob 'src/functions/*/*.c')
{
	open my $in, '<', $file or die "$file: $!";
	my $source = do { local $/; <$in> };

	while ($source =~ /\bereport\(\s*ERROR\s*,(.*?)\);\s*$/gms)
	{
		my $report = $1;
		my ($message) = $report =~ /errmsg\("((?:[^"\\]|\\.)*)"/;

		$found++;
		next if $report =~ $core;
		like($report, qr/\berrhint\(/, "$file: $message");
	}
}
cmp_ok($found, '>', 40, 'errors were found');
done_testing();
