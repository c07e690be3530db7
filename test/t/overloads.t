# overloads.t: a call that PostgreSQL resolves with version 1.2 of the catalog is resolved with the newest one, too.
#
# A new form of a function can make a call ambiguous, or take it away from the form that it was for: most of all a call
# with a literal that has no type, which fits all forms.  So every function that has got forms since 1.2 is called in
# two databases, with arguments of all types in all places, NULL without a type among them.  A call that was resolved
# must be resolved to the same form, or to one that casts less.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Forms qw(prepare_forms forms_of shown);
use Server;

my $old = Server->new('overloads_old', extension => "CREATE EXTENSION scan VERSION '1.2'");
my $new = Server->new('overloads_new');

# ---- the functions

my $forms = "SELECT p.proname || '|' || p.prokind::text || '|' || p.oid::regprocedure || "
	. "'|' || p.pronargs - p.pronargdefaults || '|' || p.pronargs FROM pg_proc AS p "
	. "JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e' "
	. "WHERE NOT 'internal'::regtype = ANY (p.proargtypes::oid[]) AND NOT 'cstring'::regtype = ANY "
	. "(p.proargtypes::oid[]) AND coalesce(obj_description(p.oid, 'pg_proc'), '') NOT LIKE 'internal:%' ORDER BY 1";
my %known = map { $_ => 1 } $old->lines($forms);
my @added = map { [ split /\|/ ] } grep { !$known{$_} } $new->lines($forms);
my %named = map { (split /\|/)[0] => 1 } keys %known;
my %function;
for (@added)
{
	my ($name, $kind, undef, $least, $most) = @$_;
	next unless $named{$name};
	$function{$name}{kind} = $kind;
	$function{$name}{$_} = 1 for $least .. $most;
}
# arities of the forms of 1.2 alone
for (keys %known)
{
	my ($name, undef, undef, $least, $most) = split /\|/;
	$function{$name} and $function{$name}{$_} = 1 for $least .. $most;
}
cmp_ok(scalar keys %function, '>=', 14, 'functions have got forms: ' . join(' ', sort keys %function));

# ---- the calls

my @types = qw(int2 int4 int8 float4 float8 numeric date timestamp timestamptz interval bool text);
prepare_forms($_, @types) for $old, $new;

# The arguments that are tried in a place.  Of values of any type, a few stand for all.
sub arguments
{
	my ($name, $place, $count) = @_;
	my @scalars = ('NULL', map { "c_$_" } @types);

	return ('NULL', map { "a_$_" } qw(int4 float8 numeric)) if $name =~ /^array/ && $place == 0;
	return ('NULL', map { "a_$_" } @types) if $name =~ /^array/ && $place == 1;
	return ('NULL', 'a_bool') if $name =~ /^array/ && $place == 3;
	return ('NULL', map { "c_$_" } qw(int4 numeric text timestamptz)) if $name =~ /locf|nocb/ && $place == 0;
	return ('NULL', 'c_bool') if $place == 3;
	return @scalars;
}

sub calls
{
	my ($name, $count) = @_;
	my @lists = ('');
	for my $place (0 .. $count - 1)
	{
		@lists = map { my $list = $_; map { $list eq '' ? $_ : "$list, $_" } arguments($name, $place, $count) } @lists;
	}
	return map { "$name($_)" } @lists;
}
my @calls = map { "$_ OVER ()" } 'scan_session(at => c_date, gap => NULL)',
	'scan_session(c_timestamptz, gap => NULL, reset => NULL)', 'scan_locf(c_text, max_gap => NULL)',
	'scan_locf(c_text, max_gap => c_int4, reset => NULL)', 'scan_locf(c_text, reset => NULL)',
	'scan_locf(c_text, at => c_date, max_age => NULL)', 'scan_nocb(c_text, max_gap => NULL)',
	'scan_nocb(c_text, max_gap => c_int4, reset => NULL)', 'scan_nocb(c_text, reset => NULL)',
	'scan_interpolate(c_float8, c_date, max_gap => NULL)', 'scan_interpolate(c_float8, c_date)',
	'scan_interpolate(c_float8, c_date, reset => NULL)', 'scan_sum(c_float8, init => NULL)',
	'scan_sum(c_float4, init => NULL)', 'scan_sum(c_numeric, reset => NULL)',
	'scan_cost(c_int4, c_numeric, method => NULL)', 'scan_ema(c_float8, c_timestamptz, half_life => NULL)';
for my $name (sort keys %function)
{
	my $over = $function{$name}{kind} eq 'w' ? ' OVER ()' : '';
	push @calls, map { "$_$over" } map { calls($name, $_) } sort grep { /^\d+$/ } keys %{ $function{$name} };
}

# ---- the comparison

# A call that is not what it was, and why that is right.
my @exceptions = (
	[ qr/^scan_sum\((?:NULL|c_numeric), NULL, (?:NULL|c_bool), (?:NULL|c_bool)\)/,
		'ambiguous now: init over numeric was an error at the first row, and a value without a type is a constant' ],
	[ qr/^time_average\(c_numeric, NULL\)/,
		'ambiguous now: without a time there is no average, and the result was NULL' ],
	[ qr/^scan_ema\([^,]+, [^,]+, NULL\b/,
		'half_life now, or ambiguous: as adjust, NULL was an error at the first row' ],
	[ qr/^exact_\w+\((?:NULL, c_(?:int8|numeric)|c_(?:int8|numeric), NULL)\)/,
		'a literal without a type is a double now, and a constant, which varies with nothing' ],
	[ qr/^exact_\w+\((?:c_int[24], c_(?:int8|numeric)|c_(?:int8|numeric), c_int[24])\)/,
		'a smaller integer is a double without loss' ]);
my %needed;

# True if each argument that the call gives is what it was, has lost its cast or has one that loses less, or is a
# literal of another type: one of ours, or one that goes with the argument that has lost its cast.
sub is_better
{
	my ($call, $was, $is) = @_;
	my $given = () = $call =~ /\b(?:NULL|[ac]_\w+)/g;
	my @was = shown($was);
	my @is = shown($is);
	return 0 if @was != @is || $was !~ /^(\w+)\(/ || $is !~ /^\Q$1\E\(/;
	my @lighter = map { is_lighter($was[$_], $is[$_]) } 0 .. $given - 1;
	my $is_lighter = grep { $_ } @lighter;
	for (grep { $was[$_] ne $is[$_] && !$lighter[$_] } 0 .. $given - 1)
	{
		my ($type) = $is[$_] =~ /^NULL::(.*)/;
		return 0 unless $was[$_] =~ /^NULL::/ && defined $type;
		return 0 unless $type =~ /^scan_(?:rows|flag|amount|axis)$/ || ($is_lighter && $type !~ /^bigint/);
	}
	return 1;
}

# True if an argument is not cast any more, or not to double precision.
sub is_lighter
{
	my ($was, $is) = @_;
	return 1 if $was =~ /^\((\w+)\)::/ && $is eq $1;
	return 1 if $was =~ /^(\(\w+\)::)double precision/ && $is =~ /^\Q$1\E(?:bigint|numeric)/;
	return 0;
}

my ($before, $after) = map { [ forms_of($_, @calls) ] } $old, $new;
is(scalar @$before, scalar @calls, scalar(@calls) . ' calls');
my ($resolved, $better) = (0, 0);
my @worse;
for my $i (0 .. $#calls)
{
	my ($was, $is) = ($before->[$i], $after->[$i]);
	next if $was =~ /^[0-9A-Z]{5}$/;
	$resolved++;
	next if $is eq $was;
	$better++, next if is_better($calls[$i], $was, $is);
	my ($exception) = grep { $calls[$i] =~ $_->[0] } @exceptions;
	push(@worse, "$calls[$i] was $was and is $is"), next unless $exception;
	$needed{ $exception->[1] } = 1;
}
cmp_ok($resolved, '>', 3000, "$resolved are resolved in 1.2");
cmp_ok($better, '>', 500, "$better have a form with fewer casts now");
is(join("\n", @worse), '', 'none of the others is resolved differently');
is(join("\n", grep { !$needed{$_} } map { $_->[1] } @exceptions), '', 'every exception is needed');
done_testing();
