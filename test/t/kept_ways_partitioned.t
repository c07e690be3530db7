# kept_ways_partitioned.t: kept_ways.t with a partitioned table.
use strict;
use warnings;
use FindBin;

$ENV{SCAN_TEST_PARTITIONED} = 1;
do "$FindBin::Bin/kept_ways.t" or die $@;
