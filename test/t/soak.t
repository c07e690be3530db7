# soak.t: a minute of the soak (test/fuzz/soak.pl) with a seed of its own each time, beside two other extensions.
#
# What it finds, it prints with the command that shows it again.
#
#   SCAN_TEST_SEED=7 SCAN_TEST_MINUTES=30 test/cluster.sh prove -v test/t/soak.t
use strict;
use warnings;
use FindBin;
use Test::More;

local $ENV{SEED} = $ENV{SCAN_TEST_SEED} // int rand 1e9;
local $ENV{MINUTES} = $ENV{SCAN_TEST_MINUTES} // 1;
diag("SCAN_TEST_SEED=$ENV{SEED}");
delete @ENV{qw(ONLY KEEP ALLOW WITHOUT SESSIONS)};
# their hooks are called before scan's and after
local $ENV{BESIDE} = 'pg_stat_statements,scan,auto_explain';
# by the shell's arguments: the folder's name may have a space in it
open my $soak, '-|', 'sh', '-c', 'exec "$@" 2>&1', 'sh', $^X, "$FindBin::Bin/../fuzz/soak.pl" or die $!;
my $out = do { local $/; <$soak> };
close $soak;
is($?, 0, 'nothing was found') or diag($out);

# and it is worth its time
sub number { my ($pattern) = @_; return ($out =~ $pattern)[0] // 0 }
cmp_ok(number(qr/^queries compared: (\d+)/m), '>', 200, 'queries were compared');
cmp_ok(number(qr/^fault $_: .* fired (\d+) times/m), '>', 0, "the fault $_ fired") for qw(oom garbage);
cmp_ok(number(qr/statements cancelled (\d+)/), '>', 0, 'statements were cancelled');
cmp_ok(number(qr/^limits met (\d+)/m), '>', 0, 'limits were met');
cmp_ok(number(qr/^beside .*: pg_stat_statements has (\d+) executions/m), '>', 1000, 'pg_stat_statements counted');
cmp_ok(number(qr/^beside .*; auto_explain wrote (\d+) plans/m), '>', 100, 'auto_explain wrote plans');
diag($out =~ /^(queries compared.*)/m);

done_testing();
