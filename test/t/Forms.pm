# Forms.pm: which form of a function PostgreSQL chooses for a call, for overloads.t and lossy_casts.t.
#
# EXPLAIN shows the arguments of a call with their casts, also the implicit ones.  The arguments are columns of a table
# g: c_TYPE of the type, a_TYPE of its array; or NULL, a literal without a type.
package Forms;

use strict;
use warnings;
use Exporter 'import';

our @EXPORT_OK = qw(prepare_forms forms_of shown);

# Creates the table, with columns of these types, and the function `form`.
sub prepare_forms
{
	my ($server, @types) = @_;
	my $columns = join ', ', map { ("c_$_ $_", "a_$_ $_\[]") } @types;
	$server->lines(<<"SQL");
CREATE TABLE g ($columns);
CREATE FUNCTION form(call text) RETURNS text LANGUAGE plpgsql AS \$\$
DECLARE
  line text;
BEGIN
  FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) SELECT ' || call || ' FROM g' LOOP
    IF line LIKE '%Output: %' THEN
      -- version 18 names the window, 17 the column of an InitPlan, and then the table of each column
      line = regexp_replace(line, '^.*Output: | OVER (\\(\\?\\)|w1)\$|\\mg\\.', '', 'g');
      RETURN regexp_replace(line, '\\(InitPlan \\d+\\)\\.col1|\\\$\\d+', 'NULL', 'g');
    END IF;
  END LOOP;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END \$\$;
SQL
}

# Returns each call as EXPLAIN shows it, or the SQLSTATE of the error.
sub forms_of
{
	my ($server, @calls) = @_;
	my $list = join ', ', map { "('$_')" } @calls;
	return $server->lines("SET scan.prefixscan = off; SELECT form(call) FROM (VALUES $list) AS t (call)");
}

# Returns the arguments of such a call; none for an error.
sub shown
{
	my ($form) = @_;
	my ($arguments) = $form =~ /^\w+\((.*)\)$/ or return ();
	return split /, /, $arguments;
}

1;
