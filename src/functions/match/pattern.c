/*
 * pattern.c: reads the pattern of scan_match: a regular expression whose letters are conditions of rows.
 *
 *   choice    a | b      the first that leads to a match
 *   sequence  a b        spaces mean nothing
 *   repeated  a* a+ a? a{2} a{2,} a{,3} a{2,3}, reluctant with a ? after it
 *   atom      a letter, in either case; ( ), the empty pattern; ^ and $, the partition's ends
 *
 * A pattern is parsed into a tree, and the tree is written as a program for a machine that would go back to the last
 * fork where it fails.  No such machine runs: states.c follows all ways at once.  The program is what says which of two
 * ways is preferred.  It has a copy of the repeated part for each iteration that is counted.
 *
 * An iteration beyond the least number has to take a row, so that a repetition of something that may be empty ends, and
 * an empty iteration never stands in the way of one that takes rows.  STEP_ENTER and STEP_LEAVE stand around such an
 * iteration where the part may be empty.
 */
#include "postgres.h"

#include <ctype.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "parser/scansup.h"

#include "functions/match/automaton.h"

typedef enum NodeKind
{
	NODE_EMPTY,
	NODE_LETTER,
	NODE_START,
	NODE_END,
	NODE_SEQUENCE,
	NODE_CHOICE,
	NODE_REPEAT,
} NodeKind;

#define NO_LIMIT (-1)

typedef struct PatternNode
{
	NodeKind			kind;
	bool				nullable; /* may match without a row */
	int					letter;
	struct PatternNode *left; /* NODE_SEQUENCE, NODE_CHOICE: the first; NODE_REPEAT: what is repeated */
	struct PatternNode *right;
	int					least; /* NODE_REPEAT */
	int					most;
	bool				reluctant;
} PatternNode;

typedef struct PatternParser
{
	const char	   *at;
	int				place; /* of `at`, in characters from 1 */
	int				depth; /* open parentheses */
	PatternProgram *program;
} PatternParser;

void
pattern_raise(int place, const char *what, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_REGULAR_EXPRESSION), errmsg("argument \"pattern\" is not a pattern: %s", what),
			 errdetail("The mistake is at character %d.", place), errhint("%s", hint)));
}

/* ---- characters ---- */

static void
skip_character(PatternParser *parser)
{
	parser->at += pg_mblen(parser->at);
	parser->place++;
}

static char
peek(PatternParser *parser)
{
	while (scanner_isspace(*parser->at))
		skip_character(parser);
	return *parser->at;
}

/* Takes a character if it is the next one. */
static bool
take(PatternParser *parser, char c)
{
	if (peek(parser) != c)
		return false;
	skip_character(parser);
	return true;
}

static void __attribute__((noreturn)) raise_unexpected(PatternParser *parser)
{
	int	 length = pg_mblen(parser->at);
	char what[64];

	if (*parser->at == '\0')
		pattern_raise(
			parser->place, "it ends too early",
			"Write a letter or \"()\", the empty pattern, on both sides of \"|\", and close all parentheses.");
	snprintf(what, sizeof(what), "unexpected \"%.*s\"", length, parser->at);
	if (*parser->at == '.')
		pattern_raise(parser->place, what, "For any row, pass true as a condition.");
	pattern_raise(parser->place, what,
				  "A pattern has letters, which name the conditions in their order, | ( ) ^ $, and * + ? {n} {n,} "
				  "{n,m}, which may follow a letter or a parenthesis.");
}

/* ---- the tree ---- */

static PatternNode *
new_node(NodeKind kind, PatternNode *left, PatternNode *right)
{
	PatternNode *node = (PatternNode *) palloc(sizeof(PatternNode));

	*node = (PatternNode){.kind = kind, .left = left, .right = right};
	switch (kind)
	{
		case NODE_LETTER:
			break;
		case NODE_SEQUENCE:
			node->nullable = left->nullable && right->nullable;
			break;
		case NODE_CHOICE:
			node->nullable = left->nullable || right->nullable;
			break;
		default:
			node->nullable = true;
	}
	return node;
}

static PatternNode *read_choice(PatternParser *parser);

static PatternNode *
read_group(PatternParser *parser)
{
	PatternNode *node;

	skip_character(parser);
	if (++parser->depth > PATTERN_MOST_DEPTH)
		pattern_raise(parser->place, "too many parentheses", "Parentheses may be 100 deep.");
	node = peek(parser) == ')' ? new_node(NODE_EMPTY, NULL, NULL) : read_choice(parser);
	if (!take(parser, ')'))
		raise_unexpected(parser);
	parser->depth--;
	return node;
}

static PatternNode *
read_letter(PatternParser *parser)
{
	PatternNode *node = new_node(NODE_LETTER, NULL, NULL);

	node->letter = pg_ascii_tolower((unsigned char) *parser->at) - 'a';
	if (parser->program->place[node->letter] == 0)
		parser->program->place[node->letter] = parser->place;
	skip_character(parser);
	return node;
}

/* True if an atom may begin with the character. */
static bool
begins_atom(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '(' || c == '^' || c == '$';
}

static PatternNode *
read_atom(PatternParser *parser)
{
	char c = peek(parser);

	if (!begins_atom(c))
		raise_unexpected(parser);
	if (c == '(')
		return read_group(parser);
	if (c != '^' && c != '$')
		return read_letter(parser);
	skip_character(parser);
	return new_node(c == '^' ? NODE_START : NODE_END, NULL, NULL);
}

/* Reads a number of rows; returns `missing` if there is none. */
static int
read_count(PatternParser *parser, int missing)
{
	int count = 0, place;

	if (!isdigit((unsigned char) peek(parser)))
		return missing;
	place = parser->place;
	while (isdigit((unsigned char) *parser->at))
	{
		count = 10 * count + *parser->at - '0';
		if (count > PATTERN_MOST_LETTERS)
			pattern_raise(place, "a repetition is too long", "A part may be repeated 1000 times.");
		skip_character(parser);
	}
	return count;
}

static void
read_bounds(PatternParser *parser, PatternNode *repeat)
{
	int place = parser->place;

	skip_character(parser);
	repeat->least = read_count(parser, NO_LIMIT);
	repeat->most = repeat->least;
	if (take(parser, ','))
	{
		repeat->most = read_count(parser, NO_LIMIT);
		if (repeat->least == NO_LIMIT && repeat->most == NO_LIMIT)
			raise_unexpected(parser);
		repeat->least = Max(repeat->least, 0);
	}
	else if (repeat->least == NO_LIMIT)
		raise_unexpected(parser);
	if (!take(parser, '}'))
		raise_unexpected(parser);
	if (repeat->most != NO_LIMIT && repeat->most < repeat->least)
		pattern_raise(place, "a repetition ends before it begins", "Write the smaller number first.");
}

static PatternNode *
read_repeated(PatternParser *parser)
{
	PatternNode *atom = read_atom(parser), *repeat;
	char		 c = peek(parser);

	if (c != '*' && c != '+' && c != '?' && c != '{')
		return atom;
	repeat = new_node(NODE_REPEAT, atom, NULL);
	if (c == '{')
		read_bounds(parser, repeat);
	else
	{
		skip_character(parser);
		repeat->least = c == '+' ? 1 : 0;
		repeat->most = c == '?' ? 1 : NO_LIMIT;
	}
	repeat->reluctant = take(parser, '?');
	repeat->nullable = atom->nullable || repeat->least == 0;
	return repeat;
}

static PatternNode *
read_choice(PatternParser *parser)
{
	PatternNode *choice = NULL;

	check_stack_depth();
	do
	{
		PatternNode *sequence = read_repeated(parser);

		while (begins_atom(peek(parser)))
			sequence = new_node(NODE_SEQUENCE, sequence, read_repeated(parser));
		choice = choice == NULL ? sequence : new_node(NODE_CHOICE, choice, sequence);
	} while (take(parser, '|'));
	return choice;
}

/* ---- the program ---- */

static int
add_step(PatternProgram *program, StepKind kind)
{
	if (program->n == PATTERN_MOST_STEPS || (kind == STEP_LETTER && program->letters == PATTERN_MOST_LETTERS))
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED), errmsg("argument \"pattern\" is too large"),
				 errdetail("With all repetitions written out, a pattern may have %d letters.", PATTERN_MOST_LETTERS),
				 errhint("Repeat fewer letters, or a part of the pattern fewer times.")));
	program->step[program->n].kind = kind;
	program->letters += kind == STEP_LETTER ? 1 : 0;
	return program->n++;
}

static void write_node(PatternProgram *program, const PatternNode *node, int depth);

/* Writes an iteration that is not one of the least number. */
static void
write_iteration(PatternProgram *program, const PatternNode *body, int depth)
{
	if (!body->nullable)
	{
		write_node(program, body, depth);
		return;
	}
	program->depth = Max(program->depth, depth + 1);
	program->step[add_step(program, STEP_ENTER)].depth = depth;
	write_node(program, body, depth + 1);
	program->step[add_step(program, STEP_LEAVE)].depth = depth;
}

/* Sets the ways of a fork, one of which leads to the step after it or back.  A reluctant one prefers to leave. */
static void
join_fork(PatternProgram *program, int fork, int body, int leave, bool reluctant)
{
	program->step[fork].first = reluctant ? leave : body;
	program->step[fork].second = reluctant ? body : leave;
}

static void
write_repeat(PatternProgram *program, const PatternNode *node, int depth)
{
	int *forks = NULL, n = 0, begin = program->n, fork;

	for (int i = 0; i < node->least; i++)
	{
		begin = program->n;
		write_node(program, node->left, depth);
		if (program->n == begin)
			break; /* it has no steps, and the next copy has none either */
	}
	if (node->most == NO_LIMIT && node->least > 0 && !node->left->nullable)
	{
		/* the last copy is the loop's body, too */
		fork = add_step(program, STEP_FORK);
		join_fork(program, fork, begin, program->n, node->reluctant);
		return;
	}
	if (node->most == NO_LIMIT)
	{
		fork = add_step(program, STEP_FORK);
		write_iteration(program, node->left, depth);
		program->step[add_step(program, STEP_JUMP)].first = fork;
		join_fork(program, fork, fork + 1, program->n, node->reluctant);
		return;
	}
	if (node->most > node->least)
		forks = (int *) palloc((node->most - node->least) * sizeof(int));
	for (int i = node->least; i < node->most; i++)
	{
		forks[n++] = add_step(program, STEP_FORK);
		write_iteration(program, node->left, depth);
	}
	for (int i = 0; i < n; i++)
		join_fork(program, forks[i], forks[i] + 1, program->n, node->reluctant);
}

static void
write_choice(PatternProgram *program, const PatternNode *node, int depth)
{
	int fork = add_step(program, STEP_FORK), jump;

	write_node(program, node->left, depth);
	jump = add_step(program, STEP_JUMP);
	join_fork(program, fork, fork + 1, program->n, false);
	write_node(program, node->right, depth);
	program->step[jump].first = program->n;
}

static void
write_node(PatternProgram *program, const PatternNode *node, int depth)
{
	check_stack_depth();
	switch (node->kind)
	{
		case NODE_EMPTY:
			break;
		case NODE_LETTER:
			program->step[add_step(program, STEP_LETTER)].letter = node->letter;
			break;
		case NODE_START:
			add_step(program, STEP_START);
			break;
		case NODE_END:
			add_step(program, STEP_END);
			break;
		case NODE_SEQUENCE:
			write_node(program, node->left, depth);
			write_node(program, node->right, depth);
			break;
		case NODE_CHOICE:
			write_choice(program, node, depth);
			break;
		case NODE_REPEAT:
			write_repeat(program, node, depth);
			break;
	}
}

PatternProgram *
pattern_read(const char *text)
{
	PatternProgram *program = (PatternProgram *) palloc0(sizeof(PatternProgram));
	PatternParser	parser = {.at = text, .place = 1, .program = program};
	PatternNode	   *tree = read_choice(&parser);

	if (peek(&parser) != '\0')
		raise_unexpected(&parser);
	program->step = (PatternStep *) palloc0((PATTERN_MOST_STEPS + 1) * sizeof(PatternStep));
	write_node(program, tree, 0);
	add_step(program, STEP_ACCEPT);
	return program;
}
