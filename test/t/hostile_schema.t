# hostile_schema.t: nothing that the scripts of the extension create refers to what others have put into its schema.
#
# The scripts run as a superuser, with the extension's schema and pg_catalog as their search_path.  Whoever may create
# in that schema, as the owner of the database may, can make operators and functions there that match an expression of a
# script better than those of pg_catalog do, before CREATE EXTENSION or before ALTER EXTENSION UPDATE.  A view that
# refers to one of them would run it with the rights of each of its readers (CVE-2020-14350).
#
# The bait is such operators, functions, types and relations, made by the owner of the database.  Each function of the
# bait notes who has run it.  pg_depend tells what the objects of the extension refer to; then a superuser looks at all
# of them.  hostile_path.t has bait for the functions whose body is a string, which pg_depend does not know.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Server;

# Runs a script as the owner of the database, who is no superuser; returns the errors.
sub as_owner
{
	my ($server, $script, $role) = @_;
	local $ENV{PGUSER} = $role;
	my (undef, $err) = $server->run($script, go_on => 1);
	return $err;
}

# ---- the bait, for the schema s

my @types = qw(oid regclass regproc regprocedure regtype regnamespace name text bigint integer smallint boolean xid8 xid
	"char" json jsonb bytea interval);
my @operators = qw(= <> < > <= >= || + - * / -> ->> ~ ~~);

# Names of functions that stand in an expression of a script, or in a body.
my %called = map { $_ => 1 }
	qw(format concat concat_ws count coalesce array_agg string_agg min max sum pg_table_size regclass oid text name);
for my $script (glob "$FindBin::Bin/../../sql/*.sql")
{
	open my $in, '<', $script or die "$script: $!";
	local $/;
	my $text = readline $in;
	$text =~ s/--[^\n]*//g;
	while ($text =~ /(?:VIEW\s.*?;|\$(\w*)\$.*?\$\1\$)/sg)
	{
		my $expression = $&;
		$called{$_} = 1 for $expression =~ /\b([a-z]\w*)\(/g
	}
}
my @called = grep { !/^scan_/ } sort keys %called;

# Returns the bait; `own` has types of the extension, if it exists.
sub bait
{
	my (@own) = @_;
	my $bait = <<'SQL';
SET client_min_messages = warning;
CREATE FUNCTION s.bite(what text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE pg_catalog.format('INSERT INTO s.bitten VALUES (%L, %L)', what, current_user);
  RETURN NULL;
END $$;
CREATE TABLE s.bitten (what text, who name);
SQL
	for my $left (@types, @own)
	{
		for my $right (@types, @own)
		{
			(my $name = "bait_${left}_$right") =~ s/\W/_/g;
			$bait .= "CREATE FUNCTION s.$name($left, $right) RETURNS boolean "
				. "LANGUAGE sql AS \$\$SELECT s.bite('$name')\$\$;\n";
			$bait .= "CREATE FUNCTION s.text_$name($left, $right) RETURNS text "
				. "LANGUAGE sql AS \$\$SELECT s.bite('$name')::text\$\$;\n";
			for my $operator (@operators)
			{
				next if $left =~ /^s\./ && $left eq $right && $operator =~ /^(=|<>|[+*])$/;    # the extension's own
				$bait .= "CREATE OPERATOR s.$operator (LEFTARG = $left, RIGHTARG = $right, FUNCTION = s."
					. ($operator eq '||' ? 'text_' : '') . "$name);\n";
			}
		}
	}
	for my $function (@called)
	{
		for my $arguments ('', 'text', 'name', 'oid', 'regclass', 'bigint', 'text, text', 'text, name', 'text, oid',
			'text, regclass', 'text, bigint', 'text, text, text', 'text, name, name', 'text, text, text, text',
			'anyelement')
		{
			$bait .= "CREATE FUNCTION s.\"$function\"($arguments) RETURNS text "
				. "LANGUAGE sql AS \$\$SELECT s.bite('$function($arguments)')::text\$\$;\n";
		}
	}
	$bait .= "CREATE DOMAIN s.\"$_\" AS pg_catalog.int4 CHECK (s.bite('domain $_'));\n" for grep { !/"/ } @types;
	$bait .= "CREATE VIEW s.$_ AS SELECT p.*, s.bite('view $_') AS bite FROM pg_catalog.$_ AS p;\n"
		for qw(pg_class pg_extension pg_namespace pg_proc);
	return $bait;
}

# ---- what the objects of the extension refer to

# Members, and what belongs to members: rules, defaults, indexes.  pg_depend has no rows about objects that every
# database begins with (pinned ones), except for languages.
my $strangers = <<'SQL';
WITH RECURSIVE extension AS (SELECT oid, extnamespace FROM pg_catalog.pg_extension WHERE extname = 'scan'),
own (classid, objid) AS (
  SELECT d.classid, d.objid FROM pg_catalog.pg_depend AS d, extension
  WHERE d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid = extension.oid AND d.deptype = 'e'
  UNION
  SELECT d.classid, d.objid FROM pg_catalog.pg_depend AS d JOIN own ON d.refclassid = own.classid
  AND d.refobjid = own.objid WHERE d.deptype IN ('i', 'a')
)
SELECT pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid) || ' refers to ' ||
  pg_catalog.pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
FROM pg_catalog.pg_depend AS d JOIN own USING (classid, objid)
WHERE (d.refclassid, d.refobjid) NOT IN (SELECT classid, objid FROM own)
  AND NOT (d.refclassid = 'pg_catalog.pg_extension'::pg_catalog.regclass AND d.refobjid = (SELECT oid FROM extension))
  AND NOT (d.refclassid = 'pg_catalog.pg_namespace'::pg_catalog.regclass
    AND d.refobjid = (SELECT extnamespace FROM extension))
  AND NOT (d.refclassid = 'pg_catalog.pg_language'::pg_catalog.regclass AND d.refobjid < 16384)
ORDER BY 1;
SQL

# Everything that is computed when a superuser looks at the extension.
my $look = <<'SQL';
SET search_path = s, pg_catalog;
SELECT * FROM s.scan_status; SELECT * FROM s.scan_rates; SELECT * FROM s.scan_kept;
SELECT s.scan_sum(x) OVER (ORDER BY x), s.exact_sum(x) OVER (ORDER BY x), s.scan_total(x::pg_catalog.float8) OVER (),
  s.moving_median(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM public.data;
SELECT * FROM s.scan_explain('SELECT pg_catalog.sum(x) OVER () FROM public.data');
INSERT INTO public.data VALUES (101, 1, 1); SELECT * FROM public.kept_total(1); SELECT * FROM public.kept_last(1, 3);
CALL s.scan_kept_compact('kept'); SELECT s.scan_kept_check('kept');
SQL

sub examine
{
	my ($server, $role, $when) = @_;
	is(join("\n", $server->lines($strangers)), '',
		"$when: what the extension has refers to the extension and to pg_catalog alone");
	# pg_dump would run the conditions of a dumped table as whoever dumps
	is($server->value("SELECT coalesce(cardinality(extconfig), 0) FROM pg_extension WHERE extname = 'scan'"), 0,
		'... no table of it is dumped');
	is(as_owner($server, <<'SQL', $role), '', '... its owner makes a kept scan');
SET client_min_messages = warning;
CREATE TABLE public.data (id pg_catalog.int4 PRIMARY KEY, p pg_catalog.int4 NOT NULL, x pg_catalog.numeric NOT NULL);
INSERT INTO public.data SELECT i, 1, i FROM pg_catalog.generate_series(1, 100) AS i;
SELECT s.scan_keep('kept',
  'SELECT pg_catalog.sum(x) OVER w AS total FROM public.data WINDOW w AS (PARTITION BY p ORDER BY id)');
SQL
	my ($out, $err) = $server->run($look, go_on => 1);
	is($err, '', '... a superuser looks at it');
	is(join(' ', $server->lines('SELECT what, who FROM s.bitten ORDER BY 1')), '', '... and runs nothing of the owner');
	is(join(' ', $server->lines(
				<<'SQL')), 'scan_shards', '... a body that is a string has one function, which hostile_path.t runs');
SET search_path = pg_catalog;
SELECT proname FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
  AND d.deptype = 'e' JOIN pg_extension AS e ON e.oid = d.refobjid AND e.extname = 'scan'
WHERE prosqlbody IS NULL AND prolang NOT IN (SELECT oid FROM pg_language WHERE lanname IN ('c', 'internal'));
SQL
	return;
}

# A database whose owner is no superuser, and has the bait in a schema s.
sub database
{
	my ($name, $role) = @_;
	my $server = Server->new($name, extension => "CREATE ROLE $role LOGIN");
	$server->lines("ALTER DATABASE $server->{database} OWNER TO $role; GRANT ALL ON SCHEMA public TO $role");
	is(as_owner($server, 'CREATE SCHEMA s', $role), '', "$name: a schema");
	return $server;
}

my @roles;
sub role { push @roles, "hostile_$_[0]_$$"; return $roles[-1] }

my $role = role('create');
my $server = database('hostile_create', $role);
is(as_owner($server, bait(), $role), '', '... with the bait');
is(as_owner($server, 'CREATE EXTENSION scan SCHEMA s', $role), '', 'CREATE EXTENSION');
examine($server, $role, 'CREATE EXTENSION into a schema with bait');

# ---- the same between two versions, with the types of the first

$role = role('update');
my $updated = database('hostile_update', $role);
is(as_owner($updated, "CREATE EXTENSION scan SCHEMA s VERSION '1.2'", $role), '', 'version 1.2');
is(as_owner($updated, bait(qw(s.scan_total s.exact_state s.total_state s.affine_map)), $role), '', '... then the bait');
is(as_owner($updated, 'ALTER EXTENSION scan UPDATE', $role), '', 'ALTER EXTENSION UPDATE');
examine($updated, $role, 'ALTER EXTENSION UPDATE in a schema with bait');

done_testing();

END
{
	my $status = $?;
	undef $server;
	undef $updated;
	Server::_psql($ENV{PGDATABASE} // 'postgres', join('', map { "DROP ROLE IF EXISTS $_;\n" } @roles), 0) if @roles;
	$? = $status;
}
