#!/usr/bin/env perl
#
# core_fields.pl FOLDER: compares the nodes of windows in a folder of PostgreSQL's server headers with the fields that
# somebody has considered for scan, and exits with 1 if there is another field.  FOLDER has nodes/primnodes.h.
#
# For a new field, find out what it does to a window, and what the nodes of scan do about it.  Then add it to the list
# below.  A field of WindowClause, WindowFunc or SortGroupClause also goes into src/node/plan/known_fields.c: until
# then, WindowAgg runs each window in which it is set.
use strict;
use warnings;

# An entry for each node: the first version that has it, its name, and its fields, of all versions together.
my @known = map { [split] } split /\n(?=\d)/, <<'NODES';
15 WindowClause type name refname partitionClause orderClause frameOptions startOffset endOffset runCondition
  startInRangeFunc endInRangeFunc inRangeColl inRangeAsc inRangeNullsFirst winref copiedOrder
15 WindowFunc xpr winfnoid wintype wincollid inputcollid args aggfilter runCondition winref winstar winagg
  ignore_nulls location
17 WindowFuncRunCondition xpr opno inputcollid wfunc_left arg
15 SortGroupClause type tleSortGroupRef eqop sortop reverse_sort nulls_first hashable
15 WindowAggPath path subpath winclause qual runCondition topwindow
15 WindowAgg plan winname winref partNumCols partColIdx partOperators partCollations ordNumCols ordColIdx ordOperators
  ordCollations frameOptions startOffset endOffset runCondition runConditionOrig startInRangeFunc endInRangeFunc
  inRangeColl inRangeAsc inRangeNullsFirst topWindow
15 Aggref xpr aggfnoid aggtype aggcollid inputcollid aggtranstype aggargtypes aggdirectargs args aggorder aggdistinct
  aggfilter aggstar aggvariadic aggkind aggpresorted agglevelsup aggsplit aggno aggtransno location
15 Query type commandType querySource queryId canSetTag utilityStmt resultRelation hasAggs hasWindowFuncs
  hasTargetSRFs hasSubLinks hasDistinctOn hasRecursive hasModifyingCTE hasForUpdate hasRowSecurity hasGroupRTE
  isReturn cteList rtable rteperminfos jointree mergeActionList mergeUseOuterJoin mergeTargetRelation
  mergeJoinCondition targetList override onConflict returningOldAlias returningNewAlias returningList groupClause
  groupDistinct groupingSets havingQual windowClause distinctClause sortClause limitOffset limitCount limitOption
  rowMarks setOperations constraintDeps withCheckOptions stmt_location stmt_len
NODES

# The bits of frameOptions, without FRAMEOPTION_.
my %frame = map { $_ => 1 } qw(NONDEFAULT RANGE ROWS GROUPS BETWEEN START_UNBOUNDED_PRECEDING END_UNBOUNDED_PRECEDING
	START_UNBOUNDED_FOLLOWING END_UNBOUNDED_FOLLOWING START_CURRENT_ROW END_CURRENT_ROW START_OFFSET_PRECEDING
	END_OFFSET_PRECEDING START_OFFSET_FOLLOWING END_OFFSET_FOLLOWING EXCLUDE_CURRENT_ROW EXCLUDE_GROUP EXCLUDE_TIES
	START_OFFSET END_OFFSET EXCLUSION DEFAULTS);

my ($folder) = @ARGV;
die "usage: $0 FOLDER\n" if @ARGV != 1;

sub content
{
	my ($file) = @_;
	open my $in, '<', $file or die "$file: $!\n";
	local $/;
	return <$in> =~ s/\/\*.*?\*\///gsr;
}

# Returns the names of the fields of a struct; none if there is no such struct.
sub fields
{
	my ($headers, $struct) = @_;
	my ($body) = $headers =~ /^typedef struct $struct\s*\{(.*?)^\}\s*$struct;/ms or return;

	$body =~ s/^#.*$//mg;
	# attributes have up to two levels of parentheses
	$body =~ s/pg_node_attr\((?:[^()]|\([^()]*\))*\)//g;
	return map { /(\w+)\s*(?:\[.*\])?\s*$/ } split /[;,]/, $body;
}

my $headers = join '', map { content("$folder/nodes/$_") } qw(primnodes.h parsenodes.h pathnodes.h plannodes.h);
my ($major) =
	(-e "$folder/pg_config.h" ? content("$folder/pg_config.h") : '') =~ /^#define PG_VERSION_NUM (\d+)\d{4}$/m;
my @unknown;
for my $node (@known)
{
	my ($since, $name, @of_it) = @$node;
	my %is_known = map { $_ => 1 } @of_it;
	my @fields = fields($headers, $name);

	next if defined $major && $major < $since;
	push @unknown, "there is no struct $name any more" if !@fields;
	push @unknown, map { "$name has a new field: $_" } grep { !$is_known{$_} } @fields;
}
push @unknown, map { "a new bit of a window's frame: FRAMEOPTION_$_" } grep { !$frame{$_} }
	$headers =~ /^#define FRAMEOPTION_(\w+)/mg;
print map { "$_\n" } @unknown;
exit(@unknown ? 1 : 0);
