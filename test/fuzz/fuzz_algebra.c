/*
 * fuzz_algebra.c
 *	  Two profiles made of the input's bytes, and the algebra on them.
 *
 * Properties: every result is canonical and has one encoding; the laws of a
 * vector space hold exactly for whole values and, where rounding allows, for all;
 * norms, distance and similarity agree; potentials equal their definition.
 */
#include "support.h"

#include "core/cct/potential.h"
#include "core/profile/algebra.h"
#include "core/profile/builder.h"
#include "core/samples/accumulator.h"

#include <math.h>

/* Prefixes of each other, bytes around the separators, multibyte characters. */
static const char *const frame_names[16] = {
	"a", "b", "ab", "a b", "A", "a;", "\\", "#", "\xC3\xA9", "\xF0\x9F\x94\xA5", "a\t",
	"main", "main()", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "~"
};

static const double odd_values[16] = {
	0.1, 0.2, -0.3, 0.25, 1e300, -1e300, 1.5e308, -1.5e308,
	5e-324, -5e-324, 1e-300, 0x1p53, -0x1p53, 1e15, 123456.789, -0.001
};

typedef struct Pair
{
	FgContext  *ctx;
	FgTree		a;
	FgTree		b;
	double		k;
	bool		whole;			/* all values small whole numbers */
} Pair;

static double
take_value(FuzzInput *input, bool *whole)
{
	uint8_t		byte = fuzz_byte(input);

	if (byte < 0xF0)
		return (double) byte - 120;
	*whole = false;
	return odd_values[byte & 15];
}

/*
 * A stack: how many frames of the one before are kept, the new ones up to a byte
 * with the high bit, then the value.
 */
static bool
take_tree(FgContext *ctx, FuzzInput *input, FgTree *tree, bool *whole)
{
	FgBuilder  *builder = fg_builder_create(ctx);
	uint8_t		frames[128];
	uint32_t	depth = 0;
	uint8_t		stacks = fuzz_byte(input);
	bool		ok = builder != NULL;

	for (uint8_t s = 0; ok && s < stacks && input->next < input->end; s++)
	{
		char		path[128 * 64];
		size_t		length = 0;
		uint8_t		keep = fuzz_byte(input);
		uint8_t		byte = 0;

		depth = keep < depth ? keep : depth;
		while (depth < 128 && input->next < input->end && byte < 0x80)
			frames[depth++] = byte = fuzz_byte(input);
		for (uint32_t d = 0; d < depth; d++)
		{
			const char *name = frame_names[frames[d] & 15];

			memcpy(path + length, name, strlen(name));
			length += strlen(name);
			path[length++] = '\0';
		}
		length -= depth > 0;
		if (!fg_builder_add(builder, path, length, '\0', false, take_value(input, whole)))
			REQUIRE(ctx->error.code == FG_ERROR_RANGE || ctx->error.code == FG_ERROR_MEMORY);
	}
	ok = ok && fg_builder_finish(builder, tree);
	if (builder != NULL)
		fg_builder_free(builder);
	return ok;
}

/* A result: canonical, with one encoding, or a failure of a legal kind. */
static bool
accepted(FgContext *ctx, bool ok, const FgTree *tree)
{
	if (!ok)
	{
		REQUIRE(ctx->error.code == FG_ERROR_RANGE || ctx->error.code == FG_ERROR_MEMORY);
		REQUIRE(tree->key == NULL && tree->self == NULL && tree->frames.offset == NULL);
		return false;
	}
	REQUIRE(fg_tree_check(ctx, tree));
	fuzz_require_codec(ctx, tree);
	return true;
}

static void
require_sums(Pair *p)
{
	FgContext  *ctx = p->ctx;
	FgTree		ab;
	FgTree		ba;
	FgTree		back;

	if (accepted(ctx, fg_combine(ctx, &p->a, 1, &p->b, p->k, &ab), &ab))
	{
		REQUIRE(fg_combine(ctx, &p->b, p->k, &p->a, 1, &ba));
		REQUIRE(fuzz_same_tree(&ab, &ba));
		fg_tree_free(ctx, &ba);
		if (p->whole && accepted(ctx, fg_combine(ctx, &ab, 1, &p->b, -p->k, &back), &back))
		{
			REQUIRE(fuzz_same_tree(&back, &p->a));
			fg_tree_free(ctx, &back);
		}
		fg_tree_free(ctx, &ab);
	}
	REQUIRE(fg_combine(ctx, &p->a, 1, &p->a, -1, &back));
	REQUIRE(back.nnodes == 0 && back.self[0] == 0 && back.frames.count == 0);
	fg_tree_free(ctx, &back);
}

static void
require_scaling(Pair *p)
{
	FgContext  *ctx = p->ctx;
	FgTree		scaled;
	FgTree		back;

	if (accepted(ctx, fg_scale(ctx, &p->a, p->k, &scaled), &scaled))
	{
		if (p->k == 0)
			REQUIRE(scaled.nnodes == 0 && scaled.self[0] == 0);
		else if (p->whole && accepted(ctx, fg_divide(ctx, &scaled, p->k, &back), &back))
		{
			REQUIRE(fuzz_same_tree(&back, &p->a));
			fg_tree_free(ctx, &back);
		}
		fg_tree_free(ctx, &scaled);
	}
}

static void
require_parts(Pair *p)
{
	FgContext  *ctx = p->ctx;
	FgTree		positive;
	FgTree		negative;
	FgTree		absolute;
	FgTree		sum;

	REQUIRE(accepted(ctx, fg_part(ctx, &p->a, FG_PART_POSITIVE, &positive), &positive));
	REQUIRE(accepted(ctx, fg_part(ctx, &p->a, FG_PART_NEGATIVE, &negative), &negative));
	REQUIRE(accepted(ctx, fg_part(ctx, &p->a, FG_PART_ABSOLUTE, &absolute), &absolute));
	REQUIRE(fg_combine(ctx, &positive, 1, &negative, -1, &sum));
	REQUIRE(fuzz_same_tree(&sum, &p->a));
	fg_tree_free(ctx, &sum);
	REQUIRE(fg_combine(ctx, &positive, 1, &negative, 1, &sum));
	REQUIRE(fuzz_same_tree(&sum, &absolute));
	fg_tree_free(ctx, &sum);
	fg_tree_free(ctx, &positive);
	fg_tree_free(ctx, &negative);
	fg_tree_free(ctx, &absolute);
}

static void
require_norms(Pair *p, double order)
{
	FgContext  *ctx = p->ctx;
	FgTree		difference;
	double		distance;
	double		reverse;
	double		norm;
	double		norm_a;
	double		norm_b;
	bool		known = fg_distance(ctx, &p->a, &p->b, order, &distance);

	REQUIRE(known || ctx->error.code == FG_ERROR_RANGE);
	REQUIRE(known == fg_distance(ctx, &p->b, &p->a, order, &reverse));
	REQUIRE(!known || (distance == reverse && distance >= 0 && isfinite(distance)));
	if (fg_combine(ctx, &p->a, 1, &p->b, -1, &difference))
	{
		bool		has_norm = fg_norm(ctx, &difference, order, &norm);

		REQUIRE(has_norm == known);
		REQUIRE(!known || fabs(norm - distance) <= 1e-12 * norm);
		REQUIRE(!known || (norm == 0) == (difference.nnodes == 0 && difference.self[0] == 0));
		fg_tree_free(ctx, &difference);
	}
	else
		REQUIRE(!known);
	if (known && fg_norm(ctx, &p->a, order, &norm_a) && fg_norm(ctx, &p->b, order, &norm_b))
		/* the last bits of subnormal norms are lost */
		REQUIRE(distance <= (norm_a + norm_b) * (1 + 1e-12) + 8 * 0x1p-1074);
}

static void
require_similarity(Pair *p)
{
	double		similarity;
	double		reverse;

	REQUIRE(fg_similarity(p->ctx, &p->a, &p->b, &similarity));
	REQUIRE(fg_similarity(p->ctx, &p->b, &p->a, &reverse));
	REQUIRE(similarity >= 0 && similarity <= 1 && similarity == reverse);
	REQUIRE(fg_similarity(p->ctx, &p->a, &p->a, &similarity));
	REQUIRE(similarity == 1);
}

/* The definition: stacks with the frame among their last degree + 1 frames. */
static double
defined_potential(const FgTree *tree, uint32_t frame, uint32_t degree, double *naive)
{
	uint32_t	path[129];
	double		sum = 0;

	*naive = 0;
	for (uint32_t i = 1; i <= tree->nnodes; i++)
	{
		uint32_t	depth = fg_key_depth(tree->key[i]);
		uint32_t	found = 0;

		path[depth] = fg_key_frame(tree->key[i]);
		for (uint32_t d = depth; d > 0 && depth - d <= degree; d--)
			found += path[d] == frame;
		sum += found > 0 ? tree->self[i] : 0;
		*naive += found * tree->self[i];
	}
	return sum;
}

static void
require_potential(Pair *p, uint32_t degree)
{
	double		potential[16];
	double		naive[16];
	double		expected;

	if (!p->whole)
		return;
	REQUIRE(fg_subtree_potential(p->ctx, &p->a, degree, potential, naive));
	for (uint32_t f = 0; f < p->a.frames.count; f++)
	{
		REQUIRE(potential[f] == defined_potential(&p->a, f, degree, &expected));
		REQUIRE(naive[f] == expected);
	}
}

static void
require_accumulation(Pair *p)
{
	FgContext  *ctx = p->ctx;
	FgAccumulator sum;
	const FgTree *total;
	FgTree		expected;
	FgTree		copy;

	if (!p->whole || !fg_combine(ctx, &p->a, 3, &p->b, 2, &expected))
		return;
	fg_accumulator_init(ctx, &sum, FG_ACCUMULATE_SUM);
	for (int i = 0; i < 5; i++)
	{
		REQUIRE(fg_tree_copy(ctx, i % 2 == 0 ? &p->a : &p->b, &copy));
		REQUIRE(fg_accumulator_add(&sum, &copy));
	}
	total = fg_accumulator_total(&sum);
	REQUIRE(total != NULL && fuzz_same_tree(total, &expected));
	fg_accumulator_free(&sum);
	fg_tree_free(ctx, &expected);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FuzzInput	input = {data, data + size};
	FgContext	ctx = fuzz_context();
	Pair		p = {.ctx = &ctx, .whole = true};
	bool		k_whole = true;
	uint8_t		degree = fuzz_byte(&input);

	p.k = take_value(&input, &k_whole);
	if (take_tree(&ctx, &input, &p.a, &p.whole) && take_tree(&ctx, &input, &p.b, &p.whole))
	{
		REQUIRE(fg_tree_check(&ctx, &p.a) && fg_tree_check(&ctx, &p.b));
		require_norms(&p, 1);
		require_norms(&p, 2);
		require_norms(&p, INFINITY);
		require_similarity(&p);
		require_parts(&p);
		require_potential(&p, degree);
		require_accumulation(&p);
		p.whole &= k_whole;
		require_sums(&p);
		require_scaling(&p);
	}
	fg_tree_free(&ctx, &p.a);
	fg_tree_free(&ctx, &p.b);
	fuzz_finish();
	return 0;
}
