/*
 * baseline.h
 *	  The arrow between a function's share in a baseline and now (Lumnitz 2021,
 *	  section 3.4.3, listing 3.6 and table 3.2).
 */
#ifndef FG_BASELINE_H
#define FG_BASELINE_H

/*
 * angle: from -90 degrees (up: the share has doubled, or more) over 0 to 90 (down:
 * halved, or less).  shown: the angle cut towards zero, from which the colour is
 * made: red for worse, green for better, blue for no change, 0 to 255.
 */
typedef struct FgArrow
{
	double		angle;
	int			shown;
	int			red;
	int			green;
	int			blue;
} FgArrow;

/*
 * From two finite shares.  What was 0 and is not now is worse, -45 degrees; what is
 * 0 now and was not is better, 45.
 */
extern FgArrow fg_arrow(double baseline, double current);

#endif							/* FG_BASELINE_H */
