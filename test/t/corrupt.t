# corrupt.t: stored values that no function of ours has made: what a page, a cast or a
# message holds may be any bytes.  Every function and operator of the types answers, or says
# that the value is corrupted; none reads or writes where it should not.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

my $server = Server->new('corrupt');
my $since = $server->value('SELECT pg_postmaster_start_time()');

# numeric_uplus copies any value of variable length, whatever its bytes are
$server->lines(<<'SQL');
CREATE FUNCTION forge_total(bytea) RETURNS scan_total LANGUAGE internal STRICT IMMUTABLE AS 'numeric_uplus';
CREATE FUNCTION forge_state(bytea) RETURNS exact_state LANGUAGE internal STRICT IMMUTABLE AS 'numeric_uplus';
CREATE AGGREGATE states(exact_state) (SFUNC = exact_combine, STYPE = exact_state);
CREATE AGGREGATE mean(exact_state) (SFUNC = exact_combine, STYPE = exact_state, FINALFUNC = exact_final_avg);
CREATE AGGREGATE deviation(exact_state)
  (SFUNC = exact_combine, STYPE = exact_state, FINALFUNC = exact_final_stddev_samp);
CREATE AGGREGATE squares(float8) (SFUNC = exact_add_square, STYPE = exact_state);
CREATE FUNCTION forge_sum(bytea) RETURNS total_state LANGUAGE internal STRICT IMMUTABLE AS 'numeric_uplus';
CREATE AGGREGATE sums(total_state) (SFUNC = total_combine, STYPE = total_state, FINALFUNC = total_final);
CREATE FUNCTION forge_map(bytea) RETURNS affine_map LANGUAGE internal STRICT IMMUTABLE AS 'numeric_uplus';
CREATE FUNCTION forge_bits(bytea) RETURNS varbit LANGUAGE internal STRICT IMMUTABLE AS 'numeric_uplus';
CREATE FUNCTION forge_flags(bytea) RETURNS boolean[] LANGUAGE internal STRICT IMMUTABLE AS 'numeric_uplus';
CREATE FUNCTION bytes(scan_total) RETURNS bytea LANGUAGE internal STRICT IMMUTABLE AS 'numeric_uplus';
CREATE FUNCTION bytes(bytea) RETURNS bytea LANGUAGE sql AS 'SELECT $1';
CREATE FUNCTION bytes(exact_state) RETURNS bytea LANGUAGE internal STRICT IMMUTABLE AS 'numeric_uplus';
CREATE FUNCTION bytes(affine_map) RETURNS bytea LANGUAGE internal STRICT IMMUTABLE AS 'numeric_uplus';
CREATE FUNCTION bytes(varbit) RETURNS bytea LANGUAGE internal STRICT IMMUTABLE AS 'numeric_uplus';
CREATE FUNCTION bytes(boolean[]) RETURNS bytea LANGUAGE internal STRICT IMMUTABLE AS 'numeric_uplus';

-- the sqlstate of an expression over b, 00000 where it has an answer
CREATE FUNCTION state_of(expression text, b bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  y text; state text;
BEGIN
  EXECUTE 'SELECT (' || expression || ')::text FROM (SELECT $1 AS b) AS t' USING b INTO y;
  RETURN '00000';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE;
  RETURN state;
END $$;

-- a value with one byte another, cut off, gone on with, and drawn by lot
CREATE FUNCTION mutants(b bytea, bytes int) RETURNS SETOF bytea LANGUAGE sql AS $$
  SELECT set_byte(b, at, byte) FROM generate_series(0, least(bytes, length(b)) - 1) AS at,
         unnest('{0,1,2,3,4,5,8,16,24,33,34,35,64,127,128,254,255}'::int[]) AS byte
  UNION ALL SELECT substr(b, 1, n) FROM generate_series(0, length(b)) AS n
  UNION ALL SELECT b || decode(repeat('ff', n), 'hex') FROM unnest('{1,3,8,300,3000}'::int[]) AS n
  UNION ALL SELECT substr(decode(md5(i::text) || md5((-i)::text), 'hex'), 1, i % 33) FROM generate_series(1, 100) AS i
$$;
SQL

sub survives
{
	my ($what, $values, $bytes, @expressions) = @_;
	my $length = $what eq 'total_state' ? 'length(b) = 300' : 'true';
	my %states;
	for my $expression (@expressions)
	{
		my ($out, $err, $status) = $server->run(<<"SQL");
SELECT state || ' ' || count(*) FROM (SELECT state_of(\$q\$$expression\$q\$, b) AS state FROM (SELECT DISTINCT
  mutants(bytes(v), $bytes) AS b FROM ($values) AS t (v)) AS m WHERE $length OFFSET 0) AS s GROUP BY state;
SQL
		is("$status $err", '0 ', "$what: $expression") or return;
		$states{$1} += $2 while $out =~ /^(\w{5}) (\d+)$/mg;
	}
	diag("$what: ", join ', ', map { "$_: $states{$_}" } sort keys %states);
	is(join(' ', grep { !/^(00000|22\w{3}|XX001)$/ } keys %states), '',
		"$what: an answer, an error of data, or that it is corrupted");
	cmp_ok($states{$what eq 'total_state' ? '00000' : 'XX001'} // 0, '>', 100, "$what: many are");
}

my $totals = "VALUES ('0'::scan_total), ('1.5'), ('-1'), ('-0'), ('NaN'), ('Infinity'), "
	. "('1e300'::scan_total + '1'::scan_total), ('1e300'::scan_total + '1e-300'::float8::scan_total)";
survives('scan_total', $totals, 24, 'forge_total(b)', 'scan_total_send(forge_total(b))', 'forge_total(b)::float8',
	'forge_total(b)::numeric',
	"forge_total(b) + '1.5'", 'forge_total(b) + forge_total(b)', 'forge_total(b) = forge_total(b)',
	"forge_total(b) <> '1.5'",
	'scan_total_hash(forge_total(b))', 'scan_total_hash_extended(forge_total(b), 1)',
	'SELECT scan_total(x) FROM (VALUES (forge_total(b)), (forge_total(b))) AS t (x)',
	'SELECT sum(y) FROM (SELECT scan_sum(1.5::float8, forge_total(b)) OVER (ORDER BY i) '
		. 'FROM generate_series(1, 3) AS i) AS t (y)',
	'SELECT count(*) FROM (VALUES (forge_total(b)), (forge_total(b))) AS t (x) GROUP BY x LIMIT 1',
	'ARRAY[forge_total(b)] = ARRAY[forge_total(b)]');
survives('exact_state',
	"SELECT squares(x)::text::exact_state FROM (VALUES (1, 1.5), (1, 'NaN'), (2, -0.0), (3, 1e300), (3, 1e-300), "
		. "(4, -7), (4, 7)) AS t (i, x) GROUP BY i", 160, 'forge_state(b)', 'exact_state_send(forge_state(b))',
	'exact_final_sum_float8(forge_state(b))', 'exact_final_sum_float4(forge_state(b))',
	'exact_final_avg(forge_state(b))', 'exact_final_var_pop(forge_state(b))', 'exact_final_stddev_samp(forge_state(b))',
	'SELECT states(x) FROM (VALUES (forge_state(b)), (forge_state(b))) AS t (x)',
	'SELECT deviation(x) FROM (VALUES (NULL), (forge_state(b)), (forge_state(b))) AS t (x)',
	'SELECT max(y) FROM (SELECT mean(x) OVER (ORDER BY i ROWS 1 PRECEDING) '
		. 'FROM (VALUES (1, forge_state(b)), (2, forge_state(b)), (3, NULL)) AS t (i, x)) AS t (y)');
$server->lines(<<'SQL');
CREATE AGGREGATE pairs_of(float8, float8) (SFUNC = exact_add_pair, STYPE = exact_state);
CREATE AGGREGATE times_of(float8, float8) (SFUNC = time_average_add_float8, STYPE = exact_state);
CREATE AGGREGATE correlation(exact_state)
  (SFUNC = exact_combine_pairs, STYPE = exact_state, FINALFUNC = exact_final_corr);
CREATE AGGREGATE average(exact_state)
  (SFUNC = time_average_combine, STYPE = exact_state, FINALFUNC = time_average_final);
SQL
survives('exact_state of pairs', "SELECT pairs_of(y, x)::text::exact_state FROM (VALUES (1, 1.5, 2), (1, 'NaN', 1), "
		. "(2, -0.0, 1), (3, 1e300, 1e-300), (3, 1e-300, 7), (4, -7, 1), (4, 7, 2)) AS t (i, y, x) GROUP BY i",
	260, 'forge_state(b)', 'exact_state_send(forge_state(b))',
	(map { "exact_final_$_(forge_state(b))" } qw(covar_pop covar_samp corr regr_slope regr_intercept regr_r2 avg)),
	'SELECT correlation(x) FROM (VALUES (forge_state(b)), (forge_state(b))) AS t (x)');
survives('exact_state of times',
	"SELECT times_of(x, at ORDER BY at)::text::exact_state FROM (VALUES (1, 1.5, 2), (1, 'NaN', 3), (2, -0.0, 1), "
		. "(3, 1e300, 1e-300), (3, 1e-300, 7), (4, -7, -1e300), (4, 7, 2)) AS t (i, x, at) GROUP BY i",
	150, 'forge_state(b)', 'exact_state_send(forge_state(b))', 'time_average_final(forge_state(b))',
	'exact_final_corr(forge_state(b))', 'SELECT average(x) FROM (VALUES (forge_state(b)), (forge_state(b))) AS t (x)');
# of one length, four bytes of which a value of variable length has for that;
# no bytes are wrong, for nothing in it is a place
survives('total_state',
	"SELECT decode(rpad(a || repeat(b, 8) || repeat(b, 8) || '00000000' || c || '00000000', 600, d), 'hex') "
		. "FROM unnest('{0000f03f,0000f07f,0000f87f,ffffef7f}'::text[]) AS a, unnest('{00,7f}'::text[]) AS b, "
		. "unnest('{00,01,02,03,04}'::text[]) AS c, unnest('{0,f}'::text[]) AS d", 40, 'total_state_send(forge_sum(b))',
	'total_final(forge_sum(b))', 'SELECT sums(x) FROM (VALUES (forge_sum(b)), (forge_sum(b)), '
		. '(total_state_in(total_state_out(forge_sum(b))))) AS t (x)');
survives('affine_map', 'VALUES (ROW(2, 3)::affine_map), (ROW(NULL, 3)::affine_map)', 32,
	"affine_apply(forge_map(b), 1)", "(affine_compose(forge_map(b), ROW(2, 3)::affine_map)).a",
	"(affine_compose(ROW(2, 3)::affine_map, forge_map(b))).b",
	'SELECT (affine(x)).b FROM (VALUES (ROW(2, 3)::affine_map), (forge_map(b)), (forge_map(b))) AS t (x)');
survives('varbit', "VALUES (B'0110111'::varbit), (B''), (repeat('01', 100)::varbit)", 8,
	'length(bit_add(forge_bits(b), B\'11\'))', 'length(bit_add(B\'11\', forge_bits(b)))');

# flags that are numbers: as many places
my $flags = "set_byte(bytes(ARRAY[true,false,true,true]), length(bytes(ARRAY[true,false,true,true])) - 2, 200)";
for my $function (qw(array_compact array_split))
{
	my ($out, $err) = $server->run("\\set VERBOSITY sqlstate\nSELECT $function(ARRAY[1,2,3,4], forge_flags($flags))");
	like($err, qr/ERROR:  XX001/, "$function: a boolean that is 200");
}
is($server->value('SELECT pg_postmaster_start_time()'), $since, 'it still is the same server');
is($server->value("SELECT '1.5'::scan_total + 1.5::float8::scan_total"), '3', 'what is sound is read as before');
is($server->value('SELECT affine_apply(m, 1) '
		. 'FROM (VALUES (ROW(2, 3)::affine_map), (ROW(NULL, 3)::affine_map)) AS t (m) LIMIT 1'), '5', 'both types');

done_testing();
