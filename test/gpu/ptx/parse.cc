/*
 * parse.cc: text of PTX, as nvcc and CUB's inline assembler write it, into module.h's instructions.
 *
 * A statement ends with a semicolon, a label with a colon.  Braces around statements open a scope, in which
 * registers may be declared once more.
 */
#include "module.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Arrays do not lie side by side, and are aligned as declared and no better. */
#define GAP 256

void
ptx_stop(const char *format, ...)
{
	va_list arguments;

	fflush(stdout);
	fprintf(stderr, "ptx: ");
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fprintf(stderr, "\n");
	_exit(3);
}

namespace
{

typedef std::vector<std::string> Texts;

std::string
trimmed(const std::string &text)
{
	size_t from = text.find_first_not_of(" \t\r\n"), to = text.find_last_not_of(" \t\r\n");

	return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}

/* What commas part, but for those in braces and brackets. */
Texts
parted(const std::string &text)
{
	Texts		parts;
	std::string part;
	int			depth = 0;

	for (char c : text)
	{
		depth += (c == '{' || c == '[') - (c == '}' || c == ']');
		if (c == ',' && depth == 0)
		{
			parts.push_back(trimmed(part));
			part.clear();
		}
		else
			part += c;
	}
	if (!trimmed(part).empty())
		parts.push_back(trimmed(part));
	return parts;
}

bool
begins(const std::string &text, const char *with)
{
	return text.compare(0, strlen(with), with) == 0;
}

uint64_t
aligned_place(uint64_t at, uint64_t align)
{
	return (at + GAP) / GAP * GAP + GAP + align;
}

/* ---- a kernel ---- */

class KernelParser
{
  public:
	KernelParser(Kernel *kernel) : kernel(kernel)
	{
		scopes.emplace_back();
	}

	void declare(const std::string &statement); /* .reg, .shared, .local, .param and what does not matter */
	void label(const std::string &name);
	void instruct(const std::string &statement, int line);
	void
	open_scope()
	{
		scopes.emplace_back();
	}
	bool close_scope(); /* false: the kernel's own */
	void finish();

  private:
	Kernel										*kernel;
	std::vector<std::map<std::string, Operand>>	 scopes;
	std::map<std::string, uint64_t>				 symbols;
	std::map<uint64_t, Operand>					 constants;
	std::map<std::string, Operand>				 specials;
	std::map<std::string, int32_t>				 labels;
	std::vector<std::pair<int32_t, std::string>> branches;
	bool										 label_is_next = false;

	void	declare_registers(const std::string &names);
	void	declare_array(const std::string &statement, std::vector<Array> *arrays, uint64_t *size);
	Operand constant(uint64_t value);
	Operand special(const std::string &name);
	Operand operand(const std::string &text);
	void	operands(const std::string &text, std::vector<Operand> *list);
	void	address(const std::string &text, Instruction *instruction);
	void	place_operands(const std::string &opcode, Texts parts, Instruction *instruction);
};

void
KernelParser::declare_registers(const std::string &names)
{
	for (const std::string &name : parted(names))
	{
		size_t open = name.find('<');
		int	   n = open == std::string::npos ? 1 : atoi(name.c_str() + open + 1);

		for (int i = 0; i < n; i++)
			scopes.back()[open == std::string::npos ? name : name.substr(0, open) + std::to_string(i)] =
				kernel->registers++;
	}
}

/* ".shared .align 16 .b8 name[37640]", and ".param .u64 name". */
void
KernelParser::declare_array(const std::string &statement, std::vector<Array> *arrays, uint64_t *size)
{
	size_t	 name_at = statement.find_last_of(" \t") + 1;
	size_t	 open = statement.find('[', name_at), align_at = statement.find(".align");
	size_t	 type_at = statement.find_last_of('.', name_at);
	uint64_t element = (uint64_t) atoi(statement.c_str() + type_at + 2) / 8;
	uint64_t align = align_at == std::string::npos ? element : (uint64_t) atoi(statement.c_str() + align_at + 6);
	Array	 array;

	if (element == 0)
		ptx_stop("%s: cannot read \"%s\"", kernel->name.c_str(), statement.c_str());
	array.name = statement.substr(name_at, open == std::string::npos ? open : open - name_at);
	array.size = open == std::string::npos ? element : element * (uint64_t) atoll(statement.c_str() + open + 1);
	array.offset = aligned_place(*size, align);
	*size = array.offset + array.size;
	symbols[array.name] = array.offset;
	arrays->push_back(array);
}

void
KernelParser::declare(const std::string &statement)
{
	if (begins(statement, ".reg"))
		declare_registers(statement.substr(statement.find_first_of(" \t", statement.find('.', 4))));
	else if (begins(statement, ".shared"))
		declare_array(statement, &kernel->shared, &kernel->shared_size);
	else if (begins(statement, ".param"))
		declare_array(statement, &kernel->params, &kernel->params_size);
	else if (begins(statement, ".local"))
	{
		std::vector<Array> depot;

		declare_array(statement, &depot, &kernel->local_size);
	}
	else if (!begins(statement, ".pragma"))
		ptx_stop("%s: unknown \"%s\"", kernel->name.c_str(), statement.c_str());
}

bool
KernelParser::close_scope()
{
	scopes.pop_back();
	return !scopes.empty();
}

void
KernelParser::label(const std::string &name)
{
	labels[name] = (int32_t) kernel->code.size();
	label_is_next = true;
}

Operand
KernelParser::constant(uint64_t value)
{
	auto known = constants.find(value);

	if (known != constants.end())
		return known->second;
	kernel->presets.push_back({kernel->registers, Special::CONSTANT, value});
	return constants[value] = kernel->registers++;
}

Operand
KernelParser::special(const std::string &name)
{
	static const std::map<std::string, Special> known = {
		{"%tid.x", Special::THREAD},   {"%ctaid.x", Special::BLOCK}, {"%nctaid.x", Special::BLOCKS},
		{"%ntid.x", Special::THREADS}, {"%laneid", Special::LANE},	 {"%lanemask_le", Special::LANES_UP_TO},
	};
	auto it = known.find(name);

	if (it == known.end())
		ptx_stop("%s: unknown operand \"%s\"", kernel->name.c_str(), name.c_str());
	if (specials.count(name) == 0)
	{
		kernel->presets.push_back({kernel->registers, it->second, 0});
		specials[name] = kernel->registers++;
	}
	return specials[name];
}

Operand
KernelParser::operand(const std::string &text)
{
	for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
	{
		auto it = scope->find(text);

		if (it != scope->end())
			return it->second;
	}
	if (begins(text, "0d") || begins(text, "0D") || begins(text, "0f") || begins(text, "0F"))
		return constant(strtoull(text.c_str() + 2, NULL, 16));
	if (isdigit(text[0]))
		return constant(strtoull(text.c_str(), NULL, 0));
	if (text[0] == '-' && isdigit(text[1]))
		return constant((uint64_t) strtoll(text.c_str(), NULL, 0));
	if (symbols.count(text) != 0)
		return constant(symbols[text]);
	return special(text);
}

/* One, or those of a vector, or of a pair "a|b". */
void
KernelParser::operands(const std::string &text, std::vector<Operand> *list)
{
	size_t bar = text.find('|');

	if (text[0] == '{')
		for (const std::string &part : parted(text.substr(1, text.size() - 2)))
			list->push_back(operand(part));
	else if (bar != std::string::npos)
	{
		list->push_back(operand(trimmed(text.substr(0, bar))));
		list->push_back(operand(trimmed(text.substr(bar + 1))));
	}
	else
		list->push_back(operand(text));
}

/* "[base]" and "[base+offset]". */
void
KernelParser::address(const std::string &text, Instruction *instruction)
{
	size_t		plus = text.find('+');
	std::string base = trimmed(text.substr(1, (plus == std::string::npos ? text.size() - 1 : plus) - 1));

	instruction->from.push_back(operand(base));
	if (plus != std::string::npos)
		instruction->offset = strtoll(text.c_str() + plus + 1, NULL, 0);
}

/* What is written, then the address, then what is read; the mask of a warp's instruction is the last. */
void
KernelParser::place_operands(const std::string &opcode, Texts parts, Instruction *instruction)
{
	static const char *const writes_nothing[] = {"st.", "bar.sync", "bar.warp", "membar", "nanosleep", "ret", "exit"};
	bool					 writes = true;

	if (instruction->control == Control::BRANCH)
	{
		branches.push_back({(int32_t) kernel->code.size(), parts.at(0)});
		return;
	}
	if (instruction->control == Control::WARP)
	{
		instruction->mask = operand(parts.back());
		parts.pop_back();
	}
	for (const char *name : writes_nothing)
		writes = writes && !begins(opcode, name);
	for (const std::string &part : parts)
		if (writes && &part == &parts.front())
			operands(part, &instruction->to);
		else if (part[0] == '[')
			address(part, instruction);
		else
			operands(part, &instruction->from);
}

void
KernelParser::instruct(const std::string &statement, int line)
{
	Instruction instruction = {};
	std::string rest = statement;

	instruction.predicate = -1;
	instruction.line = line;
	if (rest[0] == '@')
	{
		size_t end = rest.find_first_of(" \t");

		instruction.negated = rest[1] == '!';
		instruction.predicate = operand(rest.substr(instruction.negated ? 2 : 1, end - (instruction.negated ? 2 : 1)));
		rest = trimmed(rest.substr(end));
	}
	size_t		end = rest.find_first_of(" \t\n");
	std::string opcode = rest.substr(0, end);

	ptx_decode(opcode, &instruction);
	place_operands(opcode, end == std::string::npos ? Texts() : parted(rest.substr(end)), &instruction);
	instruction.is_target = label_is_next;
	label_is_next = false;
	kernel->code.push_back(instruction);
}

void
KernelParser::finish()
{
	for (const auto &branch : branches)
	{
		auto it = labels.find(branch.second);

		if (it == labels.end())
			ptx_stop("%s: no label %s", kernel->name.c_str(), branch.second.c_str());
		kernel->code[(size_t) branch.first].target = it->second;
	}
}

/* ---- a module ---- */

/* Its characters without comments, by statements; counts lines. */
class Reader
{
  public:
	Reader(const std::string &text) : text(text)
	{
	}

	/* Up to the next of ";:{}()" that ends something; false at the end.  Operands in braces belong to it. */
	bool next(std::string *statement, char *end);
	int	 line = 1;

  private:
	const std::string &text;
	size_t			   at = 0;

	bool ends_here(const std::string &statement, char c) const;
};

bool
Reader::ends_here(const std::string &statement, char c) const
{
	bool is_empty = trimmed(statement).empty();

	if (c == ';' || c == '(' || c == ')')
		return true;
	if (c == ':')
		return trimmed(statement).find_first_of(" \t") == std::string::npos;
	if (c == '{' || c == '}')
		return is_empty || begins(trimmed(statement), ".max") || begins(trimmed(statement), ".min");
	return false;
}

bool
Reader::next(std::string *statement, char *end)
{
	statement->clear();
	for (; at < text.size(); at++)
	{
		char c = text[at];

		line += c == '\n';
		if (c == '/' && text[at + 1] == '/')
		{
			at = text.find('\n', at) - 1;
			continue;
		}
		if (ends_here(*statement, c))
		{
			*statement = trimmed(*statement);
			*end = c;
			at++;
			return true;
		}
		*statement += c;
	}
	return false;
}

} // namespace

/* The parameters and the body of one kernel, behind its name. */
static void
parse_kernel(Reader &reader, Kernel *kernel)
{
	KernelParser parser(kernel);
	std::string	 statement;
	char		 end;

	reader.next(&statement, &end);
	for (const std::string &param : parted(statement))
		parser.declare(param);
	while (reader.next(&statement, &end) && end != '{')
		continue;
	if (begins(statement, ".maxntid"))
		kernel->threads = (uint32_t) atoi(statement.c_str() + 8);
	while (reader.next(&statement, &end))
	{
		if (end == '{')
			parser.open_scope();
		else if (end == '}' && !parser.close_scope())
			break;
		else if (end == ':')
			parser.label(statement);
		else if (end == ';' && statement[0] == '.')
			parser.declare(statement);
		else if (end == ';')
			parser.instruct(statement, reader.line);
	}
	parser.finish();
}

void
ptx_parse(const std::string &text, std::map<std::string, Kernel> &kernels)
{
	Reader		reader(text);
	std::string statement;
	char		end;

	while (reader.next(&statement, &end))
	{
		size_t entry = statement.rfind(".entry");
		Kernel kernel = {};

		if (entry == std::string::npos || end != '(')
			continue;
		kernel.name = trimmed(statement.substr(entry + 6));
		kernel.threads = 1024;
		parse_kernel(reader, &kernel);
		kernels[kernel.name] = kernel;
	}
}
