# catalog_lookups.t: whoever looks something up in the catalog asks whether it was there.
#
# A query locks its tables, but no function, operator, type or collation: another session may drop them while the query
# runs.  Some of core's look-ups then raise an error; others return NULL, InvalidOid or false, and a caller that goes on
# with NULL crashes the server.  So in src/ each call of the latter must be one of these:
#
#   - the result is tested in the statement of the call: by OidIsValid(), HeapTupleIsValid(),
#     !, == or !=, or as a condition;
#   - the result goes into a variable, and the next statement that has the variable tests it so;
#   - a line of the list of exceptions below, which says why.
#
# A look-up that neither list knows fails, too, so that a new one gets its place.  This reads C by patterns, without
# following the flow: a test that comes later, or in another function, it does not see.
use strict;
use warnings;
use Test::More;
use File::Basename;
use File::Find;

chdir dirname(__FILE__) . '/../..' or die $!;

# these return nothing for what is not there
my @quiet = qw(SearchSysCache SearchSysCache1 SearchSysCache2 SearchSysCache3 SearchSysCache4 SearchSysCacheCopy1
	SearchSysCacheAttName GetSysCacheOid1 GetSysCacheOid2 GetConfigOption GetCustomScanMethods
	fmgr_internal_function getSubscriptingRoutines get_am_name get_array_type get_attname get_attnum
	get_base_element_type get_collation_name get_commutator get_constraint_name get_element_type
	get_equality_op_for_ordering_op get_extension_oid get_multirange_range get_namespace_oid get_relname_relid
	GetSysCacheOid3 get_fn_expr_argtype get_fn_expr_rettype get_func_name get_func_namespace get_func_support
	get_language_name get_namespace_name get_namespace_name_or_temp get_negator get_op_hash_functions
	get_op_opfamily_strategy get_opcode get_opfamily_member get_opfamily_proc get_opname get_oprrest
	get_ordering_op_properties get_rel_name get_rel_namespace get_rel_relispartition get_rel_relkind get_role_oid
	get_sort_group_operators get_typtype lookup_type_cache);
# what else EXPLAIN must not have: an error for what is not there, where core prints nothing
push @quiet, qw(deparse_expression);
# these raise an error, or answer a question that has no wrong answer
my @loud = qw(SearchSysCacheExists1 SysCacheGetAttr IsBinaryCoercible LookupCreationNamespace fmgr_info fmgr_info_cxt
	fmgr_info_set_expr format_procedure format_type_be func_parallel func_strict func_volatile getBaseType
	getTypeInputInfo getTypeOutputInfo get_func_leakproof get_func_nargs get_func_rettype get_func_signature
	get_typbyval get_typlen get_typlenbyval get_typlenbyvalalign lookup_rowtype_tupdesc lookup_rowtype_tupdesc_copy
	resolve_aggregate_transtype type_is_collatable type_is_rowtype build_aggregate_transfn_expr
	build_aggregate_finalfn_expr build_aggregate_serialfn_expr build_aggregate_deserialfn_expr
	get_collation_isdeterministic get_op_btree_interpretation get_op_index_interpretation get_opclass_family
	get_opclass_input_type get_typcollation get_rel_persistence get_view_query LookupFuncName);
# these are no look-ups in the catalog
my $other = qr/^(?:get_sortgroup\w+|get_tle_by_resno|get_call_result_type|get_tlist_exprs|get_agg_clause_costs
	|get_fn_expr_arg_stable|get_attstatsslot|get_cheapest_parallel_safe_total_inner|get_parent_directory
	|get_parameterized_baserel_size|get_tablespace_page_costs|get_timeout_active|get_float8_\w+|build_index_pathkeys
	|get_variable_numdistinct|build_physical_tlist|deparse_context_for|deparse_context_for_plan_tree
	|SysCacheGetAttr)$/x;

my $fmgr = 'fmgr_info() raises an error for InvalidOid';
my $argument = 'a function that SQL has called has its expression, and core raises an error for InvalidOid';
my $no_schema = 'nothing is found in the schema 0, and kept_schema_name() raises an error';
my %exception = (
	'src/node/text.c deparse_expression' => 'is called for what was found, and what was not is printed as ???',
	'src/node/exec/begin.c get_opcode' => $fmgr,
	'src/node/skip/exec.c get_opcode' => $fmgr,
	'src/node/skip/divide.c get_opcode' => $fmgr,
	'src/node/skip/ranges.c get_opcode' => $fmgr,
	'src/node/skip/steps.c get_opfamily_member' =>
		'index_order.c has seen that the family of the index has the operators',
	'src/node/reduce/begin.c get_opcode' => $fmgr,
	'src/node/reduce/offer.c get_opcode' => 'type_equal_is_by_datum() knows no function 0',
	'src/node/reduce/offer.c lookup_type_cache' => 'type_equal_is_by_datum() knows no function 0',
	'src/kept/build.c GetConfigOption' => 'missing_ok is false',
	'src/kept/question_value.c deparse_expression' =>
		'is called for an expression of a query that is planned, whose objects are locked or pinned',
	'src/kept/question_value.c get_rel_name' => 'the table is locked',
	'src/node/plan/first_rows_condition.c get_op_opfamily_strategy' => 'the switch over the strategy takes 0 for none',
	'src/aggregate/order_statistics.c get_sort_group_operators' =>
		'the caller asks whether there is an order, before the start',
	'src/functions/aggregate/moving.c get_sort_group_operators' => 'is told to raise an error if < is missing',
	'src/aggregate/monotonic_queue.c get_sort_group_operators' =>
		'the caller asks whether there is an order, before the start',
	'src/functions/aggregate/moving_arg.c get_sort_group_operators' => 'is told to raise an error if < or > is missing',
	'src/functions/array/array_moving.c get_sort_group_operators' => 'is told to raise an error if < or > is missing',
	'src/functions/aggregate/moving.c get_fn_expr_argtype' => $argument,
	'src/functions/aggregate/moving_arg.c get_fn_expr_argtype' => $argument,
	'src/functions/array/element.c get_fn_expr_argtype' => $argument,
	'src/functions/window/argument_types.c get_fn_expr_argtype' => 'format_type_be() prints - for InvalidOid',
	'src/functions/window/argument.c get_fn_expr_argtype' => $argument,
	'src/functions/set_schema.c get_extension_oid' => 'is told to raise an error',
	'src/kept/advise.c get_attname' => 'is told to raise an error',
	'src/kept/advise.c get_func_name' => 'a definition with a function that is gone is an error, which is no advice',
	(map { ("src/kept/advise.c $_" => 'the table is locked') } qw(get_rel_name get_rel_namespace get_namespace_name)),
	'src/kept/definition.c get_attname' => 'is told to raise an error',
	'src/kept/definition.c get_opfamily_proc' => $fmgr,
	'src/kept/functions.c get_fn_expr_argtype' => 'get_element_type() returns InvalidOid for type 0',
	'src/kept/sql.c get_opfamily_member' => 'SearchSysCache1() finds no operator 0, which is an error',
	'src/kept/tree.c get_opfamily_member' => 'get_opcode() returns InvalidOid for operator 0',
	'src/kept/tree.c get_opcode' => $fmgr,
	'src/kept/bound.c get_fn_expr_rettype' => $argument,
	'src/kept/bound.c get_opfamily_proc' => 'is asked about before it is called',
	'src/kept/calendar.c get_fn_expr_argtype' => $argument,
	'src/kept/find.c SearchSysCache3' => 'the callers ask whether there is a row, or core\'s estimates do',
	'src/kept/find.c get_attnum' => 'there are no statistics of column 0',
	'src/kept/statement.c get_rel_relispartition' => 'a table that is gone is no partition',
	'src/kept/cells_cost.c get_opfamily_member' => 'the family is that of a default class, which has =',
	'src/kept/merge.c get_fn_expr_argtype' => $argument,
	'src/kept/question_column.c lookup_type_cache' => 'numeric has a family that nobody can drop',
	'src/kept/step.c get_opcode' => 'no step has function 0',
	'src/kept/catalog.c get_relname_relid' => 'kept_find_tables() and try_relation_open() find no relation 0',
	'src/kept/known.c get_namespace_oid' => 'the function it goes to asks',
	'src/kept/objects.c get_func_name' => 'the function it goes to asks',
	'src/kept/question_column.c get_commutator' => 'the caller asks, two statements later',
	'src/kept/question_column.c get_negator' => 'no family has operator 0',
	'src/kept/question_column.c get_op_opfamily_strategy' => 'the caller takes 0 for none',
	'src/kept/trusted.c get_multirange_range' => 'the function it goes to asks',
	'src/kept/trusted.c lookup_type_cache' => 'the function it goes to asks',
	'src/kept/window_forms.c get_opfamily_member' => 'the family is that of a first key, which nobody can drop',
	'src/kept/window_level.c get_opfamily_member' => 'the family is that of a first key, which nobody can drop',
	'src/kept/window_level.c get_op_opfamily_strategy' => 'the family is that of a first key, which nobody can drop',
	(map { ("src/kept/$_.c get_func_namespace" => $no_schema) } qw(catalog objects rights)),
	(map { ("src/kept/$_.c get_rel_namespace" => $no_schema) } qw(catalog keep objects sql)),
);

# ---- reading C

# Source without comments and without what is in quotes; as many lines as before.
sub code
{
	my ($source) = @_;
	$source =~ s{/\*.*?\*/}{ my $lines = $& =~ tr/\n//; "\n" x $lines }ges;
	$source =~ s/"(?:\\.|[^"\\\n])*"/""/g;
	return $source;
}

my $quiet = join '|', @quiet;
# how a statement tests the result of a call, or a variable
sub is_tested
{
	my ($statement, $what) = @_;
	my $arguments = '\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)';
	return $statement
		=~ /\b(?:Oid|HeapTuple)IsValid\(\s*$what|!\s*$what|$what(?:$arguments)?\s*(?:==|!=)|(?:==|!=)\s*$what/;
}

# The calls in some code that do not ask whether something was there, as [name, line].
sub unchecked
{
	my ($code) = @_;
	my @found;

	while ($code =~ /\b($quiet)\(/g)
	{
		my ($name, $at) = ($1, $-[0]);
		my $before = substr($code, 0, $at);
		my $line = 1 + ($before =~ tr/\n//);
		my ($start) = $before =~ /([^;{}]*)$/;
		my ($rest) = substr($code, $at) =~ /^([^;{}]*)/;
		my $statement = $start . $rest;

		# a declaration, or a condition as a whole
		next if is_tested($statement, "$name\\b") || $statement =~ /\b(?:if|while)\s*\(\s*$name\(/
			|| $statement =~ /\bfound\s*=\s*$name\(/;
		my ($variable, $between) = $start =~ /(\w+)\s*=(?!=)([^=]*)$/;
		# not an argument of another call
		if (defined $variable && ($between =~ tr/(//) == ($between =~ tr/)//))
		{
			my $after = substr($code, $at + length $rest);
			# up to the end of the function
			$after =~ s/\n\}.*//s;
			my ($next) = $after =~ /((?:[^;{}]*)\b$variable\b[^;{}]*)/;
			next if defined $next && is_tested($next, "$variable\\b");
		}
		push @found, [ $name, $line ];
	}
	return @found;
}

# ---- the reader itself

sub flags { my ($code) = @_; return join ' ', map { "$_->[0]:$_->[1]" } unchecked(code($code)) }
for ([ 'x = psprintf("%s", get_func_name(f));', 'get_func_name:1', 'a name that is printed' ],
	[ "names = lappend(names,\n get_func_name(f));", 'get_func_name:2', 'a name in a list' ],
	[ 'tuple = SearchSysCache1(A, b); form = GETSTRUCT(tuple);', 'SearchSysCache1:1', 'a row that is read' ],
	[ "{\n	Row t = SearchSysCache1(A, b);\n	Form f = GETSTRUCT(t);\n"
			. "	if (!HeapTupleIsValid(t))\n		return;\n}",
		'SearchSysCache1:2', 'a row that is read, and then tested' ],
	[ "{\n	char *name = get_func_name(f);\n}\n"
			. "void g(char *name)\n{\n	if (name == NULL)\n		h();\n}", 'get_func_name:2',
		'a test in another function' ],
	[ 'all = lappend(all, get_func_name(f)); if (all == NULL) return;', 'get_func_name:1', 'a test of another value' ],
	[ 'fmgr_info(get_opcode(op), &f);', 'get_opcode:1', 'an OID that is used' ],
	[ 'type = lookup_type_cache(t, F); call(type->cmp_proc);', 'lookup_type_cache:1', 'a member that is used' ],
	[ '/* get_func_name(f) */ puts("get_func_name(f)");', '', 'a comment and a string' ],
	[ 'if (!OidIsValid(get_opcode(op))) return;', '', 'an OID that is tested at once' ],
	[ 'return get_func_namespace(f) != schema;', '', 'an OID that is compared' ],
	[ 'name = get_func_name(f); return name == NULL ? nothing : name;', '', 'a name that is tested' ],
	[ "Row t = SearchSysCache1(A, B(b)); bool there = HeapTupleIsValid(t) && row(t);", '', 'a row that is tested' ],
	[ 'type = lookup_type_cache(t, F); if (!OidIsValid(type->cmp_proc)) return;', '', 'a member that is tested' ])
{
	my ($code, $want, $what) = @$_;
	is(flags($code), $want, "the reader: $what");
}

# ---- src

my (%code, %defined, %used);
find({ no_chdir => 1, wanted => sub {
	return unless /\.[ch]$/;
	open my $in, '<', $_ or die "$_: $!";
	local $/;
	$code{$_} = code(scalar <$in>);
	$defined{$1} = 1 while $code{$_} =~ /^(\w+)\(/mg;
} }, 'src');
cmp_ok(scalar keys %code, '>', 100, 'files');

my $known = join '|', @quiet, @loud;
my $calls = 0;
my (@unchecked, @new);
for my $file (sort keys %code)
{
	$calls++ while $code{$file} =~ /\b(?:$quiet)\(/g;
	for (unchecked($code{$file}))
	{
		my ($name, $line) = @$_;
		next if $exception{"$file $name"} && ++$used{"$file $name"};
		push @unchecked, "$file:$line: $name()";
	}
	my %new;
	my $names = '(?:get|lookup|func|resolve|deparse)_\w+|(?:SearchSysCache|GetSysCache|SysCacheGet|Lookup)\w+'
		. '|(?:getType|getBaseType|getSubscr)\w*';
	$new{$1} = 1 while $code{$file} =~ /\b($names)\(/g;
	delete $new{$_} for grep { $defined{$_} || /^(?:$known)$/ || $_ =~ $other } keys %new;
	push @new, "$file: $_" for sort keys %new;
}
cmp_ok($calls, '>', 30, 'look-ups');
is(join("\n", @unchecked), '', 'look-ups that may find nothing, and nobody asks');
is(join("\n", @new), '', 'look-ups that the lists above do not have');
is(join(', ', grep { !$used{$_} } sort keys %exception), '', 'exceptions that are none any more');

done_testing();
