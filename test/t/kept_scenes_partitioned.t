# kept_scenes_partitioned.t: kept_scenes.t with a partitioned table.
use strict;
use warnings;
use FindBin;

$ENV{SCAN_TEST_PARTITIONED} = 1;
do "$FindBin::Bin/kept_scenes.t" or die $@;
