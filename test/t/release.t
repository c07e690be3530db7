# release.t: what packagers and publishers read agrees with itself and with the tree: the versions, META.json by the
# rules of PGXN (https://pgxn.org/meta/spec.txt, 1.0), debian/, the changelog, and the workflows.
#
# address.sh writes into a copy where the project lives: it writes it everywhere, and once.
use strict;
use warnings;
use FindBin;
use File::Temp qw(tempdir);
use JSON::PP;
use Test::More;

chdir "$FindBin::Bin/../.." or die $!;

sub content
{
	my ($path) = @_;
	open my $in, '<:encoding(UTF-8)', $path or die "$path: $!";
	local $/;
	return scalar <$in>;
}

sub meta_of { my ($folder) = @_; return JSON::PP->new->decode(content("$folder/META.json")) }

# ---- META.json

# What is wrong with it, by the specification.
sub objections
{
	my ($meta) = @_;
	my @wrong;
	# a match that fails is an empty list
	my $check = sub { my $what = pop; push @wrong, $what if !$_[0] };
	my $semantic = qr/^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?$/;
	my %licence = map { $_ => 1 } qw(agpl_3 apache_1_1 apache_2_0 artistic_1 artistic_2 bsd freebsd gfdl_1_2 gfdl_1_3
		gpl_1 gpl_2 gpl_3 lgpl_2_1 lgpl_3_0 mit mozilla_1_0 mozilla_1_1 openssl perl_5 postgresql qpl_1_0 ssleay sun
		zlib open_source restricted unrestricted unknown);
	my %known = map { $_ => 1 } qw(abstract maintainer license provides version meta-spec name description generated_by
		tags no_index prereqs release_status resources);
	my $address = qr{^https://\S+$};

	$check->(defined $meta->{$_}, "$_ is missing") for qw(name version abstract maintainer license provides meta-spec);
	$check->($known{$_} || /^[xX]_./, "$_ is no key") for keys %$meta;
	$check->($meta->{name} =~ m{^[^\s/\\\x00-\x1f]{2,}$}, 'name');
	$check->($meta->{version} =~ $semantic, 'version');
	$check->($licence{$meta->{license}}, 'license');
	$check->(($meta->{release_status} // 'stable') =~ /^(?:stable|testing|unstable)$/, 'release_status');
	$check->($meta->{'meta-spec'}{version} =~ /^1\.0\.\d+$/, 'meta-spec');
	my %provided = %{ $meta->{provides} };
	$check->(%provided != 0, 'it provides nothing');
	for my $extension (values %provided)
	{
		$check->($extension->{version} =~ $semantic, 'version of an extension');
		$check->(-f ($extension->{file} // ''), 'file of an extension');
		$check->(!defined $extension->{docfile} || -f $extension->{docfile}, 'docfile of an extension');
		$check->(/^(?:file|version|abstract|docfile|[xX]_.+)$/, "$_ of an extension is no key") for keys %$extension;
	}
	my %tags;
	$check->(length($_) >= 1 && length($_) < 256 && !m{[/\\]} && !$tags{ lc $_ }++, "tag $_")
		for @{ $meta->{tags} // [] };
	for my $phase (keys %{ $meta->{prereqs} // {} })
	{
		$check->($phase =~ /^(?:configure|build|test|runtime|develop)$/, "phase $phase");
		for my $relation (keys %{ $meta->{prereqs}{$phase} })
		{
			$check->($relation =~ /^(?:requires|recommends|suggests|conflicts)$/, "relation $relation");
			$check->($_ =~ $semantic, "range $_") for values %{ $meta->{prereqs}{$phase}{$relation} };
		}
	}
	if (my $resources = $meta->{resources})
	{
		$check->(/^(?:homepage|bugtracker|repository|[xX]_.+)$/, "$_ of the resources is no key") for keys %$resources;
		$check->($resources->{homepage} =~ $address, 'homepage');
		$check->($resources->{bugtracker}{web} =~ $address, 'bugtracker');
		$check->($resources->{repository}{$_} =~ $address, "$_ of the repository") for qw(url web);
		$check->($resources->{repository}{type} eq 'git', 'type of the repository');
	}
	return join ', ', sort @wrong;
}

my $meta = meta_of('.');
is(objections($meta), '', 'META.json is as PGXN has it');
is(objections({ %$meta, license => 'PDDL', version => '1.3', extra => 1, tags => [ 'a', 'A' ] }),
	'extra is no key, license, tag A, version', 'these tests find what is wrong');

# ---- versions

my ($short) = $meta->{version} =~ /^(\d+\.\d+)\.\d+$/;
my $control = content('scan.control');
my ($default) = $control =~ /^default_version = '(.*)'$/m;
is($default, $short, 'scan.control has the version of META.json');
is(($control =~ /^comment = '(.*)'$/m)[0], lcfirst $meta->{abstract}, 'and what it says of the extension');
is($meta->{provides}{scan}{version}, $meta->{version}, 'so has what META.json provides');
my ($data) = content('Makefile') =~ /^DATA = (.*)$/m;
like($data, qr{(?:^| )sql/scan--(?:.*--)?\Q$short\E\.sql(?: |$)}, 'a script leads to this version');
is(join(' ', sort glob 'sql/scan--*.sql'), join(' ', sort split ' ', $data), 'all scripts are installed');

my ($newest, $state) = content('debian/changelog') =~ /^scan \((\S+)-\d+\) (\S+);/;
is($newest, $meta->{version}, "so has Debian's changelog");
my @releases = map { { version => $_->[0], said => $_->[1] } } map { [ /^## (\S+) \((.*)\)$/ ] } grep { /^## / }
	split /\n/, content('CHANGELOG.md');
is($releases[0]{version}, $short, 'and CHANGELOG.md');
my $unreleased = $releases[0]{said} eq 'unreleased';
is($state, $unreleased ? 'UNRELEASED' : 'unstable', "Debian's changelog knows whether it is released");
is($meta->{release_status}, $unreleased ? 'testing' : 'stable', 'so does META.json');
like($_->{said}, qr/^\d{4}-\d\d-\d\d, commit [0-9a-f]{8}$/, "the changelog says which commit was $_->{version}")
	for @releases[ 1 .. $#releases ];
my $is_checkout = system('git rev-parse --git-dir >/dev/null 2>&1') == 0
	&& !-f `git rev-parse --git-path shallow` =~ s/\n//r;
for my $release (@releases[ 1 .. $#releases ])
{
  SKIP: {
		skip 'no checkout, or not all of its history', 1 if !$is_checkout;
		my ($commit) = $release->{said} =~ /commit (\S+)$/;
		my $version = qx{git show $commit:scan.control} =~ s/.*^default_version = '(.*?)'.*/$1/msr;
		is($version, $release->{version}, "and $commit is");
	}
}

# ---- the versions of PostgreSQL

my ($majors) = content('test/pg_majors.sh') =~ /^pg_majors=\((.*)\)/m;
my @majors = sort { $a <=> $b } split ' ', $majors;
is(content('debian/pgversions'), "$majors[0]+\n", 'debian/pgversions begins with the oldest PostgreSQL');
is($meta->{prereqs}{runtime}{requires}{PostgreSQL}, "$majors[0].0.0", 'so does META.json');
for my $workflow (qw(test release))
{
	my @lists = content(".github/workflows/$workflow.yml") =~ /^ +postgres: \[(.*)\]$/mg;
	cmp_ok(scalar @lists, '>', 0, "$workflow.yml has versions of PostgreSQL");
	is($_, join(', ', @majors), "$workflow.yml has all of them") for @lists;
}
my $administration = content('sql/administration.md');
ok(scalar($administration =~ /^\| $_ \| \w+ \d{4} \|$/m), "the page says how long PostgreSQL $_ is supported")
	for @majors;

# ---- workflows

for my $workflow (glob '.github/workflows/*.yml')
{
	my $text = content($workflow);
	is(join(' ', grep { !/\@v\d+$/ } $text =~ /^[ -]*uses: (\S+)/mg), '', "$workflow: each action has a version");
	unlike($text, qr/secrets\s*[.\[]/, "$workflow: no secrets");
	unlike($text, qr/\t/, "$workflow: no tabs");
	like($text, qr/^permissions:\n  contents: read$/m, "$workflow: it may only read, where a job does not say more");
}
like(content('.github/workflows/test.yml'), qr/^ +- run: \.ci\/run$/m, 'the workflow of a fork runs .ci/run');

# ---- debian/copyright

my $copyright = content('debian/copyright');
my %license;
for my $stanza (split /\n\n+/, $copyright)
{
	my ($files) = $stanza =~ /^Files: (.*(?:\n +\S+)*)/m or next;
	my ($name) = $stanza =~ /^License: (\S+)/m;
	for my $pattern (split ' ', $files)
	{
		my @found = glob $pattern =~ s/^\*$/README.md/r;
		cmp_ok(scalar(grep { -f } @found), '>', 0, "debian/copyright: $pattern is there");
		$license{$_} = $name for @found;
	}
}
is($license{$_} // '', 'PDDL-1.0', "debian/copyright: the licence of $_") for glob 'test/demo/*.csv';
like($copyright, qr/^License: \Q$_\E\n /m, "debian/copyright: the text of $_") for sort keys %{ { reverse %license } };
my $own = content('LICENSE') =~ s/.*?(?=Permission to use)//sr =~ s/\s+/ /gr;
like($copyright =~ s/^ \.?//gmr =~ s/\s+/ /gr, qr/\Q$own\E/i, 'debian/copyright has the text of LICENSE') if $own;

# ---- address.sh

my $folder = tempdir('scan-release-XXXXXX', DIR => '/tmp', CLEANUP => 1);
sub with_address
{
	my ($url) = @_;
	system("tar -cf - META.json debian | tar -xf - -C '$folder'") == 0 or die;
	local @ENV{qw(SCAN_URL MAINTAINER)} = ($url, 'Ann O\'Nym & Co. <ann@example.org>');
	system('test/package/address.sh', $folder) == 0 or die for 1, 2;
	return meta_of($folder);
}
my $page = 'https://example.org/them/scan';
for my $url ($page, "$page.git", "$page/", 'git@example.org:them/scan.git', 'ssh://git@example.org/them/scan.git',
	'https://ann:token@example.org/them/scan.git')
{
	my $with = with_address($url);
	is(objections($with), '', "address.sh: META.json is good, from $url");
	is_deeply($with->{resources}, { homepage => $page, bugtracker => { web => "$page/issues" },
			repository => { url => "$page.git", web => $page, type => 'git' } }, 'it says where');
}
is(meta_of($folder)->{maintainer}, 'Ann O\'Nym & Co. <ann@example.org>', 'and who');
my %one = ('control.in' => [ "Homepage: $page", "Vcs-Git: $page.git", "Vcs-Browser: $page",
		"Maintainer: Ann O'Nym & Co. <ann\@example.org>" ], 'copyright' => ["Source: $page"]);
for my $file (sort keys %one)
{
	my $text = content("$folder/debian/$file");
	is(scalar(() = $text =~ /^\Q$_\E$/mg), 1, "debian/$file: $_") for @{ $one{$file} };
}
like(content("$folder/debian/changelog"), qr/\A.*?\n -- Ann O'Nym & Co\. <ann\@example\.org>  \w\w\w, /s,
	"Debian's changelog: the newest entry");
unlike(content("$folder/debian/changelog"), qr/localhost/, 'and those that name nobody');
{
	local @ENV{qw(SCAN_URL MAINTAINER)} = ('/home/ann/scan', '');
	system("tar -cf - META.json debian | tar -xf - -C '$folder'; rm -f '$folder/debian/watch'") == 0 or die;
	like(scalar qx{test/package/address.sh '$folder' 2>&1}, qr/says no page/, 'a path is no page');
	is(content("$folder/$_"), content($_), "and $_ stays") for 'META.json', 'debian/control.in';
}

done_testing();
