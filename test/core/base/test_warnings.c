/*
 * test_warnings.c
 *	  Warnings of an input: one of each kind, and what is told of it.
 */
#include "unit.h"

#include "core/base/warnings.h"

static void
test_kinds(void)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"};
	FgWarnings	warnings = {.count = 0};

	unit_case("one of each kind, with the first place of all");
	fg_warn(&warnings, &(FgWarning) {.text = "a", .hint = "x", .count = 2, .place = "line", .first = 7});
	fg_warn(&warnings, &(FgWarning) {.text = "b", .hint = "y"});
	fg_warn(&warnings, &(FgWarning) {.text = "a", .hint = "x", .count = 3, .place = "line", .first = 9});
	CHECK_COUNT(warnings.count, 2);
	CHECK(fg_warning_of(&warnings, "a") == &warnings.list[0]);
	CHECK(fg_warning_of(&warnings, "c") == NULL);
	CHECK_COUNT(warnings.list[0].count, 5);
	CHECK_COUNT(warnings.list[0].first, 7);

	unit_case("more kinds than there is room for");
	for (size_t i = 0; i < COUNT(names); i++)
		fg_warn(&warnings, &(FgWarning) {.text = names[i], .hint = "z"});
	CHECK_COUNT(warnings.count, FG_MAX_WARNINGS);
	CHECK(fg_warning_of(&warnings, "l") != NULL && fg_warning_of(&warnings, "m") == NULL);
}

static void
check_detail(FgWarning warning, const char *expected)
{
	char		detail[FG_WARNING_DETAIL];

	fg_warning_detail(&warning, detail);
	CHECK_TEXT(detail, strlen(detail), expected);
}

static void
test_details(void)
{
	unit_case("how often, and where first");
	check_detail((FgWarning) {.text = "a"}, "");
	check_detail((FgWarning) {.text = "a", .count = 1}, "There is one.");
	check_detail((FgWarning) {.text = "a", .count = 12}, "There are 12.");
	check_detail((FgWarning) {.text = "a", .count = 1, .place = "line", .first = 3}, "It is in line 3.");
	check_detail((FgWarning) {.text = "a", .count = UINT64_MAX, .place = "sample", .first = UINT64_MAX},
				 "There are 18446744073709551615, the first in sample 18446744073709551615.");
}

int
main(void)
{
	test_kinds();
	test_details();
	return unit_finish();
}
