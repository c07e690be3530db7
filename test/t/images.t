# images.t: the images of Dockerfile have the files that `make install` installs, and PostgreSQL 18 and later can use
# those of the extension image in a folder of their own.
#
# Docker is not needed: the steps of Dockerfile that lay out the files are run here, in temporary folders.  The folder
# is then what CloudNativePG mounts of an image volume; the server finds it by extension_control_path and
# dynamic_library_path, and has no other scan.  The program that owns a GPU is found beside the library that is loaded.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Cwd qw(abs_path);
use File::Find;
use File::Temp qw(tempdir);
use Test::More;
use Cluster;
use Server;

chdir "$FindBin::Bin/../.." or die $!;

sub content { my ($path) = @_; open my $in, '<', $path or die "$path: $!"; local $/; return scalar <$in> }
sub files_of
{
	my ($folder) = @_;
	my @files;
	find({ no_chdir => 1, wanted => sub { push @files, substr $_, length $folder if !-d } }, $folder) if -d $folder;
	return sort @files;
}

my $pg_config = $ENV{PG_CONFIG} // qx{test/find_pg_config.sh} =~ s/\n//r;
my ($lib, $share) = map { qx{$pg_config --$_} =~ s/\n//r } qw(pkglibdir sharedir);
my ($major) = qx{$pg_config --version} =~ /(\d+)/;
plan skip_all => "Dockerfile is for Debian's layout" if $lib ne "/usr/lib/postgresql/$major/lib";

# ---- the files of the images

my $folder = tempdir('scan-images-XXXXXX', DIR => '/tmp', CLEANUP => 1);
chmod 0755, $folder or die $!;
my $text = content('Dockerfile') =~ s/^#.*\n//gmr =~ s/\\\n//gr;
my @stages = $text =~ /^(FROM .*\n(?:(?!FROM ).*\n)*)/gm;
is(join(',', map { /^FROM (\S+)(?: AS (\w+))?/ ? $2 // 'server' : () } @stages), 'build,extension,server',
	'the stages of Dockerfile');
my @steps = grep { m{/(?:installed|image)\b} && !/initdb/ } $stages[0] =~ /^RUN (.*)$/gm;
is(scalar @steps, 2, 'two of its steps lay out files');
for my $step (@steps)
{
	my $command = $step =~ s{(?<![\w/])/(installed|image)\b}{$folder/$1}gr
		=~ s{"/usr/lib/postgresql/\$PG_MAJOR/bin/pg_config"}{'$pg_config'}gr;
	is(system("PG_MAJOR=$major; { $command; } >'$folder/log' 2>&1 </dev/null"), 0, 'a step')
		|| diag(content("$folder/log"));
}
is(system("make -s install 'DESTDIR=$folder/all' 'PG_CONFIG=$pg_config' >'$folder/log' 2>&1 </dev/null"), 0,
	'make install') || diag(content("$folder/log"));
my @all = grep { !m{/scan_mock\.so$} } files_of("$folder/all");
cmp_ok(scalar @all, '>=', 6, 'it has installed something');
my $licence = "/usr/share/doc/postgresql-$major-scan/copyright";
is_deeply([ files_of("$folder/installed") ], [ sort @all, $licence ],
	'the image of a server gets all that make install installs, but the mock device');
my @expected = map { s{^\Q$lib\E/}{/lib/}r =~ s{^\Q$share\E/}{/share/}r } grep { !m{/plugins/} } @all;
is_deeply([ files_of("$folder/image") ], [ sort @expected, '/licenses/scan/LICENSE' ],
	'so does that of the extension, but for the link of the server');
like($stages[1], qr{\AFROM scratch AS extension\nCOPY --from=build /image/ /\nUSER 65532:65532\n\n?\z},
	'the extension image has nothing else');
like($stages[2], qr{\AFROM postgres:\S+\nCOPY --from=build /installed/ /\n\z}, "PostgreSQL's image gets nothing else");

# ---- what the build is given of this folder

my @given = content('.dockerignore') =~ /^!(\S+)$/gm;
my $context = "$folder/context";
mkdir $context or die $!;
is(system("tar -cf - --exclude='*.[od]' --exclude='*.so' --exclude=scan_gpu @given | tar -xf - -C '$context'"), 0,
	'all that .dockerignore lets in is there');
my $wanted = qx{make -n -C '$context' install DESTDIR=/nowhere 'PG_CONFIG=$pg_config' NVCC= 2>&1 </dev/null};
is($?, 0, 'make finds all that it needs there') || diag($wanted);
like($wanted, qr{ -o scan\.so }, 'and would build');
ok(-f "$context/$_", "and install $_") for 'scan.control', split ' ', (content('Makefile') =~ /^DATA = (.*)$/m)[0];
is(system('git', 'check-ignore', '-q', 'src/init.o'), 0, 'what git ignores,') if -e '.git';
like(content('.dockerignore'), qr/^\Q$_\E$/m, "$_ is not given to Docker, too") for '**/*.o', '**/*.so', 'gpu/scan_gpu';

# ---- the folder of an extension image, mounted

SKIP: {
	skip 'extension_control_path came with PostgreSQL 18', 1 if $major < 18;
	my $at = "$folder/image";
	my $cluster = Cluster->new(<<"CONF", extension => 'SELECT 1');
extension_control_path = '\$system:$at/share'
dynamic_library_path = '\$libdir:$at/lib'
max_worker_processes = 8
scan.debug_kept_deltas = 40
CONF
	my $server = $cluster->use;
	# the server's own scan goes
	my $root = "$cluster->{folder}/root";
	my @own = grep { -e || -l } map { glob } "'$root$lib'/{,plugins/}scan.so", "'$root$lib'/scan_{gpu,mock.so,cuda.so}",
		"'$root$share'/extension/scan{.control,--*}";
	cmp_ok(scalar @own, '>=', 5, "the server's folders had a scan");
	is(unlink(@own), scalar @own, 'and have none now');

	$server->lines('CREATE ROLE plain LOGIN; CREATE SCHEMA plain AUTHORIZATION plain; GRANT CREATE ON DATABASE '
		. $server->{database} . ' TO plain');
	my $as = sub {
		my ($options, $sql) = @_;
		my $plain = "PGUSER=plain PGDATABASE='$server->{database}' PGOPTIONS='$options'";
		return scalar qx{$plain '$cluster->{PG_BINDIR}/psql' -XAtq -v ON_ERROR_STOP=1 -c "$sql" 2>&1};
	};
	is($as->('', 'CREATE EXTENSION scan SCHEMA plain'), '', 'a plain user creates the extension');
	is($as->('-c search_path=plain', 'SELECT scan_sum(i) OVER (ORDER BY i) FROM generate_series(1, 3) AS i'),
		"1\n3\n6\n", 'its functions are found');
	my ($called, $loaded) = $server->lines("SET search_path = plain; SELECT scan_sum(1) OVER (); "
		. "SELECT pg_read_file('/proc/self/maps') ~ '$at/lib/scan\\.so'");
	is($loaded, 't', 'the library is that of the folder');

	# the ways of sql/administration.md to load the library there
	my $plan = 'CREATE TEMP TABLE t AS SELECT i, i % 3 AS p FROM generate_series(1, 10000) AS i; ANALYZE t; '
		. 'EXPLAIN (COSTS off) SELECT sum(i) OVER (PARTITION BY p ORDER BY i) FROM t';
	unlike($as->('', $plan), qr/PrefixScan/, 'no session has it by itself');
	$server->lines("ALTER DATABASE $server->{database} SET session_preload_libraries = 'scan'");
	like($as->('', $plan), qr/PrefixScan/, 'session_preload_libraries of a database');
	$server->lines("ALTER DATABASE $server->{database} RESET session_preload_libraries");
	like($as->('-c local_preload_libraries=scan', 'SELECT 1'), qr{FATAL: .*\$libdir/plugins/scan},
		'local_preload_libraries refuses the session');
	like($as->('', q{LOAD '\$libdir/plugins/scan'}), qr{ERROR: .*\$libdir/plugins/scan}, 'so does LOAD');

	# processes that load the library by themselves
	$as->('', 'CREATE TABLE plain.entry AS SELECT i AS id, i % 2000 AS account, i AS amount '
			. 'FROM generate_series(1, 60000) AS i; ALTER TABLE plain.entry ALTER id SET NOT NULL, ALTER account '
			. 'SET NOT NULL, ADD PRIMARY KEY (id); CREATE INDEX ON plain.entry (account, id); ANALYZE plain.entry');
	my $parallel = $as->(
		'-c search_path=plain -c parallel_setup_cost=0 -c parallel_tuple_cost=0 -c min_parallel_table_scan_size=0',
		"SELECT scan_sum(1) OVER (); EXPLAIN (ANALYZE, COSTS off, TIMING off, BUFFERS off) SELECT account, max(s) "
			. "FROM (SELECT account, sum(amount) OVER (PARTITION BY account ORDER BY id) AS s "
			. "FROM entry) AS w GROUP BY account");
	like($parallel, qr/Workers Launched: [1-9]/, 'parallel workers find it') || diag($parallel);
	is($as->('-c search_path=plain', q{SELECT scan_keep('kept', 'SELECT sum(amount) OVER (PARTITION BY account }
				. q{ORDER BY id) AS total FROM entry')}), "60000\n", 'a kept scan');
	is($as->('-c search_path=plain', 'INSERT INTO entry SELECT i, i % 2000, i FROM generate_series(60001, 61000) AS i'),
		'', 'changes of it');
	my $compacted = '';
	for (1 .. 100)
	{
		$compacted = $as->('-c search_path=plain',
			q{SELECT concat(compacted IS NOT NULL, ' ', compaction_error) FROM scan_kept});
		last if $compacted ne "f \n";
		select undef, undef, undef, 0.1;
	}
	is($compacted, "t \n", 'the compactor finds it')
		|| diag(qx{cat '$cluster->{folder}'/*.log '$cluster->{folder}'/data/log/* 2>/dev/null | tail -n 20});
	undef $server;
	undef $cluster;
}

# ---- the program that owns a GPU, and the library of the device

{
	my $at = "$folder/image/lib";
	is(system('cp', 'gpu/scan_mock.so', $at), 0, 'the mock device');
	my $cluster = Cluster->new(<<"CONF", extension => 'SELECT 1');
dynamic_library_path = '$at:\$libdir'
shared_preload_libraries = 'scan'
scan.gpu_library = 'scan_mock'
CONF
	my @program;
	for (1 .. 100)
	{
		last if @program = $cluster->program;
		select undef, undef, undef, 0.1;
	}
	is(scalar @program, 1, 'the broker has started it');
	is(@program ? readlink "/proc/$program[0]/exe" : '', "$at/scan_gpu",
		'it is that beside the library which the server has loaded');
	my $maps = @program ? content("/proc/$program[0]/maps") : '';
	like($maps, qr{ \Q$at\E/scan_mock\.so$}m, 'so is the library of the device');
}

done_testing();
