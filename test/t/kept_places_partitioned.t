# kept_places_partitioned.t: kept_places.t with a partitioned table.
use strict;
use warnings;
use FindBin;

$ENV{SCAN_TEST_PARTITIONED} = 1;
do "$FindBin::Bin/kept_places.t" or die $@;
