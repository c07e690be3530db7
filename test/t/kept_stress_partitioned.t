# kept_stress_partitioned.t: kept_stress.t with a partitioned table, whose partitions come and go.
use strict;
use warnings;
use FindBin;

$ENV{SCAN_TEST_PARTITIONED} = 1;
do "$FindBin::Bin/kept_stress.t" or die $@;
