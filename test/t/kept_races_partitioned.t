# kept_races_partitioned.t: kept_races.t with a partitioned table.
use strict;
use warnings;
use FindBin;

$ENV{SCAN_TEST_PARTITIONED} = 1;
do "$FindBin::Bin/kept_races.t" or die $@;
