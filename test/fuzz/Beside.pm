# Beside.pm: other extensions in the server of the soak, with the settings that make them work hardest.
#
# BESIDE=pg_stat_statements,scan,auto_explain names the libraries in the order in which the server loads them; scan
# comes first where it is not named.  A library that this file does not know is loaded with its own default settings.
package Beside;

use strict;
use warnings;

my %settings = (
	pg_stat_statements => <<'CONF',
pg_stat_statements.track = all
pg_stat_statements.track_planning = on
CONF
	# one plan in ten is written: all of them would be a gigabyte an hour
	auto_explain => <<'CONF',
auto_explain.log_min_duration = 0
auto_explain.sample_rate = 0.1
auto_explain.log_analyze = on
auto_explain.log_buffers = on
auto_explain.log_verbose = on
auto_explain.log_settings = on
auto_explain.log_nested_statements = on
auto_explain.log_format = json
CONF
);

sub libraries
{
	my @named = split /,/, $ENV{BESIDE} // '';
	return ((grep { $_ eq 'scan' } @named) ? () : 'scan', @named);
}

# Lines of postgresql.conf.
sub conf
{
	my @libraries = libraries();
	return join '', 'shared_preload_libraries = ' . "'" . join(', ', @libraries) . "'\n",
		map { $settings{$_} // '' } @libraries;
}

# Commands for the database.
sub sql { return join '', map { $_ eq 'pg_stat_statements' ? "CREATE EXTENSION $_;\n" : '' } libraries() }

# What the libraries have done, so that a run in which they did nothing shows.
sub told
{
	my ($server, $plans) = @_;
	my @told;
	for my $library (libraries())
	{
		push @told, 'pg_stat_statements has ' . $server->value('SELECT sum(calls) FROM pg_stat_statements')
			. ' executions' if $library eq 'pg_stat_statements';
		push @told, "auto_explain wrote $plans plans" if $library eq 'auto_explain';
	}
	return @told ? 'beside ' . join(', ', libraries()) . ': ' . join('; ', @told) . "\n" : '';
}

1;
