/*
 * model.h
 *	  A performance model y = f(x) as a value: what was fitted, with which parameters,
 *	  and the curve; or a sample of points that waits to be fitted (the state of the
 *	  aggregates).
 *
 * Layout version 1, little-endian:
 *	offset	size
 *	0		1	version = 1
 *	1		1	kind (FgModelKind)
 *	2		6	0
 *	8		8	n: points that the model was made of
 *	16		40	x_start, x_end, r_square, r_square_y, y_start: doubles, NaN for none
 *	56		8	bytes of PARAMETERS
 *	64		8	rows of the columns
 *	72			PARAMETERS: the options in effect, a JSON object in UTF-8 as
 *				PostgreSQL prints it
 *	then the columns that the kind has, each as many doubles as rows (of x, the first
 *	column of a regressogram, one more), NaN for a value that does not exist
 *
 * Columns: of a formula one, its coefficients; of a regressogram edges, points and
 * values of the buckets; of a moving average or a kernel regression x, y, fitted; of a
 * sample x, y.
 *
 * Every NaN has the same bits, so equal models have equal bytes.
 */
#ifndef FG_MODEL_H
#define FG_MODEL_H

#include "core/base/context.h"
#include "core/models/curve.h"
#include "core/models/formula.h"

#define FG_MODEL_VERSION	1
#define FG_MODEL_HEADER		72
#define FG_MODEL_COLUMNS	3

/*
 * A fitted model must be readable from its text, too, or a dump of it could not be
 * restored: PostgreSQL reads that as jsonb, of 256 MB at most and 24 bytes a number.
 * Samples only live within a query; theirs is FG_MAX_BYTES.
 */
#define FG_MODEL_MAX_BYTES	(UINT32_C(80) << 20)
#define FG_MODEL_MAX_PARAMETERS	(UINT32_C(1) << 20)

/* The formulas come first, with their own numbers. */
typedef enum FgModelKind
{
	FG_MODEL_REGRESSOGRAM = FG_FORMULAS,
	FG_MODEL_MOVING_AVERAGE,
	FG_MODEL_KERNEL_REGRESSION,
	FG_MODEL_SAMPLE
} FgModelKind;

#define FG_MODEL_KINDS (FG_MODEL_SAMPLE + 1)

typedef struct FgModel
{
	int			kind;			/* FgFormula or FgModelKind */
	uint64_t	n;
	double		x_start;
	double		x_end;
	double		r_square;
	double		r_square_y;		/* of formulas */
	double		y_start;		/* of regressograms */
	const char *parameters;		/* JSON */
	size_t		parameters_size;
	uint64_t	rows;
	double	   *column[FG_MODEL_COLUMNS];
} FgModel;

extern const char *fg_model_word(int kind);

/* -1 for an unknown word. */
extern int	fg_model_kind(const char *word, size_t length);

/* Columns of a kind, and the doubles in one of them. */
extern uint32_t fg_model_columns(int kind);

static inline uint64_t
fg_model_column_rows(int kind, uint32_t column, uint64_t rows)
{
	return rows + (kind == FG_MODEL_REGRESSOGRAM && column == 0);
}

/* Bytes of the encoded form; FG_ERROR_LIMIT beyond the limits above. */
extern bool fg_model_size(FgContext *ctx, const FgModel *model, size_t *size);

/* Writes exactly that many bytes. */
extern bool fg_model_encode(FgContext *ctx, const FgModel *model, uint8_t *to);

/*
 * Checks and reads; the columns are allocated, the parameters point into the bytes.
 * FG_ERROR_CORRUPT.
 */
extern bool fg_model_decode(FgContext *ctx, const uint8_t *bytes, size_t size, FgModel *model);
extern void fg_model_free(FgContext *ctx, FgModel *model);

/*
 * The model as a function (curve.h); free it with fg_curve_free.  FG_ERROR_ARGUMENT for
 * a sample.
 */
extern bool fg_model_curve(FgContext *ctx, const FgModel *model, FgCurve *curve);

/*
 * What decoded columns have to fulfil besides their sizes: finite where they must be,
 * x and edges ascending, counts that are counts.  Also for models from text.
 */
extern bool fg_model_check(FgContext *ctx, const FgModel *model);

#endif							/* FG_MODEL_H */
