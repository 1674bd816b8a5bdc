/* SPDX-License-Identifier: Apache-2.0
 * Copyright the jprof authors */
/* block_methods: a row for each method that a path, an account or a record names. */
#include "report/page/block.h"

void put_method_columns(struct block *block)
{
	struct columns *columns = &block->columns;

	block->method.class_name = columns_add(columns, "method", COLUMN_VARINT, "class", -1);
	block->method.name = columns_add(columns, "method", COLUMN_VARINT, "name", -1);
	block->method.signature =
		columns_add(columns, "method", COLUMN_VARINT, "signature", -1);
	block->method.display = columns_add(columns, "method", COLUMN_VARINT, "display", -1);
	block->method.file = columns_add(columns, "method", COLUMN_VARINT, "file", -1);
	block->method.kind = columns_add(columns, "method", COLUMN_BYTE, "kind", -1);
	block->method.flags = columns_add(columns, "method", COLUMN_BYTE, "flags", -1);
}

static void put_method(struct block *block, const struct profile_method *method,
	const struct method_label *label, enum method_kind kind)
{
	struct columns *columns = &block->columns;
	struct strings *strings = &block->strings;

	columns_number(
		columns, block->method.class_name, strings_take(strings, label->class_name));
	columns_number(columns, block->method.name, strings_take(strings, label->name));
	columns_number(
		columns, block->method.signature, strings_take(strings, label->signature));
	columns_number(columns, block->method.display, strings_take(strings, label->display));
	columns_number(columns, block->method.file,
		strings_take(strings, label_of(method ? method->file : NULL)));
	columns_byte(columns, block->method.kind, kind);
	columns_byte(columns, block->method.flags,
		method ? method->is_native + 2u * method->is_static : 0);
}

uint32_t method_row_of_id(struct block *block, uint32_t id)
{
	uint32_t *row = &block->method_row[id];

	if (id == METHOD_ROOT)
		return METHOD_ROW_ROOT;
	if (*row == 0) {
		*row = block->methods++;
		put_method(block, &block->model->profile->method[id], &block->model->method[id],
			block->model->profile->method[id].kind);
	}
	return *row;
}

void put_first_methods(struct block *block)
{
	const struct method_label root = {0}, small = {.name = label_of("(small)"),
						      .display = label_of("(small)")};

	put_method(block, NULL, &root, METHOD_MARK);
	put_method(block, NULL, &small, METHOD_MARK);
	block->methods = METHOD_ROWS;
}
